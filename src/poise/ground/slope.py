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

    @property
    def _sunk(self) -> float:
        """How far [m] the plane is below the origin."""
        return float(np.tan(np.radians(self.degrees))) * self.start if self.start else 0.0

    @cached_property
    def plane(self) -> Plane:
        """All of it."""
        return Plane(-self._sunk, self.normal(np.zeros(()), np.zeros(())), (self.degrees, self.heading))

    def height(self, x: Array, y: Array) -> Array:
        gx, gy = self.gradient
        plane = gx * np.asarray(x, float) + gy * np.asarray(y, float)
        return plane - self._sunk if self.start else plane

    def normal(self, x: Array, y: Array) -> Array:
        n = np.array([-self.gradient[0], -self.gradient[1], 1.0])
        return np.broadcast_to(n / np.linalg.norm(n), (*np.shape(x), 3))

    def scaled(self, factor: float) -> Slope:
        """As steep at any scale; it begins so much further away."""
        return replace(self, start=factor * self.start) if self.start else self

    def moved(self, turn: float, shift: tuple[float, float]) -> Slope:
        """The slope after the world was turned about Z [rad] and shifted [m]; its heights stay."""
        way = np.radians(self.heading) + turn
        along = float(np.cos(way) * shift[0] + np.sin(way) * shift[1])
        return Slope(self.degrees, float(np.degrees(way)), self.start + along)

    def mirrored(self) -> Slope:
        """The same rise along the reflected heading."""
        return replace(self, heading=-self.heading)
