"""ModalTorques: the same plan, applied as joint torques in a full simulator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.maths.rotations import Array
from poise.methods.modal.mind import DT, Mind
from poise.methods.modal.settings import Settings
from poise.motion.reference import Reference
from poise.simulate.simulator import State, Touches
from poise.stage import Stage


@dataclass(frozen=True)
class ModalTorques(Settings):
    """Long-horizon planning in modal space; the torques of each planned step are held until the next one."""

    period: float = DT  # [s] between two decisions

    name = "modal-torques"

    def start(self, character: Character, reference: Reference, stage: Stage) -> Mind:
        """A fresh memory."""
        return Mind(self, character, reference, stage, alone=False)

    def act(self, state: State, touches: Touches, reference: Reference, memory: Mind) -> Array:
        """Joint torques (nv,) [N m] within the character's limits; pushes are felt when they have moved the body."""
        memory.placed = None
        torque = memory.decide(state.time, state.q, state.v, reference).torque
        if self.limits:
            np.clip(torque, -memory.limit, memory.limit, out=torque)
        return torque
