"""The live repair: edited references as a method that follows them meets them, judged by the audit.

Each edit is put on the built-in walk of a character, and on the recording where a file is named; the half second ahead
is repaired ten times a second for a few seconds. Forces and torques are scaled to a body of 70 kg; "before" is the
edited motion without a repair. "turn" and "speed" are the largest jumps of a joint or the root, and of its velocity, at
the times where windows begin. "ms" is CPU time for a window, median and worst.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.character.load import load_character
from poise.errors import PoiseError
from poise.experiments.physical.table import WEIGHT
from poise.experiments.reproduce import Options, Table, told
from poise.judge.audit import audit
from poise.maths import configuration as conf
from poise.motion import edit
from poise.motion.check.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.physical import library
from poise.physical.live import LiveRepair

SECONDS, EVERY = 3.0, 0.1  # [s] followed, and between windows
ENDS = 0.1  # [s] at both ends that are not judged: a cut clip has no acceleration there
BUDGET, FORCE, WORST = 100.0, 2.0, 15.0  # bars: [ms] of a window, [N] rms and at worst
EDITS: dict[str, Callable[[Reference], Reference]] = {
    "slope 5": lambda r: r.edit(edit.Slope(degrees=5.0)),
    "slope -5 at 0.3 s": lambda r: r.edit(edit.Slope(degrees=-5.0), at=0.3),
    "stride +15 %": lambda r: r.edit(edit.Stride(scale=1.15)),
    "stride +15 % at 1 s": lambda r: r.edit(edit.Stride(scale=1.15), at=1.0),
    "warp 10 %": lambda r: r.edit(edit.Warp(speed=1.1)),
    "blend at 1.2 s": lambda r: r.hand_over(Reference(r.clip.edit(edit.Stride(scale=0.85))), at=1.2, over=0.4),
    "pinned hand": lambda r: r.edit(edit.Pin("right_hand", offset=(0.2, -0.2, 0.3), start=0.6, end=0.9)),
    "stairs": lambda r: r.edit(edit.Stairs(rise=0.16, run=0.5 * _stride(r.clip))),
}
CHARACTERS = ("human42", "human57")
COLUMNS = ("motion", "edit", "before", "N rms", "worst", "N m rms", "posture", "root cm", "cm/s", "mm", "turn", "speed",
           "ms", "worst ms", "misses")  # fmt: skip


def _stride(clip: Clip) -> float:
    """Length [m] of two steps of a walk; that of the built-in one where a clip does not tell."""
    return float(np.linalg.norm(clip.cycle.shift)) if clip.cycle is not None else 1.3


@dataclass(frozen=True)
class Row:
    """One edit of one motion, followed."""

    before: float  # [N] rms unexplained, at 70 kg
    force: float  # [N] rms
    worst: float  # [N]
    torque: float  # [N m] rms
    posture: float  # [degrees] rms, from the edited motion
    root: float  # [m] rms
    skating: float  # [m/s]
    depth: float  # [m]
    turn: float  # [rad, m] largest jump at the beginning of a window
    speed: float  # [rad/s, m/s]
    median: float  # [ms]
    longest: float  # [ms]

    @property
    def missed(self) -> list[str]:
        """What is above its bar."""
        bars = {"force": FORCE, "worst": WORST, "median": BUDGET, "turn": 1e-6, "speed": 1e-6}
        return [name for name, most in bars.items() if not getattr(self, name) <= most]

    def cells(self) -> tuple[Any, ...]:
        """Those of `COLUMNS` after the first two."""
        return (self.before, self.force, self.worst, self.torque, self.posture, 100 * self.root, 100 * self.skating,
                1000 * self.depth, self.turn, self.speed, self.median, self.longest, " ".join(self.missed))  # fmt: skip


def measure(edited: Reference, seconds: float) -> Row:
    """Follow an edited reference and judge it."""
    followed, how, took, layout = edited, LiveRepair(), [], edited.character.layout
    jumps = np.zeros(2)
    how.ahead(how.ahead(edited, 0.0), EVERY)  # what is compiled and remembered is not the window's time
    for k in range(round(seconds / EVERY)):
        old = followed.sample(k * EVERY)
        begun = time.process_time()
        followed = how.ahead(followed, k * EVERY)
        took.append(1000.0 * (time.process_time() - begun))
        new = followed.sample(k * EVERY)
        jump = np.abs(conf.difference(layout, old.q, new.q)).max(), np.abs(new.v - old.v).max()
        jumps = np.maximum(jumps, jump)
    before, clip = (r.between(ENDS, seconds - ENDS) for r in (edited, followed))
    first, last = _judged(before), _judged(clip)
    moved = float(np.sqrt(np.mean(np.sum((clip.q - before.q)[:, :3] ** 2, axis=1))))
    return Row(first[0], *last, clip.posture_change(before), moved, skating(clip), penetration(clip),
               float(jumps[0]), float(jumps[1]), float(np.median(took)), max(took))  # fmt: skip


def _judged(clip: Clip) -> tuple[float, float, float]:
    """Unexplained force [N], rms and largest, and torque [N m] rms, at 70 kg, but for the cut ends."""
    report = audit(clip)
    k = WEIGHT / report.weight
    force, torque = (np.linalg.norm(report.series[key][2:-2], axis=1) for key in ("force", "torque"))
    return k * float(np.sqrt(np.mean(force**2))), k * float(force.max()), k * float(np.sqrt(np.mean(torque**2)))


def motions(names: Sequence[str]) -> Iterator[tuple[str, Clip]]:
    """The motions to edit: the built-in walk of each character, and each file's own."""
    for name in names:
        if Path(name).suffix:
            clip, stem = load_clip(Path(name)), Path(name).stem.split("_f")[0]
            yield stem, clip
            yield f"walk on {stem}", library.make("walk", clip.character)
        else:
            yield f"walk on {name}", library.make("walk", load_character(name))


def run(options: Options) -> Table:
    """One row a motion and an edit."""
    rows = []
    for name, clip in motions(options.characters or CHARACTERS):
        seconds = SECONDS if clip.cycle is not None else min(SECONDS, clip.duration - 0.2)
        for what, change in EDITS.items():
            try:
                cells = measure(change(Reference(clip)), seconds).cells()
            except PoiseError as error:
                cells = (*[""] * (len(COLUMNS) - 3), str(error))
            rows.append(told((name, what, *cells)))
    good = sum(not row[-1] for row in rows)
    notes = (f"{good} of {len(rows)} within all bars.",)
    return Table("Edited references, repaired while they are followed", COLUMNS, tuple(rows), notes)
