"""Least squares over friction cones: min ½ |A f - b|² + ½ w |f|², each force f_k = (normal, two tangents) in its cone.

With few rows and many forces the dual is the small problem: for residual multipliers y (m,)

    max  y·b - ½ |y|² - ½ w |P(Aᵀ y / w)|²

where P projects every force on its cone |tangent| <= friction · normal. It is smooth and strictly concave; a semismooth
Newton method with the exact derivative of the projection needs about five steps of m x m. At the solution y = b - A f.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from poise.errors import BadValue
from poise.maths.rotations import Array


@njit(cache=True)
def project(z, friction, out):
    """out = the nearest force to z (3K,) in the product of cones, force by force."""
    for k in range(friction.shape[0]):
        i, mu = 3 * k, friction[k]
        n, s = z[i], np.sqrt(z[i + 1] ** 2 + z[i + 2] ** 2)
        if s <= mu * n:
            out[i], out[i + 1], out[i + 2] = z[i], z[i + 1], z[i + 2]
        elif mu * s <= -n:
            out[i], out[i + 1], out[i + 2] = 0.0, 0.0, 0.0
        else:
            a = (mu * s + n) / (1.0 + mu * mu)
            out[i] = a
            out[i + 1], out[i + 2] = mu * a * z[i + 1] / s, mu * a * z[i + 2] / s


@njit(cache=True)
def _hessian(A, z, friction, w, H):
    """H = 1 + A P'(z) Aᵀ / w: a free force adds its three columns, one on its cone only two directions."""
    m = A.shape[0]
    g, h = np.empty(m), np.empty(m)
    H[:] = 0.0
    for k in range(friction.shape[0]):
        i, mu = 3 * k, friction[k]
        n, s = z[i], np.sqrt(z[i + 1] ** 2 + z[i + 2] ** 2)
        if s <= mu * n:
            for r in range(m):
                for c in range(r + 1):
                    H[r, c] += A[r, i] * A[c, i] + A[r, i + 1] * A[c, i + 1] + A[r, i + 2] * A[c, i + 2]
        elif mu * s > -n:
            ux, uy = z[i + 1] / s, z[i + 2] / s
            along = 1.0 / (1.0 + mu * mu)
            across = mu * (mu * s + n) * along / s
            for r in range(m):
                g[r] = A[r, i] + mu * (ux * A[r, i + 1] + uy * A[r, i + 2])
                h[r] = -uy * A[r, i + 1] + ux * A[r, i + 2]
            for r in range(m):
                for c in range(r + 1):
                    H[r, c] += along * g[r] * g[c] + across * h[r] * h[c]
    for r in range(m):
        for c in range(r + 1):
            H[r, c] /= w
            H[c, r] = H[r, c]
        H[r, r] += 1.0


@njit(cache=True)
def _value(A, b, friction, w, y, z, f):
    """The negative of the dual at y; fills z = Aᵀ y / w and f = P(z)."""
    m, n = A.shape
    for j in range(n):
        z[j] = 0.0
    for r in range(m):
        yr = y[r] / w
        for j in range(n):
            z[j] += A[r, j] * yr
    project(z, friction, f)
    value = 0.0
    for j in range(n):
        value += 0.5 * w * f[j] * f[j]
    for r in range(m):
        value += 0.5 * y[r] * y[r] - y[r] * b[r]
    return value


@njit(cache=True)
def _solve(A, b, friction, w, y, tolerance, most):
    m, n = A.shape
    z, f, H = np.empty(n), np.empty(n), np.empty((m, m))
    trial, gradient = np.empty(m), np.empty(m)
    value = _value(A, b, friction, w, y, z, f)
    error, best, stuck = np.inf, np.inf, 0
    for step in range(most):
        error = 0.0
        for r in range(m):
            total = y[r] - b[r]
            for j in range(n):
                total += A[r, j] * f[j]
            gradient[r] = total
            error = max(error, abs(total))
        stuck = 0 if error < 0.5 * best else stuck + 1
        best = min(best, error)
        if error <= tolerance or (stuck > 4 and error < 1e-3 * np.abs(b).max()):  # solved, or down to rounding
            return f, error, step
        _hessian(A, z, friction, w, H)
        d = np.linalg.solve(H, gradient)
        slope = 0.0
        for r in range(m):
            slope -= d[r] * gradient[r]
        length = 1.0
        while True:
            for r in range(m):
                trial[r] = y[r] - length * d[r]
            new = _value(A, b, friction, w, trial, z, f)
            if new <= value + 1e-4 * length * slope + 1e-14 * abs(value) or length < 1e-10:
                break
            length *= 0.5
        value = new
        y[:] = trial
    return f, error, most


@dataclass(frozen=True, eq=False)
class ConeSolution:
    """Forces in their cones, what they leave over, and how exactly the optimality conditions hold."""

    forces: Array  # (3K,) normal, tangent, tangent for each
    residual: Array  # (m,) b - A f
    dual: Array  # (m,), equal to the residual at the solution; a warm start for the next problem
    error: float  # largest component of dual - residual, in units of b
    steps: int
    solved: bool


def cone_least_squares(A: Array, b: Array, friction: Array, weight: float = 1e-6, start: Array | None = None,
                       tolerance: float = 1e-9, most: int = 100) -> ConeSolution:  # fmt: skip
    """The forces (3K,) that minimise ½ |A f - b|² + ½ weight |f|² with every |tangent| <= friction · normal.

    A (m, 3K) has the columns normal, tangent, tangent of each force; friction (K,). `start` (m,) is the dual of a
    similar problem. `tolerance` is relative to the largest component of b.
    """
    A, b = np.ascontiguousarray(A, float), np.ascontiguousarray(b, float)
    friction = np.ascontiguousarray(friction, float)
    if A.ndim != 2 or A.shape != (len(b), 3 * len(friction)):
        raise BadValue(f"A must be ({len(b)}, {3 * len(friction)}) for {len(friction)} forces, not {A.shape}.")
    if not weight > 0.0 or np.any(friction < 0.0):
        raise BadValue("The weight on the forces must be positive and friction not negative.")
    y = np.zeros(len(b)) if start is None else np.array(start, float)
    size, spread = max(float(np.abs(b).max(initial=0.0)), 1e-300), float(np.einsum("ij,ij", A, A)) / max(len(b), 1)
    target = tolerance * size
    # forces are told by Aᵀ y / weight: what rounding leaves of them bounds how exactly the conditions can hold
    enough = size * max(tolerance, 1e-15 * spread / weight)
    f, error, steps = _solve(A, b, friction, float(weight), y, target, min(most, 25))
    if error > enough:
        # Few forces and a small weight: Newton's method wants a start near the solution. Come down from a large weight.
        y[:] = 0.0
        for w in np.geomspace(max(spread, weight), weight, 2 + int(np.log10(max(spread / weight, 1.0)))):
            f, error, more = _solve(A, b, friction, float(w), y, target if w == weight else 1e-6 * size, most)
            steps += more
    return ConeSolution(f, b - A @ f, y, float(error), int(steps), bool(error <= enough))
