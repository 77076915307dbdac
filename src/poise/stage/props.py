"""Props: things beside the character. Places are those of their centres [m], world axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from poise.checks import direction, number, vector
from poise.errors import BadValue
from poise.stage.things import Capsule, Compound, Cylinder, Mesh

_SHAFT_MASS = 0.25  # share of a barbell's mass in its shaft


@dataclass(frozen=True)
class Box:
    """A box that is free to move, unless it is fixed."""

    name: str = "box"
    size: Sequence[float] = (0.3, 0.3, 0.3)  # [m], whole lengths
    mass: float = 5.0  # [kg]
    position: Sequence[float] = (1.0, 0.0, 0.15)
    yaw: float = 0.0  # [degrees]
    pitch: float = 0.0  # [degrees] about Y, positive: front down
    fixed: bool = False  # it stays where it is: a table, a shelf

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", vector(f"The size of {self.name}", self.size, "m", above=0.0))
        object.__setattr__(self, "position", vector(f"The position of {self.name}", self.position, "m"))
        number(f"The mass of {self.name}", self.mass, "kg", above=0.0)
        number(f"The yaw of {self.name}", self.yaw, "degrees")
        number(f"The pitch of {self.name}", self.pitch, "degrees")


@dataclass(frozen=True)
class Sphere:
    """A ball that lies about. (One that is thrown is an event: `Ball`.)"""

    name: str = "sphere"
    radius: float = 0.12  # [m]
    mass: float = 0.6  # [kg]
    position: Sequence[float] = (1.0, 0.0, 0.12)

    def __post_init__(self) -> None:
        number(f"The radius of {self.name}", self.radius, "m", above=0.0)
        number(f"The mass of {self.name}", self.mass, "kg", above=0.0)
        object.__setattr__(self, "position", vector(f"The position of {self.name}", self.position, "m"))


@dataclass(frozen=True)
class Barbell:
    """A barbell across the Y axis, turned by `yaw`: a shaft with a plate at either end."""

    name: str = "barbell"
    mass: float = 30.0  # [kg], with its plates
    position: Sequence[float] = (0.25, 0.0, 0.225)
    length: float = 1.6  # [m]
    radius: float = 0.014  # [m] of the shaft
    plate_radius: float = 0.225  # [m]
    yaw: float = 0.0  # [degrees]
    solid: bool = True  # False: the shaft passes through everything but hands, so that no shin rolls it away

    def __post_init__(self) -> None:
        number(f"The mass of {self.name}", self.mass, "kg", above=0.0)
        object.__setattr__(self, "position", vector(f"The position of {self.name}", self.position, "m"))
        number(f"The yaw of {self.name}", self.yaw, "degrees")
        for what in ("length", "radius", "plate_radius"):
            number(f"The {what.replace('_', ' ')} of {self.name}", getattr(self, what), "m", above=0.0)
        if self.plate_radius <= self.radius:
            raise BadValue(f"The plates of {self.name} must be larger than its shaft of {self.radius:g} m radius.")

    @property
    def axis(self) -> tuple[float, ...]:
        """Along the shaft, in its own frame."""
        return (0.0, 1.0, 0.0)

    @property
    def shaft_mass(self) -> float:
        """[kg]; the rest is in the plates."""
        return _SHAFT_MASS * self.mass


@dataclass(frozen=True)
class Bar:
    """A fixed horizontal bar to hang from."""

    name: str = "bar"
    height: float = 2.4  # [m]
    axis: Sequence[float] = (0.0, 1.0, 0.0)
    length: float = 2.0  # [m]
    radius: float = 0.014  # [m]
    place: Sequence[float] = (0.0, 0.0)  # (2,) [m] of its middle

    def __post_init__(self) -> None:
        for what in ("height", "length", "radius"):
            number(f"The {what} of {self.name}", getattr(self, what), "m", above=0.0)
        object.__setattr__(self, "place", vector(f"The place of {self.name}", self.place, "m", 2))
        object.__setattr__(self, "axis", direction(f"The axis of {self.name}", self.axis))
        if abs(self.axis[2]) > 1e-6:
            raise BadValue(f"The bar {self.name!r} must be horizontal; its axis {self.axis} is not.")

    @property
    def position(self) -> tuple[float, float, float]:
        """Its middle (3,) [m]."""
        return (self.place[0], self.place[1], self.height)


Prop = Box | Sphere | Barbell | Bar | Cylinder | Capsule | Mesh | Compound


def stays(prop: Prop) -> bool:
    """Is it fixed to the world?"""
    return isinstance(prop, Bar) or bool(getattr(prop, "fixed", False))
