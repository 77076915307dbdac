"""Small linear systems in compiled code: a dozen unknowns, where a call into LAPACK costs more than the work."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def solve_small(A, B):
    """Solve A X = B by elimination with pivots, in place: A (n, n) is spoiled, B (n, m) becomes X.

    A singular matrix gives infinities or NaN, never an exception: whoever calls looks at the result.
    """
    n, m = B.shape
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if best != k:
            for j in range(k, n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
            for j in range(m):
                B[k, j], B[best, j] = B[best, j], B[k, j]
        pivot = 1.0 / A[k, k] if A[k, k] != 0.0 else np.inf
        for i in range(k + 1, n):
            x = A[i, k] * pivot
            if x != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= x * A[k, j]
                for j in range(m):
                    B[i, j] -= x * B[k, j]
        A[k, k] = pivot
    for k in range(n - 1, -1, -1):
        for j in range(m):
            total = B[k, j]
            for i in range(k + 1, n):
                total -= A[k, i] * B[i, j]
            B[k, j] = total * A[k, k]


@njit(cache=True)
def solve_one(A, b):
    """The solution (n,) of A x = b; A (n, n) and b (n,) are spoiled."""
    B = b.reshape((-1, 1))
    solve_small(A, B)
    return b
