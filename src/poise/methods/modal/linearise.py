"""The character at the present pose: the numbers about which everything is linearised (section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.dynamics import engine
from poise.maths.rotations import Array


@dataclass(eq=False)
class Pose:
    """A pose and what depends on it alone. World axes; `places` are those of the watched points."""

    q: Array  # (nq,)
    M: Array  # (nv, nv)
    R: Array  # (3, 3) orientation of the root
    root: Array  # (3,) place of the root
    centre: Array  # (3,) of mass
    places: Array  # (P, 3)

    def momentum(self, v: Array) -> Array:
        """Velocity of the centre of mass [m/s] and angular momentum about it [kg m²/s] (6,)."""
        h = self.M[:6] @ v
        turning = self.R @ h[3:] - np.cross(self.centre - self.root, h[:3])
        return np.concatenate([h[:3] / self.M[0, 0], turning])


class Watched:
    """Points fixed in bodies whose places and Jacobians are asked for again and again."""

    def __init__(self, character: Character, bodies: np.ndarray, local: Array):
        self.character, self.model = character, character.model
        self.bodies, self.local = np.asarray(bodies, int), np.asarray(local, float).reshape(-1, 3)
        self.data = engine.data_of(self.model)
        self._root = int(self.model.jnt_bodyid[0])

    def pose(self, q: Array, v: Array) -> Pose:
        """The pose q (nq,); the working memory then holds it with the velocity v (nv,)."""
        model, data = self.model, self.data
        engine.place(model, data, q, v)
        M = engine.mass_matrix(model, data)
        rotations = data.xmat.reshape(-1, 3, 3)
        places = data.xpos[self.bodies] + np.einsum("pij,pj->pi", rotations[self.bodies], self.local)
        root = self._root
        return Pose(np.array(q), M, rotations[root].copy(), data.xpos[root].copy(), data.subtree_com[0].copy(), places)

    def bias(self, pose: Pose, v: Array) -> Array:
        """Coriolis, centrifugal and gravity forces (nv,) of a pose with a velocity; the memory holds both then."""
        engine.place(self.model, self.data, pose.q, v)
        return engine.bias(self.model, self.data)

    def jacobians(self, pose: Pose, wanted: np.ndarray, frames: Array) -> Array:
        """Jacobians (P, 3, nv) of the wanted points (P,) in frames (P, 3, 3); zero for the others.

        The working memory must hold the pose.
        """
        out = np.zeros((len(self.bodies), 3, self.model.nv))
        for i in np.flatnonzero(wanted):
            linear, _ = engine.jacobian(self.model, self.data, int(self.bodies[i]), pose.places[i])
            np.matmul(frames[i], linear, out=out[i])
        return out


def momentum(pose: Pose, v: Array) -> Array:
    """Linear momentum and angular momentum about the world's origin (6,): the root's rows of M v, moved."""
    h = pose.M[:6] @ v
    out = np.empty(6)
    out[:3] = h[:3]
    out[3:] = pose.R @ h[3:] + np.cross(pose.root, h[:3])
    return out


def with_momentum(pose: Pose, v: Array, wanted: Array) -> Array:
    """The velocity v (nv,) with the root's part changed so that the momentum about the origin is `wanted` (6,)."""
    lack = wanted - momentum(pose, v)
    h = np.empty(6)
    h[:3] = lack[:3]
    h[3:] = pose.R.T @ (lack[3:] - np.cross(pose.root, lack[:3]))
    out = v.copy()
    out[:6] += np.linalg.solve(pose.M[:6, :6], h)
    return out
