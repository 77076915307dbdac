"""The program (7) with everything but the net force on the body eliminated.

The six rows of the root carry no torque, so they give the root's accelerations from those of the joints and from
w = G λ, the force and moment of all contacts on the root; the rows of the joints then give the torques. As long as no
torque bound is met, the forces λ >= 0 of the contacts matter through the six numbers w alone, however many there are:
what is left is least squares in (joint accelerations, w), and after one Cholesky factor a problem in w and λ that a
handful of Newton steps in six unknowns solves. Where a bound is met, the whole problem in (joint accelerations, λ) is
given to an active-set solver.

No-slip (7e) is a row of least squares with a large weight here, not an equality: redundant rows (four corners of one
foot) do no harm, and there is always a solution.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import daqp
import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.mcsim.forces import forces
from poise.solve.dense import cholesky, divide, solve_small
from poise.solve.qp import QP

_SCALE = 100.0  # [N] unit of λ and w inside the program: accelerations and forces are then of one size


class Reduced(NamedTuple):
    """min ½ zᵀ H z + gᵀ z + ½ least λᵀ λ over z = (joint accelerations (nj,), w = G λ (6,)), with λ >= 0.

    And torques of at most a limit. G is `generalised[:6]`; in H and g, w is in units of 100 N and 100 N m.
    """

    H: Array  # (nj + 6, nj + 6)
    g: Array  # (nj + 6,)
    root: Array  # (6, nj + 7) accelerations of the root: of z, and constant
    M: Array  # (nv, nv)
    h: Array  # (nv,)
    generalised: Array  # (nv, nl) J V: what a unit of each λ is in every degree of freedom
    least: float  # [1/N²]

    def qp(self, limit: Array) -> QP:
        """The program in (joint accelerations, λ) with all its bounds, unsolved."""
        H, g, T, t = _whole(*self)
        nj, n = len(t), len(g)
        lower = np.full(n, -1e30)
        lower[nj:] = 0.0
        return QP(H, g, T, -limit - t, limit - t, lower, np.full(n, 1e30))


class Rows(NamedTuple):
    """Weighted rows of least squares: Σ weight (matrix x - wish)²."""

    matrix: Array  # (R, n)
    wish: Array  # (R,)
    weight: Array  # (R,)


class Tracked(NamedTuple):
    """Wished accelerations and their weights."""

    wish: Array  # (nv,)
    weight: Array  # (nv,)


class Plan(NamedTuple):
    """What the program gives."""

    acceleration: Array  # (nv,)
    torque: Array  # (nv,) [N m], zero on the root
    force: Array  # (nl,) λ [N]
    solved: bool
    bounded: bool  # a torque bound was met


@njit(cache=True)
def assemble(M, h, free, held, tracked, rows, push):
    """H (nj + 6, nj + 6), g (nj + 6,) and root (6, nj + 7) of `Reduced`.

    min Σ weight (q̈ - wish)² + Σ rows(q̈) + Σ push(w)  with  q̈_root = M_rr⁻¹ (w - h_r - M_rj q̈_j)

    M (nv, nv) and h (nv,) are the terms of the equations of motion. free (nf,): rows of the root without force; held
    (6,): accelerations of the others, that a rail prescribes. `tracked` holds the wish for every acceleration, `rows`
    (R, nv) more rows on accelerations, `push` (S, 6) rows on the contacts' force and moment on the root [N, N m].
    """
    wish, weight = tracked
    nv, nf = M.shape[0], free.shape[0]
    nj = nv - 6
    n = nj + 6
    right = np.zeros((nf, n + 1))
    A = np.empty((nf, nf))
    for a in range(nf):
        i = free[a]
        for b in range(nf):
            A[a, b] = M[i, free[b]]
        for d in range(nj):
            right[a, d] = -M[i, 6 + d]
        right[a, nj + i] = _SCALE
        right[a, n] = -h[i]
        for b in range(6):
            right[a, n] -= M[i, b] * held[b]  # zero where the root is free
    solve_small(A, right)
    root = np.zeros((6, n + 1))
    for b in range(6):
        root[b, n] = held[b]
    for a in range(nf):
        root[free[a]] = right[a]

    count, pushed = rows.matrix.shape[0], push.matrix.shape[0]
    W = np.zeros((6 + count + pushed, n))
    y = np.zeros(W.shape[0])
    for i in range(6):
        s = np.sqrt(weight[i])
        W[i] = s * root[i, :n]
        y[i] = s * (wish[i] - root[i, n])
    if count:
        mine = np.ascontiguousarray(rows.matrix[:, :6]) @ root
        for r in range(count):
            s = np.sqrt(rows.weight[r])
            for d in range(nj):
                W[6 + r, d] = s * (mine[r, d] + rows.matrix[r, 6 + d])
            for k in range(nj, n):
                W[6 + r, k] = s * mine[r, k]
            y[6 + r] = s * (rows.wish[r] - mine[r, n])
    for r in range(pushed):
        s = np.sqrt(push.weight[r])
        for k in range(6):
            W[6 + count + r, nj + k] = s * _SCALE * push.matrix[r, k]
        y[6 + count + r] = s * push.wish[r]
    H = W.T @ W
    g = -(y @ W)
    for d in range(nj):
        H[d, d] += weight[6 + d]
        g[d] -= weight[6 + d] * wish[6 + d]
    return H, g, root


@njit(cache=True)
def _whole(H, g, root, M, h, generalised, least):
    """H (n, n) and g (n,) of the program in x = (joint accelerations, λ), and T (nj, n), t (nj,) of torques T x + t."""
    nj, nl = M.shape[0] - 6, generalised.shape[1]
    G = np.ascontiguousarray(generalised[:6])
    by, whole, slope = np.zeros((nj + 6, nj + nl)), np.empty((nj, nj + nl)), np.empty(nj + nl)
    for d in range(nj):
        by[d, d] = 1.0
    by[nj:, nj:] = G
    K = by.T @ (H @ by)
    slope[:] = g @ by
    for l in range(nj, nj + nl):
        K[l, l] += least * _SCALE * _SCALE
    T = np.ascontiguousarray(M[6:, :6]) @ root
    t = T[:, nj + 6] + h[6:]
    whole[:] = np.ascontiguousarray(T[:, : nj + 6]) @ by
    for d in range(nj):
        for e in range(nj):
            whole[d, e] += M[6 + d, 6 + e]
        for l in range(nl):
            whole[d, nj + l] -= _SCALE * generalised[6 + d, l]
    return K, slope, whole, t


@njit(cache=True)
def _unbounded(H, g, root, M, h, generalised, least, limit):
    """The minimiser without torque bounds, as `_outcome` gives it, and whether the forces were found."""
    nj, nl = M.shape[0] - 6, generalised.shape[1]
    L, Y, K, k = np.empty((nj, nj)), np.empty((nj, 7)), np.empty((6, 6)), np.empty(6)
    for i in range(nj):
        for d in range(i + 1):
            L[i, d] = H[i, d]
        for a in range(6):
            Y[i, a] = H[i, nj + a]
        Y[i, 6] = g[i]
    cholesky(L)
    divide(L, Y)
    product = Y.T @ Y
    for a in range(6):
        for b in range(6):
            K[a, b] = H[nj + a, nj + b] - product[a, b]
        k[a] = g[nj + a] - product[a, 6]
    G = np.ascontiguousarray(generalised[:6])
    force, found = forces(K, k, G, least * _SCALE * _SCALE)
    x = np.empty(nj + nl)
    x[nj:] = force
    w = G @ force
    for i in range(nj):
        x[i] = -Y[i, 6]
        for a in range(6):
            x[i] -= Y[i, a] * w[a]
    for i in range(nj - 1, -1, -1):
        x[i] /= L[i, i]
        for d in range(i):
            x[d] -= L[i, d] * x[i]
    acceleration, torque, newtons, over = _outcome(x, root, M, h, generalised, limit)
    return acceleration, torque, newtons, over, found


@njit(cache=True)
def _outcome(x, root, M, h, generalised, limit):
    """Accelerations and torques (nv,) of x = (joint accelerations, λ), forces [N], and by how much [N m] a torque bound
    is passed: infinite where something is not a number."""
    nv, nl = M.shape[0], generalised.shape[1]
    nj = nv - 6
    acceleration, torque, force, over = np.empty(nv), np.zeros(nv), np.empty(nl), -1e30
    for i in range(6):
        acceleration[i] = root[i, nj + 6]
        for d in range(nj):
            acceleration[i] += root[i, d] * x[d]
        for a in range(6):
            for l in range(nl):
                acceleration[i] += root[i, nj + a] * generalised[a, l] * x[nj + l]
    acceleration[6:] = x[:nj]
    for l in range(nl):
        force[l] = _SCALE * x[nj + l]
    for d in range(6, nv):
        u = h[d]
        for e in range(nv):
            u += M[d, e] * acceleration[e]
        for l in range(nl):
            u -= generalised[d, l] * force[l]
        torque[d] = u
        over = max(over, abs(u) - limit[d - 6]) if math.isfinite(u) else math.inf
    return acceleration, torque, force, over


def solve(problem: Reduced, limit: Array) -> Plan:
    """The minimiser; `limit` (nj,) [N m] bounds the torques."""
    acceleration, torque, force, over, found = _unbounded(*problem, limit)
    bounded = over > 0.0
    if bounded or not found:
        H, g, T, t = _whole(*problem)
        n, nj = len(g), len(t)
        upper, lower = np.full(n + nj, 1e30), np.full(n + nj, -1e30)
        lower[nj:n], lower[n:], upper[n:] = 0.0, -limit - t, limit - t
        x, _, flag, _ = daqp.solve(H, g, T, upper, lower, np.zeros(n + nj, np.int32))
        acceleration, torque, force, over = _outcome(x, problem.root, problem.M, problem.h, problem.generalised, limit)
        torque[6:] = np.clip(torque[6:], -limit, limit)
        found = flag > 0
    return Plan(acceleration, torque, force, found and math.isfinite(over), bounded)


@cache
def warm_up() -> None:
    """Compile, or load from disk, what a first torque bound would otherwise wait for in the middle of a performance."""
    h = np.zeros(7)
    h[6] = 2.0  # more than the bound of the single joint
    problem = Reduced(np.eye(7), np.zeros(7), np.zeros((6, 8)), np.eye(7), h, np.zeros((7, 4)), 1e-7)
    solve(problem, np.ones(1))
