"""Longer or shorter strides in the same time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.motion.edit.settle import settled
from poise.motion.feet.footsteps import Footsteps
from poise.motion.feet.replant import Moves, along_time, replant, require_travel


@dataclass(frozen=True)
class Stride:
    """Footprints further apart or closer along the way, the root with them; timing and step width are kept.

    Give either `scale`, or the length of a stride (from one print to the next of the same foot) in metres.
    """

    scale: float | None = None
    metres: float | None = None

    def __post_init__(self) -> None:
        if (self.scale is None) == (self.metres is None):
            raise BadValue("Stride needs either scale or metres, one of them.")
        value = self.scale if self.scale is not None else self.metres
        if value is None or not np.isfinite(value) or value < 0:
            raise BadValue(f"A stride cannot be scaled by or made {value}.")

    def apply(self, clip: Clip) -> Clip:
        """The clip with its new stride."""
        steps = Footsteps.of(settled(clip))
        require_travel(steps, 0.1, "Stride")
        scale = self.scale
        if scale is None:
            now = steps.stride()
            if now < 0.05 or self.metres is None:
                raise BadValue(f"{clip.name or 'This clip'} has no strides to measure: "
                               f"{len(steps.stances)} footprints; give scale instead.")  # fmt: skip
            scale = self.metres / now
        shift = (scale - 1.0) * (steps.path - steps.path[steps.first])
        return replant(steps, along_time(steps, Moves.shifts(shift), clip.ground))
