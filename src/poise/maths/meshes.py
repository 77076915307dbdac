"""Triangle meshes: is one closed, its volume and moments, its convex pieces, and a table of distances to them."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull

from poise.kernels import njit
from poise.maths.rotations import Array


def welded(vertices: Array, faces: np.ndarray, tolerance: float = 1e-7) -> tuple[Array, np.ndarray]:
    """The same mesh with vertices (V, 3) at one place made one, and faces (F, 3) without area left out."""
    keys = np.round(vertices / tolerance).astype(np.int64)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    joined = inverse.reshape(-1)[faces]
    whole = (joined[:, 0] != joined[:, 1]) & (joined[:, 1] != joined[:, 2]) & (joined[:, 2] != joined[:, 0])
    return vertices[first], joined[whole]


def open_edges(faces: np.ndarray) -> int:
    """How many edges are not shared by exactly two triangles that run along it in opposite directions."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    n = int(faces.max()) + 1
    there = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()
    return int(np.abs(there - there.T).sum() // 2 + (there.multiply(there > 1)).sum())


def volume(vertices: Array, faces: np.ndarray) -> float:
    """Volume [m³] that a closed mesh encloses; below zero where its faces look inwards."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("fi,fi->", a, np.cross(b, c)) / 6.0)


def moments(vertices: Array, faces: np.ndarray) -> tuple[float, Array, Array]:
    """Volume [m³], centre (3,) [m] and inertia (3, 3) [m⁵] about the centre, of a solid of density one."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    v = np.einsum("fi,fi->f", a, np.cross(b, c)) / 6.0
    total = v.sum()
    centre = np.einsum("f,fi->i", v, a + b + c) / (4.0 * total)
    s = a + b + c
    second = (
        np.einsum("f,fi,fj->ij", v, a, a)
        + np.einsum("f,fi,fj->ij", v, b, b)
        + np.einsum("f,fi,fj->ij", v, c, c)
        + np.einsum("f,fi,fj->ij", v, s, s)
    ) / 20.0
    second -= total * np.outer(centre, centre)
    return float(total), centre, np.trace(second) * np.eye(3) - second


def convex_pieces(vertices: Array, faces: np.ndarray) -> list[tuple[Array, np.ndarray]]:
    """The convex hull of each connected part of a mesh, its faces outwards."""
    n = len(vertices)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    _, label = connected_components(coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n)), False)
    return [hull(vertices[label == part]) for part in np.unique(label[faces[:, 0]])]


def hull(points: Array) -> tuple[Array, np.ndarray]:
    """Vertices and outward faces of the convex hull of points (N, 3)."""
    found = ConvexHull(points)
    used, faces = np.unique(found.simplices, return_inverse=True)
    vertices, faces = points[used], faces.reshape(-1, 3)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("fi,fi->f", np.cross(b - a, c - a), found.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return vertices, faces


@njit(cache=True)
def _to_triangle(p, a, b, c):
    """Distance of a point to a triangle, by the region of the plane in which its foot lies."""
    ab, ac, ap = b - a, c - a, p - a
    d1, d2 = ab @ ap, ac @ ap
    if d1 <= 0 and d2 <= 0:
        return np.sqrt(ap @ ap)
    bp = p - b
    d3, d4 = ab @ bp, ac @ bp
    if d3 >= 0 and d4 <= d3:
        return np.sqrt(bp @ bp)
    cp = p - c
    d5, d6 = ab @ cp, ac @ cp
    if d6 >= 0 and d5 <= d6:
        return np.sqrt(cp @ cp)
    vc, vb, va = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    if vc <= 0 and d1 >= 0 and d3 <= 0:
        r = ap - ab * (d1 / (d1 - d3))
    elif vb <= 0 and d2 >= 0 and d6 <= 0:
        r = ap - ac * (d2 / (d2 - d6))
    elif va <= 0 and d4 - d3 >= 0 and d5 - d6 >= 0:
        r = bp - (c - b) * ((d4 - d3) / (d4 - d3 + d5 - d6))
    else:
        s = 1.0 / (va + vb + vc)
        r = ap - ab * (vb * s) - ac * (vc * s)
    return np.sqrt(r @ r)


@njit(cache=True)
def _fill(table, corner, cell, vertices, faces, normals):
    """Lower every entry to the distance to one convex piece: the deepest plane inside, the nearest triangle outside."""
    p = np.empty(3)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            for k in range(table.shape[2]):
                p[0], p[1], p[2] = corner[0] + i * cell, corner[1] + j * cell, corner[2] + k * cell
                deep = -1e9
                for f in range(faces.shape[0]):
                    deep = max(deep, normals[f] @ (p - vertices[faces[f, 0]]))
                if deep >= table[i, j, k]:
                    continue  # the plane alone is farther than another piece
                if deep > 0:
                    deep = 1e9
                    for f in range(faces.shape[0]):
                        a = vertices[faces[f, 0]]
                        deep = min(deep, _to_triangle(p, a, vertices[faces[f, 1]], vertices[faces[f, 2]]))
                table[i, j, k] = min(table[i, j, k], deep)


def distance_table(
    pieces: list[tuple[Array, np.ndarray]], cell: float = 0.002, border: float = 0.016
) -> tuple[Array, Array]:
    """Signed distances (X, Y, Z) [m] to the union of convex pieces at nodes `cell` apart, and the corner (3,) [m]."""
    low = np.min([v.min(0) for v, _ in pieces], axis=0) - border
    high = np.max([v.max(0) for v, _ in pieces], axis=0) + border
    table = np.full(np.ceil((high - low) / cell).astype(int) + 1, 1e9)
    for vertices, faces in pieces:
        a, b, c = (vertices[faces[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        _fill(table, low, cell, np.ascontiguousarray(vertices), faces.astype(np.int64), normals)
    return table, low
