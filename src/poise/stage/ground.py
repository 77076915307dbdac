"""Grounds that need physics: a moving platform, a seesaw, blocks, slippery patches, any field of heights.

The plain ones (Flat, Slope, Stairs, Treads) are in `poise.motion.ground`. Heights are those at rest; the character
starts on top of a platform or seesaw at z = 0, and the floor around it lies lower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.ground import Flat, Ground
from poise.stage.checks import number, vector
from poise.stage.events import PlatformMotion

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Platform:
    """A level plate that moves as it is told, whatever stands on it; its top is at z = 0 when it is not displaced."""

    size: Sequence[float] = (4.0, 4.0, 0.1)  # [m] along X, Y and down
    motion: PlatformMotion | Callable[[float], Array] | None = None  # displacement (3,) [m] at a time [s]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", vector("The size of a platform", self.size, "m", above=0.0))
        if self.motion is not None and not callable(self.motion):
            raise BadValue("The motion of a platform is a PlatformMotion or a function of time that gives 3 metres.")

    @property
    def floor(self) -> float:
        """Height [m] of the floor around it."""
        return -self.size[2] - 0.02

    def height(self, x: Array, y: Array) -> Array:
        inside = (np.abs(x) <= 0.5 * self.size[0]) & (np.abs(y) <= 0.5 * self.size[1])
        return np.where(inside, 0.0, self.floor)

    def normal(self, x: Array, y: Array) -> Array:
        return _upward(x)


@dataclass(frozen=True)
class Seesaw:
    """A plank that tips about the Y axis through the middle of its top, at z = 0; the floor lies `above` below it."""

    length: float = 3.0  # [m] along X
    width: float = 1.0  # [m]
    above: float = 0.25  # [m] of its top over the floor
    limit: float = 12.0  # [degrees] to either side; less where the plank meets the floor before
    damping: float = 20.0  # [N m s/rad]
    mass: float = 25.0  # [kg]
    thickness: float = 0.05  # [m]

    def __post_init__(self) -> None:
        for name, unit in (("length", "m"), ("width", "m"), ("above", "m"), ("mass", "kg"), ("thickness", "m")):
            number(f"The {name} of a seesaw", getattr(self, name), unit, above=0.0)
        number("The tilt limit of a seesaw", self.limit, "degrees", above=0.0, most=45.0)
        number("The damping of a seesaw", self.damping, "N m s/rad", least=0.0)
        if self.above <= self.thickness:
            raise BadValue(f"A seesaw of {self.thickness:g} m thickness must be higher than {self.above:g} m to tip.")

    @property
    def tilt(self) -> float:
        """How far it can tip [rad]."""
        free = np.arcsin(min(1.0, (self.above - self.thickness) / (0.5 * self.length)))
        return float(min(np.radians(self.limit), free))

    def height(self, x: Array, y: Array) -> Array:
        inside = (np.abs(x) <= 0.5 * self.length) & (np.abs(y) <= 0.5 * self.width)
        return np.where(inside, 0.0, -self.above)

    def normal(self, x: Array, y: Array) -> Array:
        return _upward(x)


@dataclass(frozen=True)
class Blocks:
    """Boxes on a level floor, each (x, y, yaw [degrees], length, width, height [m], mass [kg] or None: fixed)."""

    blocks: Sequence[Sequence[Any]]

    def __post_init__(self) -> None:
        rows = []
        for k, row in enumerate(self.blocks):
            if len(row) != 7:
                raise BadValue(f"Block {k} needs (x, y, yaw, length, width, height, mass or None), not {tuple(row)}.")
            vector(f"The place of block {k}", row[:3], "m and degrees")
            vector(f"The size of block {k}", row[3:6], "m", above=0.0)
            if row[6] is not None:
                number(f"The mass of block {k}", row[6], "kg", above=0.0)
            rows.append(tuple(None if x is None else float(x) for x in row))
        object.__setattr__(self, "blocks", tuple(rows))

    def height(self, x: Array, y: Array) -> Array:
        top = np.zeros(np.shape(x))
        for bx, by, yaw, long, wide, tall, _ in self.blocks:
            c, s = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
            along = c * (np.asarray(x) - bx) + s * (np.asarray(y) - by)
            across = -s * (np.asarray(x) - bx) + c * (np.asarray(y) - by)
            on = (np.abs(along) <= 0.5 * long) & (np.abs(across) <= 0.5 * wide)
            top = np.where(on, np.maximum(top, tall), top)
        return top

    def normal(self, x: Array, y: Array) -> Array:
        return _upward(x)


@dataclass(frozen=True)
class Patches:
    """Rectangles of other friction on a ground, each (x, y, length, width [m], friction); later ones win."""

    patches: Sequence[Sequence[float]]
    base: Ground = field(default_factory=Flat)

    def __post_init__(self) -> None:
        for k, row in enumerate(self.patches):
            vector(f"Patch {k} (x, y, length, width, friction)", row, "m", 5)
            vector(f"The size of patch {k}", row[2:4], "m", 2, above=0.0)
            number(f"The friction of patch {k}", row[4], "", above=0.0, most=10.0)
        object.__setattr__(self, "patches", tuple(tuple(float(x) for x in row) for row in self.patches))

    def height(self, x: Array, y: Array) -> Array:
        return self.base.height(x, y)

    def normal(self, x: Array, y: Array) -> Array:
        return self.base.normal(x, y)


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


def _upward(x: Array) -> Array:
    return np.broadcast_to(UP, (*np.shape(x), 3))
