"""The same motion on a slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.motion.edit.path import Turn
from poise.motion.edit.settle import settled
from poise.motion.feet.footprints import Footsteps
from poise.motion.feet.replant import Moves, along_time, opened, replant
from poise.motion.ground import Slope as SlopeGround

_STRAIGHT = 15.0  # [degrees] a loop that turns less in a period is made straight, one that turns more is opened


@dataclass(frozen=True)
class Slope:
    """The motion on a plane that rises by `degrees` along `heading` and is at height 0 at `start`.

    Footprints keep their places on the map and tilt with the plane, the trunk stays upright, the root goes up with
    the ground. A loop stays one: each period leads further up. (Its own turn, if it is small, is straightened first:
    a body that walks in circles meets the slope from another side in each period.)
    """

    degrees: float  # rise, negative: down
    heading: float | None = None  # [degrees] about Z from the x axis; None: the way of the motion, to 5 degrees
    start: float = 0.0  # [m] along the heading from the world's origin

    def __post_init__(self) -> None:
        if not abs(self.degrees) < 60.0:
            raise BadValue(f"A slope must be between -60 and 60 degrees, not {self.degrees}.")

    def apply(self, clip: Clip) -> Clip:
        """The clip on the slope."""
        if clip.cycle is not None and abs(clip.cycle.turn) > 1e-9:
            turn = float(np.degrees(clip.cycle.turn))
            clip = Turn(-turn).apply(clip) if abs(turn) <= _STRAIGHT else opened(clip)
        steps = Footsteps.of(settled(clip))
        ground = SlopeGround(self.degrees, way_of(steps) if self.heading is None else self.heading,
                             self.start)  # fmt: skip
        return replant(steps, along_time(steps, Moves.shifts(np.zeros((len(steps), 2))), ground))


def way_of(steps: Footsteps) -> float:
    """Heading [degrees] into which a clip goes, to the nearest 5."""
    return float(5.0 * np.round(np.degrees(np.arctan2(steps.direction[1], steps.direction[0])) / 5.0)) + 0.0
