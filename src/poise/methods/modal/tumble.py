"""The rest of the body against the ground: what a character that falls lands on.

Every shape of the bodies without contact points is stood for by balls inside it. They take part in the contact
correction alone; no plan counts on them.
"""

from __future__ import annotations

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics import engine
from poise.maths.rotations import Array
from poise.methods.modal.linearise import Pose, Watched
from poise.methods.modal.step import Contact
from poise.methods.modal.touch import RETURN, Floor

_NEAR = 0.03  # [m] above the ground within which a ball is looked after


class Tumble:
    """Balls (centre, radius) of a character, and the contacts that they make."""

    def __init__(self, character: Character, friction: float):
        bodies, local, radius = _balls(character)
        self.bodies, self.radius, self.friction = bodies, radius, friction
        self._places = Watched(character, bodies, local)

    def __len__(self) -> int:
        return len(self.bodies)

    def near(self, watched: Watched, floor: Floor) -> tuple[np.ndarray, Array, Array, Array]:
        """Balls that are about to touch: indices (K,), places (K, 3), gaps (K,) [m] and frames (K, 3, 3)."""
        centres = self._places.places_in(watched.data)
        low = np.flatnonzero(centres[:, 2] - self.radius < self._highest(floor) + _NEAR)
        gap, turns = floor.under(centres[low])
        gap = gap - self.radius[low]
        chosen = np.flatnonzero(gap < _NEAR)
        low, gap, turns = low[chosen], gap[chosen], np.asarray(turns)[chosen]
        return low, centres[low] - self.radius[low, None] * turns[:, 0], gap, turns

    @staticmethod
    def _highest(floor: Floor) -> float:
        return floor.flat if floor.flat is not None else np.inf


def with_balls(contact: Contact, pose: Pose, watched: Watched, tumble: Tumble,
               found: tuple[np.ndarray, Array, Array, Array], soft: bool) -> Contact:  # fmt: skip
    """The contacts with those of the balls appended."""
    which, places, gap, turns = found
    n, k = len(contact.touching), len(which)
    rows = [turns[j] @ engine.jacobian(watched.model, watched.data, int(tumble.bodies[i]), places[j])[0]
            for j, i in enumerate(which)]  # fmt: skip
    slack = np.zeros((k, 3))
    slack[:, 0] = np.where(gap > 0.0, gap, 0.0 if soft else RETURN * gap)

    def more(a: Array, b: Array) -> Array:
        return np.ascontiguousarray(np.concatenate([a, b], axis=1))

    none = np.zeros((n, k), bool)
    return Contact(
        np.ascontiguousarray(np.concatenate([contact.jacobian, np.array(rows)])),
        np.concatenate([contact.near, np.ones(k, bool)]), np.concatenate([contact.gap, slack]),
        np.concatenate([contact.friction, np.full(k, tumble.friction)]), more(contact.touching, none),
        more(contact.standing, none), more(contact.arms, np.zeros((n, k, 3))),
        more(contact.frames, np.broadcast_to(turns, (n, k, 3, 3))), more(contact.usual, np.zeros((n, k, 3))),
    )  # fmt: skip


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
        half, r = _line(kind, size)
        for sign in (-1.0, 1.0) if np.any(half) else (0.0,):
            bodies.append(body)
            local.append(model.geom_pos[g] + sign * turn.reshape(3, 3) @ half)
            radius.append(r)
    return np.array(bodies, np.int64), np.array(local, float).reshape(-1, 3), np.array(radius, float)


def _line(kind: int, size: Array) -> tuple[Array, float]:
    """Half the line (3,) and the radius [m] of the capsule that stands for a shape."""
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return np.array([0.0, 0.0, size[1]]), float(size[0])
    if kind in (mujoco.mjtGeom.mjGEOM_ELLIPSOID, mujoco.mjtGeom.mjGEOM_BOX):
        longest = int(np.argmax(size))
        r = float(np.sort(size)[:2].mean())
        return np.eye(3)[longest] * max(float(size[longest]) - r, 0.0), r
    return np.zeros(3), float(size[0])
