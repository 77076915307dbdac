"""Triangles of simple solids: smooth capsules, rounded boxes, ellipsoids, cylinders. Knows no characters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.maths import rotations as rot
from poise.maths.rotations import Array


class Solid(NamedTuple):
    """Vertices (V, 3) [m], unit normals (V, 3), faces (F, 3) counter-clockwise from outside."""

    vertices: Array
    normals: Array
    faces: np.ndarray

    def placed(self, turn: Array, shift: Array) -> Solid:
        """The solid turned, then shifted."""
        return Solid(rot.rotate(turn, self.vertices) + shift, rot.rotate(turn, self.normals), self.faces)


def lathe(radius: Array, z: Array, normal: Array, segments: int = 16) -> Solid:
    """The surface that a profile (radius, z) (K,), from bottom to top, sweeps about Z; normal (K, 2): outward, up."""
    angle = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], -1)
    rows = np.ones((1, segments, 1))
    vertices = np.concatenate([radius[:, None, None] * ring, z[:, None, None] * rows], -1)
    normals = np.concatenate([normal[:, None, :1] * ring, normal[:, None, 1:] * rows], -1)
    k, s = np.meshgrid(np.arange(len(z) - 1), np.arange(segments), indexing="ij")
    a, b = k * segments + s, k * segments + (s + 1) % segments
    quads = np.stack([a, b, b + segments, a, b + segments, a + segments], -1).reshape(-1, 3)
    vertices = vertices.reshape(-1, 3)
    corner = vertices[quads]  # triangles at the poles and in creases have no area
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=-1)
    return Solid(vertices, normals.reshape(-1, 3), quads[area > 1e-9 * area.max()])


def capsule(radius: float, half: float, top: float | None = None, segments: int = 16, rings: int = 5) -> Solid:
    """A capsule along Z with half length `half` between the centres of its ends; `top`: another radius at +Z."""
    top = radius if top is None else top
    lower = np.linspace(-0.5 * np.pi, 0.0, rings)
    upper = np.linspace(0.0, 0.5 * np.pi, rings)
    r = np.concatenate([radius * np.cos(lower), top * np.cos(upper)])
    z = np.concatenate([-half + radius * np.sin(lower), half + top * np.sin(upper)])
    n = np.stack([np.cos(np.concatenate([lower, upper])), np.sin(np.concatenate([lower, upper]))], -1)
    r[[0, -1]], n[0], n[-1] = 0.0, (0.0, -1.0), (0.0, 1.0)
    return lathe(r, z, n, segments)


def ellipsoid(size: Array, segments: int = 20, rings: int = 11) -> Solid:
    """An ellipsoid with half axes `size` (3,)."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, rings)
    r, z = np.cos(angle), np.sin(angle)
    r[[0, -1]] = 0.0
    ball = lathe(r, z, np.stack([r, z], -1), segments)
    normals = ball.normals / size
    return Solid(ball.vertices * size, normals / np.linalg.norm(normals, axis=-1, keepdims=True), ball.faces)


def cylinder(radius: float, half: float) -> Solid:
    """A cylinder along Z with flat ends."""
    r = np.array([0.0, radius, radius, radius, radius, 0.0])
    z = np.array([-half, -half, -half, half, half, half])
    n = np.array([[0, -1], [0, -1], [1, 0], [1, 0], [0, 1], [0, 1]], float)
    return lathe(r, z, n, 20)


def rounded_box(size: Array, share: float = 0.35) -> Solid:
    """A box with half sizes `size` (3,) whose edges are rounded by a share of its smallest half size."""
    size = np.asarray(size, float)
    bevel = max(share * float(size.min()), 1e-9)
    inner = size - bevel
    steps = np.array([0.0, 0.414, 1.0]) * bevel
    vertices, faces, first = [], [], 0
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            along = [np.concatenate([-(inner[k] + steps)[::-1], inner[k] + steps]) for k in (u, v)]
            grid = np.empty((6, 6, 3))
            grid[..., axis] = side * size[axis]
            grid[..., u], grid[..., v] = np.meshgrid(*along, indexing="ij")
            i, j = np.meshgrid(np.arange(5), np.arange(5), indexing="ij")
            a = first + 6 * i + j
            quads = np.stack([a, a + 6, a + 7, a, a + 7, a + 1], -1).reshape(-1, 3)
            faces.append(quads if side > 0 else quads[:, ::-1])
            vertices.append(grid.reshape(-1, 3))
            first += 36
    outer = np.concatenate(vertices)
    core = np.clip(outer, -inner, inner)
    normals = outer - core
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return Solid(core + bevel * normals, normals, np.concatenate(faces))


def triangles(vertices: Array, faces: np.ndarray) -> Solid:
    """A mesh with normals made from its own triangles, weighted by area."""
    corner = vertices[faces]
    weight = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, faces[:, k], weight)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    normals = np.where(length > 0, normals / np.where(length > 0, length, 1.0), np.array([0.0, 0.0, 1.0]))
    return Solid(np.asarray(vertices, float), normals, faces)


def join(solids: list[Solid]) -> Solid:
    """Several solids as one."""
    first = np.cumsum([0, *(len(s.vertices) for s in solids)])
    return Solid(
        np.concatenate([s.vertices for s in solids]),
        np.concatenate([s.normals for s in solids]),
        np.concatenate([s.faces + f for s, f in zip(solids, first, strict=False)]),
    )
