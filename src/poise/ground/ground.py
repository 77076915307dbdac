"""What can be asked of a ground, and what holds where it does not say.

A ground is a frozen dataclass with `height` and `normal`, both at rest. What else is particular to its kind it may tell
by attributes and methods: `plane`, `tops`, `obstacles`, `pieces`, `drawn`, `scaled`, `mirrored`, `moved`. Nobody looks
at the class of a ground; everybody asks the functions here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from poise.errors import BadValue, ClipMismatch
from poise.ground.pieces import Box, Heights, Part, Patch, Piece, Plane
from poise.maths.rotations import Array


class Ground(Protocol):
    """What every ground can tell."""

    def height(self, x: Array, y: Array) -> Array:
        """Height [m] of the surface at world positions x, y [m], any equal shapes."""
        ...

    def normal(self, x: Array, y: Array) -> Array:
        """Unit normal (..., 3) of the surface."""
        ...


def upward(x: Array) -> Array:
    """Normals (..., 3) of a ground that is level at all places x (...)."""
    return np.broadcast_to(np.array([0.0, 0.0, 1.0]), (*np.shape(x), 3))


def plane_of(ground: Ground) -> Plane | None:
    """The plane that is all of a ground (its attribute `plane`); None: there is more to it."""
    return getattr(ground, "plane", None)


def level_of(ground: Ground) -> float | None:
    """Height [m] of a ground that is one level plane; None for all others."""
    plane = plane_of(ground)
    return None if plane is None or plane.incline is not None else float(plane.height)


def tops_of(ground: Ground) -> tuple[float, ...] | None:
    """Heights [m] of the treads found in a recording that a ground consists of (`tops`); None: it is of another kind.

    Such a ground is where the recording was and nowhere else.
    """
    return getattr(ground, "tops", None)


def steps_of(ground: Ground) -> tuple[float, float] | None:
    """Rise and run [m] of a staircase of equal steps; None: the ground is of another kind."""
    rise, run = getattr(ground, "rise", None), getattr(ground, "run", None)
    return None if rise is None or run is None else (float(rise), float(run))


def obstacles_of(ground: Ground) -> Array:
    """Boxes (K, 6) on level ground that feet go over or beside (`obstacles`).

    A row is x, y [m], yaw [rad], half length, half width and height [m].
    """
    return np.array(getattr(ground, "obstacles", ()), float).reshape(-1, 6)


def pieces_of(ground: Ground) -> tuple[Piece, ...]:
    """What a ground is built of (`pieces()`): its heights where it does not say, or its plane."""
    if hasattr(ground, "pieces"):
        return ground.pieces()  # pyright: ignore[reportAttributeAccessIssue]
    plane = plane_of(ground)
    return (Heights(ground.height) if plane is None else plane,)


def drawn_of(ground: Ground, low: Array, high: Array) -> Sequence[Plane | Box] | None:
    """What a picture of the rectangle low..high (2,) [m] shows (`drawn(low, high)`); None: the surface as it is."""
    if hasattr(ground, "drawn"):
        return ground.drawn(low, high)  # pyright: ignore[reportAttributeAccessIssue]
    plane = plane_of(ground)
    return None if plane is None else (plane,)


def parts_of(ground: Ground) -> tuple[Part, ...]:
    """The pieces of a ground that can move."""
    return tuple(p for p in pieces_of(ground) if isinstance(p, Part))


def patches_of(ground: Ground) -> Array:
    """Patches of other friction (K, 5): x, y, half length, half width [m], friction."""
    return np.array([p for p in pieces_of(ground) if isinstance(p, Patch)], float).reshape(-1, 5)


def moves(ground: Ground) -> bool:
    """Can any part of it move, so that its heights at rest do not say where it is?"""
    return bool(parts_of(ground))


def carries(ground: Ground) -> bool:
    """Does it move whoever stands on it, as a platform or a seesaw does and blocks that lie about do not?"""
    return any(p.joint != "free" for p in parts_of(ground))


def scaled(ground: Ground, factor: float) -> Ground:
    """The ground, everything on it `factor` times as large about the origin (`scaled(factor)`)."""
    if hasattr(ground, "scaled"):
        return ground.scaled(factor)  # pyright: ignore[reportAttributeAccessIssue]
    if abs(factor - 1.0) > 1e-9:
        raise BadValue(f"A ground of kind {type(ground).__name__} cannot be scaled; retarget with scale=1.0.")
    return ground


def mirrored(ground: Ground) -> Ground:
    """The ground reflected in the world's plane y = 0 (`mirrored()`)."""
    if hasattr(ground, "mirrored"):
        return ground.mirrored()  # pyright: ignore[reportAttributeAccessIssue]
    raise ClipMismatch(f"A ground of kind {type(ground).__name__} cannot be mirrored.")


def moved(ground: Ground, turn: float, shift: tuple[float, float]) -> Ground:
    """The ground after the world was turned about Z [rad] and shifted [m] (`moved(turn, shift)`); itself otherwise."""
    if turn == 0.0 and shift[0] == 0.0 and shift[1] == 0.0:
        return ground
    return ground.moved(turn, shift) if hasattr(ground, "moved") else ground  # pyright: ignore[reportAttributeAccessIssue]
