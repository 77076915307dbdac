"""Are wrong contact labels found? One foot's labels are shifted in time on purpose, and the clip is repaired.

One line a recording, a foot and a direction. "wrong" is how many stretches of frames say something else than the
unshifted labels; "corrected" of how many the repair brought most of the frames back; "told" how many of the others lie
in what the report calls doubtful; "missed" are those that are left. "posture" is the change [degrees] with the shifted
labels, after the repair, and with the right ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poise.character.roles import SIDES
from poise.errors import PoiseError
from poise.experiments.reproduce import Options, Table, told
from poise.maths.intervals import runs
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.resample import resample
from poise.physical.repair.repair import Repaired, repair

SHIFT = 15  # frames at 120 a second
LEAST = 6  # frames of a stretch that counts; detection itself is sure to two or three
MOST = 0.6  # of a stretch that must be brought back to be corrected
NEAR = 4  # frames by which what is told may miss a stretch
COLUMNS = ("recording", "foot", "shift", "wrong", "corrected", "told", "missed", "posture", "right")


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

    def cells(self) -> tuple[Any, ...]:
        """Those of `COLUMNS`."""
        return (
            self.name,
            self.side,
            f"{self.shift:+d}",
            self.wrong,
            self.corrected,
            self.told,
            self.missed,
            *self.posture,
        )


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


def run(options: Options) -> Table:
    """One row a recording, a foot and a direction."""
    made, notes = [], []
    for path in options.files():
        clip = load_clip(path)
        clip = clip if clip.fps > 100.0 else replace(resample(clip, 120.0), labels=None)
        try:
            right = repair(clip)
            for side in SIDES:
                for by in (SHIFT, -SHIFT):
                    made.append(measure(clip, right, side, by))
                    told(made[-1].cells())
        except PoiseError as error:
            notes.append(f"{path.stem}: {error}")
    wrong, found, said = (sum(getattr(r, what) for r in made) for what in ("wrong", "corrected", "told"))
    notes.append(f"Of {wrong} wrong stretches {found} were corrected, {said} told and {wrong - found - said} missed.")
    title = f"Contact labels of one foot shifted by {SHIFT} frames"
    return Table(title, COLUMNS, tuple(row.cells() for row in made), tuple(notes))
