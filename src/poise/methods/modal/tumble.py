"""The rest of the body against the ground: what a character that falls lands on.

Every shape of the bodies without contact points is stood for by balls inside it. They take part in the contact
correction alone; no plan counts on them.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics.compiled import Pose as Views
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.modal.linearise import places_of
from poise.methods.modal.touch import Floor

_BROAD = [int(getattr(mujoco.mjtGeom, f"mjGEOM_{name}")) for name in ("ELLIPSOID", "BOX", "MESH")]
_NEAR = 0.03  # [m] above the ground within which a ball is looked after


class Near(NamedTuple):
    """Balls that are about to touch."""

    bodies: np.ndarray  # (K,)
    places: Array  # (K, 3) of their lowest points
    gap: Array  # (K,) [m]
    turns: Array  # (K, 3, 3) frames of the ground there


NOTHING = Near(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3, 3)))


class Tumble:
    """Balls (centre, radius) of a character."""

    def __init__(self, character: Character):
        self.bodies, self._local, self._radius = _balls(character)

    def near(self, views: Views, floor: Floor) -> Near:
        """The balls that are about to touch the ground in the pose that the views hold."""
        if floor.flat is not None and _lowest(views, self.bodies, self._local, self._radius) > floor.flat + _NEAR:
            return NOTHING
        centres = places_of(views, self.bodies, self._local)
        gap, turns = floor.under(centres)
        gap = gap - self._radius
        low = np.flatnonzero(gap < _NEAR)
        turns = np.ascontiguousarray(np.asarray(turns)[low])
        return Near(self.bodies[low], centres[low] - self._radius[low, None] * turns[:, 0], gap[low], turns)


@njit(cache=True)
def _lowest(views, bodies, local, radius):
    """Height [m] of the lowest point of all balls."""
    low = np.inf
    for i in range(len(bodies)):
        b = bodies[i]
        z = views.positions[b, 2] - radius[i]
        for c in range(3):
            z += views.rotations[b, 2, c] * local[i, c]
        low = min(low, z)
    return low


def _balls(character: Character) -> tuple[np.ndarray, Array, Array]:
    """Bodies (K,), centres (K, 3) in their frames and radii (K,) [m]."""
    model = character.model
    own = set(int(b) for b in character.contact_points.bodies)
    own |= {character.body(r) for r in character.roles if r.endswith(("_foot", "_toes"))}
    bodies, local, radius = [], [], []
    for g in range(model.ngeom):
        body, kind, size = int(model.geom_bodyid[g]), model.geom_type[g], model.geom_size[g]
        if body in own or body == 0:
            continue
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.geom_quat[g])
        half, r = line_of(kind, size)
        for sign in (-1.0, 1.0) if np.any(half) else (0.0,):
            bodies.append(body)
            local.append(model.geom_pos[g] + sign * turn.reshape(3, 3) @ half)
            radius.append(r)
    return np.array(bodies, np.int64), np.array(local, float).reshape(-1, 3), np.array(radius, float)


def line_of(kind: int, size: Array) -> tuple[Array, float]:
    """Half the line (3,) and the radius [m] of the capsule that stands for a shape."""
    if int(kind) == int(mujoco.mjtGeom.mjGEOM_CAPSULE):
        return np.array([0.0, 0.0, size[1]]), float(size[0])
    if int(kind) in _BROAD:
        longest = int(np.argmax(size))
        r = float(np.sort(size)[:2].mean())
        return np.eye(3)[longest] * max(float(size[longest]) - r, 0.0), r
    return np.zeros(3), float(size[0])
