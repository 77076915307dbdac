"""Are wrong contact labels found? One foot's labels are shifted in time on purpose, and the clip is repaired.

    python -m poise.experiments.physical_labels FOLDER [NAME ...]

One line a recording, a foot and a direction. "wrong" is how many stretches of frames say something else than the
unshifted labels; "corrected" of how many the repair brought most of the frames back; "told" how many of the others lie
in what the report calls doubtful; "missed" are those that are left. "posture" is the change [degrees] with the shifted
labels, after the repair, and with the right ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poise.character.roles import SIDES
from poise.errors import PoiseError
from poise.experiments.physical_table import recordings
from poise.maths.intervals import runs
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.resample import resample
from poise.physical.repair.repair import Repaired, repair

SHIFT = 15  # frames at 120 a second
LEAST = 6  # frames of a stretch that counts; detection itself is sure to two or three
MOST = 0.6  # of a stretch that must be brought back to be corrected
NEAR = 4  # frames by which what is told may miss a stretch


@dataclass(frozen=True)
class Row:
    """One recording with the labels of one foot shifted."""

    name: str
    side: str
    shift: int  # frames
    wrong: int  # stretches
    corrected: int
    told: int
    posture: tuple[float, float]  # [degrees] with shifted labels, and with those that are right

    @property
    def missed(self) -> int:
        """Wrong stretches that were neither corrected nor told."""
        return self.wrong - self.corrected - self.told

    def text(self) -> str:
        """One line of the table."""
        counts = "".join(f"{n:10d}" for n in (self.wrong, self.corrected, self.told, self.missed))
        line = f"{self.name[:21]:<22}{self.side:>6}{self.shift:+6d}{counts}"
        return line + f"{self.posture[0]:10.2f}{self.posture[1]:8.2f}" + ("  !" if self.missed else "")


def shifted(labels: np.ndarray, own: np.ndarray, by: int) -> np.ndarray:
    """Labels (N, P) in which those of some points are later by so many frames, or earlier; the ends are held."""
    out = labels.copy()
    rows = np.clip(np.arange(len(labels)) - by, 0, len(labels) - 1)
    out[:, own] = labels[rows][:, own]
    return out


def measure(clip: Clip, right: Repaired, side: str, by: int) -> Row:
    """One foot's labels shifted; `right` is the repair with those of the recording."""
    own, truth = clip.character.contact_points.of(side), np.array(clip.contacts.labels)
    given = shifted(truth, own, by)
    fixed, report = repair(replace(clip, labels=given))
    was, said, now = (np.any(x[:, own], axis=1) for x in (truth, given, fixed.contacts.labels))
    wrong = [(int(a), int(e)) for a, e in runs(was != said) if e - a >= LEAST]
    doubted = [(d.first - NEAR, d.last + NEAR) for d in report.doubtful]
    corrected = [w for w in wrong if np.mean(now[slice(*w)] == was[slice(*w)]) >= MOST]
    told = [w for w in wrong if w not in corrected and any(a < w[1] and e >= w[0] for a, e in doubted)]
    angles = (fixed.posture_change(clip), right.clip.posture_change(clip))
    return Row(clip.name, side, by, len(wrong), len(corrected), len(told), angles)


def rows(folder: Path, names: list[str]) -> Iterator[Row]:
    """The rows of the recordings under a folder whose names begin with one of those given, or of all."""
    for path in recordings(folder):
        if names and not path.stem.startswith(tuple(names)):
            continue
        clip = load_clip(path)
        clip = clip if clip.fps > 100.0 else replace(resample(clip, 120.0), labels=None)
        try:
            right = repair(clip)
            for side in SIDES:
                for by in (SHIFT, -SHIFT):
                    yield measure(clip, right, side, by)
        except PoiseError as error:
            print(f"{path.stem:<22} {error}")


def main(arguments: list[str]) -> None:
    """Print the table."""
    if not arguments:
        raise SystemExit("Give the folder of the recordings.")
    heads = "".join(f"{word:>10}" for word in ("wrong", "corrected", "told", "missed", "posture"))
    print(f"{'':<22}{'foot':>6}{'shift':>6}{heads}{'right':>8}")
    made = []
    for row in rows(Path(arguments[0]), list(arguments[1:])):
        made.append(row)
        print(row.text(), flush=True)
    wrong, corrected, told = (sum(getattr(r, what) for r in made) for what in ("wrong", "corrected", "told"))
    print(f"Of {wrong} wrong stretches {corrected} were corrected, {told} told and {wrong - corrected - told} missed.")


if __name__ == "__main__":
    main(sys.argv[1:])
