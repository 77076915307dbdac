"""Scenes from recordings of a hand with an object, estimated from pictures: 21 joints, and the object's pose.

Such recordings come in a camera's axes, hand and object a centimetre or two apart, with noise of as much. So the
upright axis is the object's own that turns least, with its two resting places at one height; the object is at rest
until it is lifted; tracks are smoothed; while the object is carried the hand keeps its mean place on it; and it is
moved by one constant way that puts its fingertips on the surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.optimize import least_squares

from poise.character.library.hand import fingers
from poise.errors import BadFile
from poise.maths.distance import to_point
from poise.maths.rotations import Array, from_matrix
from poise.methods.hands.scene import Scene, Track
from poise.methods.hands.thing import Thing

TIPS, KNUCKLES = (4, 8, 12, 16, 20), (0, 5, 9, 13, 17)  # joints of fingertips; of the wrist and the four knuckles
SMOOTH = 4.0  # [frames] over which tracks are smoothed
LIFTED = 0.012  # [m] above which the object is carried
THICK = 0.009  # [m] of a finger about its joints
SETTLED = 10  # frames after which its turn in the hand is seen well
EARLY, LATE = 34, 4  # frames that are kept before the lift, and cut off before it is set down


@dataclass(frozen=True, eq=False)
class Recorded:
    """A scene from a recording, with what the recording's own fingers did."""

    scene: Scene
    tips: Array  # (T, 5, 3) [m] its fingertips, thumb first, in the scene's world
    carried: np.ndarray  # (T,) is the object off the table?
    moved: float  # [m] by which the hand was moved onto the object
    apart: float  # [m] rms distance of its fingertips from the surface, after that


def load_recorded(path: str | Path, thing: Thing, *, fps: float = 30.0, friction: float = 1.0) -> Recorded:
    """The scene of an .npz with `joints` (T, 21, 3) and `object_pose` (T, 3, 4) [m]; the object stands along its z."""
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            joints, pose = np.asarray(file["joints"], float), np.asarray(file["object_pose"], float)
    except (OSError, ValueError, KeyError):
        raise BadFile(path, "it has no joints (T, 21, 3) and object_pose (T, 3, 4).") from None
    R, place = pose[:, :, :3], pose[:, :, 3]
    lift, axes = _upright(R, place)
    a, b = _span(lift, path)
    matrix, at = _object(axes @ R, place @ axes.T, a, b)
    off = lift[a:b] > LIFTED
    # hands and objects are not always of one handedness: while it is carried, the object stays where it is in the hand
    hands = [joints[a:b] * (mirror, 1.0, 1.0) for mirror in (1.0, -1.0)]
    hand = min(hands, key=lambda j: float((j[off, 0] - place[a:b][off]).var(0).sum()))
    hand = gaussian_filter1d(hand, SMOOTH / 2, axis=0) @ axes.T
    side, wrist = _wrist(hand)
    own = np.einsum("tji,tkj->tki", wrist.matrix, hand - wrist.place[:, None])  # its joints in its wrist's axes
    way, turn, moved, rms = _held(thing, matrix, at, wrist, own, off)
    held = Track(at + np.einsum("tij,tj->ti", matrix, way), from_matrix(matrix @ turn))
    tips = held.place[:, None] + np.einsum("tij,tkj->tki", held.matrix, own[:, TIPS])
    floor = np.array([0.0, 0.0, float(np.median(at[~off, 2])) + thing.extent[0, 2] + thing.centre[2]])
    scene = Scene(
        path.stem,
        thing,
        Track(at - floor, from_matrix(matrix)),
        {side: Track(held.place - floor, held.turn)},
        fps=fps,
        friction=friction,
    )
    return Recorded(scene, tips - floor, off, moved, rms)


def _upright(R: Array, place: Array) -> tuple[Array, Array]:
    """Height (T,) [m] of the object above its resting places, and the world's axes (3, 3) in the camera's."""
    up = R[: len(R) // 2, :, 2].mean(0)
    way = np.median(place[-8:], axis=0) - np.median(place[: len(R) // 3], axis=0)
    up -= (up @ way) / max(way @ way, 1e-9) * way
    up /= np.linalg.norm(up)
    lift = gaussian_filter1d(place, SMOOTH, axis=0) @ up
    lift -= np.median(lift[: len(R) // 3])
    if lift.max() < -lift.min():
        up, lift = -up, -lift
    x = np.cross([0.0, 0.0, 1.0] if abs(up[2]) < 0.9 else [1.0, 0.0, 0.0], up)
    x /= np.linalg.norm(x)
    return lift, np.stack([x, np.cross(up, x), up])


def _span(lift: Array, path: Path) -> tuple[int, int]:
    """First frame and the one after the last of what is made a scene: the hand comes, takes the object and carries
    it.
    """
    high = np.flatnonzero(lift > LIFTED)
    if len(high) < 10:
        raise BadFile(path, "the object is never lifted, so there is nothing to hold.")
    top = int(np.argmax(lift))
    first = top - int(np.argmax(lift[top::-1] <= LIFTED))
    last = top + int(np.argmax(np.r_[lift[top:], -1.0] <= LIFTED))
    return max(0, first - EARLY), min(len(lift), last - LATE)


def _object(R: Array, place: Array, a: int, b: int) -> tuple[Array, Array]:
    """Axes (T, 3, 3) and places (T, 3) of the object, at rest and then carried smoothly."""
    start = a + EARLY
    turned, at = R[a:b].copy(), place[a:b].copy()
    mean = R[start + SETTLED : start + 2 * SETTLED].mean(0)  # how it is turned on the table is seen badly
    x = mean[:, 0] * (1.0, 1.0, 0.0) / np.linalg.norm(mean[:2, 0])
    turned[: start - a + SETTLED // 2] = np.stack([x, np.cross([0.0, 0.0, 1.0], x), [0.0, 0.0, 1.0]], 1)
    at[: start - a] = np.median(place[max(0, start - 12) : start], axis=0)
    turned, at = gaussian_filter1d(turned, SMOOTH, axis=0), gaussian_filter1d(at, SMOOTH, axis=0)
    u, _, v = np.linalg.svd(turned)
    return u @ v, at


def _held(
    thing: Thing, matrix: Array, at: Array, wrist: Track, own: Array, off: np.ndarray
) -> tuple[Array, Array, float, float]:
    """The wrist in the object's axes: places (T, 3) [m] and axes (T, 3, 3), one and the same while it is carried; how
    far it was moved [m], and how far the recorded fingertips are from the surface then [m].
    """
    way = np.einsum("tji,tj->ti", matrix, wrist.place - at)
    turn = np.einsum("tji,tjk->tik", matrix, wrist.matrix)
    u, _, v = np.linalg.svd(turn[off].mean(0))
    mean_turn, mean_way, g = u @ v, way[off].mean(0), np.empty(3)
    joints = mean_way + own[off] @ mean_turn.T - thing.centre

    def away(shift: Array) -> Array:
        d = np.array([to_point(thing.solid, x[0], x[1], x[2], g) for x in (joints + shift).reshape(-1, 3)])
        d = d.reshape(-1, own.shape[1])
        rest = np.delete(d, TIPS, axis=1)
        return np.concatenate([d[:, TIPS].ravel(), np.minimum(rest - THICK, 0.0).ravel()])

    shift = least_squares(away, -mean_way * 0.1, loss="soft_l1", f_scale=0.005).x
    rms = float(np.sqrt(np.mean(away(shift)[: 5 * len(joints)] ** 2)))
    begin = int(np.argmax(off))
    u = np.clip((np.arange(len(off)) - begin + EARLY - 4) / (EARLY - 18), 0.0, 1.0)
    share = (u * u * (3 - 2 * u))[:, None]
    a, _, b = np.linalg.svd((1 - share[..., None]) * turn + share[..., None] * mean_turn)
    return (1 - share) * way + share * mean_way + shift, a @ b, float(np.linalg.norm(shift)), rms


def _wrist(hand: Array) -> tuple[str, Track]:
    """Which hand it is, and the motion of its wrist: our own wrist and knuckles laid on the recorded ones."""
    best = None
    for side in ("right", "left"):
        F = fingers(side)
        own = np.array([np.zeros(3), *(F.base[f] + F.turn[f] @ [F.end[f, 0], 0, 0] for f in range(1, 5))])
        seen = hand[:, KNUCKLES]
        A, B = own - own.mean(0), seen - seen.mean(1, keepdims=True)
        u, _, v = np.linalg.svd(np.einsum("tki,kj->tij", B, A))
        flip = np.ones((len(hand), 3))
        flip[:, 2] = np.linalg.det(u @ v)
        turn = (u * flip[:, None]) @ v
        place = seen.mean(1) - np.einsum("tij,j->ti", turn, own.mean(0))
        palm = np.einsum("tji,tkj->tki", turn, hand[:, TIPS[1:]] - place[:, None])[..., 2].mean()
        if best is None or palm < best[0]:  # fingers bend to the palm
            best = palm, side, turn, place
    assert best is not None
    _, side, turn, place = best
    u, _, v = np.linalg.svd(gaussian_filter1d(turn, SMOOTH / 2, axis=0))
    return side, Track(gaussian_filter1d(place, SMOOTH / 2, axis=0), from_matrix(u @ v))
