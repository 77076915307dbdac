"""How long repairs take: CPU seconds per second of motion, flat with length, and the worst window of a live repair.

    python -m poise.experiments.repair_speed [FILE]

Without a file, of the built-in walk with longer strides and the tremble of a recording; with one, of its best cycle,
repeated.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from poise.experiments.speed import Measure
from poise.maths import configuration as conf
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.physical.live import LiveRepair
from poise.physical.repair.repair import repair

LENGTHS = (2.0, 5.0, 15.0, 60.0)  # [s]
SPENT, FLAT, WINDOW = 2.0, 1.2, 100.0  # bars: CPU s per s, slowest to fastest frame, [ms] a live window
TREMBLE = 0.003  # [rad] of every joint in every frame


def rough_walk(character: str = "human42") -> Clip:
    """A loop that no ground explains: the built-in walk with longer strides, trembling."""
    clip = load_clip("walk", character=character).edit(edit.Stride(scale=1.1))
    step = TREMBLE * np.random.default_rng(0).normal(size=(len(clip), clip.character.model.nv))
    step[:, :3] *= 0.1
    step[-1] = step[0]
    return clip.with_q(conf.integrate(clip.character.layout, clip.q, step), labels=None)


def of_length(loop: Clip, seconds: float) -> Clip:
    """A loop played for so many seconds, as an open clip without given contacts."""
    return replace(loop.repeat(int(np.ceil(seconds / loop.duration))), labels=None).cut(0.0, seconds)


def repairs(loop: Clip, lengths: Sequence[float] = LENGTHS) -> Iterator[Measure]:
    """CPU time per second of motion for each length, and how flat it is."""
    repair(of_length(loop, 1.0))  # compiles
    spent = []
    for seconds in lengths:
        clip = of_length(loop, seconds)
        begun = time.process_time()
        out = repair(clip)
        spent.append((time.process_time() - begun) / clip.duration)
        yield Measure(f"repair of {seconds:g} s", spent[-1], "CPU s/s", f"<= {SPENT:g}", spent[-1] <= SPENT,
                      f"{out.report.iterations} iterations")  # fmt: skip
    ratio = max(spent) / spent[0]
    yield Measure(
        "repair, slowest length to shortest", ratio, "x", f"<= {FLAT:g}", ratio <= FLAT, "per second of motion"
    )


def windows(loop: Clip, count: int = 30) -> Measure:
    """The longest window of a live repair that is redone ten times a second."""
    reference, how, took = Reference(loop).edit(edit.Slope(degrees=-5.0)), LiveRepair(), []
    reference = how.ahead(reference, 0.0)  # compiles
    for k in range(1, count + 1):
        begun = time.process_time()
        reference = how.ahead(reference, 0.1 * k)
        took.append(1000.0 * (time.process_time() - begun))
    name = f"live window of 0.5 s, {loop.character.name}"
    return Measure(
        name, max(took), "ms", f"< {WINDOW:g}", max(took) < WINDOW, f"worst of {count}; median {np.median(took):.0f}"
    )


def measures(lengths: Sequence[float] = (2.0, 10.0)) -> Iterator[Measure]:
    """What `poise bench` shows."""
    yield from repairs(rough_walk(), lengths)
    for name in ("human42", "human57"):
        yield windows(load_clip("walk", character=name))


def main(arguments: list[str]) -> None:
    """Print the table."""
    loop = load_clip(arguments[0]).loop() if arguments else rough_walk()
    live = (windows(clip) for clip in (loop, *(load_clip("walk", character=c) for c in ("human42", "human57"))))
    for m in chain(repairs(loop), live):
        bar = f"bar {m.bar:<7} ({m.yardstick})"
        print(f"{'ok' if m.good else '--'}  {m.name:<40}{m.value:8.3g} {m.unit:<8} {bar}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
