"""Live performances: walks edited, steered and passed into runs while they are performed, and falls."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from poise.experiments.reproduce import Options, Table
from poise.ground.slope import Slope
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import Show, begin, perform
from poise.physical.repair.repair import make_physical
from poise.take import Take

METHODS = ("modal", "modal-torques", "mcsim")
RECORDED = ("02_01", "12_01")  # walks, each on its own character
LIVE, SECONDS = 1.0, 6.0  # [s] when an edit is made, and how long it goes on
RADIUS = 3.0  # [m] of the circles


def walks(options: Options) -> Iterator[tuple[str, Clip]]:
    """The built-in walk, and recorded ones on their own characters, looped and made physical."""
    yield "human42", load_clip("walk")
    for name in RECORDED:
        path = options.recording(name)
        if path is not None:
            yield name, make_physical(load_clip(path).loop())


def _ramp(degrees: float) -> Callable[[Show, Clip], None]:
    def edited(show: Show, walk: Clip) -> None:
        points = walk.character.points(show.state.q)[0]
        low = points[points[:, 2] < points[:, 2].min() + 0.02, 0]
        start = float(low.max() if degrees > 0.0 else low.min())  # [m] so that no foot that stands is buried
        show.edit(edit.Slope(degrees, 0.0, start))
        show.ground(Slope(degrees, 0.0, start))

    return edited


def _stride(metres: float) -> Callable[[Show, Clip], None]:
    def edited(show: Show, walk: Clip) -> None:
        assert walk.cycle is not None
        show.edit(edit.Stride(metres=float(np.linalg.norm(walk.cycle.shift[:2])) + 2.0 * metres))

    return edited


EDITS: dict[str, Callable[[Show, Clip], None]] = {
    "ramp +3 degrees": _ramp(3.0),
    "ramp -5 degrees": _ramp(-5.0),
    "each step +10 cm": _stride(0.10),
    "each step -15 cm": _stride(-0.15),
    "10 % faster": lambda show, walk: show.edit(edit.Warp(speed=1.1)),
}


def run(options: Options) -> Table:
    """Edits while it walks: one row a walk, an edit and a method; as many phases as there are seeds."""
    rows, figures = [], []
    for body, walk in walks(options):
        for name, change in EDITS.items():
            for method in METHODS:
                if not options.wants(f"{body} {name} {method}"):
                    continue
                takes = []
                for k in range(options.seeds):
                    show = begin(walk, method, start=k / options.seeds * walk.duration).run(LIVE)
                    change(show, walk)
                    takes.append(show.run(SECONDS - LIVE).finish())
                rows.append(_say((body, name, method, *_counted(takes))))
                figures += options.film(takes[0], f"live-{body}-{name}-{method}")
    columns = ("walk", "edit", "method", "stayed up", "followed", "joints [deg]")
    return Table(f"Walks of {SECONDS:g} s, edited after {LIVE:g} s while they are performed", columns, tuple(rows),
                 ("Followed and errors: against the edited clip itself, not its repair.",), tuple(figures))  # fmt: skip


def _counted(takes: list[Take]) -> tuple[str, str, float]:
    up, did = sum(t.ended.whole for t in takes), sum(bool(t.followed()) for t in takes)
    joints = np.median([np.degrees(t.tracking_error("own").joints) for t in takes])
    return f"{up}/{len(takes)}", f"{did}/{len(takes)}", float(joints)


def _say(row: tuple[object, ...]) -> tuple[object, ...]:
    print(*row, sep=", ", file=sys.stderr, flush=True)  # it takes long
    return row


def chains(options: Options) -> Table:
    """Stand, walk, run, walk, stop: how far each start comes."""
    stand, walk, fast = (load_clip(n) for n in ("stand", "walk", "run"))
    order = (("walk", walk, 9.0), ("run", fast, 9.0), ("walk", walk, 9.0), ("stop", stand, 10.0))
    rows, figures = [], []
    for method in filter(options.wants, ("modal-torques", "mcsim")):
        reached = np.zeros(len(order), int)
        for k in range(options.seeds):
            show = begin(stand, method, noise=0.01, seed=k).run(0.5 + k / options.seeds)
            for n, (_, clip, seconds) in enumerate(order):
                show.play(clip)
                show.run(seconds)
                if show.fallen is not None:
                    break
                reached[n] += 1
            take = show.finish()
            figures += options.film(take, f"live-chain-{method}") if k == 0 else ()
        rows.append(_say((method, *(f"{n}/{options.seeds}" for n in reached))))
    return Table("Stand, walk, run, walk, stop under way", ("method", *(n for n, _, _ in order)), tuple(rows), (),
                 tuple(figures))  # fmt: skip


def steering(options: Options) -> Table:
    """Once round a circle, both ways."""
    walk, rows, figures = load_clip("walk"), [], []
    for method in ("modal-torques", "mcsim"):
        for speed in (0.8, 1.2, 1.6):
            for way, sign in (("left", 1.0), ("right", -1.0)):
                show = begin(walk, method).run(1.0)
                show.steer(speed, sign * float(np.degrees(speed / RADIUS)))
                take = show.run(4.0 + 2.0 * np.pi * RADIUS / speed).finish()
                rows.append(_say((method, speed, way, str(take.ended), *_circle(take, speed))))
                figures += options.film(take, f"live-circle-{method}-{speed}-{way}")
    columns = ("method", "speed [m/s]", "way", "ended", "radius [m]", "went [m/s]")
    return Table(f"Circles of {RADIUS:g} m", columns, tuple(rows), (), tuple(figures))


def _circle(take: Take, speed: float) -> tuple[float, float]:
    """Radius [m] and speed [m/s] of the second half of a take."""
    path = take.q[len(take) // 2 : int(np.searchsorted(take.time, take.ended.time)), :2]
    if len(path) < 120:
        return float("nan"), float("nan")
    A = np.column_stack([2.0 * path, np.ones(len(path))])
    x, y, c = np.linalg.lstsq(A, (path**2).sum(axis=1))[0]
    smooth = path[::120]
    return float(np.sqrt(max(c + x * x + y * y, 0.0))), float(np.linalg.norm(np.diff(smooth, axis=0), axis=1).mean())


def falls(options: Options) -> Table:
    """Bodies that are pushed over: how fast their joints are half a second after the fall."""
    rows, figures = [], []
    clips = [load_clip(n) for n in ("stand", "walk")]
    for k in range(max(options.seeds, 2)):
        method = ("pd", "mcsim", "modal", "modal-torques", "balance")[k % 5]
        show = begin(clips[k % 2], method, noise=0.01, seed=k).run(0.5)
        way = 2.0 * np.pi * k / max(options.seeds, 2)
        show.push("chest", (700.0 * np.cos(way), 700.0 * np.sin(way), 0.0), duration=0.2)
        take = show.run(3.0).finish()
        down = next((e.time for e in take.events if e.kind == "limp"), float("nan"))
        speed = np.abs(take.v[:, 6:]).max(axis=1)
        late = speed[take.time >= down + 0.5]
        row = (clips[k % 2].name, method, str(take.ended), take.ended.time, float(speed[take.time >= down][:1].max()),
               float(late[0]), float(np.mean(late > 10.0)))  # fmt: skip
        rows.append(_say(row))
        figures += options.film(take, f"live-fall-{k}-{method}")
    columns = ("clip", "method", "ended", "when [s]", "joints then [rad/s]", "0.5 s later", "share above 10 later")
    return Table("Falls, after which a body goes limp", columns, tuple(rows), (), tuple(figures))


class _Cost(NamedTuple):
    """CPU time [s] of the same performance in three ways."""

    perform: float
    run: float
    step: float


def _cost(clip: Clip, method: str, seconds: float) -> _Cost:
    begun = time.process_time()
    whole = float(perform(clip, method, seconds=seconds).timings["loop"])
    show = begin(clip, method)
    begun = time.process_time()
    show.run(seconds)
    ran = time.process_time() - begun
    show = begin(clip, method)
    begun = time.process_time()
    for _ in range(round(120 * seconds)):
        show.step()
    return _Cost(whole, ran, time.process_time() - begun)


def speed(options: Options) -> Table:
    """What stepping frame by frame costs more than `run`; the least of as many repetitions as there are seeds."""
    rows, clip = [], load_clip("walk")
    for method in ("kinematic", "pd", "balance", *METHODS):
        costs = [_cost(clip, method, 3.0) for _ in range(options.seeds)]
        least = [min(c[k] for c in costs) for k in range(3)]
        rows.append(_say((method, *(round(1e3 * c / 360, 3) for c in least), 100.0 * (least[2] / least[1] - 1.0))))
    return Table("CPU time of a frame", ("method", "perform [ms]", "run [ms]", "step [ms]", "step costs more [%]"),
                 tuple(rows))  # fmt: skip
