"""MomentumTorques: the same plan, applied as joint torques in a full simulator, where balls and platforms are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.momentum.memory import Memory
from poise.methods.momentum.performer import DT, advance
from poise.methods.momentum.settings import Settings
from poise.motion.reference import Reference
from poise.settings import number
from poise.simulate.damped import DampedServo
from poise.simulate.loop import Action
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

STEP = 1 / 960  # [s] of the simulator
_UNLIMITED = 100.0  # [N m] that counts as the strength of a joint without a torque limit


@dataclass(frozen=True)
class MomentumTorques(Settings):
    """Optimal feedback on the abstract model; the torques of each planned step are held until the next one.

    Departures: the document moves the character itself. Here each step is planned from the simulated state, its torques
    come from inverse dynamics, and dampers hold the joints to the planned motion between two plans,

        τ = τ_planned + c (v_planned - v),    c = limit / brake,

    with v that after the step: toes that are told to push before they touch do not slap the ground. What stands is
    left where the ground has it (see `Feet.pinned`), and where a plan stands still the clock goes on (see `clock`).
    Pushes are felt when they have moved the body.
    """

    period: float = number(DT, "time between two decisions", 0.001, 0.1, "s")
    brake: float = number(20.0, "how much faster than planned a joint must turn to be held with all its strength",
                          0.1, 1e6, "rad/s", said="not in the document")  # fmt: skip

    name = "momentum-torques"

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """A fresh memory."""
        memory = Memory(self, character, reference, stage, alone=False)
        limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e9)
        damping = np.where(np.isfinite(character.torque_limit), limit, _UNLIMITED) / self.brake
        limit[:6] = damping[:6] = 0.0
        memory.servos = (damping, limit)
        return memory

    def act(self, state: State, touches: Touches, reference: Reference, memory: Memory) -> Action:
        """Joint torques within the character's limits; where there is no plan, joints are only slowed down."""
        made = advance(self, state, DT, memory, [], self.period)
        nothing = np.zeros(len(state.v))
        if made.status:
            return Action(self._servo(memory, state.time, state.q[None], nothing[None], nothing))
        times = STEP * np.arange(1, max(round(self.period / STEP), 1) + 1)[:, None]
        rate = (made.state.v - state.v) / DT
        way = times * state.v + 0.5 * times**2 * rate
        q = conf.integrate(memory.character.layout, np.repeat(state.q[None], len(times), axis=0), way)
        servo = self._servo(memory, state.time, q, state.v + times * rate, made.torque)
        return Action(servo, traces=dict(memory.traces))

    @staticmethod
    def _servo(memory: Memory, time: float, q: Array, v: Array, torque: Array) -> DampedServo:
        """Dampers around rows of q (R, nq) and v (R, nv), one a step of the simulator, and torques (nv,)."""
        layout, none = memory.character.layout, np.zeros(len(torque))
        damping, limit = memory.servos
        return DampedServo(time, q, v, np.repeat(torque[None], len(q), axis=0), none, none, 0, 1, none, damping, limit,
                           layout.kind, layout.qadr, layout.vadr)  # fmt: skip
