"""MomentumTorques: the same plan, applied as joint torques in a full simulator, where balls and platforms are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.methods.momentum.memory import Memory
from poise.methods.momentum.performer import DT, advance
from poise.methods.momentum.settings import Settings
from poise.motion.reference import Reference
from poise.settings import number
from poise.simulate.loop import Action
from poise.simulate.servo import Servo
from poise.simulate.servo_gain import blocks, shares
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

STEP = 1 / 960  # [s] of the simulator
_LOOSE = 20.0  # [1/s] at which joints are slowed down where there is no plan


@dataclass(frozen=True)
class MomentumTorques(Settings):
    """Optimal feedback on the abstract model; the torques of each planned step are held until the next one.

    Departures: the document moves the character itself. Here each step is planned from the simulated state, its torques
    come from inverse dynamics, and a servo keeps the joints to the planned motion between two plans. Pushes are felt
    when they have moved the body.
    """

    period: float = number(DT, "time between two decisions", 0.001, 0.1, "s")
    firmness: float = number(60.0, "rate at which joints return to the planned motion between two decisions", 0, 1e3,
                             "1/s", said="not in the document")  # fmt: skip

    name = "momentum-torques"

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """A fresh memory."""
        memory = Memory(self, character, reference, stage, alone=False)
        firm = np.full(character.model.nv, self.firmness**2)
        loose = np.full(character.model.nv, _LOOSE**2)
        memory.servos = (blocks(character), firm, loose, shares(character, np.maximum(firm, loose), STEP))
        return memory

    def act(self, state: State, touches: Touches, reference: Reference, memory: Memory) -> Action:
        """Joint torques within the character's limits."""
        joints, firm, loose, share = memory.servos
        layout, character = memory.character.layout, memory.character
        limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e9)[6:]
        rest = (share, limit, joints, layout.kind, layout.qadr, layout.vadr)
        made = advance(self, state, DT, memory, [])
        inertia = memory.compiled.at(state.q, state.v).mass_matrix.copy()
        if made.status:
            nothing = np.zeros(len(state.v))
            return Action(Servo(state.time, state.q, nothing, nothing, nothing, inertia, loose, *rest))
        after, torque = made.state, made.torque
        rate = (after.v - state.v) / DT
        servo = Servo(state.time, state.q, state.v, rate, torque, inertia, firm, *rest)
        return Action(servo, traces=dict(memory.traces))
