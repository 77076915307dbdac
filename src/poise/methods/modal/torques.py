"""ModalTorques: the same plan, applied as joint torques in a full simulator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.maths.tree import moved_by
from poise.methods.modal.apart import raised
from poise.methods.modal.mind import DT, Mind
from poise.methods.modal.settings import Settings
from poise.motion.reference import Reference
from poise.simulate.loop import Action
from poise.simulate.servo import Servo
from poise.simulate.simulator import State, Touches
from poise.simulate.yielding import blocks, shares
from poise.stage import Stage

STEP = 1 / 960  # [s] of the simulator


@dataclass(frozen=True)
class ModalTorques(Settings):
    """Long-horizon planning in modal space; the torques of each planned step are held until the next one.

    Departures: between two decisions a servo keeps the joints to the planned accelerations. What the plan does not know
    of, a hand that meets a thigh, a joint at its stop, otherwise turns a light link by a radian before it is seen.
    """

    period: float = DT  # [s] between two decisions
    firmness: float = 30.0  # [1/s] at which joints return to the planned motion between two decisions; 0: not at all

    name = "modal-torques"

    def prepare(self, reference: Reference, stage: Stage) -> tuple[Reference, list[str]]:
        """As in the modal update, and feet that clear the ground."""
        reference, notes = super().prepare(reference, stage)
        clip = raised(reference.baked) if self.repair else reference.baked
        if clip is reference.baked:
            return reference, notes
        return Reference(clip, start=reference.start), [*notes, "feet that dragged were raised"]

    def start(self, character: Character, reference: Reference, stage: Stage) -> Mind:
        """A fresh memory."""
        memory = Mind(self, character, reference, stage, alone=False)
        firm = np.full(character.model.nv, self.firmness**2)
        firm[_leg_dofs(character)] = 0.0
        memory.servos = (blocks(character), firm, shares(character, firm, STEP))
        return memory

    def act(self, state: State, touches: Touches, reference: Reference, memory: Mind) -> Action:
        """Joint torques within the character's limits; pushes are felt when they have moved the body."""
        memory.placed = None
        made = memory.decide(state.time, state.q, state.v, reference)
        assert memory.placed is not None
        inertia = memory.placed[1]
        limit = memory.limit[6:] if self.limits else np.full(len(state.v) - 6, 1e9)
        layout = memory.character.layout
        joints, firm, share = memory.servos
        servo = Servo(state.time, state.q, state.v, (made.v - state.v) / DT, made.torque, inertia, firm, share, limit,
                      joints, layout.kind, layout.qadr, layout.vadr)  # fmt: skip
        return Action(servo)


def _leg_dofs(character: Character) -> np.ndarray:
    """Degrees of freedom between root and feet, and of the toes: what the ground pushes must yield."""
    feet = [character.body(f"{side}_{part}") for side in SIDES for part in ("foot", "toes")
            if character.has(f"{side}_{part}")]  # fmt: skip
    moves = moved_by(character.tree)
    return np.flatnonzero(np.any([moves[b] for b in feet], axis=0)) if feet else np.zeros(0, int)
