"""The table of the repair: every recording before and after, judged by the audit and not by the optimiser's own code.

    python -m poise.experiments.physical_table FOLDER [NAME ...]

Forces and torques are scaled to a body of 70 kg. "fine" is the unexplained force after resampling four times finer,
away from changes of contact.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.errors import PoiseError
from poise.judge.audit import audit
from poise.motion.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.resample import resample
from poise.physical.holds import held
from poise.physical.repair import repair

WEIGHT = 70.0 * 9.81  # [N]
NEAR = 0.02  # [s] around a change of contact in which the finer motion is not judged
COLUMNS = ("N rms", "after", "worst", "N m rms", "after", "fine", "posture", "root cm", "cm/s", "mm", "m/s²", "peak",
           "CPU s/s")  # fmt: skip
HEAD = f"{'':<22}" + "".join(f"{column:>8}" for column in COLUMNS)


@dataclass(frozen=True)
class Row:
    """One recording; forces [N] and torques [N m] at 70 kg."""

    name: str
    force: tuple[float, float]  # rms before and after
    worst: float
    torque: tuple[float, float]
    fine: float  # rms between the frames
    posture: float  # [degrees]
    root: float  # [m] rms
    skating: float  # [m/s]
    depth: float  # [m]
    flight: float  # [m/s²] largest difference from free fall while nothing touches
    peak: float  # [body weights]
    cpu: float  # [s] per second of motion

    def text(self) -> str:
        """One line of the table."""
        values = (*self.force, self.worst, *self.torque, self.fine, self.posture, 100 * self.root, 100 * self.skating,
                  1000 * self.depth, self.flight, self.peak, self.cpu)  # fmt: skip
        return f"{self.name[:21]:<22}" + "".join(f"{value:8.2f}" for value in values)


def measure(clip: Clip) -> Row:
    """Repair one clip and judge it."""
    begun = time.process_time()
    fixed, _ = repair(clip)
    took = time.process_time() - begun
    before, after = audit(clip), audit(fixed)
    k = WEIGHT / after.weight
    push = np.linalg.norm(after.series["ground_force"], axis=1).max() / after.weight
    return Row(
        clip.name, (k * before.unexplained_force_rms, k * after.unexplained_force_rms),
        k * after.unexplained_force_max.value, (k * before.unexplained_torque_rms, k * after.unexplained_torque_rms),
        k * between_frames(fixed), fixed.posture_change(clip),
        _moved(clip, fixed), skating(fixed), penetration(fixed),
        flight_error(fixed), float(push), took / max(clip.duration, clip.dt),
    )  # fmt: skip


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


def recordings(folder: Path) -> list[Path]:
    """All motion files under a folder."""
    found = [p for p in sorted(folder.rglob("*")) if p.suffix in (".bvh", ".txt", ".amc", ".fbx")]
    return [p for p in found if p.suffix != ".txt" or (p.stem.startswith("humanoid3d_") and "character" not in p.stem)]


def main(arguments: list[str]) -> None:
    """Print the table for the recordings under a folder, or for those whose names begin with what is given."""
    if not arguments:
        raise SystemExit("Give the folder of the recordings.")
    print(HEAD)
    for path in recordings(Path(arguments[0])):
        if len(arguments) > 1 and not path.stem.startswith(tuple(arguments[1:])):
            continue
        try:
            print(measure(load_clip(path)).text(), flush=True)
        except PoiseError as error:
            print(f"{path.stem:<22} {error}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
