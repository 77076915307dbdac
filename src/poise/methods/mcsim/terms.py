"""The terms of the equations of motion at an instant, for the program (7): compiled, with no loop over links in Python.

M a + h = (0, u) + sum of J_iᵀ f_i. MuJoCo gives M, h and the motion axes of every degree of freedom; Jacobians and the
accelerations J' v of points are sums of those axes along the chain from the root to the point's body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics import engine, native
from poise.kernels import njit
from poise.maths.rotations import Array

_CALLED = ("mj_kinematics", "mj_comPos", "mj_comVel", "mj_makeM", "mj_fullM", "mj_rne")


class Terms(NamedTuple):
    """An instant. World axes; the origin of `axes` is `centre`."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    M: Array  # (nv, nv)
    h: Array  # (nv,) Coriolis, centrifugal and gravity forces
    axes: Array  # (nv, 6) spatial velocity per unit of each degree of freedom: turning, then moving, about `centre`
    rates: Array  # (nv, 6) their rates of change
    centre: Array  # (3,) centre of mass
    origin: Array  # (B, 3) of the bodies
    turn: Array  # (B, 3, 3) orientations of the bodies
    spin: Array  # (B, 6) spatial velocities of the bodies about `centre`
    points: Array  # (P, 3) contact points of the character


class Balance(NamedTuple):
    """Where a body is as a whole."""

    place: Array  # (3,) centre of mass [m]
    velocity: Array  # (3,) [m/s]
    acceleration: Array  # (3,) [m/s²]
    spin: Array  # (3,) angular momentum about it [kg m²/s]
    torque: Array  # (3,) its rate [N m]


@dataclass(frozen=True, eq=False)
class Rig:
    """A character's equations of motion with a working memory of its own."""

    character: Character
    data: engine.Data
    chain: np.ndarray  # (B, nv) bool: which degrees of freedom move a body
    bodies: np.ndarray  # (P,) of the contact points
    local: Array  # (P, 3)
    root: int
    mass: float  # [kg]
    gravity: Array  # (3,) [m/s²]
    calls: np.ndarray  # (8,) addresses of the model, of the data and of the functions that are called
    views: tuple[Array, ...]  # qpos, qvel, cdof, cdof_dot, subtree_com, xpos, xmat and cvel in the data

    @classmethod
    def of(cls, character: Character) -> Rig:
        """The rig of a character."""
        m, p = character.model, character.contact_points
        d = engine.data_of(m)
        calls = np.array([m._address, d._address, *map(native.address, _CALLED)], np.int64)
        views = (d.qpos, d.qvel, d.cdof, d.cdof_dot, d.subtree_com, d.xpos, d.xmat.reshape(-1, 3, 3), d.cvel)
        return cls(character, d, _chains(character), np.ascontiguousarray(p.bodies, np.int64),
                   np.ascontiguousarray(p.positions, float).reshape(-1, 3), int(m.jnt_bodyid[0]), character.mass,
                   np.array(m.opt.gravity), calls, views)  # fmt: skip

    def at(self, q: Array, v: Array) -> Terms:
        """The terms at configuration q (nq,) and velocity v (nv,); they own their numbers."""
        return Terms(q, v, *_at(self.calls, q, v, self.views, self.bodies, self.local))


class Body(NamedTuple):
    """What of a character the compiled program needs."""

    chain: np.ndarray  # (B, nv) bool: which degrees of freedom move a body
    points: np.ndarray  # (P,) bodies of the contact points
    root: int
    free: np.ndarray  # rows of the root that no rail holds
    feet: np.ndarray  # (2,) bodies, -1 where there is none
    legs: np.ndarray  # (2, nv) bool
    stiff: Array  # (nv,) factor on the weight of the legs' joints
    kind: np.ndarray  # (J,) of the joints, and where they begin in q and v
    qadr: np.ndarray
    vadr: np.ndarray
    mass: float  # [kg]
    gravity: Array  # (3,) [m/s²]


def _chains(character: Character) -> np.ndarray:
    m = character.model
    chain = np.zeros((m.nbody, m.nv), bool)
    for b in range(1, m.nbody):
        chain[b] = chain[int(m.body_parentid[b])]
        first, count = int(m.body_dofadr[b]), int(m.body_dofnum[b])
        chain[b, first : first + count] = True
    return chain


@njit(cache=True)
def _at(calls, q, v, views, bodies, local):
    """All that `Terms` holds beside q and v; `calls` and the views are those of `Rig`."""
    nv = v.shape[0]
    qpos, qvel, cdof, cdof_dot, com, xpos, xmat, cvel = views
    model, data, kinematics, com_pos, com_vel, make, full, rne = calls
    qpos[:], qvel[:] = q, v
    for function in (kinematics, com_pos, com_vel, make):
        native.call_two(function, model, data)
    mass, bias = np.zeros((nv, nv)), np.zeros(nv)
    native.call_three(full, model, data, mass.ctypes.data)
    native.call_flagged(rne, model, data, 0, bias.ctypes.data)
    origin, turn = xpos.copy(), xmat.copy()
    points = place_points(origin, turn, bodies, local)
    return mass, bias, cdof.copy(), cdof_dot.copy(), com[0].copy(), origin, turn, cvel.copy(), points


@njit(cache=True)
def place_points(origin, turn, bodies, local):
    """World positions (P, 3) of points fixed in bodies."""
    out = np.empty((bodies.shape[0], 3))
    for k in range(bodies.shape[0]):
        b = bodies[k]
        for i in range(3):
            out[k, i] = origin[b, i] + turn[b, i, 0] * local[k, 0] + turn[b, i, 1] * local[k, 1]
            out[k, i] += turn[b, i, 2] * local[k, 2]
    return out


@njit(cache=True)
def jacobian(axes, chain, centre, body, point, linear, angular):
    """Jacobians (3, nv) of a world point fixed in a body, and of the body's turning, into `linear` and `angular`."""
    x, y, z = point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]
    for d in range(axes.shape[0]):
        if chain[body, d]:
            a = axes[d]
            linear[0, d] = a[3] + a[1] * z - a[2] * y
            linear[1, d] = a[4] + a[2] * x - a[0] * z
            linear[2, d] = a[5] + a[0] * y - a[1] * x
            angular[0, d], angular[1, d], angular[2, d] = a[0], a[1], a[2]
        else:
            for i in range(3):
                linear[i, d] = 0.0
                angular[i, d] = 0.0


@njit(cache=True)
def motion(axes, rates, chain, centre, spin, v, body, point):
    """Of a world point fixed in a body: its velocity (3,), its acceleration J' v (3,) without joint accelerations, and
    the turning velocity and such acceleration of its body (3,)."""
    w, u, dw, du = spin[body, :3].copy(), spin[body, 3:].copy(), np.zeros(3), np.zeros(3)
    for d in range(axes.shape[0]):
        if chain[body, d]:
            for i in range(3):
                dw[i] += rates[d, i] * v[d]
                du[i] += rates[d, 3 + i] * v[d]
    r = point - centre
    velocity = np.array([u[0] + w[1] * r[2] - w[2] * r[1], u[1] + w[2] * r[0] - w[0] * r[2],
                         u[2] + w[0] * r[1] - w[1] * r[0]])  # fmt: skip
    # a spatial acceleration is that of the material point now at the origin; the point itself also turns: w x velocity
    bias = np.array([
        du[0] + dw[1] * r[2] - dw[2] * r[1] + w[1] * velocity[2] - w[2] * velocity[1],
        du[1] + dw[2] * r[0] - dw[0] * r[2] + w[2] * velocity[0] - w[0] * velocity[2],
        du[2] + dw[0] * r[1] - dw[1] * r[0] + w[0] * velocity[1] - w[1] * velocity[0],
    ])  # fmt: skip
    return velocity, bias, w, dw


@njit(cache=True)
def momentum(M, h, v, a, origin, turn, root, centre, mass, gravity):
    """Linear momentum, angular momentum about the centre of mass (3,) each, and their rates under accelerations a.

    The six rows of the root are the momentum of the whole body about the root, turning in the root's axes. The rates
    are without gravity's part: h at rest is weight alone.
    """
    rows = np.zeros((4, 3))
    for d in range(v.shape[0]):
        for i in range(3):
            rows[0, i] += M[i, d] * v[d]
            rows[1, i] += M[3 + i, d] * v[d]
            rows[2, i] += M[i, d] * a[d]
            rows[3, i] += M[3 + i, d] * a[d]
    R, weight = turn[root], mass * gravity
    p, dp, L, dL = rows[0], rows[2], np.zeros(3), np.zeros(3)
    for i in range(3):
        dp[i] += h[i] + weight[i]
        for j in range(3):
            L[i] += R[i, j] * rows[1, j]
            dL[i] += R[i, j] * (rows[3, j] + h[3 + j])
    r = origin[root] - centre
    # h also holds the moment of the weight about the root, -(centre - origin) x mass gravity
    for i in range(3):
        b, c = (i + 1) % 3, (i + 2) % 3
        L[i] += r[b] * p[c] - r[c] * p[b]
        dL[i] += r[b] * (dp[c] - weight[c]) - r[c] * (dp[b] - weight[b])
    return p, L, dp, dL


@njit(cache=True)
def balance(M, h, v, a, origin, turn, root, centre, mass, gravity):
    """Velocity and acceleration of the centre of mass, and the angular momentum about it and its rate (3,) each."""
    p, L, dp, dL = momentum(M, h, v, a, origin, turn, root, centre, mass, gravity)
    return p / mass, dp / mass, L, dL
