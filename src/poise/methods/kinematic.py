"""kinematic: the clip as it is, without physics. What every method is compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.maths.rotations import Array
from poise.motion.reference import Reference
from poise.simulate.simulator import State, Touches, no_touches
from poise.stage import Stage


@dataclass(frozen=True)
class Kinematic:
    """Plays the reference: no forces, no torques, no reaction to anything."""

    name = "kinematic"

    def start(self, character: Character, reference: Reference, stage: Stage) -> None:
        """Nothing is remembered."""

    def step(self, state: State, reference: Reference, dt: float, memory: None) -> tuple[State, Array, Touches]:
        """The reference a time dt later."""
        sample = reference.sample(state.time + dt)
        return State(state.time + dt, sample.q, sample.v), np.zeros(len(sample.v)), no_touches()
