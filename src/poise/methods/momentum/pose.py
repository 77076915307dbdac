"""Pose reconstruction: the joint velocities whose momenta are those of the abstract model (section 4.6).

Equation (31), with J the matrix of momenta and J_c that of the corners' velocities,

    min over q̇   w1 |q̇ - g1|² + w2 |J_c q̇ - g2|²    with  J q̇ = x̂,

is a quadratic program with equality constraints. Its Hessian H = w1 + w2 J_cᵀ J_c is factored once; then

    q̇ = H⁻¹ (f + Jᵀ S (x̂ - x̂_0)),    S = (J H⁻¹ Jᵀ)⁻¹,    x̂_0 = J H⁻¹ f,    f = w1 g1 + w2 J_cᵀ g2.

Seen from the momenta, tracking costs ½ |x̂ - x̂_0|²_S. So (32), where contact forces are unknowns as well, is a least
squares problem in these forces alone: six rows, each force in its cone (see `forces.yielding`).

Rows from outside: `Momentum(rows=(value,))` takes frozen values with a method `pose_rows(step)` (see
`poise.methods.pose_rows`), which is asked in every step; what it gives is added to (31) as Σ prices (rows q̇ - goals)²,
and scales how much each degree of freedom follows the reference. So another method's response is laid over this one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.dynamics.compiled import fill_points, momentum_matrix, place_inertias, place_pose, point_jacobian
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.solve.dense import cholesky, divide, solve_small

_LEVEL = np.eye(3)


class Tracking(NamedTuple):
    """What (31) follows."""

    weight: Array  # (nv,) w1 of each degree of freedom
    rate: Array  # (nv,) g1 [rad/s, m/s]
    bodies: np.ndarray  # (K,) of the points that are led
    points: Array  # (K, 3) where they are [m]
    speeds: Array  # (K, 3) g2 [m/s]
    shares: Array  # (K, 3) w2 of each, along the world's axes
    rows: Array  # (R, nv) rows from outside: |row·q̇ - goal|² with its weight
    goals: Array  # (R,)
    prices: Array  # (R,)


class Reduced(NamedTuple):
    """(31) seen from the momenta."""

    factor: Array  # (nv, nv) lower Cholesky factor of H
    through: Array  # (nv, 7) L⁻¹ (Jᵀ, f)
    matrix: Array  # (6, nv) J
    stiffness: Array  # (6, 6) S
    free: Array  # (6,) x̂_0, the momenta of what is followed best
    sound: bool


@njit(cache=True)
def reduce(terms, tracking):
    """(31) reduced to the momenta, in the pose that the terms hold."""
    nv = len(tracking.rate)
    J, part = np.empty((6, nv)), np.empty((3, nv))
    place_inertias(terms)
    momentum_matrix(terms, J)
    H, through = np.zeros((nv, nv)), np.empty((nv, 7))
    for d in range(nv):
        H[d, d] = tracking.weight[d] + 1e-8
        through[d, 6] = tracking.weight[d] * tracking.rate[d]
        for i in range(6):
            through[d, i] = J[i, d]
    for k in range(len(tracking.bodies)):
        body = tracking.bodies[k]
        point_jacobian(terms, body, tracking.points[k], _LEVEL, part)
        for i in range(3):
            if tracking.shares[k, i] > 0.0:
                _add(H, through, part[i], tracking.shares[k, i], tracking.speeds[k, i])
    for r in range(len(tracking.goals)):
        _add(H, through, tracking.rows[r], tracking.prices[r], tracking.goals[r])
    sound = cholesky(H)
    divide(H, through)
    inverse, free = np.zeros((6, 6)), np.zeros(6)
    for i in range(6):
        for d in range(nv):
            free[i] += through[d, i] * through[d, 6]
            for j in range(6):
                inverse[i, j] += through[d, i] * through[d, j]
    S = np.eye(6)
    solve_small(inverse, S)
    return Reduced(H, through, J, S, free, sound)


@njit(cache=True)
def _add(H, through, row, weight, goal):
    """Add weight |row·q̇ - goal|² to H (lower half) and f."""
    nv = len(row)
    for a in range(nv):
        x = weight * row[a]
        if x != 0.0:
            through[a, 6] += x * goal
            for b in range(a + 1):
                H[a, b] += x * row[b]


@njit(cache=True)
def velocity(reduced, wanted):
    """q̇ (nv,) with the momenta `wanted` (6,)."""
    nv = len(reduced.through)
    pull = reduced.stiffness @ (wanted - reduced.free)
    out = np.empty(nv)
    for d in range(nv):
        out[d] = reduced.through[d, 6]
        for i in range(6):
            out[d] += reduced.through[d, i] * pull[i]
    for d in range(nv - 1, -1, -1):  # Lᵀ q̇ = L⁻¹ f + L⁻¹ Jᵀ S (x̂ - x̂_0)
        for b in range(d + 1, nv):
            out[d] -= reduced.factor[b, d] * out[b]
        out[d] /= reduced.factor[d, d]
    return out


@njit(cache=True)
def speeds_of(terms, bodies, points, v):
    """Velocities (K, 3) [m/s] at v (nv,) of points (K, 3) of bodies (K,), in the pose that the terms hold."""
    part, out = np.empty((3, len(v))), np.empty((len(bodies), 3))
    for k in range(len(bodies)):
        point_jacobian(terms, bodies[k], points[k], _LEVEL, part)
        for i in range(3):
            out[k, i] = part[i] @ v
    return out


@njit(cache=True)
def momenta(terms, v, J):
    """Linear and angular momentum (6,) at v (nv,) in the pose that the terms hold; J (6, nv) is filled."""
    place_inertias(terms)
    momentum_matrix(terms, J)
    return J @ v


@njit(cache=True)
def with_momenta(terms, v, wanted):
    """v (nv,) with the root's part changed so that the momenta are `wanted` (6,)."""
    J = np.empty((6, len(v)))
    place_inertias(terms)
    momentum_matrix(terms, J)
    lack = (wanted - J @ v).reshape(-1, 1)
    solve_small(np.ascontiguousarray(J[:, :6]), lack)
    out = v.copy()
    out[:6] += lack[:, 0]
    return out


@njit(cache=True)
def put(terms, q):
    """Put the pose q (nq,) into the terms' memory, and where its points are."""
    place_pose(terms, q)
    fill_points(terms, terms.point_bodies, terms.point_locals, terms.points)
