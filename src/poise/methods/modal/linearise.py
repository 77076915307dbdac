"""The character at one pose: the numbers about which everything is linearised (section 3.2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from poise.character import Character
from poise.dynamics import engine
from poise.maths.rotations import Array


class Pose(NamedTuple):
    """A pose and what depends on it alone. World axes; `places` are those of the watched points."""

    q: Array  # (nq,)
    M: Array  # (nv, nv)
    R: Array  # (3, 3) orientation of the root
    root: Array  # (3,) place of the root
    centre: Array  # (3,) of mass
    places: Array  # (P, 3)


class Watched:
    """Points fixed in bodies whose places and Jacobians are asked for again and again."""

    def __init__(self, character: Character, bodies: np.ndarray, local: Array):
        self.character, self.model = character, character.model
        self.bodies, self.local = np.asarray(bodies, np.int64), np.ascontiguousarray(local, float).reshape(-1, 3)
        self.data = engine.data_of(self.model)
        self._root = int(self.model.jnt_bodyid[0])

    def pose(self, q: Array, v: Array) -> Pose:
        """The pose q (nq,); the working memory then holds it with the velocity v (nv,)."""
        data, root = self.data, self._root
        engine.place(self.model, data, q, v)
        M = engine.mass_matrix(self.model, data)
        places = _places(data.xpos, data.xmat, self.bodies, self.local)
        R = data.xmat[root].reshape(3, 3).copy()
        return Pose(q, M, R, data.xpos[root].copy(), data.subtree_com[0].copy(), places)

    def places_in(self, data: engine.Data) -> Array:
        """Places (P, 3) of the points in a working memory that holds a pose."""
        return _places(data.xpos, data.xmat, self.bodies, self.local)

    def bias(self, pose: Pose, v: Array) -> Array:
        """Coriolis, centrifugal and gravity forces (nv,) of a pose with a velocity; the memory holds both then."""
        engine.place(self.model, self.data, pose.q, v)
        return engine.bias(self.model, self.data)

    def jacobians(self, pose: Pose, wanted: np.ndarray, frames: Array) -> Array:
        """Jacobians (K, 3, nv) of the points with indices wanted (K,) in frames (K, 3, 3).

        The working memory must hold the pose.
        """
        out = np.empty((len(wanted), 3, self.model.nv))
        for k, i in enumerate(wanted):
            linear, _ = engine.jacobian(self.model, self.data, int(self.bodies[i]), pose.places[i])
            np.matmul(frames[k], linear, out=out[k])
        return out


@njit(cache=True)
def _places(xpos, xmat, bodies, local):
    out = np.empty((len(bodies), 3))
    for i in range(len(bodies)):
        b = bodies[i]
        for r in range(3):
            out[i, r] = xpos[b, r]
            for c in range(3):
                out[i, r] += xmat[b, 3 * r + c] * local[i, c]
    return out


@njit(cache=True)
def cross(a, b, out):
    """out += a × b."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


@njit(cache=True)
def _root_momentum(M, v):
    """The root's rows of M v: linear momentum, and angular about the root in its own frame."""
    h = np.zeros(6)
    for r in range(6):
        for j in range(len(v)):
            h[r] += M[r, j] * v[j]
    return h


@njit(cache=True)
def momentum(pose, v):
    """Velocity of the centre of mass [m/s] and angular momentum about it [kg m²/s] (6,)."""
    h = _root_momentum(pose.M, v)
    out = np.empty(6)
    out[:3] = h[:3] / pose.M[0, 0]
    out[3:] = pose.R @ h[3:]
    cross(h[:3], pose.centre - pose.root, out[3:])
    return out


@njit(cache=True)
def impulse(place, force, dt, out):
    """out (6,) += impulses and their moments about the world's origin of forces (K, 3) at places (K, 3) over dt."""
    for k in range(len(force)):
        for r in range(3):
            out[r] += dt * force[k, r]
        cross(place[k], dt * force[k], out[3:])


@njit(cache=True)
def momentum_about_origin(pose, v):
    """Linear momentum and angular momentum about the world's origin (6,)."""
    h = _root_momentum(pose.M, v)
    out = np.empty(6)
    out[:3] = h[:3]
    out[3:] = pose.R @ h[3:]
    cross(pose.root, h[:3], out[3:])
    return out


@njit(cache=True)
def with_momentum(pose, v, wanted):
    """The velocity v (nv,) with the root's part changed so that the momentum about the origin is `wanted` (6,)."""
    lack = wanted - momentum_about_origin(pose, v)
    cross(lack[:3], pose.root, lack[3:])
    h = np.empty(6)
    h[:3] = lack[:3]
    h[3:] = pose.R.T @ lack[3:]
    out = v.copy()
    out[:6] += np.linalg.solve(np.ascontiguousarray(pose.M[:6, :6]), h)
    return out
