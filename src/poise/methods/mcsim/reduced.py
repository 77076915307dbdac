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
from poise.solve.qp import QP

_SCALE = 100.0  # [N] unit of λ inside the program: accelerations and forces are then of one size
_FREE = np.zeros(512, np.int32)  # DAQP's marks of inequalities
_MANY, _NOUGHT, _NONE = np.full(512, 1e30), np.zeros(512), np.zeros(0)


class Rows(NamedTuple):
    """Least-squares rows: weight · (matrix x - wish)²."""

    matrix: Array  # (R, n)
    wish: Array  # (R,)
    weight: Array  # (R,)


class Reduced(NamedTuple):
    """min ½ xᵀ H x + gᵀ x over x = (joint accelerations (nj,), λ (nl,) in units of 100 N).

    With λ >= 0 and |T x + t| <= limit.
    """

    H: Array
    g: Array
    T: Array  # (nj, n) torques of x
    t: Array  # (nj,)
    root: Array  # (6, n + 1) accelerations of the root: of x, and constant
    joints: int

    def qp(self, limit: Array) -> QP:
        """The program with all its bounds, unsolved, for inspection or another solver."""
        lower = np.full(len(self.g), -1e30)
        lower[self.joints :] = 0.0
        return QP(self.H, self.g, self.T, -limit - self.t, limit - self.t, lower, np.full(len(self.g), 1e30))


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
    """H, g, T, t and root of `Reduced`.

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
    solved = np.linalg.solve(A, right)
    root = np.zeros((6, n + 1))
    for b in range(6):
        root[b, n] = held[b]
    for a in range(nf):
        root[free[a]] = solved[a]

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

    T = np.ascontiguousarray(M[6:, :6]) @ root
    t = T[:, n] + h[6:]
    T = np.ascontiguousarray(T[:, :n])
    for d in range(nj):
        for e in range(nj):
            T[d, e] += M[6 + d, 6 + e]
        for l in range(nl):
            T[d, nj + l] -= _SCALE * generalised[6 + d, l]
    return H, g, T, t, root


@njit(cache=True)
def eliminate(H, g, nj):
    """Without torque bounds: the problem in λ alone, S and s, and the joint accelerations as a - Z λ."""
    n = H.shape[0]
    L = np.linalg.cholesky(H[:nj, :nj].copy())
    right = np.empty((nj, n - nj + 1))
    right[:, : n - nj] = H[:nj, nj:]
    right[:, n - nj] = g[:nj]
    for c in range(right.shape[1]):  # forward substitution
        for i in range(nj):
            x = right[i, c]
            for k in range(i):
                x -= L[i, k] * right[k, c]
            right[i, c] = x / L[i, i]
    Y = np.ascontiguousarray(right[:, : n - nj])
    y = right[:, n - nj].copy()
    S = H[nj:, nj:] - Y.T @ Y
    s = g[nj:] - y @ Y
    return L, Y, y, S, s


@njit(cache=True)
def back(L, Y, y, force):
    """Joint accelerations for given forces λ."""
    x = -(y + Y @ force)
    nj = L.shape[0]
    for i in range(nj - 1, -1, -1):
        for k in range(i + 1, nj):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]
    return x


@njit(cache=True)
def _outcome(x, T, t, root, limit, scale):
    """Accelerations and torques (nv,) of a solution x, forces [N], and by how much [N m] a torque bound is passed."""
    nj, n = T.shape[0], x.shape[0]
    acceleration, torque, over = np.empty(6 + nj), np.zeros(6 + nj), -1e30
    acceleration[:6] = np.ascontiguousarray(root[:, :n]) @ x + root[:, n]
    acceleration[6:] = x[:nj]
    torque[6:] = T @ x + t
    for d in range(nj):
        over = max(over, abs(torque[6 + d]) - limit[d])
    return acceleration, torque, scale * x[nj:], over


@njit(cache=True)
def _joined(L, Y, y, force):
    return np.concatenate((back(L, Y, y, force), force))


def solve(problem: Reduced, limit: Array) -> Plan:
    """The minimiser; `limit` (nj,) [N m] bounds the torques."""
    nj, n = problem.joints, len(problem.g)
    L, Y, y, S, s = eliminate(problem.H, problem.g, nj)
    nl, flag, force = n - nj, 1, _NONE
    if nl:
        force, _, flag, _ = daqp.solve(S, s, np.empty((0, nl)), _MANY[:nl], _NOUGHT[:nl], _FREE[:nl])
    x = _joined(L, Y, y, force)
    acceleration, torque, newtons, over = _outcome(x, problem.T, problem.t, problem.root, limit, _SCALE)
    bounded = over > 0.0
    if flag > 0 and bounded:
        bound = np.concatenate([_MANY[:n], limit - problem.t])
        lower = np.concatenate([-_MANY[:nj], _NOUGHT[:nl], -limit - problem.t])
        x, _, flag, _ = daqp.solve(problem.H, problem.g, problem.T, bound, lower, _FREE[: n + nj])
        acceleration, torque, newtons, _ = _outcome(x, problem.T, problem.t, problem.root, limit, _SCALE)
        torque[6:] = np.clip(torque[6:], -limit, limit)
    solved = flag > 0 and math.isfinite(float(torque.sum()) + float(acceleration.sum()))
    return Plan(acceleration, torque, newtons, solved, bounded)
