"""Eigenvectors of a matrix that changes a little at every step: the last ones are turned a little further.

In the basis of the last eigenvectors the matrix is nearly diagonal, T. Turned by exp(K) with the skew K_ij = T_ij /
(T_jj - T_ii), what is left beside the diagonal is of second order; two or three such turns, a few products of matrices,
leave less than a ten-thousandth of it. What the last one leaves is known to be little enough and not computed; the
eigenvalues then follow by perturbation. The vectors are orthonormal to rounding; only springs couple that much. Pairs
with nearly the same eigenvalue are turned by Jacobi's rotation first.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit

_SWEEPS = 4
_RELATIVE = 1e-5  # |T_ij| / sqrt(T_ii T_jj) that counts as nothing
_LAST = 4e-3  # of the same, after which one more turn is enough
_CLOSE = 0.1  # |T_ij| / |T_jj - T_ii| from which a pair is rotated by itself


@njit(cache=True)
def _rotate(T, U, i, j):
    """Jacobi's rotation that makes T_ij zero; U (n, n) is turned alike."""
    x = 0.5 * (T[j, j] - T[i, i]) / T[i, j]
    t = 1.0 / (abs(x) + np.sqrt(x * x + 1.0))
    if x < 0.0:
        t = -t
    c = 1.0 / np.sqrt(t * t + 1.0)
    s = t * c
    for k in range(len(T)):
        a, b = T[k, i], T[k, j]
        T[k, i], T[k, j] = c * a - s * b, s * a + c * b
        a, b = U[k, i], U[k, j]
        U[k, i], U[k, j] = c * a - s * b, s * a + c * b
    for k in range(len(T)):
        a, b = T[i, k], T[j, k]
        T[i, k], T[j, k] = c * a - s * b, s * a + c * b


@njit(cache=True)
def _pairs(T, U, K):
    """Rotate close pairs and fill the skew K for the others; gives the largest |T_ij| / sqrt(T_ii T_jj) there was."""
    n, most = len(T), 0.0
    for i in range(n - 1):
        for j in range(i + 1, n):
            t = T[i, j]
            size = t * t / (T[i, i] * T[j, j])
            most = max(most, size)
            if size > _RELATIVE * _RELATIVE and abs(t) > _CLOSE * abs(T[j, j] - T[i, i]):
                _rotate(T, U, i, j)
                most = max(most, 1.0)  # others have changed with it
    for i in range(n):
        K[i, i] = 0.0
        for j in range(i + 1, n):
            gap = T[j, j] - T[i, i]
            x = T[i, j] / gap if abs(T[i, j]) <= _CLOSE * abs(gap) else 0.0
            K[i, j], K[j, i] = x, -x
    return np.sqrt(most)


@njit(cache=True)
def eigen_from(A, U):
    """Eigenvalues (n,) of the symmetric positive A (n, n), and whether U (n, n), the last eigenvectors, became theirs.

    Where they did not, because the matrix has changed too much, U is spoiled.
    """
    n = len(A)
    T, K, values = U.T @ (A @ U), np.empty((n, n)), np.empty(n)
    for sweep in range(_SWEEPS):
        left = _pairs(T, U, K)
        last = left < _LAST
        if last:
            for i in range(n):
                values[i] = T[i, i]
                for j in range(n):
                    values[i] -= K[i, j] * T[i, j]
        if left < _RELATIVE:
            return values, True
        Q = 0.5 * (K @ K) + K
        for i in range(n):
            Q[i, i] += 1.0
        U[:] = U @ Q
        if sweep == 0:  # made orthonormal again, U (3 - U'U) / 2; Q lacks a fourth of K's fourth power
            G = U.T @ U
            G *= -0.5
            for i in range(n):
                G[i, i] += 1.5
            U[:] = U @ G
        if last:
            return values, True
        T = U.T @ (A @ U)
    return values, False
