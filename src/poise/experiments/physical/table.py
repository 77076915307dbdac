"""The table of the repair: every recording before and after, judged by the audit and not by the optimiser's own code.

Forces and torques are scaled to a body of 70 kg. "fine" is the unexplained force after resampling four times finer,
away from changes of contact. "cleaned" is how much of the change of posture is noise and flips taken out before any
physics. "again" is how much [degrees] a second repair changes the result, as it is or read back from an npz or a BVH
file, at most. Built-in clips are judged as they are.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.experiments.reproduce import Options, Table, told
from poise.judge.audit import audit
from poise.maths import GRAVITY
from poise.maths.intervals import runs
from poise.motion.check.check import penetration, skating
from poise.motion.cleaning import cleaned
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import foot_motion
from poise.motion.contact.grip_forces import held
from poise.motion.load import built_in, load_clip
from poise.motion.resample import resample
from poise.physical.repair.repair import repair

WEIGHT = 70.0 * GRAVITY  # [N]
FALL = 5.0  # [m/s²] slower than which a body in the air is held by something
NEAR = 0.02  # [s] around a change of contact in which the finer motion is not judged
RUNS = (1.5, 0.15)  # [m/s] and share of the time in the air from which on a motion is a run
COLUMNS = ("clip", "N rms before", "N rms", "worst", "N m rms before", "N m rms", "fine", "posture", "cleaned",
           "root cm", "cm/s", "mm", "m/s²", "peak", "again", "CPU s/s", "misses")  # fmt: skip


@dataclass(frozen=True)
class PhysicalBars:
    """What a motion that obeys physics may have at most, recorded or built in; in the units of `Row`."""

    force: float = 2.0
    worst: float = 15.0
    torque: float = 1.0
    fine: float = 5.0
    skating: float = 0.01
    depth: float = 0.002
    flight: float = 0.1
    peak: float = 2.0


@dataclass(frozen=True)
class Bars(PhysicalBars):
    """What a repaired recording may have at most."""

    posture: float = 3.0
    root: float = 0.06
    again: float = 0.1
    cpu: float = 2.0
    unfallen: float = 0.0

    @staticmethod
    def of(clip: Clip) -> Bars:
        """Those of a walk, of a run, or of a motion that lands from a flight or on its hands, by what the clip is."""
        air = clip.contacts.airborne() & ~held(clip)
        speed = np.linalg.norm(np.diff(clip.q[:, :2], axis=0), axis=1).mean() / clip.dt if len(clip) > 1 else 0.0
        if speed > RUNS[0] and air.mean() > RUNS[1]:
            return Bars(fine=12.0, posture=4.0, peak=4.0)
        hands = any(clip.contacts.touching(limb).any() for limb in clip.contacts.points.limbs if limb.endswith("_hand"))
        return Bars(peak=4.0) if hands or air.sum() * clip.dt > 0.08 else Bars()


@dataclass(frozen=True)
class Row:
    """One recording; forces [N] and torques [N m] at 70 kg."""

    name: str
    force: tuple[float, float]  # rms before and after
    worst: float
    torque: tuple[float, float]
    fine: float  # rms between the frames
    posture: float  # [degrees]
    cleaned: float  # [degrees] of it, before any physics
    root: float  # [m] rms
    skating: float  # [m/s]
    depth: float  # [m]
    flight: float  # [m/s²] largest difference from free fall while nothing touches
    peak: float  # [body weights]
    again: float  # [degrees] that a second repair changes
    cpu: float  # [s] per second of motion
    unfallen: float  # [s] labelled as flight though the recorded centre of mass does not fall
    bars: Bars

    @property
    def missed(self) -> list[str]:
        """Names of the values that are above their bars."""
        out = []
        for field in fields(Bars):
            value = getattr(self, field.name)
            value = value[-1] if isinstance(value, tuple) else value
            if not value <= getattr(self.bars, field.name):  # NaN too
                out.append(field.name)
        return out

    def cells(self) -> tuple[Any, ...]:
        """Those of `COLUMNS`."""
        return (self.name, *self.force, self.worst, *self.torque, self.fine, self.posture, self.cleaned,
                100 * self.root, 100 * self.skating, 1000 * self.depth, self.flight, self.peak, self.again, self.cpu,
                " ".join(self.missed))  # fmt: skip


def measure(clip: Clip) -> Row:
    """Repair one clip and judge it."""
    begun = time.process_time()
    fixed, _ = repair(clip)
    return judged(clip, fixed, time.process_time() - begun)


def judged(clip: Clip, fixed: Clip, took: float) -> Row:
    """The row of a clip and its repaired twin, made in `took` seconds."""
    before, after = audit(clip), audit(fixed)
    k = WEIGHT / after.weight
    push = np.linalg.norm(after.series["ground_force"], axis=1).max() / after.weight
    return Row(
        clip.name, (k * before.unexplained_force_rms, k * after.unexplained_force_rms),
        k * after.unexplained_force_max.value, (k * before.unexplained_torque_rms, k * after.unexplained_torque_rms),
        k * between_frames(fixed), fixed.posture_change(clip),
        0.0 if fixed is clip else cleaned(clip).posture_change(clip), _moved(clip, fixed), skating(fixed),
        penetration(fixed), flight_error(fixed), float(push), repeated(fixed), took / max(clip.duration, clip.dt),
        _unfallen(clip, fixed), Bars.of(fixed),
    )  # fmt: skip


def repeated(clip: Clip) -> float:
    """What a repair changes [degrees rms] of a clip that was repaired: as it is, or read back from a file; the most."""
    with tempfile.TemporaryDirectory() as folder:
        found = [clip]
        for kind in ("npz", "bvh"):
            clip.save(Path(folder) / f"again.{kind}")
            found.append(load_clip(Path(folder) / f"again.{kind}"))
        return max(repair(c).clip.posture_change(c) for c in found)


def _unfallen(clip: Clip, fixed: Clip) -> float:
    """Seconds of flights in which the centre of mass of the recording does not fall."""
    seen = foot_motion(resample(clip, fixed.fps) if len(clip) != len(fixed) else clip)
    lift = seen.trimmed(seen.lift)
    air = runs(fixed.contacts.airborne() & ~held(fixed))
    return float(sum((e - a) * fixed.dt for a, e in air if lift[a:e].mean() > -FALL))


def _moved(clip: Clip, fixed: Clip) -> float:
    """How far the root was moved [m] rms, at the frames of a clip."""
    step = max(1, round(clip.dt / fixed.dt))
    return float(np.sqrt(np.mean(np.sum((fixed.q[::step] - clip.q)[:, :3] ** 2, axis=1))))


def between_frames(clip: Clip) -> float:
    """Unexplained force [N] rms of the motion resampled four times finer, away from changes of contact."""
    fine = resample(clip, 4.0 * clip.fps)
    labels = fine.contacts.labels
    change = np.zeros(len(fine), bool)
    change[1:] = np.any(labels[1:] != labels[:-1], axis=1)
    reach = max(1, round(NEAR / fine.dt))
    near = np.convolve(change, np.ones(2 * reach + 1), mode="same") > 0
    near[:reach] = near[-reach:] = True
    left = np.linalg.norm(audit(fine).series["force"], axis=1)[~near]
    return float(np.sqrt(np.mean(left**2))) if len(left) else 0.0


def flight_error(clip: Clip) -> float:
    """Largest difference [m/s²] of the fall of the centre of mass from gravity while nothing touches or is held."""
    com = clip.character.centre_of_mass(clip.q)
    fall = (com[2:] - 2 * com[1:-1] + com[:-2]) / clip.dt**2 - clip.character.model.opt.gravity
    air = (clip.contacts.airborne() & ~held(clip))[1:-1]
    return float(np.linalg.norm(fall[air], axis=1).max(initial=0.0))


def run(options: Options) -> Table:
    """One row a recording, repaired."""
    return _table("Recordings before and after a repair", options.files(), lambda path: measure(load_clip(path)))


def library(options: Options) -> Table:
    """One row a built-in clip, as it is."""

    def as_made(name: str | Path) -> Row:
        begun = time.process_time()
        clip = load_clip(name)
        return judged(clip, clip, time.process_time() - begun)

    return _table("Built-in clips, as they are", [name for name in built_in() if options.wants(name)], as_made)


def _table(title: str, names: Sequence[str | Path], row_of: Callable[[str | Path], Row]) -> Table:
    """One row a clip; a sentence where one cannot be repaired."""
    rows = []
    for name in names:
        try:
            cells = row_of(name).cells()
        except PoiseError as error:
            cells = (Path(name).stem, *[""] * (len(COLUMNS) - 2), str(error))
        rows.append(told(cells))
    good = sum(not row[-1] for row in rows)
    return Table(title, COLUMNS, tuple(rows), (f"{good} of {len(rows)} within all bars.",))
