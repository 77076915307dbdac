"""How fast poise is, each number beside a yardstick measured in the same run, in CPU time."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from poise.motion.clip import Clip


@dataclass(frozen=True)
class Measure:
    """One line of the table: what was timed, against what, and the bar it has to reach."""

    name: str
    value: float
    unit: str
    bar: str
    good: bool
    yardstick: str

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)


def cpu(work: Callable[[], object], repeat: int = 5, at_least: float = 0.02) -> float:
    """CPU seconds of one call: the best of `repeat` batches, each long enough to be measured."""
    count, best = 1, float("inf")
    while True:
        begun = time.process_time()
        for _ in range(count):
            work()
        took = time.process_time() - begun
        if took >= at_least:
            break
        count *= max(2, int(at_least / max(took, 1e-4)))
    for _ in range(repeat):
        begun = time.process_time()
        for _ in range(count):
            work()
        best = min(best, (time.process_time() - begun) / count)
    return best


def measures(clip: Clip) -> Iterator[Measure]:
    """Every measurement, one by one, on this clip."""
    yield from _parsing(clip)
    yield _sampling(clip)
    yield _retargeting(clip)
    yield _help()


def _parsing(clip: Clip) -> Iterator[Measure]:
    from poise.motion import formats

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.bvh"
        clip.save(path)
        ours = cpu(lambda: formats.read(path))
        size = path.stat().st_size / 1e6
        yield Measure("BVH parse", size / ours, "MB/s", "-", True, f"{len(clip)} frames")
        try:
            import bvhio
        except ImportError:
            yield Measure("BVH parse against bvhio", float("nan"), "x", ">= 20", False, "bvhio is not installed")
            return
        theirs = cpu(lambda: bvhio.readAsBvh(str(path)), repeat=1, at_least=0.0)
        ratio = theirs / ours
        yield Measure("BVH parse against bvhio", ratio, "x", ">= 20", ratio >= 20, "bvhio.readAsBvh, same file")


def _sampling(clip: Clip) -> Measure:
    from poise.motion import edit
    from poise.motion.reference import Reference

    reference = Reference(clip).edit(edit.Slope(degrees=3.0))
    reference.sample(0.0)
    times = np.random.default_rng(0).uniform(0, reference.duration, 200)
    a, b = np.random.default_rng(1).normal(size=(2, 50))

    def samples() -> None:
        for t in times:
            reference.sample(t)

    def dots() -> None:
        for _ in times:
            np.dot(a, b)

    ratio = cpu(samples) / cpu(dots)
    return Measure("Reference.sample, edits baked in", ratio, "dots", "<= 30", ratio <= 30, "np.dot of 50-vectors")


def _retargeting(clip: Clip) -> Measure:
    from poise.character.load import load_character

    other = load_character("human57")
    clip.retarget(other)  # compiles
    took = cpu(lambda: clip.retarget(other), repeat=2, at_least=0.0)
    speed = clip.duration / took
    return Measure("retargeting to human57", speed, "x real time", ">= 5", speed >= 5, f"{clip.duration:.1f} s clip")


def _help() -> Measure:
    def run() -> float:
        begun = time.monotonic()
        subprocess.run([sys.executable, "-m", "poise", "--help"], capture_output=True, check=True)
        return time.monotonic() - begun

    took = min(run() for _ in range(5))
    return Measure("poise --help", took, "s", "< 0.3", took < 0.3, "wall clock, best of 5")
