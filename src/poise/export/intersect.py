"""Where a ray meets a shape, and which way the surface faces there: compiled, exact, one ray and one shape at a time.

Shapes carry MuJoCo's numbers (mjtGeom) and sizes: a capsule or cylinder has its radius and half length along its own z
axis, a box and an ellipsoid their half sizes. A triangle, MuJoCo has none, keeps its corners as the rows of `frame`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from poise.maths.rotations import Array

SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, TRIANGLE = 2, 3, 4, 5, 6, 100
SOLID, GROUND = 0, 1  # materials: one colour, or a checkered floor
FAR = 1e30  # what a ray that misses returns


class Shapes(NamedTuple):
    """Everything solid in a picture, one row a shape, in the world [m]."""

    kind: np.ndarray  # (S,) int
    centre: Array  # (S, 3)
    frame: Array  # (S, 3, 3) columns are the shape's axes; of a triangle the rows are its corners minus its centre
    size: Array  # (S, 3)
    colour: Array  # (S, 3) linear, 0..1
    material: np.ndarray  # (S,) int: SOLID or GROUND
    bound: Array  # (S,) radius of a ball about the centre that holds the shape

    @staticmethod
    def none() -> Shapes:
        """No shape at all."""
        row = lambda *shape: np.zeros((0, *shape))  # noqa: E731
        return Shapes(np.zeros(0, np.int64), row(3), row(3, 3), row(3), row(3), np.zeros(0, np.int64), row())

    @staticmethod
    def join(parts: list[Shapes]) -> Shapes:
        """All shapes of several lists in one."""
        parts = [p for p in parts if len(p.kind)] or [Shapes.none()]
        return Shapes(*(np.ascontiguousarray(np.concatenate(field)) for field in zip(*parts, strict=True)))

    def moved(self, shift: Array) -> Shapes:
        """These shapes carried along by `shift` (3,) [m]."""
        return self._replace(centre=self.centre + np.asarray(shift, float))


@njit(cache=True)
def _nearest_root(a, half_b, c):
    """Smallest positive root of a t² + 2 half_b t + c = 0, FAR without one."""
    disc = half_b * half_b - a * c
    if disc < 0.0:
        return FAR
    root = np.sqrt(disc)
    t = (-half_b - root) / a
    if t > 1e-9:
        return t
    t = (-half_b + root) / a
    return t if t > 1e-9 else FAR


@njit(cache=True)
def _tube(o, d, radius, half, round_ends):
    """A capsule (round ends) or a cylinder (flat ends) about the z axis; o and d in its own frame."""
    best = FAR
    a = d[0] * d[0] + d[1] * d[1]
    if a > 1e-14:
        half_b = o[0] * d[0] + o[1] * d[1]
        disc = half_b * half_b - a * (o[0] * o[0] + o[1] * o[1] - radius * radius)
        if disc < 0.0 and a > 1e-6:
            return FAR
        root = np.sqrt(max(disc, 0.0))
        for sign in (-1.0, 1.0):
            t = (-half_b + sign * root) / a
            if 1e-9 < t < best and abs(o[2] + t * d[2]) <= half:
                best = t
    for end in (-half, half):
        z = o[2] - end
        if round_ends:
            b = o[0] * d[0] + o[1] * d[1] + z * d[2]
            disc = b * b - (o[0] * o[0] + o[1] * o[1] + z * z - radius * radius)
            if disc >= 0.0:
                for sign in (-1.0, 1.0):
                    t = -b + sign * np.sqrt(disc)
                    if 1e-9 < t < best and (z + t * d[2]) * end >= 0.0:
                        best = t
        elif abs(d[2]) > 1e-14:
            t = -z / d[2]
            x, y = o[0] + t * d[0], o[1] + t * d[1]
            if 1e-9 < t < best and x * x + y * y <= radius * radius:
                best = t
    return best


@njit(cache=True)
def _box(o, d, size):
    near, far = -FAR, FAR
    for i in range(3):
        if abs(d[i]) < 1e-14:
            if abs(o[i]) > size[i]:
                return FAR
            continue
        t0, t1 = (-size[i] - o[i]) / d[i], (size[i] - o[i]) / d[i]
        near, far = max(near, min(t0, t1)), min(far, max(t0, t1))
    if near > far or far < 1e-9:
        return FAR
    return near if near > 1e-9 else far


@njit(cache=True)
def _triangle(o, d, corners):
    """Möller and Trumbore's test, both faces; o relative to the triangle's centre."""
    e1x, e1y, e1z = corners[1, 0] - corners[0, 0], corners[1, 1] - corners[0, 1], corners[1, 2] - corners[0, 2]
    e2x, e2y, e2z = corners[2, 0] - corners[0, 0], corners[2, 1] - corners[0, 1], corners[2, 2] - corners[0, 2]
    px, py, pz = d[1] * e2z - d[2] * e2y, d[2] * e2x - d[0] * e2z, d[0] * e2y - d[1] * e2x
    det = e1x * px + e1y * py + e1z * pz
    if abs(det) < 1e-18:
        return FAR
    sx, sy, sz = o[0] - corners[0, 0], o[1] - corners[0, 1], o[2] - corners[0, 2]
    u = (sx * px + sy * py + sz * pz) / det
    if u < 0.0 or u > 1.0:
        return FAR
    qx, qy, qz = sy * e1z - sz * e1y, sz * e1x - sx * e1z, sx * e1y - sy * e1x
    v = (d[0] * qx + d[1] * qy + d[2] * qz) / det
    if v < 0.0 or u + v > 1.0:
        return FAR
    t = (e2x * qx + e2y * qy + e2z * qz) / det
    return t if t > 1e-9 else FAR


@njit(cache=True)
def hit(shapes, s, origin, way, o, d):
    """Distance along the unit vector `way` from `origin` to shape s, FAR on a miss; o and d (3,) are scratch."""
    x, y, z = origin[0] - shapes.centre[s, 0], origin[1] - shapes.centre[s, 1], origin[2] - shapes.centre[s, 2]
    # a ball around the shape first: most rays that get this far still miss
    b = x * way[0] + y * way[1] + z * way[2]
    c = x * x + y * y + z * z - shapes.bound[s] * shapes.bound[s]
    if b * b < c or (b > 0.0 and c > 0.0):
        return FAR
    kind, frame, size = shapes.kind[s], shapes.frame[s], shapes.size[s]
    if kind == SPHERE:
        return _nearest_root(1.0, b, c)
    if kind == TRIANGLE:
        o[0], o[1], o[2] = x, y, z
        return _triangle(o, way, frame)
    for i in range(3):
        o[i] = frame[0, i] * x + frame[1, i] * y + frame[2, i] * z
        d[i] = frame[0, i] * way[0] + frame[1, i] * way[1] + frame[2, i] * way[2]
    if kind == CAPSULE:
        return _tube(o, d, size[0], size[1], True)
    if kind == CYLINDER:
        return _tube(o, d, size[0], size[1], False)
    if kind == BOX:
        return _box(o, d, size)
    for i in range(3):
        o[i] /= size[i]
        d[i] /= size[i]
    return _nearest_root(
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2],
        o[0] * d[0] + o[1] * d[1] + o[2] * d[2],
        o[0] * o[0] + o[1] * o[1] + o[2] * o[2] - 1.0,
    )


@njit(cache=True)
def facing(shapes, s, point, n, o):
    """Unit outward normal of shape s at a point on its surface, into n; o (3,) is scratch."""
    kind, frame, size = shapes.kind[s], shapes.frame[s], shapes.size[s]
    if kind == TRIANGLE:
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            n[i] = (frame[1, j] - frame[0, j]) * (frame[2, k] - frame[0, k]) - (frame[1, k] - frame[0, k]) * (
                frame[2, j] - frame[0, j]
            )
    else:
        for i in range(3):
            o[i] = 0.0
            for j in range(3):
                o[i] += frame[j, i] * (point[j] - shapes.centre[s, j])
        if kind == CAPSULE:
            o[2] -= min(max(o[2], -size[1]), size[1])
        elif kind == ELLIPSOID:
            for i in range(3):
                o[i] /= size[i] * size[i]
        elif kind == CYLINDER:
            across = np.sqrt(o[0] * o[0] + o[1] * o[1])
            if abs(o[2]) - size[1] > across - size[0]:
                o[0], o[1] = 0.0, 0.0
            else:
                o[2] = 0.0
        elif kind == BOX:
            face = 0
            for i in range(1, 3):
                if abs(o[i]) - size[i] > abs(o[face]) - size[face]:
                    face = i
            for i in range(3):
                o[i] = 0.0 if i != face else o[i]
        for i in range(3):
            n[i] = frame[i, 0] * o[0] + frame[i, 1] * o[1] + frame[i, 2] * o[2]
    length = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    for i in range(3):
        n[i] /= max(length, 1e-30)
