"""Section 9: tracking and push recovery against the length of the window, walking and squatting (cost: `costs`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from poise.experiments.modal.trial import performed, push
from poise.experiments.reproduce import Options, Table
from poise.export.plots import figure_of
from poise.methods.modal.mind import DT
from poise.methods.modal.window import automatic
from poise.motion.load import load_clip
from poise.motion.reference import Reference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WINDOWS = (1, 2, 4, 8, 12, 16, 24, 36, 60)
AFTER = 5.05  # [s]


class Case(NamedTuple):
    """A clip and the pushes on it."""

    clip: str
    force: float  # [N]
    frames: int  # that it lasts
    directions: tuple[float, ...]  # [degrees] from forward to the left


CASES = (Case("walk", 135.0, 10, (90.0, 180.0)), Case("squat", 150.0, 20, (0.0, 90.0)))


class Outcome(NamedTuple):
    """What a window gave."""

    window: int
    joints: float  # [degrees], undisturbed
    root: float  # [cm]
    fell: float | None  # [s]
    kept: int
    total: int


def outcome(case: Case, window: int, settings: dict[str, Any], phases: int) -> Outcome:
    """A performance of 7 s, and pushes at so many phases, if it stays up by itself."""
    clip = load_clip(case.clip)
    settings = {"window": window, **settings}
    calm = performed(clip, "modal update", 7.0, settings=settings)
    off, kept, total = calm.tracking_error(), 0, 0
    up = calm.ended.whole
    lasts = case.frames * DT
    for direction in case.directions:
        for phase in range(phases if up else 0):
            at = 1.0 + phase / phases * clip.duration
            take = performed(clip, "modal update", at + lasts + AFTER, settings=settings,
                             events=(push(case.force, direction, at, lasts),))  # fmt: skip
            kept += bool(take.recovered(at + lasts, calm))
            total += 1
    fell = None if up else calm.ended.time
    return Outcome(window, float(np.degrees(off.joints)), 100.0 * off.root_position, fell, kept, total)


def run(options: Options) -> Table:
    """Rows by clip, law of effort and window; pushes at as many phases as there are seeds, from two sides."""
    rows: list[tuple[Any, ...]] = []
    drawn: dict[str, list[Outcome]] = {}
    for case in CASES:
        own = automatic(Reference(load_clip(case.clip)), DT)
        name = f"{case.clip}, {case.force:g} N"
        for window in sorted({*WINDOWS, own}):
            found = outcome(case, window, {}, options.seeds)
            drawn.setdefault(name, []).append(found)
            rows.append((name, "reference's", f"{window} (auto)" if window == own else window, *_cells(found)))
    for window in WINDOWS:
        found = outcome(CASES[0], window, {"feedforward": False}, 0)
        rows.append((CASES[0].clip, "nothing (paper)", window, *_cells(found)))
    figures = options.plot(lambda: _draw(drawn), "modal-windows")
    return Table("The length of the window", ("clip", "effort from", "window", "fell [s]", "joints [deg]", "root [cm]",
                 "pushes recovered"), tuple(rows), figures=figures)  # fmt: skip


def _cells(found: Outcome) -> tuple[Any, ...]:
    pushes = f"{found.kept}/{found.total}" if found.total else "-"
    return ("-" if found.fell is None else f"{found.fell:.1f}", found.joints, found.root, pushes)


def _draw(drawn: dict[str, list[Outcome]]) -> Figure:
    figure = figure_of(11.0, 3.0)
    axes = figure.subplots(1, 3)
    for name, found in drawn.items():
        window = [o.window for o in found]
        axes[0].semilogy(window, [o.joints for o in found], "o-", label=name)
        axes[1].plot(window, [100.0 * o.kept / max(o.total, 1) for o in found], "o-", label=name)
        axes[2].semilogy(window, [o.root for o in found], "o-", label=name)
    labels = ("joint error, undisturbed [deg]", "pushes recovered [%]", "root error, undisturbed [cm]")
    for ax, label in zip(axes, labels, strict=True):
        ax.set(xlabel="window [steps of 1/120 s]", ylabel=label)
    axes[0].legend()
    axes[1].set_ylim(0, 105)
    return figure
