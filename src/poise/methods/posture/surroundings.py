"""What stands about and what moves the ground: sections 3.6.2 (platform) and 3.6.4 (obstacles)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics import Wrench
from poise.dynamics.compiled import Compiled
from poise.ground.ground import parts_of
from poise.maths.rotations import Array
from poise.methods.posture.settings import Settings
from poise.simulate.simulator import State, Touches, no_touches
from poise.stage import PlatformMotion, Stage


class Near(NamedTuple):
    """What is close to the body or touches it."""

    wrenches: tuple[Wrench, ...]  # of what is hit
    touches: Touches



class Surroundings:
    """A stage as the method sees it."""

    def __init__(self, character: Character, stage: Stage, settings: Settings):
        own = [p.motion for p in parts_of(stage.ground) if p.motion is not None]
        self.props: Mapping[str, Array] = {}
        self.motions = [*own, *(e for e in stage.events if isinstance(e, PlatformMotion))]

    def carried(self, time: float) -> Array:
        """How far (3,) [m] the ground has moved at a time [s]."""
        out = np.zeros(3)
        for motion in self.motions:
            out += np.asarray(motion(time), float)
        return out

    def near(self, state: State, compiled: Compiled) -> Near:
        """What is close to the body."""
        return Near((), no_touches())

    def rows(self, compiled: Compiled, near: Near, upper: np.ndarray, root: Array, h: float
             ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Rows (R, n), goals and prices (R,) of the additional objectives."""
        return np.zeros((0, len(upper))), np.zeros(0), np.zeros(0)
