"""The character at one pose: the numbers about which everything is linearised (section 3.2)."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics import engine, native
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.maths.tree import moved_by
from poise.solve.dense import solve_one

_CALLED = ("mj_kinematics", "mj_comPos", "mj_comVel", "mj_subtreeVel", "mj_makeM", "mj_fullM", "mj_rne")


class Pose(NamedTuple):
    """A pose and what depends on it alone. World axes; `places` are those of the watched points."""

    q: Array  # (nq,)
    M: Array  # (nv, nv)
    R: Array  # (3, 3) orientation of the root
    root: Array  # (3,) place of the root
    centre: Array  # (3,) of mass
    places: Array  # (P, 3)


class Views(NamedTuple):
    """What MuJoCo's working memory holds of a pose: windows onto it, which change with it."""

    xpos: Array  # (B, 3)
    xmat: Array  # (B, 9)
    cdof: Array  # (nv, 6) motion axes about the centre of mass: angular, linear
    centre: Array  # (B, 3) of mass of the subtrees
    speed: Array  # (B, 3) of these centres
    spin: Array  # (B, 3) angular momentum about them
    q: Array  # (nq,)
    v: Array  # (nv,)
    calls: np.ndarray  # (9,) addresses of the model, of the memory and of `_CALLED`


class Watched:
    """Points fixed in bodies whose places and Jacobians are asked for again and again."""

    def __init__(self, character: Character, bodies: np.ndarray, local: Array, model: mujoco.MjModel | None = None):
        """`model`: that of the character with what it carries, if anything."""
        self.character, self.model = character, character.model if model is None else model
        self.bodies, self.local = np.asarray(bodies, np.int64), np.ascontiguousarray(local, float).reshape(-1, 3)
        self.data = data = engine.data_of(self.model)
        calls = np.array([self.model._address, data._address, *map(native.address, _CALLED)], np.int64)
        self.views = Views(data.xpos, data.xmat, data.cdof, data.subtree_com, data.subtree_linvel, data.subtree_angmom,
                           data.qpos, data.qvel, calls)  # fmt: skip
        self.moves = moved_by(character.tree)
        self.root = int(self.model.jnt_bodyid[0])

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
def pose_only(views, q):
    """Put the pose q (nq,) into the working memory."""
    views.q[:] = q
    for k in (2, 3):
        native.call_two(views.calls[k], views.calls[0], views.calls[1])


@njit(cache=True)
def place(views, q, M):
    """Put the pose q (nq,) into the working memory; fills M (nv, nv) with its inertia."""
    pose_only(views, q)
    model, data, _, _, _, _, inertia, full, _ = views.calls
    native.call_two(inertia, model, data)
    native.call_three(full, model, data, M.ctypes.data)


@njit(cache=True)
def bias(views, v, out):
    """Fill out (nv,) with the velocity products and gravity at the velocity v (nv,) of the pose in the memory."""
    model, data, _, _, speeds, _, _, _, newton_euler = views.calls
    views.v[:] = v
    native.call_two(speeds, model, data)
    native.call_flagged(newton_euler, model, data, 0, out.ctypes.data)


@njit(cache=True)
def moving(views, q, v):
    """Put pose and velocity in; the views then hold the momentum as well."""
    pose_only(views, q)
    views.v[:] = v
    for k in (4, 5):
        native.call_two(views.calls[k], views.calls[0], views.calls[1])


@njit(cache=True)
def places_of(views, bodies, local):
    """Places (P, 3) of points fixed in bodies (P,) at local (P, 3)."""
    out = np.empty((len(bodies), 3))
    for i in range(len(bodies)):
        b = bodies[i]
        for r in range(3):
            out[i, r] = views.xpos[b, r]
            for c in range(3):
                out[i, r] += views.xmat[b, 3 * r + c] * local[i, c]
    return out


@njit(cache=True)
def _held(views, root, bodies, local):
    """What a `Pose` says of the one that the memory holds, after q and M."""
    R = views.xmat[root].copy().reshape(3, 3)
    return R, views.xpos[root].copy(), views.centre[0].copy(), places_of(views, bodies, local)


@njit(cache=True)
def point_jacobian(views, moves, body, place, frame, out):
    """Fill out (3, nv) with the Jacobian of a world point fixed in a body, in a frame (3, 3) of rows."""
    x = place - views.centre[0]
    for d in range(out.shape[1]):
        if not moves[body, d]:
            out[0, d], out[1, d], out[2, d] = 0.0, 0.0, 0.0
            continue
        c = views.cdof[d]
        lx = c[3] + c[1] * x[2] - c[2] * x[1]
        ly = c[4] + c[2] * x[0] - c[0] * x[2]
        lz = c[5] + c[0] * x[1] - c[1] * x[0]
        for r in range(3):
            out[r, d] = frame[r, 0] * lx + frame[r, 1] * ly + frame[r, 2] * lz


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
    """out (6,) += impulse and moment about the world's origin of a force (3,) at a place (3,) over dt."""
    for r in range(3):
        out[r] += dt * force[r]
    cross(place, dt * force, out[3:])


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
