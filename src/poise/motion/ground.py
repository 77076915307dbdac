"""Grounds as pure geometry: how high is the floor at (x, y), and which way does it face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array


class Ground(Protocol):
    """What every ground can tell."""

    def height(self, x: Array, y: Array) -> Array:
        """Height [m] of the surface at world positions x, y [m], any equal shapes."""
        ...

    def normal(self, x: Array, y: Array) -> Array:
        """Unit normal (..., 3) of the surface."""
        ...


@dataclass(frozen=True)
class Flat:
    """A level floor."""

    level: float = 0.0  # [m]

    def height(self, x: Array, y: Array) -> Array:
        return np.full(np.shape(x), self.level)

    def normal(self, x: Array, y: Array) -> Array:
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), (*np.shape(x), 3))


@dataclass(frozen=True)
class Slope:
    """A plane that rises by `degrees` along `heading` (0: the X axis, in degrees about Z), at height 0 at `start`."""

    degrees: float = 5.0
    heading: float = 0.0  # [degrees]
    start: float = 0.0  # [m] along the heading from the origin

    def __post_init__(self) -> None:
        if not abs(self.degrees) < 60.0:
            raise BadValue(f"A slope must be between -60 and 60 degrees, not {self.degrees}.")

    @property
    def gradient(self) -> Array:
        """Rise per metre along x and y (2,)."""
        way = np.radians(self.heading)
        return np.tan(np.radians(self.degrees)) * np.array([np.cos(way), np.sin(way)])

    def height(self, x: Array, y: Array) -> Array:
        gx, gy = self.gradient
        plane = gx * np.asarray(x, float) + gy * np.asarray(y, float)
        return plane - np.tan(np.radians(self.degrees)) * self.start if self.start else plane

    def moved(self, turn: float, shift: tuple[float, float]) -> Slope:
        """The slope after the world was turned about Z [rad] and shifted [m]; its heights stay."""
        way = np.radians(self.heading) + turn
        along = float(np.cos(way) * shift[0] + np.sin(way) * shift[1])
        return Slope(self.degrees, float(np.degrees(way)), self.start + along)

    def normal(self, x: Array, y: Array) -> Array:
        n = np.array([-self.gradient[0], -self.gradient[1], 1.0])
        return np.broadcast_to(n / np.linalg.norm(n), (*np.shape(x), 3))


@dataclass(frozen=True)
class Stairs:
    """A staircase: from `start` on along `heading`, `count` steps of `rise` and `run`, then a landing."""

    rise: float = 0.15  # [m], negative: down
    run: float = 0.30  # [m]
    start: float = 0.5  # [m] along the heading, where the first riser stands
    count: int = 1000
    heading: float = 0.0  # [degrees]

    def __post_init__(self) -> None:
        if not self.run > 0.05 or not abs(self.rise) < 0.6 or self.count < 1:
            raise BadValue(f"Stairs of rise {self.rise} m, run {self.run} m and {self.count} steps cannot be climbed.")

    def height(self, x: Array, y: Array) -> Array:
        way = np.radians(self.heading)
        along = np.cos(way) * np.asarray(x, float) + np.sin(way) * np.asarray(y, float) - self.start
        return self.rise * np.clip(np.floor(along / self.run) + 1.0, 0.0, float(self.count))

    def normal(self, x: Array, y: Array) -> Array:
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), (*np.shape(x), 3))


@dataclass(frozen=True)
class Tread:
    """A level rectangle at `top`: centre, half sizes and heading (degrees about Z)."""

    x: float
    y: float
    half_length: float  # along the heading [m]
    half_width: float  # [m]
    top: float  # [m]
    heading: float = 0.0  # [degrees]

    def covers(self, x: Array, y: Array) -> Array:
        """Boolean: is (x, y) on the rectangle?"""
        way = np.radians(self.heading)
        dx, dy = np.asarray(x, float) - self.x, np.asarray(y, float) - self.y
        along, across = np.cos(way) * dx + np.sin(way) * dy, -np.sin(way) * dx + np.cos(way) * dy
        return (np.abs(along) <= self.half_length) & (np.abs(across) <= self.half_width)


@dataclass(frozen=True)
class Treads:
    """A level floor with rectangles at other heights on it: boxes, or stairs found in a recording."""

    treads: tuple[Tread, ...]
    level: float = 0.0  # [m]

    def height(self, x: Array, y: Array) -> Array:
        h = np.full(np.shape(x), self.level)
        for t in self.treads:
            h = np.where(t.covers(x, y), np.maximum(h, t.top), h)
        return h

    def normal(self, x: Array, y: Array) -> Array:
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), (*np.shape(x), 3))
