"""Upright: a link that shall stay upright in the world, for every method that can keep one so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.settings import ABSENT, check, number, numbers, text


@dataclass(frozen=True)
class Upright:
    """A link whose axis stays vertical in the world while it may turn about it: a hand that holds a cup.

    An internal servo at the link's own joint, in global coordinates.
    """

    body: str = text(ABSENT, "role or name")
    axis: Sequence[float] = numbers((1.0, 0.0, 0.0), "in the link's frame; x of a hand is its thumb's side", -1e6, 1e6)
    stiffness: float = number(400.0, "for 72 kg", 0, 1e5, "N m/rad")
    damping: float = number(20.0, "for 72 kg", 0, 1e4, "N m s/rad")

    def __post_init__(self) -> None:
        check(self, "an upright link")
        size = float(np.linalg.norm(self.axis))
        if not size > 1e-6:
            raise BadValue(f"The axis of an upright link must not be zero, as {tuple(self.axis)} is.")
        object.__setattr__(self, "axis", tuple(float(x) / size for x in self.axis))
