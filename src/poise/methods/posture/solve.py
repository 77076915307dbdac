"""The constrained response of the upper body, (10) and (11), as one system of linear equations.

The unknowns are the joint velocities x = (q_u^{t+1} - q_u^t) / Δt. With the inertia M of the upper body and everything
that does not depend on x in b, torques are linear in them,

    u = A x + b,    A = M_uu / Δt,    b = M_ur q̈_r + C_u - J_uᵀ f - A q̇_u,

and so are G_p = e + Δt x (7), G_v = x - q̄' (8) and G_u = Ěᵀ (u - u_before) / Δt (9), with e = q_u^t - q̄_u^{t+1}. The
minimum of (10) under C_D, (6) or (13),

    min |G_p|²_W1 + |G_v|²_W2 + |G_u|²_W3 + Σ prices (rows x - goals)²
    with  Êᵀ (u + D G_v + S G_p) = Êᵀ wanted,

is H x + Cᵀ λ = g, C x = c: H by Cholesky, then the k multipliers.

Departures: the document's Ê has S = D = 0 (departure `tone` gives resting muscles). Printed error: (6) wants nothing,
with which the clip would not be the minimiser; wanted are the clip's own torques. Rows are those of the additional
objectives of 3.6.4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.solve.dense import cholesky, divide, solve_one


class Tracking(NamedTuple):
    """What one step follows."""

    off: Array  # (n,) e [rad]
    rate: Array  # (n,) q̄' [rad/s]
    wanted: Array  # (n,) torques of the near-unactuated coordinates [N m]
    before: Array  # (n,) u_before [N m]
    pose: Array  # (n,) W1
    damping: Array  # (n,) W2
    latency: float  # W3 now
    by_inertia: bool  # are W1 and W2 times the inertia?
    vectors: Array  # (n, n) E
    k: int  # how many of its columns, the last ones, are Ê
    springs: Array  # (n,) S [N m/rad]
    dampers: Array  # (n,) D [N m s/rad]
    rows: Array  # (R, n) additional objectives
    goals: Array  # (R,)
    prices: Array  # (R,)


@njit(cache=True)
def respond(terms, upper, root, loads, tracking, h, x, u):
    """Fill x (n,) [rad/s] and the torques u (n,) [N m] of the upper body; False where there is no such x.

    terms hold the state now; root (6,) is the root's velocity at the end of the step, loads (nv,) are J^T f.
    """
    n, k = len(upper), tracking.k
    A, b = np.empty((n, n)), np.empty(n)
    for i in range(n):
        d = upper[i]
        b[i] = terms.bias[d] - loads[d]
        for j in range(6):
            b[i] += terms.mass_matrix[d, j] * (root[j] - terms.v[j]) / h
        for j in range(n):
            A[i, j] = terms.mass_matrix[d, upper[j]] / h
            b[i] -= A[i, j] * terms.v[upper[j]]
    H, both = np.zeros((n, n)), np.zeros((n, k + 1))  # both: Cᵀ, and g in its last column
    _objective(A, b, tracking, h, H, both[:, k])
    limit = np.empty(k)
    first = n - k
    for r in range(k):
        limit[r] = 0.0
        for i in range(n):
            E = tracking.vectors[i, first + r]
            stiff = tracking.dampers[i] + h * tracking.springs[i]
            limit[r] += E * (tracking.wanted[i] - b[i] + tracking.dampers[i] * tracking.rate[i]
                             - tracking.springs[i] * tracking.off[i])  # fmt: skip
            both[i, r] += E * stiff
            for j in range(n):
                both[j, r] += E * A[i, j]
    if not cholesky(H):
        return False
    divide(H, both)
    S, lack = np.zeros((k, k)), -limit
    if k > 0:
        for r in range(k):
            for i in range(n):
                lack[r] += both[i, r] * both[i, k]
                for c in range(k):
                    S[r, c] += both[i, r] * both[i, c]
        solve_one(S, lack)
    for i in range(n):
        x[i] = both[i, k]
        for r in range(k):
            x[i] -= both[i, r] * lack[r]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= H[j, i] * x[j]
        x[i] /= H[i, i]
    sound = True
    for i in range(n):
        u[i] = b[i]
        for j in range(n):
            u[i] += A[i, j] * x[j]
        sound = sound and np.isfinite(u[i]) and np.isfinite(x[i])
    return sound


@njit(cache=True)
def _objective(A, b, tracking, h, H, g):
    """Add the quadratic (10) and the additional rows: ½ xᵀ H x - gᵀ x, H in its lower half and g (n,)."""
    n = len(b)
    for i in range(n):
        for j in range(n):
            m = A[i, j] * h if tracking.by_inertia else (1.0 if i == j else 0.0)
            if m != 0.0:
                p, d = np.sqrt(tracking.pose[i] * tracking.pose[j]), np.sqrt(tracking.damping[i] * tracking.damping[j])
                H[i, j] += m * (p * h * h + d)
                g[i] += m * (d * tracking.rate[j] - p * h * tracking.off[j])
    w = tracking.latency / (h * h)
    if w > 0.0 and tracking.k < n:
        first = n - tracking.k
        B = np.empty((n, n))
        for r in range(first):
            miss = 0.0
            for j in range(n):
                B[r, j] = 0.0
            for i in range(n):
                E = tracking.vectors[i, r]
                miss += E * (b[i] - tracking.before[i])
                for j in range(n):
                    B[r, j] += E * A[i, j]
            for i in range(n):
                y = w * B[r, i]
                g[i] -= y * miss
                for j in range(i + 1):
                    H[i, j] += y * B[r, j]
    for r in range(len(tracking.goals)):
        for i in range(n):
            y = tracking.prices[r] * tracking.rows[r, i]
            if y != 0.0:
                g[i] += y * tracking.goals[r]
                for j in range(i + 1):
                    H[i, j] += y * tracking.rows[r, j]


@njit(cache=True)
def own_torques(terms, upper, root, rate, h, u):
    """u (n,) = ū: the torques of the reference itself, whose state the terms hold and which goes on at (root, rate)."""
    for i in range(len(upper)):
        d = upper[i]
        u[i] = terms.bias[d]
        for j in range(6):
            u[i] += terms.mass_matrix[d, j] * (root[j] - terms.v[j]) / h
        for j in range(len(upper)):
            u[i] += terms.mass_matrix[d, upper[j]] * (rate[j] - terms.v[upper[j]]) / h
