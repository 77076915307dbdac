"""What grounds are made of, as plain data: stages build their physics from it, pictures show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from poise.maths.rotations import Array

Vector = Sequence[float] | Array

GREY, DARK, WOOD = (0.62, 0.63, 0.66, 1.0), (0.35, 0.36, 0.4, 1.0), (0.74, 0.60, 0.42, 1.0)  # red, green, blue, opacity
DEEP = 1.0  # [m] of earth below the lowest step
ENDLESS = 5.0  # [m] half width of steps that have no sides; pictures of a stage show a strip of them


class Plane(NamedTuple):
    """A plane without end."""

    height: float  # [m] above the origin
    normal: Vector = (0.0, 0.0, 1.0)  # (3,)
    incline: tuple[float, float] | None = None  # its rise and the heading of it [degrees]; None: it is level


class Box(NamedTuple):
    """A box, upright and turned about Z."""

    centre: Vector  # (3,) [m]
    half: Vector  # (3,) [m]
    yaw: float = 0.0  # [rad]
    colour: tuple[float, ...] = GREY
    solid: bool = True  # False: for the eye alone


class Part(NamedTuple):
    """A box of the ground that can move: loose ("free"), on a hinge along its Y axis ("hinge"), or driven ("slides").

    At most one part of a ground is driven. Only loose parts collide with the fixed pieces.
    """

    name: str  # of its body, and of its poses in a take
    box: Box  # in the part's frame
    mass: float  # [kg]
    joint: Literal["free", "hinge", "slides"]
    place: Vector = (0.0, 0.0, 0.0)  # (3,) [m] of its frame
    yaw: float = 0.0  # [rad] of its frame
    damping: float = 0.0  # [N m s/rad] of a hinge
    limit: float = 0.0  # [rad] to either side, of a hinge
    motion: Callable[[float], Array] | None = None  # displacement (3,) [m] at a time [s], of what is driven


class Table(NamedTuple):
    """Heights (rows along X, columns along Y) on a grid; around it lies a plane as low as its lowest."""

    heights: Array  # (nx, ny) [m]
    spacing: float  # [m]
    origin: Vector  # (2,) [m] of heights[0, 0]


class Heights(NamedTuple):
    """Whatever heights a function of x and y [m] says."""

    height: Callable[[Array, Array], Array]


class Patch(NamedTuple):
    """A rectangle of other friction, flush with the ground."""

    x: float  # [m]
    y: float  # [m]
    half_length: float  # [m] along X
    half_width: float  # [m]
    friction: float


Piece = Plane | Box | Part | Table | Heights | Patch
