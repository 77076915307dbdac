"""Dense systems of some dozen unknowns in compiled code, where a call into LAPACK costs more than the work."""

from __future__ import annotations

import numpy as np

from poise.kernels import njit


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


@njit(cache=True)
def damped(J, miss, damping):
    """The multipliers y (m,) of a damped least-squares step: (J Jᵀ + damping 1) y = miss; the step itself is Jᵀ y.

    J (m, n) are the derivatives of what misses by `miss` (m,), which is spoiled.
    """
    A = J @ J.T
    for i in range(len(miss)):
        A[i, i] += damping
    return solve_one(A, miss)


@njit(cache=True, fastmath={"contract", "reassoc", "nsz"})
def cholesky(a):
    """a (d, d) becomes L with L Lᵀ = a, in its lower triangle; False if `a` is not positive definite."""
    d = a.shape[0]
    for j in range(d):
        for i in range(j, d):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            if i > j:
                a[i, j] = s / a[j, j]
            elif s > 0.0:
                a[j, j] = np.sqrt(s)
            else:
                return False
    return True


@njit(cache=True, fastmath={"contract", "reassoc", "nsz"})
def divide(a, p):
    """p becomes L^-1 p, with L the lower triangle of `a`; row by row, so that the innermost loop runs along memory."""
    for j in range(p.shape[0]):
        for k in range(j):
            c = a[j, k]
            for i in range(p.shape[1]):
                p[j, i] -= c * p[k, i]
        c = 1.0 / a[j, j]
        for i in range(p.shape[1]):
            p[j, i] *= c
