"""Linear complementarity problems: find z >= 0 with w = M z + q >= 0 and z·w = 0.

Lemke's pivoting finds an exact solution or ends on a ray; projected Gauss-Seidel then gives the best it can.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.kernels import njit
from poise.maths.rotations import Array

# Contacts that share their forces make M singular, and rounding then decides the pivots: a little give on the scaled
# diagonal removes that. The smallest that works is taken; what it costs is in the error.
_GIVES = (1e-10, 1e-9, 1e-8)
_TINY = 1e-11  # a pivot column entry below this, in a scaled tableau, counts as zero


@njit(cache=True)
def _pivot(T, row, column):
    n, width = T.shape
    scale = 1.0 / T[row, column]
    for j in range(width):
        T[row, j] *= scale
    for i in range(n):
        if i != row and T[i, column] != 0.0:
            factor = T[i, column]
            for j in range(width):
                T[i, j] -= factor * T[row, j]


@njit(cache=True)
def _leaving(T, column, n):
    """Row of the smallest ratio; ties broken lexicographically over the columns of w, so that it never cycles."""
    best = -1
    for i in range(n):
        if T[i, column] <= _TINY:
            continue
        if best < 0:
            best = i
            continue
        left, right = T[i, 2 * n + 1] * T[best, column], T[best, 2 * n + 1] * T[i, column]
        if left < right - 1e-14 * (abs(left) + abs(right)):
            best = i
        elif left <= right + 1e-14 * (abs(left) + abs(right)):
            for j in range(n):
                a, b = T[i, j] / T[i, column], T[best, j] / T[best, column]
                if a < b - 1e-14:
                    best = i
                    break
                if a > b + 1e-14:
                    break
    return best


@njit(cache=True)
def _lemke(M, q, most):
    """z and the number of pivots, negative when it ended on a ray or took too many."""
    n = len(q)
    z = np.zeros(n)
    if q.min() >= 0.0:
        return z, 0
    T = np.zeros((n, 2 * n + 2))  # columns: w (n), z (n), artificial, right-hand side
    for i in range(n):
        T[i, i] = 1.0
        for j in range(n):
            T[i, n + j] = -M[i, j]
        T[i, 2 * n] = -1.0
        T[i, 2 * n + 1] = q[i]
    basis = np.arange(n)
    row, entering = int(np.argmin(q)), 2 * n
    for count in range(1, most + 1):
        leaving = basis[row]
        _pivot(T, row, entering)
        basis[row] = entering
        if leaving == 2 * n:
            for i in range(n):
                if n <= basis[i] < 2 * n:
                    z[basis[i] - n] = max(T[i, 2 * n + 1], 0.0)
            return z, count
        entering = leaving + n if leaving < n else leaving - n
        row = _leaving(T, entering, n)
        if row < 0:
            return z, -count
        for i in range(n):  # the artificial variable leaves whenever it can
            if basis[i] == 2 * n and T[i, entering] > _TINY:
                tie = T[i, 2 * n + 1] * T[row, entering] - T[row, 2 * n + 1] * T[i, entering]
                if tie <= 1e-13 * abs(T[i, 2 * n + 1] * T[row, entering]) + 1e-300:
                    row = i
    return z, -most


@njit(cache=True)
def _gauss_seidel(M, q, z, sweeps, tolerance):
    n = len(q)
    for k in range(sweeps):
        change = 0.0
        for i in range(n):
            if M[i, i] <= 0.0:
                continue
            w = q[i]
            for j in range(n):
                w += M[i, j] * z[j]
            new = max(0.0, z[i] - w / M[i, i])
            change = max(change, abs(new - z[i]))
            z[i] = new
        if change <= tolerance:
            return k + 1
    return sweeps


@njit(cache=True)
def _scale(M):
    """Square roots of the diagonal; rows without one get what brings their largest entry to one."""
    n = len(M)
    rows = np.empty(n)
    top = 0.0
    for i in range(n):
        rows[i] = np.sqrt(abs(M[i, i]))
        top = max(top, rows[i])
    empty = rows < 1e-6 * max(top, 1e-150)
    for i in range(n):
        if empty[i]:
            rows[i] = 1.0
    out = rows.copy()
    for i in range(n):
        if empty[i]:
            largest = 0.0
            for j in range(n):
                largest = max(largest, abs(M[i, j]) / rows[j])
            out[i] = largest if largest > 0.0 else 1.0
    return out


@njit(cache=True)
def _error(M, q, z):
    """Largest |min(z_i, w_i)| with both sides scaled to the size of q."""
    n = len(q)
    unit, scale, worst = 1e-300, 1e-300, 0.0
    for i in range(n):
        unit, scale = max(unit, abs(q[i])), max(scale, abs(z[i]))
    for i in range(n):
        w = q[i]
        for j in range(n):
            w += M[i, j] * z[j]
        worst = max(worst, abs(min(z[i] / scale, w / unit)))
    return worst


@njit(cache=True)
def _attempts(M, q, tolerance):
    """Lemke's method on the scaled problem with growing give: z, scales of rows, size of q, pivots and error."""
    n = len(q)
    rows = _scale(M)
    size = 1e-300
    for i in range(n):
        size = max(size, abs(q[i] / rows[i]))
    scaled, right = np.empty((n, n)), np.empty(n)
    z, pivots, error = np.zeros(n), 0, np.inf
    for give in _GIVES:
        for i in range(n):
            right[i] = q[i] / rows[i] / size
            for j in range(n):
                scaled[i, j] = M[i, j] / (rows[i] * rows[j])
            scaled[i, i] += give
        z, pivots = _lemke(scaled, right, 50 * n + 100)
        for i in range(n):
            z[i] *= size / rows[i]
        error = _error(M, q, z)
        if pivots >= 0 and error <= tolerance:
            break
    return z, rows, size, pivots, error


@dataclass(frozen=True, eq=False)
class LCPSolution:
    """z, and how far it is from complementarity."""

    z: Array
    w: Array  # M z + q
    error: float  # largest of |min(z, w)|, relative to the size of q
    pivots: int  # of Lemke's method, negative when it ended on a ray
    solved: bool
    method: str  # "lemke" or "gauss-seidel"


def solve_lcp(M: Array, q: Array, tolerance: float = 1e-8) -> LCPSolution:
    """z >= 0 with w = M z + q >= 0 and z·w = 0, by Lemke's method, else the best that Gauss-Seidel can do.

    M (n, n), q (n,); z and w (n,). `tolerance` bounds the largest |min(z, w)|, both scaled to the size of q.
    Rows and columns are scaled by the diagonal first, and a little give is put on it.
    """
    M, q = np.ascontiguousarray(M, float), np.ascontiguousarray(q, float)
    n = len(q)
    if M.shape != (n, n):
        raise BadValue(f"An LCP with q of {n} needs M ({n}, {n}), not {M.shape}.")
    if n == 0:
        return LCPSolution(q.copy(), q.copy(), 0.0, 0, True, "lemke")
    z, rows, size, pivots, error = _attempts(M, q, tolerance)
    method = "lemke"
    if pivots < 0 or error > tolerance:
        guess = np.zeros(n)
        _gauss_seidel(M / rows[:, None] / rows[None, :], q / rows / size, guess, 2000, 1e-14)
        other = guess * size / rows
        if pivots < 0 or _error(M, q, other) < error:
            z, method, error = other, "gauss-seidel", _error(M, q, other)
    return LCPSolution(z, M @ z + q, error, int(pivots), error <= tolerance, method)
