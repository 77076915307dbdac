"""Where a ray meets a shape, and which way the surface faces there: compiled, exact, one ray and one shape at a time.

Shapes carry MuJoCo's numbers (mjtGeom) and sizes: a capsule or cylinder has its radius and half length along its own z
axis, a box and an ellipsoid their half sizes. A triangle, MuJoCo has none, keeps its corners as the rows of `frame`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array

SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, TRIANGLE = 2, 3, 4, 5, 6, 100
SOLID, GROUND = 0, 1  # materials: one colour, or a checkered floor
FAR = 1e30  # what a ray that misses returns
# Columns of a packed table. Numbers, not arrays, go from function to function: that is several times faster.
KIND, CENTRE, FRAME, SIZE, COLOUR, MATERIAL, BOUND = 0, 1, 4, 13, 16, 19, 20


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

    def packed(self) -> Array:
        """All of it in one table (S, 21) for the compiled code, columns as named below."""
        rows = len(self.kind)
        return np.ascontiguousarray(np.concatenate(
            [self.kind[:, None], self.centre, self.frame.reshape(rows, 9), self.size, self.colour,
             self.material[:, None], self.bound[:, None]], axis=1, dtype=float,
        ))  # fmt: skip

    def reach(self, axis: Array) -> tuple[Array, Array]:
        """How far (S,) each shape reaches from its centre against and along a unit vector of the world [m]."""
        own, size, kind = np.abs(np.einsum("sij,i->sj", self.frame, axis)), self.size, self.kind
        long = own[:, 2] * size[:, 1]
        reach = np.select(
            [kind == SPHERE, kind == CAPSULE, kind == CYLINDER, kind == ELLIPSOID],
            [size[:, 0], size[:, 0] + long, size[:, 0] * np.hypot(own[:, 0], own[:, 1]) + long,
             np.linalg.norm(own * size, axis=1)],
            (own * size).sum(1),
        )  # fmt: skip
        corners = self.frame @ axis
        flat = kind == TRIANGLE
        return np.where(flat, -corners.min(1), reach), np.where(flat, corners.max(1), reach)

    def moved(self, shift: Array) -> Shapes:
        """These shapes carried along by `shift` (3,) [m]."""
        return self._replace(centre=self.centre + np.asarray(shift, float))


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
def _side(x, y, z, u, v, w, radius, half):
    """The round side of a tube about the z axis between -half and half."""
    a = u * u + v * v
    if a < 1e-14:
        return FAR
    b = x * u + y * v
    disc = b * b - a * (x * x + y * y - radius * radius)
    if disc < 0.0:
        return FAR
    root = np.sqrt(disc)
    t = (-b - root) / a
    if t > 1e-9 and abs(z + t * w) <= half:
        return t
    t = (-b + root) / a
    return t if t > 1e-9 and abs(z + t * w) <= half else FAR


@njit(cache=True, error_model="numpy")
def _capsule(x, y, z, u, v, w, radius, half):
    best = _side(x, y, z, u, v, w, radius, half)
    for end in (-half, half):
        b = x * u + y * v + (z - end) * w
        disc = b * b - (x * x + y * y + (z - end) * (z - end) - radius * radius)
        if disc >= 0.0:
            root = np.sqrt(disc)
            t = -b - root
            if 1e-9 < t < best and abs(z + t * w) >= half:
                best = t
            t = -b + root
            if 1e-9 < t < best and abs(z + t * w) >= half:
                best = t
    return best


@njit(cache=True, error_model="numpy")
def _cylinder(x, y, z, u, v, w, radius, half):
    best = _side(x, y, z, u, v, w, radius, half)
    if abs(w) > 1e-14:
        for end in (-half, half):
            t = (end - z) / w
            px, py = x + t * u, y + t * v
            if 1e-9 < t < best and px * px + py * py <= radius * radius:
                best = t
    return best


@njit(cache=True, error_model="numpy")
def _slab(o, d, half):
    """Where a ray enters and leaves the space between two planes."""
    if abs(d) < 1e-14:
        return (-FAR, FAR) if abs(o) <= half else (FAR, -FAR)
    a, b = (-half - o) / d, (half - o) / d
    return (a, b) if a < b else (b, a)


@njit(cache=True, error_model="numpy")
def _triangle(first_corner, second_corner, third_corner, x, y, z, u, v, w):
    """Möller and Trumbore's test, both faces; the ray's origin relative to the triangle's centre."""
    ax, ay, az = first_corner
    bx, by, bz = second_corner[0] - ax, second_corner[1] - ay, second_corner[2] - az
    cx, cy, cz = third_corner[0] - ax, third_corner[1] - ay, third_corner[2] - az
    px, py, pz = v * cz - w * cy, w * cx - u * cz, u * cy - v * cx
    det = bx * px + by * py + bz * pz
    if abs(det) < 1e-18:
        return FAR
    sx, sy, sz = x - ax, y - ay, z - az
    first = (sx * px + sy * py + sz * pz) / det
    if first < 0.0 or first > 1.0:
        return FAR
    qx, qy, qz = sy * bz - sz * by, sz * bx - sx * bz, sx * by - sy * bx
    second = (u * qx + v * qy + w * qz) / det
    if second < 0.0 or first + second > 1.0:
        return FAR
    t = (cx * qx + cy * qy + cz * qz) / det
    return t if t > 1e-9 else FAR


@njit(cache=True, error_model="numpy")
def hit(table, s, ox, oy, oz, dx, dy, dz):
    """Distance along the unit vector (dx, dy, dz) from (ox, oy, oz) to shape s of a packed table; FAR on a miss."""
    # all numbers are read before the first branch: a function that holds an array across branches counts who uses it
    c, f, a = CENTRE, FRAME, SIZE
    first = (table[s, f], table[s, f + 1], table[s, f + 2])
    second = (table[s, f + 3], table[s, f + 4], table[s, f + 5])
    third = (table[s, f + 6], table[s, f + 7], table[s, f + 8])
    size = (table[s, a], table[s, a + 1], table[s, a + 2])
    x, y, z = ox - table[s, c], oy - table[s, c + 1], oz - table[s, c + 2]
    return _meet(table[s, KIND], table[s, BOUND], first, second, third, size, x, y, z, dx, dy, dz)


@njit(cache=True, error_model="numpy")
def _meet(kind, bound, first, second, third, size, x, y, z, dx, dy, dz):
    """Distance to a shape about the origin, with the rows of its frame and its size."""
    # a ball around the shape first: most rays that get this far still miss
    b = x * dx + y * dy + z * dz
    c = x * x + y * y + z * z - bound * bound
    if b * b < c or (b > 0.0 and c > 0.0):
        return FAR
    if kind == SPHERE:
        return _nearest_root(1.0, b, c)
    if kind == TRIANGLE:
        return _triangle(first, second, third, x, y, z, dx, dy, dz)
    px = first[0] * x + second[0] * y + third[0] * z
    py = first[1] * x + second[1] * y + third[1] * z
    pz = first[2] * x + second[2] * y + third[2] * z
    u = first[0] * dx + second[0] * dy + third[0] * dz
    v = first[1] * dx + second[1] * dy + third[1] * dz
    w = first[2] * dx + second[2] * dy + third[2] * dz
    a, b, c = size
    if kind == CAPSULE:
        return _capsule(px, py, pz, u, v, w, a, b)
    if kind == CYLINDER:
        return _cylinder(px, py, pz, u, v, w, a, b)
    if kind == ELLIPSOID:
        px, py, pz, u, v, w = px / a, py / b, pz / c, u / a, v / b, w / c
        return _nearest_root(u * u + v * v + w * w, px * u + py * v + pz * w, px * px + py * py + pz * pz - 1.0)
    x0, x1 = _slab(px, u, a)
    y0, y1 = _slab(py, v, b)
    z0, z1 = _slab(pz, w, c)
    near, far = max(x0, y0, z0), min(x1, y1, z1)
    if near > far or far < 1e-9:
        return FAR
    return near if near > 1e-9 else far


@njit(cache=True, error_model="numpy")
def _own_normal(kind, x, y, z, a, b, c):
    """Direction, of any length, of the outward normal at a point of the surface, in the shape's own frame."""
    if kind == CAPSULE:
        return x, y, z - min(max(z, -b), b)
    if kind == ELLIPSOID:
        return x / (a * a), y / (b * b), z / (c * c)
    if kind == CYLINDER:
        if abs(z) - b > np.sqrt(x * x + y * y) - a:
            return 0.0, 0.0, z
        return x, y, 0.0
    if kind == BOX:
        dx, dy, dz = abs(x) - a, abs(y) - b, abs(z) - c
        if dx >= dy and dx >= dz:
            return x, 0.0, 0.0
        return (0.0, y, 0.0) if dy >= dz else (0.0, 0.0, z)
    return x, y, z


@njit(cache=True, error_model="numpy")
def facing(table, s, px, py, pz):
    """Unit outward normal (x, y, z) of shape s at a point on its surface."""
    f, kind = FRAME, table[s, KIND]
    if kind == TRIANGLE:
        bx, by, bz = table[s, f + 3] - table[s, f], table[s, f + 4] - table[s, f + 1], table[s, f + 5] - table[s, f + 2]
        cx, cy, cz = table[s, f + 6] - table[s, f], table[s, f + 7] - table[s, f + 1], table[s, f + 8] - table[s, f + 2]
        nx, ny, nz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    else:
        x, y, z = px - table[s, CENTRE], py - table[s, CENTRE + 1], pz - table[s, CENTRE + 2]
        u, v, w = _own_normal(
            kind,
            table[s, f] * x + table[s, f + 3] * y + table[s, f + 6] * z,
            table[s, f + 1] * x + table[s, f + 4] * y + table[s, f + 7] * z,
            table[s, f + 2] * x + table[s, f + 5] * y + table[s, f + 8] * z,
            table[s, SIZE], table[s, SIZE + 1], table[s, SIZE + 2],
        )  # fmt: skip
        nx = table[s, f] * u + table[s, f + 1] * v + table[s, f + 2] * w
        ny = table[s, f + 3] * u + table[s, f + 4] * v + table[s, f + 5] * w
        nz = table[s, f + 6] * u + table[s, f + 7] * v + table[s, f + 8] * w
    length = max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-30)
    return nx / length, ny / length, nz / length
