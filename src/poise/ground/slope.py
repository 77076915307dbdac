"""A plane that rises."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poise.errors import BadValue
from poise.ground.pieces import Plane
from poise.maths.rotations import Array


@dataclass(frozen=True)
class Slope:
    """A plane through the origin that rises by `degrees` along `heading` (0: the X axis, in degrees about Z)."""

    degrees: float = 5.0
    heading: float = 0.0  # [degrees]

    def __post_init__(self) -> None:
        if not abs(self.degrees) < 60.0:
            raise BadValue(f"A slope must be between -60 and 60 degrees, not {self.degrees}.")

    @property
    def gradient(self) -> Array:
        """Rise per metre along x and y (2,)."""
        way = np.radians(self.heading)
        return np.tan(np.radians(self.degrees)) * np.array([np.cos(way), np.sin(way)])

    @cached_property
    def plane(self) -> Plane:
        """All of it."""
        return Plane(0.0, self.normal(np.zeros(()), np.zeros(())), (self.degrees, self.heading))

    def height(self, x: Array, y: Array) -> Array:
        gx, gy = self.gradient
        return gx * np.asarray(x, float) + gy * np.asarray(y, float)

    def normal(self, x: Array, y: Array) -> Array:
        n = np.array([-self.gradient[0], -self.gradient[1], 1.0])
        return np.broadcast_to(n / np.linalg.norm(n), (*np.shape(x), 3))

    def scaled(self, factor: float) -> Slope:
        """Itself: a plane through the origin is as steep at any scale."""
        return self

    def mirrored(self) -> Slope:
        """The same rise along the reflected heading."""
        return replace(self, heading=-self.heading)
