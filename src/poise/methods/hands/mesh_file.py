"""Triangle meshes of objects from OBJ and STL files: closed ones, as the convex hulls of their connected parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.errors import BadFile
from poise.maths import meshes
from poise.maths.rotations import Array

MOST = 200_000  # triangles


def load_hulls(path: Path, unit: float = 1.0) -> tuple[tuple[Array, np.ndarray], ...]:
    """Convex pieces of a closed mesh; `unit` [m] is the length of its unit.

    MuJoCo collides meshes as convex hulls, so search, check and forward run all see these hulls. A part that is not
    convex
    becomes its hull: cut a mug or a bunny into convex parts first, each a connected part of the mesh.
    """
    vertices, faces = read_mesh(path)
    vertices, faces = meshes.welded(vertices * unit, faces)
    if len(faces) < 4:
        raise BadFile(path, "the mesh has no volume: it needs at least four triangles.")
    edges = meshes.open_edges(faces)
    if edges:
        raise BadFile(
            path, f"the mesh is open: {edges} edges are not shared by two triangles that face one way; close it."
        )
    if abs(meshes.volume(vertices, faces)) < 1e-9:
        raise BadFile(path, "the mesh encloses no volume; is its unit right?")
    pieces = meshes.convex_pieces(vertices, faces)
    if abs(meshes.volume(vertices, faces)) > 1.001 * sum(meshes.volume(*p) for p in pieces):
        raise BadFile(path, "the mesh intersects itself: it encloses more than its convex hulls; repair it.")
    return tuple(pieces)


def read_mesh(path: Path) -> tuple[Array, np.ndarray]:
    """Vertices (V, 3) and triangles (F, 3) of an OBJ or STL file."""
    kind = path.suffix.lower()
    if kind not in (".obj", ".stl"):
        raise BadFile(path, "meshes are read from .obj and .stl.")
    try:
        vertices, faces = (
            _obj(path.read_text(encoding="utf-8", errors="replace")) if kind == ".obj" else _stl(path.read_bytes())
        )
    except OSError as error:
        raise BadFile(path, f"the mesh cannot be read: {error.strerror}.") from None
    except (ValueError, IndexError):
        raise BadFile(path, "it is not a mesh that can be read.") from None
    if not len(faces) or len(faces) > MOST or not np.all(np.isfinite(vertices)):
        raise BadFile(path, f"a mesh has 1 to {MOST} triangles with finite corners; this one has {len(faces)}.")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise BadFile(path, "a triangle names a corner that is not there.")
    return vertices, faces


def _obj(text: str) -> tuple[Array, np.ndarray]:
    vertices, faces = [], []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(w) for w in words[1:4]])
        elif words[:1] == ["f"]:
            ids = [int(w.split("/")[0]) for w in words[1:]]
            ids = [i - 1 if i > 0 else len(vertices) + i for i in ids]
            faces += [[ids[0], ids[k], ids[k + 1]] for k in range(1, len(ids) - 1)]
    return np.array(vertices, float).reshape(-1, 3), np.array(faces, int).reshape(-1, 3)


def _stl(data: bytes) -> tuple[Array, np.ndarray]:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else 0
    if len(data) == 84 + 50 * count:
        rows = np.frombuffer(data, np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]), count, 84)
        corners = rows["v"].astype(float).reshape(-1, 3)
    else:
        lines = [line.split() for line in data.decode("utf-8", "replace").splitlines()]
        corners = np.array([[float(x) for x in w[1:4]] for w in lines if w[:1] == ["vertex"]], float).reshape(-1, 3)
    return corners, np.arange(len(corners)).reshape(-1, 3)
