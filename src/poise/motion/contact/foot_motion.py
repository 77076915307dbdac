"""Motion of the feet: where the feet of a clip are and how fast, cleaned of noise, the same at any frame rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.character import ContactPoints
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.resample import unrolled

SPIKE = 0.025  # [s] single frames that jump are outvoted over this time
FEET_CUTOFF = 20.0  # [Hz] faster movements of the feet are noise
BODY_CUTOFF = 12.0  # [Hz] faster movements of the centre of mass are noise
STRIDE = 0.025  # [s] over which a speed is measured, or one frame where frames are further apart
MARGIN = 1.0  # [s] by which a loop is continued on both sides, so that its seam is like any other moment


@dataclass(frozen=True, eq=False)
class FootMotion:
    """Contact points and the pairs (inner and outer corner of heel, ball or tip) that they make up, over a clip.

    All arrays have one row a frame. A loop is continued beyond its ends by `lead` frames on each side.
    """

    dt: float
    lead: int  # rows before the clip's first frame
    points: Array  # (N, P, 3) world places of the contact points of the feet [m]
    names: tuple[str, ...]  # (K,) "left_heel", "left_ball", "left_tip", ... of each pair
    sides: tuple[str, ...]  # (K,) "left", "right" or "" of each pair
    pairs: tuple[np.ndarray, ...]  # (K,) indices of the points of each pair
    place: Array  # (N, K, 3) mean place of each pair [m]
    low: Array  # (N, K) z of the lower point of each pair [m]
    speed: Array  # (N, K) [m/s]
    root: Array  # (N, 3) place of the root [m]
    com: Array  # (N, 3) centre of mass [m]
    pull: Array  # (N, 3) acceleration of the centre of mass [m/s²], -9.81 along z in free fall

    def __len__(self) -> int:
        return len(self.place)

    @property
    def lift(self) -> Array:
        """Vertical acceleration (N,) of the centre of mass [m/s²]."""
        return self.pull[:, 2]

    def of(self, side: str) -> np.ndarray:
        """Indices of the pairs of one side."""
        return np.array([k for k, s in enumerate(self.sides) if s == side], int)

    def firm(self, side: str) -> np.ndarray:
        """Indices of the pairs of one side on the foot itself: recorded toes are noisy and hang down."""
        rigid = [k for k in self.of(side) if not self.names[k].endswith("tip")]
        return np.array(rigid, int) if rigid else self.of(side)

    def trimmed(self, rows: np.ndarray) -> np.ndarray:
        """The rows of an array that belong to the clip itself."""
        return rows[self.lead : len(rows) - self.lead]


def foot_motion(clip: Clip) -> FootMotion:
    """The motion of the feet of a clip."""
    whole = unrolled(clip, frames(MARGIN, clip.dt))
    q, lead = whole.q, whole.own.start
    character, dt = clip.character, clip.dt
    pos, quat = character.forward(q)
    known = feet_points(character)
    raw = character.place(pos, quat, known.bodies, known.positions)
    points = low_pass(without_spikes(raw, dt), dt, FEET_CUTOFF)
    names, sides, pairs = paired(known)
    place = np.stack([points[:, p].mean(axis=1) for p in pairs], axis=1) if pairs else np.empty((len(q), 0, 3))
    low = np.stack([points[:, p, 2].min(axis=1) for p in pairs], axis=1) if pairs else np.empty((len(q), 0))
    model = character.model
    parts = character.place(pos, quat, np.arange(model.nbody), model.body_ipos)
    com = np.einsum("b,nbi->ni", model.body_mass, parts) / character.mass
    smooth = low_pass(without_spikes(com, dt), dt, BODY_CUTOFF)
    return FootMotion(dt, lead, points, names, sides, pairs, place, low, speeds(place, dt), pos[:, 1], com,
                   curvature(smooth, dt))  # fmt: skip


def feet_points(character: Character) -> ContactPoints:
    """The contact points of a character's feet alone."""
    known, feet = character.contact_points, character.contact_points.feet
    return ContactPoints(tuple(known.names[i] for i in feet), known.bodies[feet], known.positions[feet])


def paired(points: ContactPoints) -> tuple[tuple[str, ...], tuple[str, ...], tuple[np.ndarray, ...]]:
    """Name, side and point indices of each pair: points whose names differ only in "_inner" or "_outer"."""
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(points.names):
        groups.setdefault(name.removesuffix("_inner").removesuffix("_outer"), []).append(i)
    sides = tuple(next((s for s in ("left", "right") if name.startswith(s)), "") for name in groups)
    return tuple(groups), sides, tuple(np.array(g, int) for g in groups.values())


def without_spikes(x: Array, dt: float) -> Array:
    """x (N, ...) with jumps shorter than half of SPIKE removed by a running median."""
    width = 2 * int(0.5 * SPIKE / dt) + 1
    if width < 3 or len(x) < width:
        return np.asarray(x, float)
    from scipy.ndimage import median_filter

    return median_filter(x, size=(width, *([1] * (x.ndim - 1))), mode="nearest")


def low_pass(x: Array, dt: float, cutoff: float) -> Array:
    """x (N, ...) without frequencies above `cutoff` [Hz] and without delay; as it is where frames are too far apart."""
    if len(x) < 4 or cutoff * dt > 0.3:
        return np.asarray(x, float)
    from scipy.signal import butter, sosfiltfilt

    filter_ = np.asarray(butter(2, 2.0 * cutoff * dt, output="sos"))
    return sosfiltfilt(filter_, x, axis=0, padlen=min(len(x) - 1, frames(0.25, dt)))


def speeds(place: Array, dt: float) -> Array:
    """Speed (N, ...) [m/s] of places (N, ..., 3): the smaller of the mean speeds just before and just after each frame.

    So a foot stands still from the frame in which it lands to the one in which it leaves, at any frame rate.
    """
    n, step = len(place), min(frames(STRIDE, dt), max(len(place) - 1, 1))
    if n < 2:
        return np.zeros(place.shape[:-1])
    moved = np.linalg.norm(place[step:] - place[:-step], axis=-1) / (step * dt)
    before = np.concatenate([np.full((step, *moved.shape[1:]), np.inf), moved])
    after = np.concatenate([moved, np.full((step, *moved.shape[1:]), np.inf)])
    out = np.minimum(before, after)
    return np.where(np.isfinite(out), out, moved.mean(axis=0))


def curvature(z: Array, dt: float) -> Array:
    """Second derivative of z (N, ...) over STRIDE; the ends take the value of their nearest neighbour."""
    step = min(frames(STRIDE, dt), (len(z) - 1) // 2)
    if step < 1:
        return np.zeros(z.shape)
    inner = (z[2 * step :] - 2 * z[step:-step] + z[: -2 * step]) / (step * dt) ** 2
    return np.pad(inner, [(step, step), *[(0, 0)] * (z.ndim - 1)], mode="edge")
