"""Places of other friction on a ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from poise.checks import number, vector
from poise.ground.flat import Flat
from poise.ground.ground import Ground, pieces_of
from poise.ground.pieces import Patch, Piece
from poise.maths.rotations import Array


@dataclass(frozen=True)
class Patches:
    """Rectangles of other friction on a ground, each (x, y, length, width [m], friction); later ones win."""

    patches: Sequence[Sequence[float]]
    base: Ground = field(default_factory=Flat)

    def __post_init__(self) -> None:
        for k, row in enumerate(self.patches):
            vector(f"Patch {k} (x, y, length, width, friction)", row, "m", 5)
            vector(f"The size of patch {k}", row[2:4], "m", 2, above=0.0)
            number(f"The friction of patch {k}", row[4], "", above=0.0, most=10.0)
        object.__setattr__(self, "patches", tuple(tuple(float(x) for x in row) for row in self.patches))

    def height(self, x: Array, y: Array) -> Array:
        return self.base.height(x, y)

    def normal(self, x: Array, y: Array) -> Array:
        return self.base.normal(x, y)

    def pieces(self) -> tuple[Piece, ...]:
        """Those of the ground below, and the patches."""
        rows = [Patch(x, y, 0.5 * long, 0.5 * wide, friction) for x, y, long, wide, friction in self.patches]
        return (*pieces_of(self.base), *rows)
