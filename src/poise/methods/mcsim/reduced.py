"""The program (7) with root accelerations, torques and joint accelerations eliminated: unknowns are the forces λ alone.

The six rows of the root carry no torque, so they give the root's accelerations from those of the joints and λ; the rows
of the joints then give the torques. What is left is least squares in (joint accelerations, λ) with λ >= 0 and torque
bounds. As long as no torque bound is met, the joint accelerations follow from λ by one Cholesky factor, and a bounded
problem in λ alone remains (8 to 48 unknowns). Where a bound is met, the problem with bounds is solved.

No-slip (7e) is a row of least squares with a large weight here, not an equality: redundant rows (four corners of one
foot) do no harm, and there is always a solution.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import daqp
import numpy as np
from numba import njit

from poise.maths.rotations import Array
from poise.solve.dense import cholesky, divide, solve_small
from poise.solve.qp import QP

_SCALE = 100.0  # [N] unit of λ inside the program: accelerations and forces are then of one size
_FREE = np.zeros(512, np.int32)  # DAQP's marks of inequalities
_MANY, _NOUGHT, _NONE, _EMPTY = np.full(512, 1e30), np.zeros(512), np.zeros(0), np.empty((0, 512))


class Rows(NamedTuple):
    """Least-squares rows: weight · (matrix x - wish)²."""

    matrix: Array  # (R, n)
    wish: Array  # (R,)
    weight: Array  # (R,)


class Reduced(NamedTuple):
    """min ½ xᵀ H x + gᵀ x over x = (joint accelerations (nj,), λ (nl,) in units of 100 N).

    With λ >= 0 and torques of at most `limit`.
    """

    H: Array
    g: Array
    root: Array  # (6, n + 1) accelerations of the root: of x, and constant
    M: Array  # (nv, nv)
    h: Array  # (nv,)
    generalised: Array  # (nv, nl) J V, per newton
    joints: int

    def torques(self) -> tuple[Array, Array]:
        """T (nj, n) and t (nj,): the torques are T x + t."""
        return _torques(self.M, self.h, self.generalised, self.root)

    def qp(self, limit: Array) -> QP:
        """The program with all its bounds, unsolved, for inspection or another solver."""
        lower, (T, t) = np.full(len(self.g), -1e30), self.torques()
        lower[self.joints :] = 0.0
        return QP(self.H, self.g, T, -limit - t, limit - t, lower, np.full(len(self.g), 1e30))


class Plan(NamedTuple):
    """What the program gives."""

    acceleration: Array  # (nv,)
    torque: Array  # (nv,) [N m], zero on the root
    force: Array  # (nl,) λ [N]
    solved: bool
    bounded: bool  # a torque bound was met


@njit(cache=True)
def assemble(M, h, free, held, generalised, wish, weight, rows, rows_wish, rows_weight, push, push_wish, push_weight,
             least):  # fmt: skip
    """H, g and root of `Reduced`.

    free (nf,): rows of the root without force; held (6,): accelerations of the others, that a rail prescribes.
    generalised (nv, nl): J V. wish, weight (nv,): of each acceleration. rows (R, nv): more rows on accelerations.
    push (S, nl): rows on the forces alone, in newtons. least: weight of λ² itself.
    """
    nv, nl, nf = M.shape[0], generalised.shape[1], free.shape[0]
    nj = nv - 6
    n = nj + nl
    right = np.zeros((nf, n + 1))
    A = np.empty((nf, nf))
    for a in range(nf):
        i = free[a]
        for b in range(nf):
            A[a, b] = M[i, free[b]]
        for d in range(nj):
            right[a, d] = -M[i, 6 + d]
        for l in range(nl):
            right[a, nj + l] = _SCALE * generalised[i, l]
        right[a, n] = -h[i]
        for b in range(6):
            right[a, n] -= M[i, b] * held[b]  # zero where the root is free
    solve_small(A, right)
    root = np.zeros((6, n + 1))
    for b in range(6):
        root[b, n] = held[b]
    for a in range(nf):
        root[free[a]] = right[a]

    count = rows.shape[0]
    W = np.zeros((6 + count + push.shape[0], n))
    y = np.zeros(W.shape[0])
    for i in range(6):
        s = np.sqrt(weight[i])
        W[i] = s * root[i, :n]
        y[i] = s * (wish[i] - root[i, n])
    if count:
        mine = np.ascontiguousarray(rows[:, :6]) @ root
        for r in range(count):
            s = np.sqrt(rows_weight[r])
            for d in range(nj):
                W[6 + r, d] = s * (mine[r, d] + rows[r, 6 + d])
            for l in range(nj, n):
                W[6 + r, l] = s * mine[r, l]
            y[6 + r] = s * (rows_wish[r] - mine[r, n])
    for r in range(push.shape[0]):
        s = np.sqrt(push_weight[r])
        for l in range(nl):
            W[6 + count + r, nj + l] = s * _SCALE * push[r, l]
        y[6 + count + r] = s * push_wish[r]
    H = W.T @ W
    g = -(y @ W)
    for d in range(nj):
        H[d, d] += weight[6 + d]
        g[d] -= weight[6 + d] * wish[6 + d]
    for l in range(nj, n):
        H[l, l] += least * _SCALE * _SCALE
    return H, g, root


@njit(cache=True)
def _torques(M, h, generalised, root):
    """See `Reduced.torques`."""
    nj, nl = M.shape[0] - 6, generalised.shape[1]
    n = nj + nl
    T = np.ascontiguousarray(M[6:, :6]) @ root
    t = T[:, n] + h[6:]
    T = np.ascontiguousarray(T[:, :n])
    for d in range(nj):
        for e in range(nj):
            T[d, e] += M[6 + d, 6 + e]
        for l in range(nl):
            T[d, nj + l] -= _SCALE * generalised[6 + d, l]
    return T, t


@njit(cache=True)
def eliminate(H, g, nj):
    """Without torque bounds: the problem in λ alone, S and s; L, and Y = L⁻¹ (H_jλ, g_j) (nj, nl + 1), for `back`."""
    n = H.shape[0]
    nl = n - nj
    L, Y, S, s = np.empty((nj, nj)), np.empty((nj, nl + 1)), np.empty((nl, nl)), np.empty(nl)
    for i in range(nj):
        for k in range(i + 1):
            L[i, k] = H[i, k]
        for l in range(nl):
            Y[i, l] = H[i, nj + l]
        Y[i, nl] = g[i]
    cholesky(L)
    divide(L, Y)
    product = Y.T @ Y
    for a in range(nl):
        for b in range(nl):
            S[a, b] = H[nj + a, nj + b] - product[a, b]
        s[a] = g[nj + a] - product[a, nl]
    return L, Y, S, s


@njit(cache=True)
def back(L, Y, force):
    """x = (joint accelerations, λ) for given forces λ."""
    nj, nl = L.shape[0], force.shape[0]
    x = np.empty(nj + nl)
    x[nj:] = force
    for i in range(nj):
        x[i] = -Y[i, nl]
        for l in range(nl):
            x[i] -= Y[i, l] * force[l]
    for i in range(nj - 1, -1, -1):
        x[i] /= L[i, i]
        for k in range(i):
            x[k] -= L[i, k] * x[i]
    return x


@njit(cache=True)
def _outcome(x, M, h, generalised, root, limit):
    """Accelerations and torques (nv,) of a solution x, forces [N], and by how much [N m] a torque bound is passed.

    What is passed is infinite where something is not a number.
    """
    nv, n, nl = M.shape[0], x.shape[0], generalised.shape[1]
    nj = nv - 6
    acceleration, torque, force, over = np.empty(nv), np.zeros(nv), np.empty(nl), -1e30
    for i in range(6):
        acceleration[i] = root[i, n]
        for k in range(n):
            acceleration[i] += root[i, k] * x[k]
    acceleration[6:] = x[:nj]
    for l in range(nl):
        force[l] = _SCALE * x[nj + l]
    for d in range(6, nv):
        u = h[d]
        for k in range(nv):
            u += M[d, k] * acceleration[k]
        for l in range(nl):
            u -= generalised[d, l] * force[l]
        torque[d] = u
        over = max(over, abs(u) - limit[d - 6]) if math.isfinite(u) else math.inf
    return acceleration, torque, force, over


@njit(cache=True)
def _unbounded(L, Y, force, M, h, generalised, root, limit):
    """What `_outcome` gives for forces λ, with the joint accelerations that follow from them."""
    return _outcome(back(L, Y, force), M, h, generalised, root, limit)


def solve(problem: Reduced, limit: Array) -> Plan:
    """The minimiser; `limit` (nj,) [N m] bounds the torques."""
    H, g, root, M, h, generalised, nj = problem
    L, Y, S, s = eliminate(H, g, nj)
    nl, flag, force = len(s), 1, _NONE
    if nl:
        force, _, flag, _ = daqp.solve(S, s, _EMPTY[:, :nl], _MANY[:nl], _NOUGHT[:nl], _FREE[:nl])
    acceleration, torque, newtons, over = _unbounded(L, Y, force, M, h, generalised, root, limit)
    bounded = over > 0.0
    if flag > 0 and bounded:
        T, t = problem.torques()
        n = nj + nl
        bound = np.concatenate([_MANY[:n], limit - t])
        lower = np.concatenate([-_MANY[:nj], _NOUGHT[:nl], -limit - t])
        x, _, flag, _ = daqp.solve(H, g, T, bound, lower, _FREE[: n + nj])
        acceleration, torque, newtons, over = _outcome(x, M, h, generalised, root, limit)
        torque[6:] = np.clip(torque[6:], -limit, limit)
    return Plan(acceleration, torque, newtons, flag > 0 and math.isfinite(over), bounded)
