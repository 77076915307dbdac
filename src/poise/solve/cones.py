"""Least squares over friction cones: min ½ |A f - b|² + ½ w |f|², each force f_k = (normal, two tangents) in its cone.

With few rows and many forces the dual is the small problem: for residual multipliers y (m,)

    max  y·b - ½ |y|² - ½ w |P(Aᵀ y / w)|²

where P projects every force on its cone |tangent| <= friction · normal. Where forces are measured from a centre g,
½ w |f - g|², it is P(g + Aᵀ y / w). It is smooth and strictly concave; a semismooth
Newton method with the exact derivative of the projection needs about five steps of m x m. At the solution y = b - A f.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.kernels import njit
from poise.maths.rotations import Array

TOLERANCE = 1e-9  # of the conditions, relative to the largest component of b
MOST = 100  # Newton steps at each weight


@njit(cache=True)
def project(z, friction, out):
    """out (3K,) = P(z): the nearest force to z (3K,) in the product of cones |(z_t1, z_t2)| <= friction z_n.

    Normal, tangent, tangent of each force; friction (K,), infinite where a force may have any direction.
    """
    for k in range(friction.shape[0]):
        i, mu = 3 * k, friction[k]
        n, s = z[i], np.sqrt(z[i + 1] ** 2 + z[i + 2] ** 2)
        if mu == np.inf or s <= mu * n:
            out[i], out[i + 1], out[i + 2] = z[i], z[i + 1], z[i + 2]
        elif mu * s <= -n:
            out[i], out[i + 1], out[i + 2] = 0.0, 0.0, 0.0
        else:
            a = (mu * s + n) / (1.0 + mu * mu)
            out[i] = a
            out[i + 1], out[i + 2] = mu * a * z[i + 1] / s, mu * a * z[i + 2] / s


@njit(cache=True)
def _hessian(At, z, friction, w, H):
    """H = 1 + A P'(z) Aᵀ / w, lower half: a free force adds its three columns, one on its cone only two directions."""
    m = At.shape[1]
    g, h = np.empty(m), np.empty(m)
    H[:] = 0.0
    for k in range(friction.shape[0]):
        i, mu = 3 * k, friction[k]
        n, s = z[i], np.sqrt(z[i + 1] ** 2 + z[i + 2] ** 2)
        if mu == np.inf or s <= mu * n:
            for r in range(m):
                a, b, c = At[i, r], At[i + 1, r], At[i + 2, r]
                for j in range(r + 1):
                    H[r, j] += a * At[i, j] + b * At[i + 1, j] + c * At[i + 2, j]
        elif mu * s > -n:
            ux, uy = z[i + 1] / s, z[i + 2] / s
            along = 1.0 / (1.0 + mu * mu)
            across = np.sqrt(mu * (mu * s + n) * along / s)
            along = np.sqrt(along)
            for r in range(m):
                g[r] = along * (At[i, r] + mu * (ux * At[i + 1, r] + uy * At[i + 2, r]))
                h[r] = across * (ux * At[i + 2, r] - uy * At[i + 1, r])
            for r in range(m):
                for j in range(r + 1):
                    H[r, j] += g[r] * g[j] + h[r] * h[j]
    for r in range(m):
        for j in range(r + 1):
            H[r, j] /= w
        H[r, r] += 1.0


@njit(cache=True)
def _descend(H, x):
    """x = H⁻¹ x by a Cholesky factor of the lower half of H, which is overwritten."""
    m = len(x)
    for r in range(m):
        for j in range(r + 1):
            total = H[r, j]
            for k in range(j):
                total -= H[r, k] * H[j, k]
            H[r, j] = np.sqrt(total) if r == j else total / H[j, j]
        for k in range(r):
            x[r] -= H[r, k] * x[k]
        x[r] /= H[r, r]
    for r in range(m - 1, -1, -1):
        for k in range(r + 1, m):
            x[r] -= H[k, r] * x[k]
        x[r] /= H[r, r]


@njit(cache=True)
def _value(At, b, friction, w, g, y, z, f):
    """The negative of the dual at y; fills z = g + Aᵀ y / w and f = P(z)."""
    n, m = At.shape
    for j in range(n):
        total = 0.0
        for r in range(m):
            total += At[j, r] * y[r]
        z[j] = g[j] + total / w
    project(z, friction, f)
    value = 0.0
    for j in range(n):
        value += f[j] * f[j]
    value *= 0.5 * w
    for r in range(m):
        value += 0.5 * y[r] * y[r] - y[r] * b[r]
    return value


@njit(cache=True)
def _solve(At, b, friction, w, g, y, tolerance, most):
    n, m = At.shape
    z, f, H = np.empty(n), np.empty(n), np.empty((m, m))
    trial, gradient, d = np.empty(m), np.empty(m), np.empty(m)
    value = _value(At, b, friction, w, g, y, z, f)
    error, best, stuck = np.inf, np.inf, 0
    size = np.abs(b).max()
    for step in range(most):
        for r in range(m):
            gradient[r] = y[r] - b[r]
        for j in range(n):
            if f[j] != 0.0:
                for r in range(m):
                    gradient[r] += At[j, r] * f[j]
        error = np.abs(gradient).max()
        stuck = 0 if error < 0.5 * best else stuck + 1
        best = min(best, error)
        if error <= tolerance or (stuck > 4 and error < 1e-3 * size):  # solved, or down to rounding
            return f, error, step
        _hessian(At, z, friction, w, H)
        d[:] = gradient
        _descend(H, d)
        slope = 0.0
        for r in range(m):
            slope -= d[r] * gradient[r]
        length, new = 1.0, value
        while True:
            for r in range(m):
                trial[r] = y[r] - length * d[r]
            new = _value(At, b, friction, w, g, trial, z, f)
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
    dual: Array  # (m,), equal to the residual at the solution
    error: float  # largest component of dual - residual, in units of b
    steps: int
    solved: bool


def cone_least_squares(A: Array, b: Array, friction: Array, weight: float = 1e-6,
                       centre: Array | None = None) -> ConeSolution:  # fmt: skip
    """The forces (3K,) that minimise ½ |A f - b|² + ½ weight |f - centre|² with every |tangent| <= friction · normal.

    A (m, 3K) has the columns normal, tangent, tangent of each force; friction (K,), infinite where a force may have any
    direction; centre (3K,), zero where not given. At the solution y = b - A f and f = P(centre + Aᵀ y / weight).
    Weights below about 1e-9 of A's mean squared row leave the
    conditions open by some 1e-6 of b, and more as they fall.
    """
    A, b = np.ascontiguousarray(A, float), np.ascontiguousarray(b, float)
    friction = np.ascontiguousarray(friction, float)
    if A.ndim != 2 or A.shape != (len(b), 3 * len(friction)):
        raise BadValue(f"A must be ({len(b)}, {3 * len(friction)}) for {len(friction)} forces, not {A.shape}.")
    if not weight > 0.0 or np.any(friction < 0.0):
        raise BadValue("The weight on the forces must be positive and friction not negative.")
    y = np.zeros(len(b))
    size, spread = max(float(np.abs(b).max(initial=0.0)), 1e-300), float(np.einsum("ij,ij", A, A)) / max(len(b), 1)
    target = TOLERANCE * size
    # forces are told by Aᵀ y / weight: what rounding leaves of them bounds how exactly the conditions can hold
    enough = size * max(TOLERANCE, 1e-15 * spread / weight)
    At = np.ascontiguousarray(A.T)
    g = np.zeros(A.shape[1]) if centre is None else np.ascontiguousarray(centre, float)
    f, error, steps = _solve(At, b, friction, float(weight), g, y, target, 25)
    if error > enough:
        # Few forces and a small weight: Newton's method wants a start near the solution. Come down from a large weight.
        y[:] = 0.0
        for w in np.geomspace(max(spread, weight), weight, 2 + int(np.log10(max(spread / weight, 1.0)))):
            f, error, more = _solve(At, b, friction, float(w), g, y, target if w == weight else 1e-6 * size, MOST)
            steps += more
    return ConeSolution(f, b - A @ f, y, float(error), int(steps), bool(error <= enough))
