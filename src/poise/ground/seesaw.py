"""A plank on a hinge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.checks import number
from poise.errors import BadValue
from poise.ground.ground import upward
from poise.ground.pieces import DARK, WOOD, Box, Part, Piece, Plane
from poise.maths.rotations import Array


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
        return upward(x)

    def pieces(self) -> tuple[Piece, ...]:
        """The floor, a stand that nothing collides with, and the plank."""
        rest = self.above - self.thickness
        stand = Box((0.0, 0.0, -self.thickness - 0.5 * rest), (0.04, 0.45 * self.width, 0.5 * rest), colour=DARK,
                    solid=False)  # fmt: skip
        plank = Box((0.0, 0.0, -0.5 * self.thickness), 0.5 * np.array([self.length, self.width, self.thickness]),
                    colour=WOOD)  # fmt: skip
        hinged = Part("seesaw", plank, self.mass, "hinge", damping=self.damping, limit=self.tilt)
        return Plane(-self.above), stand, hinged
