"""A level floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.ground.ground import upward
from poise.ground.pieces import Plane
from poise.maths.rotations import Array


@dataclass(frozen=True)
class Flat:
    """A level floor."""

    level: float = 0.0  # [m]

    @property
    def plane(self) -> Plane:
        """All of it."""
        return Plane(self.level)

    def height(self, x: Array, y: Array) -> Array:
        return np.full(np.shape(x), self.level)

    def normal(self, x: Array, y: Array) -> Array:
        return upward(x)

    def scaled(self, factor: float) -> Flat:
        """As high above the origin times `factor`."""
        return Flat(factor * self.level)

    def mirrored(self) -> Flat:
        """Itself."""
        return self
