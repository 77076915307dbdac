"""How the time of a repair grows with the length of a motion, and what a very long one needs.

    python -m poise.experiments.physical_timing FOLDER [NAME ...] [--seconds 2,5,15,60]

One line a recording: CPU seconds per second of motion at each length, the slowest against the shortest, the largest
memory [MB] that any of them needed, and what is left unexplained of the longest [N rms at 70 kg]. Longer
motions are the best cycle of the recording over and over; of one without a cycle, all of it, forwards and backwards.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poise.errors import PoiseError
from poise.experiments.physical_table import WEIGHT, recordings
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical.repair.repair import repair
from poise.physical.repair.report import residual

LENGTHS = (2.0, 5.0, 15.0, 60.0)  # [s]
SPENT, FLAT = 2.0, 1.25  # bars: CPU s per s; slowest length to shortest


@dataclass(frozen=True)
class Row:
    """One recording."""

    name: str
    spent: tuple[float, ...]  # [CPU s per s] at each length
    memory: float  # [MB] of the process at most, so far
    left: float  # [N] rms unexplained of the longest

    @property
    def ratio(self) -> float:
        """The slowest length to the shortest."""
        return max(self.spent) / self.spent[0]

    def text(self) -> str:
        """One line of the table."""
        good = max(self.spent) <= SPENT and self.ratio <= FLAT
        line = f"{self.name[:21]:<22}" + "".join(f"{x:8.2f}" for x in self.spent)
        return line + f"{self.ratio:8.2f}{self.memory:8.0f}{self.left:8.2f}" + ("" if good else "  !")


def of_length(clip: Clip, seconds: float) -> Clip:
    """A clip continued for so many seconds, without given contacts or holds."""
    try:
        loop = clip.loop()
    except PoiseError:
        return there_and_back(clip, seconds)
    return replace(loop.repeat(int(np.ceil(seconds / loop.duration))), labels=None, holds=()).cut(0.0, seconds)


def there_and_back(clip: Clip, seconds: float) -> Clip:
    """A clip played forwards and backwards for so many seconds."""
    count, period = int(np.ceil(seconds / clip.dt)), 2 * (len(clip) - 1)
    at = np.arange(count + 1) % period
    rows = np.where(at < len(clip), at, period - at)
    return Clip(clip.character, np.array(clip.q[rows]), clip.dt, ground=clip.ground)


def memory() -> float:
    """The largest memory [MB] that this process has needed; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / 1024.0 if sys.platform != "darwin" else size / 1024.0**2


def measure(clip: Clip, lengths: Sequence[float]) -> Row:
    """Repair one recording at each length."""
    repair(of_length(clip, 1.0))  # compiles
    spent, left = [], 0.0
    for seconds in lengths:
        long = of_length(clip, seconds)
        begun = time.process_time()
        fixed = repair(long).clip
        spent.append((time.process_time() - begun) / long.duration)
        found = residual(fixed, 0.8)
        left = found.force_rms * WEIGHT / found.weight
    return Row(clip.name, tuple(spent), memory(), left)


def rows(folder: Path, names: Sequence[str], lengths: Sequence[float]) -> Iterator[Row]:
    """The rows of the recordings under a folder whose names begin with one of those given, or of all."""
    for path in recordings(folder):
        if not names or path.stem.startswith(tuple(names)):
            yield measure(load_clip(path), lengths)


def main(arguments: list[str]) -> None:
    """Print the table."""
    if not arguments:
        raise SystemExit("Give the folder of the recordings.")
    lengths, names = LENGTHS, list(arguments[1:])
    if "--seconds" in names:
        at = names.index("--seconds")
        lengths = tuple(float(word) for word in names[at + 1].split(","))
        del names[at : at + 2]
    head = "".join(f"{f'{s:g} s':>8}" for s in lengths) + "".join(f"{word:>8}" for word in ("ratio", "MB", "N rms"))
    print(f"{'':<22}{head}")
    for row in rows(Path(arguments[0]), names, lengths):
        print(row.text(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
