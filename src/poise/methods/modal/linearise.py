"""The character at one pose: the numbers about which everything is linearised (section 3.2).

Momenta are those of velocities that are tried, not of one in the working memory: they come from the root's rows of M v
at a pose that is kept, where `poise.dynamics.compiled` sums over the bodies of the state that it holds.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics import compiled
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.solve.dense import solve_one


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

    def __init__(self, character: Character, bodies: np.ndarray, local: Array, model: mujoco.MjModel | None = None):
        """`model`: that of the character with what it carries, if anything."""
        dynamics = compiled.Compiled(character, bodies, local, model)
        self.character, self.model, self.data, self.root = character, dynamics.model, dynamics.data, dynamics.root
        self.bodies, self.local, self.views = dynamics.bodies, dynamics.locals, dynamics.pose

    def place(self, q: Array) -> Array:
        """Put the pose q (nq,) into the working memory; gives its inertia (nv, nv)."""
        M = np.empty((self.model.nv, self.model.nv))
        place(self.views, q, M)
        return M

    def pose(self, q: Array) -> Pose:
        """The pose q (nq,), which the working memory then holds."""
        return self.placed(q, self.place(q))

    def placed(self, q: Array, M: Array) -> Pose:
        """The pose that the working memory holds."""
        return Pose(q, M, *_held(self.views, self.root, self.bodies, self.local))

    def places(self) -> Array:
        """Places (P, 3) of the points in the pose that the working memory holds."""
        return places_of(self.views, self.bodies, self.local)


@njit(cache=True)
def place(views, q, M):
    """Put the pose q (nq,) into the working memory; fills M (nv, nv) with its inertia."""
    compiled.place_pose(views, q)
    compiled.fill_mass_matrix(views, M)


@njit(cache=True)
def bias(views, v, out):
    """Fill out (nv,) with the velocity products and gravity at the velocity v (nv,) of the pose in the memory."""
    compiled.place_velocity(views, v)
    compiled.fill_bias(views, out)


@njit(cache=True)
def places_of(views, bodies, local):
    """Places (P, 3) of points fixed in bodies (P,) at local (P, 3)."""
    out = np.empty((len(bodies), 3))
    compiled.fill_points(views, bodies, local, out)
    return out


@njit(cache=True)
def _held(views, root, bodies, local):
    """What a `Pose` says of the one that the memory holds, after q and M."""
    place = places_of(views, bodies, local)
    return views.rotations[root].copy(), views.positions[root].copy(), views.centre_of_mass.copy(), place


@njit(cache=True)
def cross(a, b, out):
    """out += a × b."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


@njit(cache=True)
def momentum(pose, v):
    """Velocity of the centre of mass [m/s] and angular momentum about it [kg m²/s] (6,), moving with v (nv,).

    With p, L the root's rows of M v: p / m, and R L + p × (c - x) for the centre of mass c and the root's place x.
    """
    h, out = np.empty(6), np.empty(6)
    compiled.root_momentum(pose.M, v, h)
    out[:3] = h[:3] / pose.M[0, 0]
    out[3:] = pose.R @ h[3:]
    cross(h[:3], pose.centre - pose.root, out[3:])
    return out


@njit(cache=True)
def impulse(place, force, dt, out):
    """out (6,) += impulse and moment about the world's origin of a force (3,) at a place (3,) over dt."""
    for r in range(3):
        out[r] += dt * force[r]
    cross(place, dt * force, out[3:])


@njit(cache=True)
def momentum_about_origin(pose, v):
    """Linear momentum and angular momentum about the world's origin (6,)."""
    h, out = np.empty(6), np.empty(6)
    compiled.root_momentum(pose.M, v, h)
    out[:3] = h[:3]
    out[3:] = pose.R @ h[3:]
    cross(pose.root, h[:3], out[3:])
    return out


@njit(cache=True)
def momentum_lacking(pose, v, wanted):
    """What v (nv,) lacks of the momentum about the origin `wanted` (6,); taken about the root, world axes (6,)."""
    lack = wanted - momentum_about_origin(pose, v)
    cross(lack[:3], pose.root, lack[3:])
    return lack


@njit(cache=True)
def with_more_momentum(pose, v, lack):
    """The velocity v (nv,) with the root's part changed so that it has what it lacks (6,), see `momentum_lacking`."""
    h = np.empty(6)
    h[:3] = lack[:3]
    h[3:] = pose.R.T @ lack[3:]
    out = v.copy()
    out[:6] += solve_one(pose.M[:6, :6].copy(), h)
    return out
