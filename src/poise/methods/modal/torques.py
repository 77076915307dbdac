"""ModalTorques: the same plan, applied as joint torques in a full simulator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.maths.tree import moved_by
from poise.methods.modal.memory import DT, Memory
from poise.methods.modal.settings import Settings
from poise.motion.reference import Reference
from poise.settings import number
from poise.simulate import packing
from poise.simulate.guard import all_finite
from poise.simulate.loop import Action
from poise.simulate.servo import Servo
from poise.simulate.servo_gain import blocks, shares
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

STEP = 1 / 960  # [s] of the simulator
# [rad/s] beyond which no plan is made and joints are only slowed down, and [1/s] at which that happens: a body that has
# met something unknown flails, and torques that are planned for it make that worse
_FASTEST, _LOOSE = 60.0, 20.0


@dataclass(frozen=True)
class ModalTorques(Settings):
    """Long-horizon planning in modal space; the torques of each planned step are held until the next one.

    Departures: between two decisions a servo keeps the joints to the planned accelerations. What the plan does not know
    of, a hand that meets a thigh, a joint at its stop, otherwise turns a light link by a radian before it is seen.
    """

    period: float = number(DT, "time between two decisions", 0.001, 0.1, "s")
    firmness: float = number(30.0, "rate at which trunk and arms return to the planned motion between two decisions; "
                             "0: not at all", 0, 1e3, "1/s", printed=0.0, said="not in the paper")  # fmt: skip

    name = "modal-torques"
    meets = True

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """A fresh memory."""
        return self._with_servos(Memory(self, character, reference, stage, alone=False))

    def pack(self, memory: Memory, reference: Reference) -> packing.Packed:
        """All that the future depends on."""
        return packing.pack(memory, reference)

    def unpack(self, memory: Memory, packed: packing.Packed, reference: Reference) -> None:
        """Put what `pack` gave into a fresh memory."""
        memory.restore(packed, reference)

    def follow(self, memory: Memory, reference: Reference) -> Memory:
        """The memory for another reference: a fresh one where it walks, or holds still, as the one before did not."""
        other = memory.followed(reference)
        return memory if other is memory else self._with_servos(other)

    def _with_servos(self, memory: Memory) -> Memory:
        character = memory.character
        loose = np.full(character.model.nv, _LOOSE**2)
        firm = np.full(character.model.nv, self.firmness**2)
        firm[_leg_dofs(character)] = 0.0
        memory.servos = (blocks(character), firm, loose, shares(character, np.maximum(firm, loose), STEP))
        return memory

    def act(self, state: State, touches: Touches, reference: Reference, memory: Memory) -> Action:
        """Joint torques within the character's limits; pushes are felt when they have moved the body."""
        memory.placed, nothing = None, np.zeros(len(state.v))
        joints, firm, loose, share = memory.servos
        layout = memory.character.layout
        limit = memory.limit[6:] if self.has("limits") else np.full(len(state.v) - 6, 1e9)
        rest = (share, limit, joints, layout.kind, layout.qadr, layout.vadr)
        made = None
        if np.abs(state.v[6:]).max() <= _FASTEST:
            made = memory.decide(state.time, state.q, state.v, reference)
        if made is None or not (all_finite(made.v) and all_finite(made.torque)):
            memory.forget()
            return Action(
                Servo(state.time, state.q, nothing, nothing, nothing, memory.watched.place(state.q), loose, *rest)
            )
        assert memory.placed is not None
        inertia = memory.placed[1]
        return Action(Servo(state.time, state.q, state.v, (made.v - state.v) / DT, made.torque, inertia, firm, *rest))


def _leg_dofs(character: Character) -> np.ndarray:
    """Degrees of freedom between root and feet, and of the toes: what the ground pushes must yield."""
    feet = [character.body(f"{side}_{part}") for side in SIDES for part in ("foot", "toes")
            if character.has(f"{side}_{part}")]  # fmt: skip
    moves = moved_by(character.tree)
    return np.flatnonzero(np.any([moves[b] for b in feet], axis=0)) if feet else np.zeros(0, int)
