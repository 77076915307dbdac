"""Rectangles at other heights on a level floor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from poise.ground.ground import upward
from poise.ground.pieces import DEEP, Box, Plane
from poise.maths.rotations import Array


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

    PARTS: ClassVar[Mapping[str, type]] = {"treads": Tread}

    @property
    def tops(self) -> tuple[float, ...]:
        """Heights [m] of the treads."""
        return tuple(t.top for t in self.treads)

    def height(self, x: Array, y: Array) -> Array:
        h = np.full(np.shape(x), self.level)
        for t in self.treads:
            h = np.where(t.covers(x, y), np.maximum(h, t.top), h)
        return h

    def normal(self, x: Array, y: Array) -> Array:
        return upward(x)

    def pieces(self) -> tuple[Plane | Box, ...]:
        """A plane, and boxes that reach into it."""
        return self._down_to(self.level - DEEP)

    def drawn(self, low: Array, high: Array) -> tuple[Plane | Box, ...]:
        """A plane, and boxes that stand on it."""
        return self._down_to(self.level)

    def _down_to(self, bottom: float) -> tuple[Plane | Box, ...]:
        boxes = [Box((t.x, t.y, 0.5 * (t.top + bottom)), (t.half_length, t.half_width, 0.5 * (t.top - bottom)),
                     float(np.radians(t.heading))) for t in self.treads if t.top > self.level]  # fmt: skip
        return (Plane(self.level), *boxes)

    def scaled(self, factor: float) -> Treads:
        """Places, sizes and heights `factor` times as large."""
        grown = tuple(Tread(factor * t.x, factor * t.y, factor * t.half_length, factor * t.half_width, factor * t.top,
                            t.heading) for t in self.treads)  # fmt: skip
        return Treads(grown, factor * self.level)

    def mirrored(self) -> Treads:
        """Every tread reflected."""
        return replace(self, treads=tuple(replace(t, y=-t.y, heading=-t.heading) for t in self.treads))
