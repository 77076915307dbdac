"""How long repairs take: CPU seconds per second of motion, how flat with its length, and a window of a live repair."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.experiments.physical.table import WEIGHT
from poise.experiments.reproduce import Options, Table, told
from poise.experiments.speed import Measure
from poise.maths import configuration as conf
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.physical.live import LiveRepair
from poise.physical.repair.repair import repair
from poise.physical.repair.report import residual

LENGTHS = (2.0, 5.0, 15.0, 60.0)  # [s]
SPENT, FLAT, WINDOW = 2.0, 1.2, 100.0  # bars: CPU s per s, slowest length to shortest, [ms] a live window
FLAT_RECORDED = 1.25  # of recordings: their windows differ more
TREMBLE = 0.003  # [rad] of every joint in every frame


def rough_walk() -> Clip:
    """A loop that no ground explains: the built-in walk with longer strides, trembling as a recording does."""
    clip = load_clip("walk").edit(edit.Stride(scale=1.1))
    step = TREMBLE * np.random.default_rng(0).normal(size=(len(clip), clip.character.model.nv))
    step[:, :3] *= 0.1
    step[-1] = step[0]
    return clip.with_q(conf.integrate(clip.character.layout, clip.q, step), labels=None)


def of_length(clip: Clip, seconds: float) -> Clip:
    """The best cycle of a clip played for so many seconds, as an open clip without given contacts or holds."""
    try:
        loop = clip if clip.cycle is not None else clip.loop()
    except PoiseError:
        return there_and_back(clip, seconds)
    return replace(loop.repeat(int(np.ceil(seconds / loop.duration))), labels=None, holds=()).cut(0.0, seconds)


def there_and_back(clip: Clip, seconds: float) -> Clip:
    """A clip played forwards and backwards for so many seconds."""
    count, period = int(np.ceil(seconds / clip.dt)), 2 * (len(clip) - 1)
    at = np.arange(count + 1) % period
    rows = np.where(at < len(clip), at, period - at)
    return Clip(clip.character, np.array(clip.q[rows]), clip.dt, ground=clip.ground)


def spent(clip: Clip, lengths: Sequence[float]) -> Iterator[tuple[float, Clip]]:
    """CPU seconds per second of motion that a repair takes, and what it gives, for each length [s]."""
    repair(of_length(clip, 1.0))  # compiles
    for seconds in lengths:
        long = of_length(clip, seconds)
        begun = time.process_time()
        fixed = repair(long).clip
        yield (time.process_time() - begun) / long.duration, fixed


def memory() -> float:
    """The largest memory [MB] that this process has needed; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / 1024.0 if sys.platform != "darwin" else size / 1024.0**2


def run(options: Options) -> Table:
    """One row a recording, or the rough walk alone: time by length, memory, what is left of the longest."""
    clips = [load_clip(path) for path in options.files()] if options.recordings is not None else [rough_walk()]
    columns = ("clip", *(f"{s:g} s" for s in LENGTHS), "ratio", "MB", "N rms", "bars")
    notes = ("CPU seconds per second of motion; ratio: the slowest length to the shortest; N rms: left unexplained of "
             "the longest, at 70 kg. Longer motions are the best cycle again and again; of a motion without one, all "
             "of it, forwards and backwards.",)  # fmt: skip
    return Table("Repairs of motions of several lengths", columns, tuple(told(_row(c)) for c in clips), notes)


def _row(clip: Clip) -> tuple[Any, ...]:
    found = list(spent(clip, LENGTHS))
    times, left = [t for t, _ in found], residual(found[-1][1], 0.8)
    ratio = max(times) / times[0]
    good = max(times) <= SPENT and ratio <= FLAT_RECORDED
    return (clip.name, *times, ratio, memory(), left.force_rms * WEIGHT / left.weight, "" if good else "missed")


def windows(loop: Clip) -> Measure:
    """The longest window of a live repair that is redone ten times a second."""
    count = 30
    reference, how, took = Reference(loop).edit(edit.Slope(degrees=-5.0)), LiveRepair(), []
    reference = how.ahead(reference, 0.0)  # compiles
    for k in range(1, count + 1):
        begun = time.process_time()
        reference = how.ahead(reference, 0.1 * k)
        took.append(1000.0 * (time.process_time() - begun))
    name, how_many = f"live window of 0.5 s, {loop.character.name}", f"worst of {count}; median {np.median(took):.0f}"
    return Measure(name, max(took), "ms", f"< {WINDOW:g}", max(took) < WINDOW, how_many)


def measures() -> Iterator[Measure]:
    """What `poise bench` shows."""
    times, lengths = [], (2.0, 10.0)
    for seconds, (took, _) in zip(lengths, spent(rough_walk(), lengths), strict=True):
        times.append(took)
        yield Measure(f"repair of {seconds:g} s", took, "CPU s/s", f"<= {SPENT:g}", took <= SPENT, "of a rough walk")
    ratio, name = max(times) / times[0], "repair, slowest length to shortest"
    yield Measure(name, ratio, "x", f"<= {FLAT:g}", ratio <= FLAT, "per second of motion")
    for name in ("human42", "human57"):
        yield windows(load_clip("walk", character=name))
