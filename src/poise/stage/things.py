"""Things of any convex shapes beside the character: cans, pills, meshes, and several shapes that are one body.

They are free to move, fixed, or led along a track by `PropMotion`. MuJoCo collides a mesh as its convex hull, so a mesh
is given as convex parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.spatial import QhullError

from poise.checks import number, vector
from poise.errors import BadValue
from poise.maths import meshes
from poise.maths.rotations import Array
from poise.stage.pieces import Hull, Piece, weighed

Points = Sequence[Sequence[float]]
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def _check(thing: Cylinder | Capsule | Mesh | Compound) -> None:
    """Refuse a mass, place or turn without a meaning; lists become tuples."""
    number(f"The mass of {thing.name}", thing.mass, "kg", above=0.0)
    object.__setattr__(thing, "position", vector(f"The position of {thing.name}", thing.position, "m"))
    turn = np.asarray(vector(f"The turn of {thing.name}", thing.turn, "parts of a quaternion", 4))
    size = float(np.linalg.norm(turn))
    if abs(size - 1.0) > 0.01:
        raise BadValue(f"The turn of {thing.name} must be a quaternion of length one, not {tuple(turn.tolist())}.")
    object.__setattr__(thing, "turn", tuple((turn / size).tolist()))


class _Round:
    """What is round about its own z: one piece, and no meshes."""

    KIND: ClassVar[str]
    name: str
    radius: float
    length: float

    def __post_init__(self) -> None:
        _check(self)  # pyright: ignore[reportArgumentType]
        vector(f"Radius and length of {self.name}", (self.radius, self.length), "m", 2, above=0.0)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What it is made of."""
        return (Piece(self.KIND, (self.radius, 0.5 * self.length)),)

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """No meshes."""
        return ()


@dataclass(frozen=True)
class Cylinder(_Round):
    """A can; its axis is its own z."""

    name: str = "cylinder"
    radius: float = 0.035  # [m]
    length: float = 0.12  # [m]
    mass: float = 0.35  # [kg]
    position: Sequence[float] = (1.0, 0.0, 0.06)
    turn: Sequence[float] = _UPRIGHT  # quaternion
    fixed: bool = False

    KIND: ClassVar[str] = "cylinder"


@dataclass(frozen=True)
class Capsule(_Round):
    """A rod with round ends along its own z."""

    name: str = "capsule"
    radius: float = 0.02  # [m]
    length: float = 0.2  # [m] between the centres of its ends
    mass: float = 0.3  # [kg]
    position: Sequence[float] = (1.0, 0.0, 0.12)
    turn: Sequence[float] = _UPRIGHT
    fixed: bool = False

    KIND: ClassVar[str] = "capsule"


@dataclass(frozen=True)
class Compound:
    """Several shapes that are one body of one density: pieces, and convex parts given by their points."""

    name: str = "thing"
    pieces: Sequence[Piece] = ()
    parts: Sequence[Points] = ()  # points [m] of each convex part
    mass: float = 0.5  # [kg]
    position: Sequence[float] = (1.0, 0.0, 0.5)  # of the frame in which the shapes are given
    turn: Sequence[float] = _UPRIGHT
    fixed: bool = False

    def __post_init__(self) -> None:
        _check(self)
        object.__setattr__(self, "pieces", tuple(map(_piece, self.pieces)))
        object.__setattr__(self, "parts", _parts(self.name, self.parts))
        if not self.pieces and not self.parts:
            raise BadValue(f"{self.name} has no shape: give it pieces or a mesh.")

    @cached_property
    def hulls(self) -> tuple[Hull, ...]:
        """The convex parts as meshes."""
        return _hulls(self.name, self.parts)


@dataclass(frozen=True)
class Mesh:
    """A mesh of convex parts, each given by its points: the hull of each is what collides and is seen."""

    name: str = "mesh"
    parts: Sequence[Points] = ()  # points [m] of each convex part
    mass: float = 0.5  # [kg]
    position: Sequence[float] = (1.0, 0.0, 0.5)  # of the frame in which the points are given
    turn: Sequence[float] = _UPRIGHT
    fixed: bool = False

    def __post_init__(self) -> None:
        _check(self)
        object.__setattr__(self, "parts", _parts(self.name, self.parts))
        if not self.parts:
            raise BadValue(f"The mesh {self.name} has no points.")

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """No plain shapes."""
        return ()

    @cached_property
    def hulls(self) -> tuple[Hull, ...]:
        """The convex parts as meshes."""
        return _hulls(self.name, self.parts)


Thing = Cylinder | Capsule | Mesh | Compound


def weight_of(thing: Thing) -> tuple[Array, Array]:
    """Centre of mass (3,) [m] in the thing's frame and inertia (3, 3) [kg m²] about it."""
    return weighed(thing.pieces, thing.hulls, thing.mass)


def _piece(given: Piece | Mapping) -> Piece:
    """A piece, also from its description in a take."""
    if isinstance(given, Piece):
        return given
    return Piece(**given)


def _parts(name: str, given: Sequence[Points]) -> tuple[tuple[tuple[float, ...], ...], ...]:
    try:
        arrays = [np.asarray(points, float) for points in given]
    except (TypeError, ValueError):
        raise BadValue(f"The parts of {name} must be lists of points (x, y, z) in metres.") from None
    for points in arrays:
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4 or not np.all(np.isfinite(points)):
            raise BadValue(f"A part of {name} needs at least 4 points (x, y, z) in metres, not {points.shape}.")
    return tuple(tuple(map(tuple, points.tolist())) for points in arrays)


def _hulls(name: str, parts: Sequence[Points]) -> tuple[Hull, ...]:
    try:
        return tuple(meshes.hull(np.asarray(points, float)) for points in parts)
    except QhullError:
        raise BadValue(f"A part of {name} is flat: its points span no volume.") from None
