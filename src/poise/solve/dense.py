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


@njit(cache=True)
def normal_equations(J, res, n, H, grad):
    """H (m, m) = Jᵀ J and grad (m,) = Jᵀ res of the first n rows of J (N, m) and res (N,)."""
    for i in range(len(grad)):
        grad[i] = 0.0
        for k in range(n):
            grad[i] += J[k, i] * res[k]
        for j in range(i + 1):
            s = 0.0
            for k in range(n):
                s += J[k, i] * J[k, j]
            H[i, j] = H[j, i] = s


@njit(cache=True)
def curved_step(H, grad, free, m, lift, A, rhs, step):
    """A Levenberg-Marquardt step of the m free unknowns: (H + lift diag(H + 1e-3)) step = -grad; False without one.

    Each unknown is damped in proportion to its own curvature. free (m,) are numbers in H (n, n) and grad (n,); A and
    rhs are spoiled, step (m,) is filled.
    """
    for i in range(m):
        rhs[i] = -grad[free[i]]
        for j in range(m):
            A[i, j] = H[free[i], free[j]]
        A[i, i] += lift * (H[free[i], free[i]] + 1e-3)
    return solve_definite(A, rhs, step, m)


@njit(cache=True)
def solve_definite(A, b, x, n):
    """x with A x = b for a positive definite A (n, n), by Cholesky in place; False where it is not."""
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            if i == j:
                if s <= 1e-14:
                    return False
                A[i, i] = np.sqrt(s)
            else:
                A[i, j] = s / A[j, j]
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= A[i, k] * x[k]
        x[i] = s / A[i, i]
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, n):
            s -= A[k, i] * x[k]
        x[i] = s / A[i, i]
    return True


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
