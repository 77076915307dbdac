"""Which shapes a ray can meet: lists by tile of the picture, and by cell of a grid across the sunlight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.export.camera import Camera
from poise.export.intersect import FAR, Shapes
from poise.kernels import njit
from poise.maths.rotations import Array

TILE = 8  # pixels along a side of a tile
CELLS = 96  # cells along a side of the shadow grid


class Bins(NamedTuple):
    """Lists of shapes per cell of a grid, one after the other: cell c has items[start[c] : start[c + 1]]."""

    start: np.ndarray
    items: np.ndarray


class Suns(NamedTuple):
    """Four parts of the sun; across the light of each a grid of cells with the shapes that may hide it."""

    rays: (
        Array  # (4, 16): direction towards it, the grid's two axes, its lower corner, its cells' size, the sun's middle
    )
    start: np.ndarray  # (4, cells + 1)
    items: np.ndarray  # (4, longest)


def _bins(low: Array, high: Array, columns: int, rows: int) -> Bins:
    """Cells that boxes low..high (S, 2), in cells, touch."""
    first = np.clip(np.floor(low), 0, [columns, rows]).astype(np.int64)
    last = np.clip(np.floor(high), -1, [columns - 1, rows - 1]).astype(np.int64)
    start, items = _fill(first, last, columns, rows)
    return Bins(start, items)


@njit(cache=True)
def _fill(first, last, columns, rows):
    start = np.zeros(columns * rows + 1, np.int64)
    for s in range(first.shape[0]):
        for y in range(first[s, 1], last[s, 1] + 1):
            for x in range(first[s, 0], last[s, 0] + 1):
                start[y * columns + x + 1] += 1
    for c in range(columns * rows):
        start[c + 1] += start[c]
    at, items = start[:-1].copy(), np.empty(start[-1], np.int64)
    for s in range(first.shape[0]):
        for y in range(first[s, 1], last[s, 1] + 1):
            for x in range(first[s, 0], last[s, 0] + 1):
                items[at[y * columns + x]] = s
                at[y * columns + x] += 1
    return start, items


def tiles(shapes: Shapes, camera: Camera) -> Bins:
    """Which shapes each tile of the picture may show."""
    columns, rows = -(-camera.width // TILE), -(-camera.height // TILE)
    axes = camera.axes
    p = (shapes.centre - camera.eye) @ axes.T
    (before, after), depth = shapes.reach(axes[2]), p[:, 2]
    near = depth - before
    low, high = np.empty((len(depth), 2)), np.empty((len(depth), 2))
    for i, sign in ((0, 1.0), (1, -1.0)):
        below, above = shapes.reach(axes[i])
        a, b = sign * p[:, i] - (below if sign > 0 else above), sign * p[:, i] + (above if sign > 0 else below)
        if camera.parallel:
            low[:, i], high[:, i] = a, b
        else:
            # the box about a shape that lies along the picture's axes; what is at or behind the eye may be anywhere
            fits, near_, far_ = near > 1e-3, np.maximum(near, 1e-3), np.maximum(depth + after, 1e-3)
            low[:, i] = np.where(fits, camera.reach * np.minimum(a / near_, a / far_), -FAR)
            high[:, i] = np.where(fits, camera.reach * np.maximum(b / near_, b / far_), FAR)
    middle = 0.5 * np.array([camera.width, camera.height])
    low, high = (low * camera.scale + middle - 1) / TILE, (high * camera.scale + middle + 1) / TILE
    behind = depth + after < 0
    high[behind] = -1.0 if not camera.parallel else high[behind]
    return _bins(low, high, columns, rows)


def suns(shapes: Shapes, direction: Array, radius: float) -> Suns:
    """Four points of the sun's disc, each with its shadow grid."""
    middle = direction / np.linalg.norm(direction)
    side = np.cross(middle, [0.0, 0.0, 1.0] if abs(middle[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    up = np.cross(side, middle)
    rays, starts, lists = [], [], []
    for k in range(4):
        turn = np.pi / 2 * k + 0.5
        way = middle + radius * (np.cos(turn) * side + np.sin(turn) * up)
        way /= np.linalg.norm(way)
        u = np.cross(way, up)
        u /= np.linalg.norm(u)
        basis = np.stack([u, np.cross(way, u)])
        flat = shapes.centre @ basis.T
        reach = [shapes.reach(axis) for axis in basis]
        first = flat - np.stack([below for below, _ in reach], 1) - 1e-9
        last = flat + np.stack([above for _, above in reach], 1) + 1e-9
        low = first.min(0) if len(flat) else np.zeros(2)
        high = last.max(0) if len(flat) else np.ones(2)
        cell = np.maximum(high - low, 1e-6) / CELLS
        bins = _bins((first - low) / cell, (last - low) / cell, CELLS, CELLS)
        rays.append(np.concatenate([way, *basis, low, cell, middle]))
        starts.append(bins.start)
        lists.append(bins.items)
    longest = max(map(len, lists))
    items = np.zeros((4, max(longest, 1)), np.int64)
    for k, one in enumerate(lists):
        items[k, : len(one)] = one
    return Suns(np.array(rays), np.array(starts), items)
