"""Signed distances [m] of points and segments to solid shapes, as kernels: below zero inside, with the outward normal.

A `Solid` is a union of pieces, each a box, cylinder, sphere or capsule in its own place and turn, or the whole of its
triangle meshes as one table of distances. Distances to a union are those to its nearest piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array

BOX, CYLINDER, SPHERE, CAPSULE, GRID = range(5)  # kinds of pieces; cylinders and capsules lie along their own z
FAR = 1e3  # [m] stands for a distance that was not computed
_GOLDEN = 0.6180339887498949


class Solid(NamedTuple):
    """K pieces of one rigid thing, in its own frame."""

    kind: np.ndarray  # (K,) of the kinds above
    # (K, 3) [m] box: half lengths; cylinder, capsule: radius, half length of the straight part; sphere: radius
    size: Array
    place: Array  # (K, 3) [m]
    turn: Array  # (K, 3, 3) maps the piece's axes to the thing's
    reach: Array  # (K,) [m] radius of a ball about `place` that holds the piece
    grid: Array  # (X, Y, Z) [m] signed distances to the union of the meshes
    corner: Array  # (3,) [m] of the table
    cell: float  # [m] its spacing


@njit(cache=True)
def _box(size, x, y, z, g):
    """Distance to a box about the origin; its gradient goes to g (3,)."""
    ax, ay, az = abs(x) - size[0], abs(y) - size[1], abs(z) - size[2]
    sx, sy, sz = (1.0 if x >= 0 else -1.0), (1.0 if y >= 0 else -1.0), (1.0 if z >= 0 else -1.0)
    ux, uy, uz = max(ax, 0.0), max(ay, 0.0), max(az, 0.0)
    d = np.sqrt(ux * ux + uy * uy + uz * uz)
    if d > 1e-12:
        g[0], g[1], g[2] = sx * ux / d, sy * uy / d, sz * uz / d
        return d
    g[0], g[1], g[2] = 0.0, 0.0, 0.0
    if ax >= ay and ax >= az:
        g[0] = sx
        return ax
    if ay >= az:
        g[1] = sy
        return ay
    g[2] = sz
    return az


@njit(cache=True)
def _cylinder(size, x, y, z, g):
    """Distance to a cylinder about z; its gradient goes to g (3,)."""
    rho = np.sqrt(x * x + y * y)
    cx, cy = (x / rho, y / rho) if rho > 1e-12 else (1.0, 0.0)
    side, end, sz = rho - size[0], abs(z) - size[1], (1.0 if z >= 0 else -1.0)
    us, ue = max(side, 0.0), max(end, 0.0)
    d = np.sqrt(us * us + ue * ue)
    if d > 1e-12:
        g[0], g[1], g[2] = cx * us / d, cy * us / d, sz * ue / d
        return d
    if side >= end:
        g[0], g[1], g[2] = cx, cy, 0.0
        return side
    g[0], g[1], g[2] = 0.0, 0.0, sz
    return end


@njit(cache=True)
def _ball(radius, half, x, y, z, g):
    """Distance to a capsule along z, a sphere where half = 0; its gradient goes to g (3,)."""
    z -= min(max(z, -half), half)
    d = np.sqrt(x * x + y * y + z * z)
    if d > 1e-12:
        g[0], g[1], g[2] = x / d, y / d, z / d
    else:
        g[0], g[1], g[2] = 1.0, 0.0, 0.0
    return d - radius


@njit(cache=True)
def _table(solid, x, y, z, g):
    """Distance read from the table between its nodes; outside of it the way to its border is added."""
    t, h = solid.grid, solid.cell
    fx, fy, fz = (x - solid.corner[0]) / h, (y - solid.corner[1]) / h, (z - solid.corner[2]) / h
    cx = min(max(fx, 0.0), t.shape[0] - 1.001)
    cy = min(max(fy, 0.0), t.shape[1] - 1.001)
    cz = min(max(fz, 0.0), t.shape[2] - 1.001)
    out = h * np.sqrt((fx - cx) ** 2 + (fy - cy) ** 2 + (fz - cz) ** 2)
    i, j, k = int(cx), int(cy), int(cz)
    a, b, c = cx - i, cy - j, cz - k
    d, gx, gy, gz = 0.0, 0.0, 0.0, 0.0
    for corner in range(8):
        di, dj, dk = corner & 1, (corner >> 1) & 1, corner >> 2
        v = t[i + di, j + dj, k + dk]
        wx, wy, wz = (a if di else 1 - a), (b if dj else 1 - b), (c if dk else 1 - c)
        d += v * wx * wy * wz
        gx += v * wy * wz * (1.0 if di else -1.0)
        gy += v * wx * wz * (1.0 if dj else -1.0)
        gz += v * wx * wy * (1.0 if dk else -1.0)
    n = np.sqrt(gx * gx + gy * gy + gz * gz) + 1e-12
    g[0], g[1], g[2] = gx / n, gy / n, gz / n
    return d + out


@njit(cache=True)
def to_piece(solid, k, x, y, z, g):
    """Signed distance [m] of a point to piece k; the outward unit normal goes to g (3,)."""
    kind = solid.kind[k]
    if kind == GRID:
        return _table(solid, x, y, z, g)
    T = solid.turn[k]
    x, y, z = x - solid.place[k, 0], y - solid.place[k, 1], z - solid.place[k, 2]
    lx = T[0, 0] * x + T[1, 0] * y + T[2, 0] * z
    ly = T[0, 1] * x + T[1, 1] * y + T[2, 1] * z
    lz = T[0, 2] * x + T[1, 2] * y + T[2, 2] * z
    if kind == BOX:
        d = _box(solid.size[k], lx, ly, lz, g)
    elif kind == CYLINDER:
        d = _cylinder(solid.size[k], lx, ly, lz, g)
    elif kind == CAPSULE:
        d = _ball(solid.size[k, 0], solid.size[k, 1], lx, ly, lz, g)
    else:
        d = _ball(solid.size[k, 0], 0.0, lx, ly, lz, g)
    a, b, c = g[0], g[1], g[2]
    for i in range(3):
        g[i] = T[i, 0] * a + T[i, 1] * b + T[i, 2] * c
    return d


@njit(cache=True)
def to_point(solid, x, y, z, g):
    """Signed distance [m] of a point to the solid; the outward unit normal goes to g (3,)."""
    best, n0, n1, n2 = 1e9, 1.0, 0.0, 0.0
    for k in range(solid.kind.shape[0]):
        d = to_piece(solid, k, x, y, z, g)
        if d < best:
            best, n0, n1, n2 = d, g[0], g[1], g[2]
    g[0], g[1], g[2] = n0, n1, n2
    return best


@njit(cache=True)
def to_segment(solid, k, a, b, far, g):
    """Least distance [m] of the segment ab to piece k and where on it (0 to 1): samples, then golden sections.

    The distance to a convex piece is convex along the segment, so that the golden sections find its least value.
    Where the segment is farther than `far` for certain, `FAR` is given at once.
    """
    if solid.kind[k] != GRID:
        away, half = 0.0, 0.0
        for i in range(3):
            away += (0.5 * (a[i] + b[i]) - solid.place[k, i]) ** 2
            half += (0.5 * (a[i] - b[i])) ** 2
        if np.sqrt(away) > solid.reach[k] + np.sqrt(half) + far:
            return FAR, 0.5
    dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    n = 6 if solid.kind[k] == GRID else 4
    best, at = 1e9, 0
    for i in range(n + 1):
        s = i / n
        d = to_piece(solid, k, a[0] + s * dx, a[1] + s * dy, a[2] + s * dz, g)
        if d < best:
            best, at = d, i
    if best > far + 0.5 * np.sqrt(dx * dx + dy * dy + dz * dz):
        return FAR, 0.5
    low, high = max(at - 1, 0) / n, min(at + 1, n) / n
    c, e = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    fc = to_piece(solid, k, a[0] + c * dx, a[1] + c * dy, a[2] + c * dz, g)
    fe = to_piece(solid, k, a[0] + e * dx, a[1] + e * dy, a[2] + e * dz, g)
    for _ in range(9):
        if fc < fe:
            high, e, fe = e, c, fc
            c = high - _GOLDEN * (high - low)
            fc = to_piece(solid, k, a[0] + c * dx, a[1] + c * dy, a[2] + c * dz, g)
        else:
            low, c, fc = c, e, fe
            e = low + _GOLDEN * (high - low)
            fe = to_piece(solid, k, a[0] + e * dx, a[1] + e * dy, a[2] + e * dz, g)
    s = 0.5 * (low + high)
    d = to_piece(solid, k, a[0] + s * dx, a[1] + s * dy, a[2] + s * dz, g)
    if best < d:
        s = at / n
        d = to_piece(solid, k, a[0] + s * dx, a[1] + s * dy, a[2] + s * dz, g)
    return d, s


@njit(cache=True)
def between_segments(p1, q1, p2, q2, c1, c2):
    """Distance [m] of two segments; the nearest points go to c1 and c2 (3,)."""
    d1x, d1y, d1z = q1[0] - p1[0], q1[1] - p1[1], q1[2] - p1[2]
    d2x, d2y, d2z = q2[0] - p2[0], q2[1] - p2[1], q2[2] - p2[2]
    rx, ry, rz = p1[0] - p2[0], p1[1] - p2[1], p1[2] - p2[2]
    a, e = d1x * d1x + d1y * d1y + d1z * d1z, d2x * d2x + d2y * d2y + d2z * d2z
    f, c = d2x * rx + d2y * ry + d2z * rz, d1x * rx + d1y * ry + d1z * rz
    b = d1x * d2x + d1y * d2y + d1z * d2z
    den = a * e - b * b
    s = min(max((b * f - c * e) / den, 0.0), 1.0) if den > 1e-14 else 0.5
    t = (b * s + f) / e
    if t < 0:
        t, s = 0.0, min(max(-c / a, 0.0), 1.0)
    elif t > 1:
        t, s = 1.0, min(max((b - c) / a, 0.0), 1.0)
    c1[0], c1[1], c1[2] = p1[0] + s * d1x, p1[1] + s * d1y, p1[2] + s * d1z
    c2[0], c2[1], c2[2] = p2[0] + t * d2x, p2[1] + t * d2y, p2[2] + t * d2z
    return np.sqrt((c1[0] - c2[0]) ** 2 + (c1[1] - c2[1]) ** 2 + (c1[2] - c2[2]) ** 2)


@njit(cache=True)
def onto_surface(solid, p, n):
    """Move the point p (3,) onto the surface along its normal, which goes to n (3,), as it is just outside."""
    for _ in range(4):
        d = to_point(solid, p[0], p[1], p[2], n)
        for i in range(3):
            p[i] -= d * n[i]
        if abs(d) < 1e-7:
            break
    to_point(solid, p[0] + 5e-4 * n[0], p[1] + 5e-4 * n[1], p[2] + 5e-4 * n[2], n)
