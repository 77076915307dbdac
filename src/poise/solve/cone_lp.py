"""A linear program over friction cones: the least weighted normal forces that give a wrench.

    min Σ c_i f_i^n   subject to   Σ w_i(f_i) = G,   |f̂_i| <= µ_i f_i^n

over K forces f_i = f_i^n n_i + f̂_i at points r_i, where w(f) = (f, r x f / ρ) and ρ [m] makes torques forces. Equations
(37)-(40) of Ye 2012. It is solved as a linear program with infinitely many columns, the rays of the cones, by a revised
simplex of six rows whose pricing is exact: for multipliers y the best ray of a cone has the tangent of v = y_f + y_t
x r / ρ
and the reduced cost c - v·n - µ |v_t|. Solutions are vertices: at most six forces, each on the border of its cone, and
zeros elsewhere. A force that slides has one ray alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array

SOLVED, INFEASIBLE, UNBOUNDED = 0, 1, 2
_PENALTY = 1e4  # cost of a share of the wrench that no force gives


@dataclass(frozen=True, eq=False)
class ConeForces:
    """What the program gave."""

    forces: Array  # (K, 3) [N] in the axes of the points
    cost: float  # Σ c f^n
    residual: float  # [N] what is missing of the wrench, torques divided by ρ
    solved: bool


@njit(cache=True)
def _best_ray(points, normals, friction, cost, slide, count, rho, y, tolerance, ray):
    """The force whose best ray (3,) has the least reduced cost for multipliers y (6,); -1 where none is below zero."""
    best, into = -tolerance, -1
    for i in range(count):
        px, py, pz = points[i, 0] / rho, points[i, 1] / rho, points[i, 2] / rho
        vx, vy, vz = y[0] + y[4] * pz - y[5] * py, y[1] + y[5] * px - y[3] * pz, y[2] + y[3] * py - y[4] * px
        nx, ny, nz = normals[i, 0], normals[i, 1], normals[i, 2]
        vn = vx * nx + vy * ny + vz * nz
        if slide[i, 0] > 0:
            tx, ty, tz, tn = slide[i, 1], slide[i, 2], slide[i, 3], 1.0
        else:
            tx, ty, tz = vx - vn * nx, vy - vn * ny, vz - vn * nz
            tn = np.sqrt(tx * tx + ty * ty + tz * tz)
        m = friction[i] / tn if tn > 1e-12 else 0.0
        ax, ay, az = nx + m * tx, ny + m * ty, nz + m * tz
        reduced = cost[i] - (vx * ax + vy * ay + vz * az)
        if reduced < best:
            best, into = reduced, i
            ray[0], ray[1], ray[2] = ax, ay, az
    return into


@njit(cache=True)
def _leaving(B_inv, x, point, rho, r, w, z):
    """The row that leaves the basis for a ray r (3,) at a point, -1 where none does; fills w and z (6,)."""
    px, py, pz = point[0] / rho, point[1] / rho, point[2] / rho
    w[0], w[1], w[2] = r[0], r[1], r[2]
    w[3], w[4], w[5] = py * r[2] - pz * r[1], pz * r[0] - px * r[2], px * r[1] - py * r[0]
    row, step = -1, 1e300
    for i in range(6):
        z[i] = 0.0
        for k in range(6):
            z[i] += B_inv[i, k] * w[k]
        if z[i] > 1e-9 and x[i] / z[i] < step:
            step, row = x[i] / z[i], i
    return row


@njit(cache=True)
def _pivot(B_inv, row, z, shifted, x):
    """Bring the column z (6,) into the basis at a row, and find the amounts x (6,) anew."""
    pivot = z[row]
    for k in range(6):
        B_inv[row, k] /= pivot
    for i in range(6):
        if i != row and z[i] != 0.0:
            for k in range(6):
                B_inv[i, k] -= z[i] * B_inv[row, k]
    for i in range(6):
        x[i] = 0.0
        for k in range(6):
            x[i] += B_inv[i, k] * shifted[k]
        x[i] = max(x[i], 0.0)


@njit(cache=True)
def least_forces(points, normals, friction, cost, slide, count, wrench, rho, forces, most, tolerance):
    """Fill forces (count, 3) with the solution; gives status, steps, cost and residual.

    points, normals (K, 3): where and along which inward unit normal each force pushes; friction, cost (K,);
    slide (K, 4): 1 and the unit direction of the friction where it slides, else 0; wrench (6,): force and torque.
    """
    size = 1e-9
    for i in range(6):
        size += wrench[i] ** 2
    size = np.sqrt(size)
    b, shifted, B_inv, x = np.empty(6), np.empty(6), np.zeros((6, 6)), np.empty(6)
    own, price, ray, entering = np.full(6, -1), np.full(6, _PENALTY), np.zeros((6, 3)), np.empty(3)
    for i in range(6):
        b[i] = wrench[i] / size / (1.0 if i < 3 else rho)
        sign = 1.0 if b[i] >= 0 else -1.0
        B_inv[i, i] = sign
        shifted[i] = b[i] + sign * 1e-7 * (i + 1)  # so that no step of the simplex is of length zero
        x[i] = abs(shifted[i])
    y, w, z = np.empty(6), np.empty(6), np.empty(6)
    status, steps = INFEASIBLE, 0
    while steps < most:
        steps += 1
        for k in range(6):
            y[k] = 0.0
            for i in range(6):
                y[k] += price[i] * B_inv[i, k]
        into = _best_ray(points, normals, friction, cost, slide, count, rho, y, tolerance, entering)
        if into < 0:
            status = SOLVED
            break
        row = _leaving(B_inv, x, points[into], rho, entering, w, z)
        if row < 0:
            status = UNBOUNDED
            break
        price[row], own[row], ray[row] = cost[into], into, entering
        _pivot(B_inv, row, z, shifted, x)
    total, missing = _amounts(B_inv, b, own, price, ray, size, count, forces)
    if missing > 1e-5:
        status = INFEASIBLE
    elif status == INFEASIBLE:
        status = SOLVED  # out of steps, but the wrench is given
    return status, steps, total, missing * size


@njit(cache=True)
def _amounts(B_inv, b, own, price, ray, size, count, forces):
    """The forces of a basis, their cost, and the share of the wrench that no force gives."""
    missing, total = 0.0, 0.0
    forces[:count] = 0.0
    for i in range(6):
        amount = 0.0
        for k in range(6):
            amount += B_inv[i, k] * b[k]
        if own[i] < 0:
            missing += abs(amount)
        else:
            amount = max(amount, 0.0) * size
            total += price[i] * amount
            for k in range(3):
                forces[own[i], k] += amount * ray[i, k]
    return total, missing


def cone_forces(
    points: Array,
    normals: Array,
    friction: Array,
    wrench: Array,
    cost: Array | None = None,
    slide: Array | None = None,
    rho: float = 0.05,
) -> ConeForces:
    """The forces (K, 3) of least weighted normal part that give a wrench (6,); see `least_forces` for the shapes."""
    K = len(points)
    forces = np.zeros((K, 3))
    cost = np.ones(K) if cost is None else np.asarray(cost, float)
    slide = np.zeros((K, 4)) if slide is None else np.asarray(slide, float)
    found = least_forces(
        np.ascontiguousarray(points, float),
        np.ascontiguousarray(normals, float),
        np.broadcast_to(np.asarray(friction, float), K).copy(),
        cost,
        slide,
        K,
        np.asarray(wrench, float),
        rho,
        forces,
        300,
        1e-7,
    )
    return ConeForces(forces, float(found[2]), float(found[3]), found[0] == SOLVED)
