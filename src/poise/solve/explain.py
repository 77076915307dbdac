"""How much of a wrench ground forces explain, frame by frame, with derivatives: a small cone problem each, compiled.

For the wrench b (6,) of a frame and its contacts, with columns A (6, 3K) of (normal, tangent, tangent) forces,

    c(b) = min over forces f in their friction cones of ½ |b - A f|² + ½ ε |f|²

is convex and once differentiable. Its dual has six unknowns y; at the solution y is the gradient of c, which is what
is left over of b, and (1 + A P' Aᵀ / ε)⁻¹ its Hessian, P' being the derivative of the projection on the cones. So
forces need not be unknowns of a larger problem. See `poise.solve.cones` for one problem at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array

SOFTNESS = 1e-4  # ε; larger would be a penalty on forces, smaller makes the dual stiff


@njit(cache=True)
def _project(mu, n, s, t, f, slope):
    """f = the nearest force in the cone to (n, s, t); slope (3, 3) its derivative. False where both are zero."""
    r = np.sqrt(s * s + t * t)
    slope[:] = 0.0
    if mu == np.inf or r <= mu * n:
        f[0], f[1], f[2] = n, s, t
        for i in range(3):
            slope[i, i] = 1.0
        return True
    if mu * r <= -n:
        f[:] = 0.0
        return False
    share = 1.0 / (1.0 + mu * mu)
    a, x, y = (mu * r + n) * share, s / r, t / r
    f[0], f[1], f[2] = a, mu * a * x, mu * a * y
    across, along = mu * a / r, mu * mu * share
    slope[0, 0] = share
    slope[0, 1], slope[0, 2] = mu * share * x, mu * share * y
    slope[1, 0], slope[2, 0] = slope[0, 1], slope[0, 2]
    slope[1, 1], slope[2, 2] = along * x * x + across * y * y, along * y * y + across * x * x
    slope[1, 2] = (along - across) * x * y
    slope[2, 1] = slope[1, 2]
    return True


@njit(cache=True)
def _dual(columns, contact, mu, soft, b, y, forces, gradient, H):
    """Negative dual value at y; fills the forces, the gradient (6,) and the Hessian (6, 6)."""
    slope, turned = np.empty((3, 3)), np.empty((3, 6))
    H[:] = 0.0
    value = 0.0
    for i in range(6):
        H[i, i] = 1.0
        gradient[i] = y[i] - b[i]
        value += 0.5 * y[i] * y[i] - y[i] * b[i]
    for k in range(contact.shape[0]):
        if not contact[k]:
            continue
        A, f = columns[k], forces[k]
        z = np.zeros(3)
        for d in range(3):
            for i in range(6):
                z[d] += A[d, i] * y[i]
            z[d] /= soft
        if not _project(mu[k], z[0], z[1], z[2], f, slope):
            continue
        value += 0.5 * soft * (f[0] * f[0] + f[1] * f[1] + f[2] * f[2])
        for d in range(3):
            for i in range(6):
                gradient[i] += A[d, i] * f[d]
                turned[d, i] = (slope[d, 0] * A[0, i] + slope[d, 1] * A[1, i] + slope[d, 2] * A[2, i]) / soft
        for i in range(6):
            for j in range(6):
                H[i, j] += A[0, i] * turned[0, j] + A[1, i] * turned[1, j] + A[2, i] * turned[2, j]
    return value


@njit(cache=True)
def _solve(columns, contact, mu, soft, b, y, forces, H, most):
    """Newton's method on the dual from y, in place; gives the value of c(b)."""
    gradient, trial = np.empty(6), np.empty(6)
    value = _dual(columns, contact, mu, soft, b, y, forces, gradient, H)
    for _ in range(most):
        step = np.linalg.solve(H, gradient)
        fall = 0.0
        for i in range(6):
            fall += step[i] * gradient[i]
        if fall < 1e-10:
            break
        length = 1.0
        while True:
            for i in range(6):
                trial[i] = y[i] - length * step[i]
            new = _dual(columns, contact, mu, soft, b, trial, forces, gradient, H)
            if new <= value - 1e-4 * length * fall + 1e-13 * abs(value) or length < 1e-8:
                break
            length *= 0.5
        y[:] = trial
        if new >= value and length < 1e-8:
            break
        value = new
    return -value


@njit(cache=True)
def _explain(columns, contact, mu, soft, b, y, cost, hessian, forces, most):
    H = np.empty((6, 6))
    one = np.eye(6)
    for n in range(b.shape[0]):
        forces[n] = 0.0
        if not contact[n].any():
            y[n] = b[n]
            hessian[n] = one
            cost[n] = 0.5 * np.dot(b[n], b[n])
            continue
        cost[n] = _solve(columns[n], contact[n], mu, soft, b[n], y[n], forces[n], H, most)
        hessian[n] = np.linalg.inv(H)


class Explained(NamedTuple):
    """What ground forces leave over of wrenches, one row a frame."""

    cost: Array  # (N,) c(b)
    left: Array  # (N, 6) its gradient: the wrench that is left over
    hessian: Array  # (N, 6, 6)
    forces: Array  # (N, K, 3) normal, tangent, tangent


def explain(b: Array, columns: Array, contact: np.ndarray, friction: Array, start: Array | None = None,
            soft: float = SOFTNESS, most: int = 60) -> Explained:  # fmt: skip
    """The best forces for wrenches b (N, 6) at contacts with columns (N, K, 3, 6) where `contact` (N, K).

    friction (K,), infinite for what can be pulled as well as pushed, such as a closed hand; `start` (N, 6) what was
    left over of similar wrenches, not changed.
    """
    b = np.ascontiguousarray(b, float)
    y = np.zeros_like(b) if start is None else np.array(start, float)
    cost, hessian, forces = np.empty(len(b)), np.empty((len(b), 6, 6)), np.empty(columns.shape[:3])
    _explain(columns, contact, np.ascontiguousarray(friction, float), soft, b, y, cost, hessian, forces, most)
    return Explained(cost, y, hessian, forces)
