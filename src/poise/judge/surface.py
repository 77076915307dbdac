"""How far places are from a ground, and from the shapes of a body."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.character import Character
from poise.ground.ground import Ground, plane_of
from poise.judge.tolerances import DEFAULT
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_KIND = mujoco.mjtGeom
_AROUND = DEFAULT.corner
_OFFSETS = np.array([[0.0, 0.0], [_AROUND, 0.0], [-_AROUND, 0.0], [0.0, _AROUND], [0.0, -_AROUND]])


def clearance(points: Array, ground: Ground, radius: Array | float = 0.0) -> Array:
    """Height (...) of places (..., 3), less a radius, above a ground at rest [m].

    Beside a step the lowest ground within a centimetre counts: a toe that touches a riser is not 15 cm deep in it.
    """
    x, y, z = np.moveaxis(np.asarray(points, float), -1, 0)
    if plane_of(ground) is not None:
        return (z - ground.height(x, y)) * ground.normal(x, y)[..., 2] - radius
    heights = np.stack([ground.height(x + dx, y + dy) for dx, dy in _OFFSETS])
    return z - heights.min(axis=0) - radius


def off_ground(points: Array, ground: Ground) -> Array:
    """How far (K,) places (K, 3) are from the surface of a ground at rest [m]; the side of a step is surface too."""
    x, y, z = np.moveaxis(np.asarray(points, float), -1, 0)
    heights = np.stack([ground.height(x + dx, y + dy) for dx, dy in _OFFSETS])
    return np.maximum(np.maximum(z - heights.max(axis=0), heights.min(axis=0) - z), 0.0)


def distance(character: Character, body: np.ndarray, place: Array) -> Array:
    """Distance (K,) [m] of places (K, 3), in the frames of their bodies (K,), from those bodies' shapes; 0 inside."""
    return distance_in(character.model, body, place)


def distance_in(model: mujoco.MjModel, body: np.ndarray, place: Array, *, held: bool = False) -> Array:
    """The same of the bodies of any model; with `held`, shapes that meet nothing count too: hands hold them."""
    out = np.full(len(body), np.inf)
    for geom in range(model.ngeom):
        rows = np.flatnonzero(body == model.geom_bodyid[geom])
        if not len(rows) or not (held or model.geom_contype[geom] or model.geom_conaffinity[geom]):
            continue
        own = rot.rotate(rot.conjugate(model.geom_quat[geom]), place[rows] - model.geom_pos[geom])
        out[rows] = np.minimum(out[rows], _outside(int(model.geom_type[geom]), model.geom_size[geom],
                                                   model.geom_aabb[geom], own))  # fmt: skip
    return out


def _outside(kind: int, size: Array, box: Array, place: Array) -> Array:
    """Distance (K,) of places in a shape's frame from it; 0 inside."""
    if kind == _KIND.mjGEOM_SPHERE:
        return np.maximum(np.linalg.norm(place, axis=1) - size[0], 0.0)
    if kind in (_KIND.mjGEOM_CAPSULE, _KIND.mjGEOM_CYLINDER):
        along = np.maximum(np.abs(place[:, 2]) - size[1], 0.0)
        across = np.hypot(place[:, 0], place[:, 1])
        if kind == _KIND.mjGEOM_CAPSULE:
            return np.maximum(np.hypot(across, along) - size[0], 0.0)
        return np.hypot(np.maximum(across - size[0], 0.0), along)
    if kind == _KIND.mjGEOM_BOX:
        return np.linalg.norm(np.maximum(np.abs(place) - size, 0.0), axis=1)
    if kind == _KIND.mjGEOM_ELLIPSOID:
        return np.maximum(np.linalg.norm(place / size, axis=1) - 1.0, 0.0) * float(np.min(size))
    return np.linalg.norm(np.maximum(np.abs(place - box[:3]) - box[3:], 0.0), axis=1)
