"""Weights of a skin: near a joint the flesh goes with both of its bones, so that knees and elbows bend smoothly."""

from __future__ import annotations

import numpy as np

from poise.export.rig import Rig
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_SOFT = 0.055  # [m] to either side of a joint in which the flesh goes over from one bone to the other
_SHARE = 0.3  # of the shorter bone at most
_REACH = 2.6  # times that: flesh farther from the joint belongs to another limb


def bound(vertices: Array, owner: np.ndarray, rig: Rig) -> tuple[np.ndarray, Array]:
    """Joints (V, 4) and weights (V, 4) of vertices (V, 3) [m] of the rest pose, each on a solid of its `owner` (V,).

    At a joint c below its parent p the weight of c rises from 0 to 1 along the bone, over `_SOFT` to either side of the
    joint. The solids of both bones have the same weights there, so that they stay together when the joint bends.
    """
    point = rig.skeleton.rest_pose()[0] * rig.unit
    along, soft = _bones(rig, point)
    weights = np.zeros((len(vertices), len(point)))
    weights[np.arange(len(vertices)), owner] = 1.0
    for c, p in enumerate(rig.parents):
        if p < 0 or soft[c] < 1e-4:
            continue
        off = vertices - point[c]
        rise = _step(off @ along[c] / soft[c])
        near = 1.0 - _step(2.0 * np.linalg.norm(off, axis=1) / (_REACH * soft[c]) - 3.0)
        above, below = (owner == p) & (near > 0.0), (owner == c) & (near > 0.0)
        given = near[above] * rise[above] * weights[above, p]
        weights[above, c] += given
        weights[above, p] -= given
        given = near[below] * (1.0 - rise[below]) * weights[below, c]
        weights[below, p] += given
        weights[below, c] -= given
    order = np.argsort(-weights, axis=1, kind="stable")[:, :4]
    best = np.take_along_axis(weights, order, axis=1)
    if best.shape[1] < 4:  # a rig of few joints
        order, best = (np.pad(a, ((0, 0), (0, 4 - a.shape[1]))) for a in (order, best))
    return np.where(best > 0.0, order, 0), best / best.sum(axis=1, keepdims=True)


def _bones(rig: Rig, point: Array) -> tuple[Array, Array]:
    """Unit vector (J, 3) along the bone from each joint, and over what length (J,) [m] the parent's goes over to it."""
    tips: dict[int, list[Array]] = {}
    turn = rig.skeleton.rest_pose()[1]
    for c, p in enumerate(rig.parents):
        if p >= 0:
            tips.setdefault(int(p), []).append(point[c] - point[p])
    for end in rig.skeleton.ends:
        tips.setdefault(int(end.joint), []).append(rot.rotate(turn[end.joint], end.offset * rig.unit))
    along, long = np.zeros_like(point), np.zeros(len(point))
    for j in range(len(point)):
        bone = np.mean(tips[j], axis=0) if j in tips else np.zeros(3)
        long[j] = np.linalg.norm(bone)
        along[j] = bone / long[j] if long[j] > 1e-6 else 0.0
    above = np.linalg.norm(point - point[np.maximum(rig.parents, 0)], axis=1)
    return along, np.minimum(_SOFT, _SHARE * np.minimum(long, above))


def _step(x: Array) -> Array:
    """0 below -1, 1 above 1, smooth between."""
    s = np.clip(0.5 + 0.5 * x, 0.0, 1.0)
    return s * s * (3.0 - 2.0 * s)
