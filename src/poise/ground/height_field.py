"""Any table of heights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.checks import number, vector
from poise.errors import BadValue
from poise.ground.pieces import Table
from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class HeightField:
    """Heights (rows along X, columns along Y) [m] on a grid of `spacing` [m] from `origin`; around it lies its lowest.

    Between the grid's points the ground is flat over two triangles a cell, as it is collided with.
    """

    heights: Array  # (nx, ny) [m]
    spacing: float = 0.1  # [m]
    origin: Sequence[float] = (0.0, 0.0)  # (2,) [m] of heights[0, 0]

    def __post_init__(self) -> None:
        table = np.array(self.heights, float)
        if table.ndim != 2 or min(table.shape) < 2 or not np.all(np.isfinite(table)):
            raise BadValue(
                f"A height field needs a table of at least 2 x 2 finite heights, not {np.shape(self.heights)}."
            )
        table.flags.writeable = False
        object.__setattr__(self, "heights", table)
        number("The spacing of a height field", self.spacing, "m", above=0.0)
        object.__setattr__(self, "origin", vector("The origin of a height field", self.origin, "m", 2))

    def _covers(self, x: Array, y: Array) -> np.ndarray:
        """Is (x, y) on the grid?"""
        far = np.array(self.origin) + self.spacing * (np.array(self.heights.shape) - 1)
        along = (np.asarray(x) >= self.origin[0]) & (np.asarray(x) <= far[0])
        return along & (np.asarray(y) >= self.origin[1]) & (np.asarray(y) <= far[1])

    def _cell(self, x: Array, y: Array) -> tuple[np.ndarray, np.ndarray, Array, Array]:
        """Cell and place in it, 0..1."""
        nx, ny = self.heights.shape
        u = np.clip((np.asarray(x, float) - self.origin[0]) / self.spacing, 0.0, nx - 1.0)
        w = np.clip((np.asarray(y, float) - self.origin[1]) / self.spacing, 0.0, ny - 1.0)
        i, j = np.minimum(u.astype(int), nx - 2), np.minimum(w.astype(int), ny - 2)
        return i, j, u - i, w - j

    def height(self, x: Array, y: Array) -> Array:
        i, j, u, w = self._cell(x, y)
        h = self.heights
        a, b, c, d = h[i, j], h[i + 1, j], h[i, j + 1], h[i + 1, j + 1]
        # MuJoCo splits the cell along the diagonal from a to d
        inside = np.where(u >= w, a + u * (b - a) + w * (d - b), a + w * (c - a) + u * (d - c))
        return np.where(self._covers(x, y), inside, h.min())

    def normal(self, x: Array, y: Array) -> Array:
        i, j, u, w = self._cell(x, y)
        h = self.heights
        a, b, c, d = h[i, j], h[i + 1, j], h[i, j + 1], h[i + 1, j + 1]
        sx, sy = np.where(u >= w, b - a, d - c), np.where(u >= w, d - b, c - a)
        on = self._covers(x, y)
        n = np.stack([-sx * on, -sy * on, np.full(np.shape(sx), self.spacing)], -1)
        return n / np.linalg.norm(n, axis=-1, keepdims=True)

    def pieces(self) -> tuple[Table]:
        """The table."""
        return (Table(self.heights, self.spacing, self.origin),)
