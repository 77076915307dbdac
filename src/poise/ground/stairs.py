"""A staircase."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.errors import BadValue
from poise.ground.ground import upward
from poise.ground.pieces import DEEP, ENDLESS, Box
from poise.maths.rotations import Array

_MOST_STEPS = 60  # treads that are built
_FAR = 30.0  # [m] how far level ground reaches before and after
_DRAWN_DEEP = 0.15  # [m] of earth below the lowest step in a picture


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

    @property
    def _axes(self) -> tuple[Array, Array]:
        """Unit vectors (2,) along the heading and to the right of it."""
        way = np.radians(self.heading)
        return np.array([np.cos(way), np.sin(way)]), np.array([np.sin(way), -np.cos(way)])

    def height(self, x: Array, y: Array) -> Array:
        way = np.radians(self.heading)
        along = np.cos(way) * np.asarray(x, float) + np.sin(way) * np.asarray(y, float) - self.start
        return self.rise * np.clip(np.floor(along / self.run) + 1.0, 0.0, float(self.count))

    def normal(self, x: Array, y: Array) -> Array:
        return upward(x)

    def pieces(self) -> tuple[Box, ...]:
        """Solid boxes from one depth up to each tread; level ground before the first and after the last."""
        count = min(self.count, _MOST_STEPS)
        edges = self.start + self.run * np.arange(count + 1)
        begin = np.concatenate([[self.start - _FAR], edges[:-1]])
        end = np.concatenate([edges[:-1], [edges[-1] + _FAR]])  # the last tread is the landing
        top = self.rise * np.arange(count + 1)
        return self._boxes(begin, end, top, float(top.min()) - DEEP, (-ENDLESS, ENDLESS))

    def drawn(self, low: Array, high: Array) -> tuple[Box, ...]:
        """One box a step, as far as the rectangle reaches, and a box for the level floor before the first riser."""
        along, right = self._axes
        corners = np.array([[x, y] for x in (low[0], high[0]) for y in (low[1], high[1])])
        s, w = corners @ along, corners @ right
        first = np.clip(np.floor((s.min() - self.start) / self.run), -1, self.count - 1)
        last = np.clip(np.floor((s.max() - self.start) / self.run), -1, self.count - 1)
        steps = np.arange(first, last + 1)
        begin = np.where(steps < 0, s.min() - 0.1, self.start + steps * self.run)
        end = np.where(steps == self.count - 1, s.max() + 0.1, self.start + (steps + 1) * self.run)
        begin, end = np.maximum(begin, s.min()), np.minimum(end, s.max())
        keep = end > begin
        top = self.rise * (steps[keep] + 1)
        bottom = min(0.0, float(top.min(initial=0.0))) - _DRAWN_DEEP
        return self._boxes(begin[keep], end[keep], top, bottom, (w.min(), w.max()))

    def _boxes(self, begin: Array, end: Array, top: Array, bottom: float, sides: tuple[float, float]
               ) -> tuple[Box, ...]:  # fmt: skip
        """Boxes from `begin` to `end` along the heading, between two `sides` to the right of it [m]."""
        along, right = self._axes
        middle = 0.5 * (begin + end)[:, None] * along + 0.5 * (sides[0] + sides[1]) * right
        way = float(np.radians(self.heading))
        return tuple(
            Box((*m, 0.5 * (t + bottom)), (0.5 * (e - b), 0.5 * (sides[1] - sides[0]), 0.5 * (t - bottom)), way)
            for m, b, e, t in zip(middle, begin, end, top, strict=True)
        )

    def scaled(self, factor: float) -> Stairs:
        """Steps and the way to them `factor` times as large."""
        return replace(self, rise=factor * self.rise, run=factor * self.run, start=factor * self.start)

    def mirrored(self) -> Stairs:
        """The same steps along the reflected heading."""
        return replace(self, heading=-self.heading)
