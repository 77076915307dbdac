"""kinematic: the clip as it is, without physics. What every method is compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.methods.contract import Around, Stepped
from poise.motion.reference import Reference
from poise.simulate.simulator import State, no_touches
from poise.stage import Stage


@dataclass(frozen=True)
class Kinematic:
    """Plays the reference: no forces, no torques, no reaction to anything."""

    name = "kinematic"

    def start(self, character: Character, reference: Reference, stage: Stage) -> None:
        """Nothing is remembered."""

    def step(self, state: State, reference: Reference, around: Around, dt: float, memory: None) -> Stepped:
        """The reference a time dt later."""
        sample = reference.sample(state.time + dt)
        return Stepped(State(state.time + dt, sample.q, sample.v), np.zeros(len(sample.v)), no_touches())

    def surround(self, memory: None, reference: Reference, stage: Stage) -> None:
        """It knows nothing of the stage."""
