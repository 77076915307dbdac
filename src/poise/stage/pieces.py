"""Pieces: the convex shapes that a rigid thing is made of, and what they weigh together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from poise.checks import vector
from poise.errors import UnknownName
from poise.maths import meshes
from poise.maths.rotations import Array, from_euler, to_matrix

SIZES = {"box": 3, "cylinder": 2, "sphere": 1, "capsule": 2}
"""Kinds of pieces, and how many sizes each has: box half lengths; cylinder and capsule radius, half length; sphere
radius.
"""
Hull = tuple[Array, np.ndarray]
"""Vertices (V, 3) [m] and outward faces (F, 3) of a convex mesh."""


@dataclass(frozen=True)
class Piece:
    """A box, cylinder, sphere or capsule in its place; cylinders and capsules lie along their own z."""

    kind: str
    size: tuple[float, ...]  # [m] as `SIZES` says
    place: Sequence[float] = (0.0, 0.0, 0.0)  # [m]
    turn: Sequence[float] = (0.0, 0.0, 0.0)  # [degrees] about x, then the new y, then the new z

    def __post_init__(self) -> None:
        if self.kind not in SIZES:
            raise UnknownName("kind of piece", self.kind, (*SIZES, "mesh"))
        size = vector(f"The size of a {self.kind}", self.size, "m", SIZES[self.kind], above=0.0)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "place", vector(f"The place of a {self.kind}", self.place, "m"))
        object.__setattr__(self, "turn", vector(f"The turn of a {self.kind}", self.turn, "degrees"))

    @property
    def matrix(self) -> Array:
        """Its axes in the thing's (3, 3)."""
        return to_matrix(from_euler("xyz", np.radians(self.turn)))

    def moments(self) -> tuple[float, Array]:
        """Volume [m³] and inertia (3,) [m⁵] about its own axes, of density one."""
        s = self.size
        if self.kind == "box":
            v = 8 * s[0] * s[1] * s[2]
            a, b, c = (2 * x for x in s)
            return v, v / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        if self.kind == "sphere":
            v = 4 / 3 * np.pi * s[0] ** 3
            return v, np.full(3, 0.4 * v * s[0] ** 2)
        r, h = s
        tube = 2 * np.pi * r * r * h
        across, along = tube * (r * r / 4 + h * h / 3), tube * r * r / 2
        if self.kind == "cylinder":
            return tube, np.array([across, across, along])
        ball = 4 / 3 * np.pi * r**3
        across += ball * (0.4 * r * r + h * h + 0.75 * h * r)
        return tube + ball, np.array([across, across, along + 0.4 * ball * r * r])


def weighed(pieces: Iterable[Piece], hulls: Iterable[Hull], mass: float) -> tuple[Array, Array]:
    """Centre of mass (3,) [m] and inertia (3, 3) [kg m²] about it, of pieces of one density throughout."""
    parts = []
    for piece in pieces:
        v, own = piece.moments()
        parts.append((v, np.asarray(piece.place, float), piece.matrix @ np.diag(own) @ piece.matrix.T))
    parts += [meshes.moments(*hull) for hull in hulls]
    total = sum(v for v, _, _ in parts)
    centre = sum((v * c for v, c, _ in parts), np.zeros(3)) / total
    inertia = np.zeros((3, 3))
    for v, c, own in parts:
        d = c - centre
        inertia += own + v * (d @ d * np.eye(3) - np.outer(d, d))
    return centre, inertia * mass / total
