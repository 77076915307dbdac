"""Where each step's time goes, and what it costs to look further ahead or to stand on more points.

Whatever Python calls is timed while a clip is performed. What is compiled into one decision is timed by itself, with
the arguments of decisions of the same performance.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.experiments.modal.planning import collect, mean_time
from poise.experiments.reproduce import Options, Table
from poise.export.plots import figure_of
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.modal import Modal, mind, performer
from poise.methods.modal.actuation import plan_low
from poise.methods.modal.correction import correct
from poise.methods.modal.feet import Aims
from poise.methods.modal.footholds import Walker
from poise.methods.modal.linearise import Watched
from poise.methods.modal.meeting import Meeting
from poise.methods.modal.preview import Preview
from poise.methods.modal.problem import force_plan
from poise.methods.modal.rigid import plan_forces
from poise.methods.modal.spectrum import find_modes, track_modes, tracked_share
from poise.methods.modal.step import decide
from poise.methods.modal.tumble import Tumble
from poise.methods.modal.update import transition
from poise.motion.load import load_clip
from poise.performance import perform
from poise.take import Recorder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CASES = (("walk", 12, 6.0), ("squat", 16, 6.0))
AGAIN = 50
WINDOWS = (1, 2, 4, 8, 12, 16, 24, 36, 48, 60)
CALLED = {  # what Python calls in a step: owner, name, what it is for
    "reference ahead": ((Preview, "frames"),),
    "legs that keep the feet in place": ((Aims, "of"),),
    "kinematics and inertia (MuJoCo)": ((Watched, "place"), (Watched, "places"), (Watched, "placed")),
    "what is near the ground, or the other leg": ((Tumble, "near"), (Meeting, "near")),
    "footholds": ((Walker, "error"), (Walker, "sense"), (Walker, "ahead"), (Preview, "edited"), (Preview, "shifted")),
    "the compiled decision": ((mind, "advise"),),
    "the new pose, its inertia and momentum": ((performer, "arrive"),),
    "recording": ((Recorder, "frame"),),
}  # fmt: skip


class Watch:
    """Times of calls by name, each without what it calls under another name.

    Wall time, and the median of all calls: a clock of CPU time is too coarse for microseconds, and what other programs
    take from a call now and then does not count.
    """

    def __init__(self) -> None:
        self.calls: dict[tuple[str, str], list[float]] = {}
        self._open: list[float] = []  # what inner calls of each open call took [s]

    def around(self, key: tuple[str, str], work: Callable[..., Any]) -> Callable[..., Any]:
        """The function, timed under a part of the step and its own name."""

        def timed(*args: Any, **more: Any) -> Any:
            self._open.append(0.0)
            begun = clock.perf_counter()
            try:
                return work(*args, **more)
            finally:
                took = clock.perf_counter() - begun
                inner = self._open.pop()
                self.calls.setdefault(key, []).append(took - inner)
                if self._open:
                    self._open[-1] += took

        return timed

    def of(self, part: str, steps: int) -> float:
        """Time [s] of a part in one of so many steps."""
        return sum(float(np.median(t)) * len(t) / steps for (what, _), t in self.calls.items() if what == part)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """While this lasts, everything in `CALLED` is timed."""
    owned = [(owner, name, getattr(owner, name), what) for what, all_of in CALLED.items() for owner, name in all_of]
    for owner, name, work, what in owned:
        setattr(owner, name, watch.around((what, name), work))
    try:
        yield
    finally:
        for owner, name, work, _ in owned:
            setattr(owner, name, work)


@njit(cache=True)
def _plan_all(change, low, n):
    total = 0.0
    forced = np.zeros(n)
    for i in low:
        total += plan_low(change[i], 0.01, 0.1, forced, 0.0, 0.0, n, 0.5, 2.0, 1e-3)
    return total


@njit(cache=True)
def _correct_again(W, c, start, friction, tolerance, times):
    f, total = start.copy(), 0.0
    for _ in range(times):
        f[:] = start
        total += correct(W, c, f, friction, tolerance)[0]
    return total


def inside(clip_name: str, window: int) -> dict[str, float]:
    """Median times [s] of the parts of the compiled decision."""
    clip = load_clip(clip_name)
    seen = collect(clip, window, 1.5)[30:]
    parts: dict[str, list[float]] = {}
    for s in seen[:: max(1, len(seen) // 8)]:
        body, _, _, weights, dual, known = s
        given: Any = (body.M, body.stiffness, body.R, body.place, body.centre, body.mass)
        shapes, squares, _ = find_modes(*given)
        share, change = np.empty(len(squares)), np.empty((len(squares), 4))
        tracked_share(squares, weights.threshold, 0, 0, share)
        transition(squares, np.zeros(len(squares)), weights.dt, change)
        plan = force_plan(*s[:4], feedforward=weights.feedforward)
        low = np.flatnonzero((share < 1.0) & (np.arange(len(share)) >= 6))
        touch = _correction(s, shapes, change)
        for name, work in (
            ("modes", lambda _, a=given, k=known: track_modes(a[0], a[1], a[2], a[3], a[4], a[5], k.copy())),
            ("contact-force plan", lambda _, a=plan, y=dual: _warm((a, y))),
            ("plans of the low modes", lambda _, c=change, i=low, n=weights.window: _plan_all(c, i, n)),
            ("contact correction", lambda _, a=touch: _correct_again(a[0], a[1], a[2], a[3], a[4], AGAIN)),
        ):  # fmt: skip
            many = AGAIN if name == "contact correction" else 1
            parts.setdefault(name, []).append(mean_time(work, [None], 0.04) / many)
    return {name: float(np.median(values)) for name, values in parts.items()}


def _correction(seen: tuple[Any, ...], shapes: np.ndarray, change: np.ndarray) -> tuple[Any, ...]:
    """The contact problem that a decision solved: W, c, its start, friction and tolerance."""
    body, ahead, contact, weights, dual, known = seen
    made = decide(body, ahead, contact, weights, dual.copy(), known.copy())
    near = np.flatnonzero(contact.near)
    rows = np.einsum("pcv,vm->pcm", contact.jacobian, shapes)
    p = shapes.T @ body.M @ made.step
    free = p - change[:, 1] * weights.dt * np.einsum("pc,pcm->m", made.force, rows)
    mine = rows[near].reshape(-1, len(p))
    W = (mine * (weights.dt * change[:, 1])) @ mine.T
    return (W, mine @ free + contact.gap[near].ravel(), made.planned[near].ravel(),
            np.ascontiguousarray(contact.friction[near]), weights.tolerance)  # fmt: skip


def where(clip_name: str, window: int, seconds: float) -> list[tuple[str, float, float]]:
    """Rows: part, microseconds a step, share of the step in percent."""
    clip, watch = load_clip(clip_name), Watch()
    perform(clip, Modal(window=window), seconds=0.2)  # compiled
    plain = perform(clip, Modal(window=window), seconds=seconds)
    with watched(watch):
        perform(clip, Modal(window=window), seconds=seconds)
    steps = round(seconds * 120)
    whole = 1e6 / (120.0 * plain.realtime_factor)
    spent = {name: 1e6 * watch.of(name, steps) for name in CALLED}
    spent["the rest of Python"] = max(0.0, whole - sum(spent.values()))
    rows: list[tuple[str, float, float]] = []
    for name, value in spent.items():
        rows.append((name, value, 100.0 * value / whole))
        if name == "the compiled decision":
            parts = {k: 1e6 * v for k, v in inside(clip_name, window).items()}
            parts["assembly, Jacobians, torques"] = max(0.0, value - sum(parts.values()))
            rows += [(f"  of it {k}", v, 100.0 * v / whole) for k, v in parts.items()]
    rows.append(("a step in all", whole, 100.0))
    return rows


def against_window(clip_name: str, per: int) -> list[tuple[int, float, float, float]]:
    """Window, planned forces, force plan and whole decision [us], warm."""
    rows = []
    for window in WINDOWS:
        seen = collect(load_clip(clip_name), window, 0.8)[20 :: max(1, 76 // per)]
        plans = [(force_plan(*s[:4], feedforward=s[3].feedforward), s[4]) for s in seen]
        whole = mean_time(_decided, seen, 0.1)
        rows.append((window, float(np.mean([p.count for p, _ in plans])), 1e6 * mean_time(_warm, plans, 0.05),
                     1e6 * whole))  # fmt: skip
    return rows


def _decided(s: tuple[Any, ...]) -> None:
    decide(s[0], s[1], s[2], s[3], s[4].copy(), s[5].copy())


def _warm(given: tuple[Any, Array]) -> None:
    p, y = given
    plan_forces(p.z, p.slack, p.weight, p.friction, p.usual, p.count, p.alpha, p.beta, p.G, y.copy(),
                np.zeros((p.count, 3)))  # fmt: skip


def against_contacts() -> list[tuple[int, float, float]]:
    """Points near the ground, force plan and whole decision [us], over the decisions of a walk and of a squat."""
    by: dict[int, list[Any]] = {}
    for name in ("walk", "squat"):
        for s in collect(load_clip(name), 12, 1.3)[20::3]:
            by.setdefault(int(s[2].touching[0].sum()), []).append(s)
    rows = []
    for count in sorted(by):
        plans = [(force_plan(*s[:4], feedforward=s[3].feedforward), s[4]) for s in by[count][:8]]
        whole = mean_time(_decided, by[count][:8], 0.1)
        rows.append((count, 1e6 * mean_time(_warm, plans, 0.05), 1e6 * whole))
    return rows


def run(options: Options) -> Table:
    """Rows: a part of a step of each clip; then windows; then numbers of contacts."""
    rows: list[tuple[Any, ...]] = []
    for name, window, seconds in CASES:
        rows += [(f"{name}, window {window}", part, a, b) for part, a, b in where(name, window, seconds)]
    ahead = against_window("walk", options.seeds)
    rows += [(f"walk, window {w}", f"{f:.0f} forces: force plan", plan, 100.0 * plan / d) for w, f, plan, d in ahead]
    rows += [(f"walk, window {w}", "compiled decision", d, 100.0) for w, _, _, d in ahead]
    for count, plan, d in against_contacts():
        rows.append((f"window 12, {count} points touch", "force plan", plan, 100.0 * plan / d))
        rows.append((f"window 12, {count} points touch", "compiled decision", d, 100.0))
    figures = options.plot(lambda: _draw(ahead), "modal-costs")
    return Table("Where a step's time goes, CPU time", ("case", "part", "time [us]", "share [%]"), tuple(rows),
                 ("Shares of a part: of the whole step, or of the compiled decision where only that is told.",),
                 figures)  # fmt: skip


def _draw(rows: list[tuple[int, float, float, float]]) -> Figure:
    figure = figure_of(5.0, 3.0)
    ax = figure.subplots()
    window, _, plan, whole = np.array(rows).T
    ax.plot(window, whole, "o-", label="compiled decision")
    ax.plot(window, plan, "o-", label="contact-force plan")
    ax.set(xlabel="window [steps of 1/120 s]", ylabel="CPU time [us]", ylim=(0, None), title="walking")
    ax.legend()
    return figure
