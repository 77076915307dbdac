"""Boxes that lie about on a level floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.checks import number, vector
from poise.errors import BadValue
from poise.ground.ground import upward
from poise.ground.pieces import WOOD, Box, Part, Piece, Plane
from poise.maths.rotations import Array


@dataclass(frozen=True)
class Blocks:
    """Boxes on a level floor, each (x, y, yaw [degrees], length, width, height [m], mass [kg] or None: fixed)."""

    blocks: Sequence[Sequence[Any]]

    def __post_init__(self) -> None:
        rows = []
        for k, row in enumerate(self.blocks):
            if len(row) != 7:
                raise BadValue(f"Block {k} needs (x, y, yaw, length, width, height, mass or None), not {tuple(row)}.")
            vector(f"The place of block {k}", row[:3], "m and degrees")
            vector(f"The size of block {k}", row[3:6], "m", above=0.0)
            if row[6] is not None:
                number(f"The mass of block {k}", row[6], "kg", above=0.0)
            rows.append(tuple(None if x is None else float(x) for x in row))
        object.__setattr__(self, "blocks", tuple(rows))

    @property
    def obstacles(self) -> list[tuple[float, ...]]:
        """Rows of x, y [m], yaw [rad], half length, half width and height [m]."""
        return [(x, y, np.radians(yaw), 0.5 * long, 0.5 * wide, tall) for x, y, yaw, long, wide, tall, _ in self.blocks]

    def height(self, x: Array, y: Array) -> Array:
        top = np.zeros(np.shape(x))
        for bx, by, yaw, long, wide, tall, _ in self.blocks:
            c, s = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
            along = c * (np.asarray(x) - bx) + s * (np.asarray(y) - by)
            across = -s * (np.asarray(x) - bx) + c * (np.asarray(y) - by)
            on = (np.abs(along) <= 0.5 * long) & (np.abs(across) <= 0.5 * wide)
            top = np.where(on, np.maximum(top, tall), top)
        return top

    def normal(self, x: Array, y: Array) -> Array:
        return upward(x)

    def pieces(self) -> tuple[Piece, ...]:
        """The floor, and boxes that are fixed or free."""
        made: list[Piece] = [Plane(0.0)]
        for k, (x, y, yaw, long, wide, tall, mass) in enumerate(self.blocks):
            place, turn, half = (x, y, 0.5 * tall), float(np.radians(yaw)), 0.5 * np.array([long, wide, tall])
            if mass is None:
                made.append(Box(place, half, turn, WOOD))
            else:
                made.append(Part(f"block_{k}", Box((0.0, 0.0, 0.0), half, colour=WOOD), mass, "free", place, turn))
        return tuple(made)
