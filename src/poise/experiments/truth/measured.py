"""What force plates measured beside a recording, in the axes and at the frames of its clip.

Nothing here, and nothing in `bodies`, is shared with the repair that is judged by it: forces come from the masses and
places of single bodies by plain differences, contacts from the plates.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.signal import butter, sosfiltfilt

from poise.errors import BadValue
from poise.maths.intervals import drop_short, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip

GRAVITY = 9.80665  # [m/s²]
TOUCHES = 0.05  # of body weight: a limb whose plate gives more touches the ground
SHORTEST = 0.05  # [s] shorter pushes on a plate are noise
ENDS = 0.15  # [s] at both ends of a recording that are judged apart
JUMPS, STEPS, CALM = 15.0, 8.0, 6.0  # [Hz] below which forces of jumps and runs, of steps, and of standing are compared
FIELDS = ("clip_time", "measured", "clean", "time", "force", "point", "need_opensim", "mass")


@dataclass(frozen=True, eq=False)
class Plates:
    """Forces in body weights, X forward, Z up, at the N frames of a recording; P plates as they were measured."""

    times: Array  # (N,) [s] from the first frame on
    force: Array  # (N, 3) all plates together
    clean: np.ndarray  # (N,) bool: all that touches is on plates
    plate_times: Array  # (T,) [s] in the same clock
    plate_force: Array  # (P, T, 3)
    plate_point: Array  # (P, T, 3) centre of pressure of each [m]

    @classmethod
    def read(cls, path: Path) -> Plates:
        """The plates of a file of arrays; see `FIELDS`.

        Body weight is the one with which the plates agree best with the need of OpenSim's own model: m in
        min Σ (measured - m need)², as plates and scales differ by some per cent.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
        except (OSError, ValueError, zipfile.BadZipFile):
            raise BadValue(f"{path} cannot be read as arrays of measured forces.") from None
        missing = [name for name in FIELDS if name not in found]
        if missing:
            raise BadValue(f"{path.name} lacks {', '.join(missing)}: these are not measured ground forces.")
        z = {name: np.asarray(found[name]) for name in FIELDS}
        clean, up = z["clean"].astype(bool), z["measured"][:, 1]
        need = z["need_opensim"][:, 1] / float(z["mass"])
        weight = GRAVITY * float(np.sum(need[clean] * up[clean]) / np.sum(need[clean] ** 2))
        start = float(z["clip_time"][0])
        return cls(z["clip_time"] - start, _z_up(z["measured"]) / weight, clean, z["time"] - start,
                   _z_up(z["force"]) / weight, _z_up(z["point"]))  # fmt: skip

    @property
    def cutoff(self) -> float:
        """Frequency [Hz] below which forces are compared: as fast as this motion's own."""
        if self.force[self.clean, 2].max(initial=0.0) > 1.6:
            return JUMPS
        on = self.plate_force[..., 2] > TOUCHES
        return STEPS if np.any(on[:, 1:] != on[:, :-1]) else CALM

    @property
    def inner(self) -> np.ndarray:
        """Boolean (N,): frames judged as the middle of the recording."""
        own = self.clean & (self.times > ENDS) & (self.times < self.times[-1] - ENDS)
        return own if own.sum() > 10 else self.clean

    def on_frames(self, times: Array, values: Array) -> Array:
        """Values (M, ...) told at times (M,) [s], at the recording's own frames."""
        flat = values.reshape(len(values), -1)
        out = np.stack([np.interp(self.times, times, column) for column in flat.T], axis=1)
        return out.reshape(len(self.times), *values.shape[1:])

    @property
    def pressure(self) -> Array:
        """Centre of pressure (T, 2) [m] of all plates together; NaN where nothing pushes."""
        push = np.maximum(self.plate_force[..., 2], 0.0)
        total = push.sum(axis=0)
        sums = np.einsum("pt,pti->ti", push, np.nan_to_num(self.plate_point[..., :2]))
        return np.where(total[:, None] > TOUCHES, sums / np.maximum(total, 1e-9)[:, None], np.nan)

    def stances(self) -> list[tuple[int, float, float]]:
        """Plate, first and last time [s] of every push."""
        dt = float(np.median(np.diff(self.plate_times)))
        out = []
        for p, force in enumerate(self.plate_force[..., 2]):
            for a, e in runs(drop_short(force > TOUCHES, round(SHORTEST / dt))):
                out.append((p, float(self.plate_times[a]), float(self.plate_times[e - 1])))
        return out

    def limb(self, clip: Clip, plate: int, first: float, last: float) -> str:
        """The limb of a clip that pushed on a plate: the one nearest to the centre of pressure on average."""
        points = clip.character.contact_points
        rows = (clip.times >= first - 1e-9) & (clip.times <= last + 1e-9)
        at = np.stack([np.interp(clip.times[rows], self.plate_times, c) for c in self.plate_point[plate].T], axis=1)
        places = clip.character.points(clip.q[rows])
        away = {limb: np.linalg.norm(places[:, points.of(limb)] - at[:, None], axis=-1).min(axis=1).mean()
                for limb in points.limbs}  # fmt: skip
        return min(away, key=lambda limb: away[limb])


def _z_up(values: Array) -> Array:
    """Vectors (..., 3) with Y up, as plates tell them, with Z up."""
    return np.stack([values[..., 0], -values[..., 2], values[..., 1]], axis=-1)


def low_passed(x: Array, dt: float, cutoff: float) -> Array:
    """x (N, ...) through a Butterworth filter of second order, forwards and back."""
    sections = np.asarray(butter(2, min(2.0 * cutoff * dt, 0.99), output="sos"))
    return sosfiltfilt(sections, x, axis=0, padlen=min(30, len(x) - 2))
