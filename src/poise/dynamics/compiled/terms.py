"""The equations of motion for kernels: what `Instant` gives, read by compiled code in MuJoCo's own memory.

    M(q) a + h(q, v) = (0, u) + Σ J_iᵀ f_i

`Compiled` owns a working memory; `Terms` are windows onto it, made once, so that a step allocates nothing: the next
`place` changes what they show. MuJoCo gives M, h and the motion axis of every degree of freedom; everything else is a
sum of those axes along the chain from the root to a body. Kernels take any named tuple that has the fields they read:
`Terms`, or the shorter `Pose`, which goes into compiled code in half the time. World axes, SI units; momenta are linear
first, then angular about the centre of mass, as those of `Instant`.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics import engine, native
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.maths.tree import moved_by

# what `calls` holds: addresses of the model, of the working memory, and of the functions that are called
MODEL, DATA, KINEMATICS, CENTRES, VELOCITIES, SUBTREES, INERTIA, FULL_MATRIX, NEWTON_EULER = range(9)
_CALLED = ("mj_kinematics", "mj_comPos", "mj_comVel", "mj_subtreeVel", "mj_makeM", "mj_fullM", "mj_rne")


class Pose(NamedTuple):
    """Windows onto what depends on the configuration; the momentum is there after `place_momentum`."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    positions: Array  # (B, 3) [m] of the bodies' origins
    rotations: Array  # (B, 3, 3): columns are the bodies' axes
    axes: (
        Array  # (nv, 6) spatial velocity per unit of each degree of freedom: turning, then moving at the centre of mass
    )
    centre_of_mass: Array  # (3,) [m]
    chain: np.ndarray  # (B, nv) bool: which degrees of freedom move a body
    centre_velocity: Array  # (3,) [m/s] of the centre of mass
    angular_momentum: Array  # (3,) [kg m²/s] about it
    calls: np.ndarray  # (9,) addresses, see `MODEL` and those that follow


class Terms(NamedTuple):
    """Windows onto everything of a state; `place` puts one in."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    mass_matrix: Array  # (nv, nv) M
    bias: Array  # (nv,) h: Coriolis, centrifugal and gravity forces
    axes: (
        Array  # (nv, 6) spatial velocity per unit of each degree of freedom: turning, then moving at the centre of mass
    )
    axis_rates: Array  # (nv, 6) their rates of change
    centre_of_mass: Array  # (3,) [m]
    positions: Array  # (B, 3) [m] of the bodies' origins
    rotations: Array  # (B, 3, 3): columns are the bodies' axes
    quaternions: Array  # (B, 4), the same
    link_centres: Array  # (B, 3) [m] centres of mass of the bodies
    velocities: Array  # (B, 6) spatial velocities of the bodies: turning, then moving at the centre of mass
    link_inertias: Array  # (B, 10) of each body about the centre of mass, see `apply_inertia`
    subtree_inertias: Array  # (B, 10) of each body and all beyond it
    points: Array  # (P, 3) [m] world places of the points that are followed, else of the contact points
    point_bodies: np.ndarray  # (P,)
    point_locals: Array  # (P, 3) [m] in these bodies
    chain: np.ndarray  # (B, nv) bool: which degrees of freedom move a body
    moved: np.ndarray  # (nv,) the body that a degree of freedom moves first
    root: int
    mass: float  # [kg]
    gravity: Array  # (3,) [m/s²]
    calls: np.ndarray  # (9,) addresses, see `MODEL` and those that follow


class Compiled:
    """A character's equations of motion with a working memory of their own, for kernels."""

    def __init__(self, character: Character, bodies: np.ndarray | None = None, locals_: Array | None = None,
                 model: mujoco.MjModel | None = None):  # fmt: skip
        """`bodies` (P,) and `locals_` (P, 3) [m]: points to follow, by default the contact points; `model`: that of the
        character with what it carries, if anything."""
        points, m = character.contact_points, character.model if model is None else model
        self.character, self.model, self.data = character, m, engine.data_of(m)
        d, chain = self.data, moved_by(character.tree)
        self.bodies = np.ascontiguousarray(points.bodies if bodies is None else bodies, np.int64)
        self.locals = np.ascontiguousarray(points.positions if locals_ is None else locals_, float).reshape(-1, 3)
        self.root, self.mass, self.gravity = int(m.jnt_bodyid[0]), float(m.body_mass.sum()), np.array(m.opt.gravity)
        calls = np.array([m._address, d._address, *map(native.address, _CALLED)], np.int64)
        rotations, centre = d.xmat.reshape(-1, 3, 3), d.subtree_com[0]
        self.pose = Pose(
            q=d.qpos, v=d.qvel, positions=d.xpos, rotations=rotations, axes=d.cdof, centre_of_mass=centre, chain=chain,
            centre_velocity=d.subtree_linvel[0], angular_momentum=d.subtree_angmom[0], calls=calls)  # fmt: skip
        self.terms = Terms(
            q=d.qpos, v=d.qvel, mass_matrix=np.zeros((m.nv, m.nv)), bias=np.zeros(m.nv), axes=d.cdof,
            axis_rates=d.cdof_dot, centre_of_mass=centre, positions=d.xpos, rotations=rotations, quaternions=d.xquat,
            link_centres=d.xipos, velocities=d.cvel, link_inertias=d.cinert, subtree_inertias=d.crb,
            points=np.zeros((len(self.bodies), 3)), point_bodies=self.bodies, point_locals=self.locals, chain=chain,
            moved=m.dof_bodyid.astype(np.int64), root=self.root, mass=self.mass, gravity=self.gravity,
            calls=calls)  # fmt: skip
        self.fields = tuple(self.terms)  # plain tuples go into compiled code in half the time of named ones

    def at(self, q: Array, v: Array) -> Terms:
        """The terms at configuration q (nq,) and velocity v (nv,), until the next call."""
        _at(self.fields, q, v)
        return self.terms


@njit(cache=True)
def _at(fields, q, v):
    place(Terms(*fields), q, v)


@njit(cache=True)
def place(terms, q, v):
    """Put configuration q (nq,) and velocity v (nv,) in; the `Terms` then show all of that state."""
    place_pose(terms, q)
    place_velocity(terms, v)
    fill_mass_matrix(terms, terms.mass_matrix)
    fill_bias(terms, terms.bias)
    fill_points(terms, terms.point_bodies, terms.point_locals, terms.points)


@njit(cache=True)
def place_pose(pose, q):
    """Put configuration q (nq,) in: places, rotations and axes."""
    pose.q[:] = q
    native.call_two(pose.calls[KINEMATICS], pose.calls[MODEL], pose.calls[DATA])
    native.call_two(pose.calls[CENTRES], pose.calls[MODEL], pose.calls[DATA])


@njit(cache=True)
def place_velocity(pose, v):
    """Put velocity v (nv,) in, at the configuration that is in the memory: velocities and rates of the axes."""
    pose.v[:] = v
    native.call_two(pose.calls[VELOCITIES], pose.calls[MODEL], pose.calls[DATA])


@njit(cache=True)
def place_momentum(pose, q, v):
    """Put configuration q (nq,) and velocity v (nv,) in; a `Pose` then shows the momentum as well."""
    place_pose(pose, q)
    place_velocity(pose, v)
    native.call_two(pose.calls[SUBTREES], pose.calls[MODEL], pose.calls[DATA])


@njit(cache=True)
def place_inertias(pose):
    """Sum the inertias of all subtrees, at the configuration that is in the memory."""
    native.call_two(pose.calls[INERTIA], pose.calls[MODEL], pose.calls[DATA])


@njit(cache=True)
def fill_mass_matrix(pose, out):
    """out (nv, nv) = M at the configuration that is in the memory."""
    place_inertias(pose)
    native.call_three(pose.calls[FULL_MATRIX], pose.calls[MODEL], pose.calls[DATA], out.ctypes.data)


@njit(cache=True)
def fill_bias(pose, out):
    """out (nv,) = h, Coriolis, centrifugal and gravity forces of the state that is in the memory."""
    native.call_flagged(pose.calls[NEWTON_EULER], pose.calls[MODEL], pose.calls[DATA], 0, out.ctypes.data)


@njit(cache=True)
def fill_points(pose, bodies, locals_, out):
    """out (P, 3) = x_b + R_b l: world places [m] of points at `locals_` (P, 3) in bodies (P,)."""
    for k in range(bodies.shape[0]):
        b = bodies[k]
        R = pose.rotations[b]
        for i in range(3):
            out[k, i] = pose.positions[b, i] + R[i, 0] * locals_[k, 0] + R[i, 1] * locals_[k, 1]
            out[k, i] += R[i, 2] * locals_[k, 2]
