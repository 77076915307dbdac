"""Modal: the paper's own update. The method solves for the next state of the character itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.contract import Around, Stepped
from poise.methods.modal.assemble import arrive
from poise.methods.modal.memory import DT, Decision, Memory
from poise.methods.modal.settings import Settings
from poise.motion.reference import Reference
from poise.simulate import packing
from poise.simulate.guard import all_finite
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

FASTEST = 200.0  # [rad/s, m/s] beyond which a body has left what can be computed


@dataclass(frozen=True)
class Modal(Settings):
    """Long-horizon planning in modal space, advanced by the analytic modal update."""

    name = "modal"
    meets = True

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """A fresh memory."""
        return Memory(self, character, reference, stage, alone=True)

    def step(self, state: State, reference: Reference, around: Around, dt: float, memory: Memory) -> Stepped:
        """The state after dt [s], the mean torques (nv,) [N m] and the contacts on the way; or why there is none.

        Departures: the linearised step changes the momentum by what the forces give at the old pose. The root's
        velocity at the new pose takes the small rest, so that Newton's and Euler's laws hold exactly from frame to
        frame; the trace `root_correction` tells how much that was.
        """
        if abs(dt - DT) > 1e-9:
            raise BadValue(f"The modal update goes in steps of 1/120 s, not of {dt:.5g} s.")
        if not memory.holds(state.q) and too_fast(state.q, state.v):  # where it is not the end of the step before
            return Stepped.lost(state, why_lost(memory.character, state.v))
        memory.notice(around.stage)
        made = memory.decide(state.time, state.q, state.v, reference, around.pushes)
        if too_fast(made.step, made.v):
            return Stepped.lost(state, _why(memory, made, made.v))
        q, M, rest = np.empty(len(state.q)), np.empty((len(state.v), len(state.v))), np.empty(6)
        v = arrive(memory.rig, memory.watched.views, state.q, made.step, made.v, made.centre, made.wanted, dt,
                   memory.corrects, q, M, rest)  # fmt: skip
        if too_fast(q, v):
            return Stepped.lost(state, _why(memory, made, v))
        memory.placed = (q, M)
        memory.traces["root_correction"] = rest
        rows, loads = made.rows, memory.loads
        if loads is not None:
            places, gravity = memory.watched.places()[memory.points.feet :], memory.rig.gravity
            rows = loads.rows(rows, made.places, places, memory.rates(v), gravity, dt)
        return Stepped(State(state.time + dt, q, v), made.torque, Touches(rows, memory.names), memory.props,
                       memory.traces)  # fmt: skip

    def pack(self, memory: Memory, reference: Reference) -> packing.Packed:
        """All that the future depends on."""
        return packing.pack(memory, reference)

    def unpack(self, memory: Memory, packed: packing.Packed, reference: Reference) -> None:
        """Put what `pack` gave into a fresh memory."""
        memory.restore(packed, reference)

    def follow(self, memory: Memory, reference: Reference) -> Memory:
        """The memory for another reference: a fresh one where it walks, or holds still, as the one before did not."""
        return memory.followed(reference)


@njit(cache=True)
def too_fast(q, v):
    """Is this no state that a step can begin or end with: not finite, or faster than can be computed?"""
    for i in range(len(v)):
        if not abs(v[i]) < FASTEST:  # what is not a number is not below anything
            return True
    return not all_finite(q)


def _why(memory: Memory, made: Decision, v: Array) -> str:
    """Why a decided step that ends with the velocity v (nv,) is none."""
    return why_lost(memory.character, v, int(memory.traces["torques_cut"]), len(made.rows))


def why_lost(character: Character, v: Array, cut: int = 0, touching: int = -1) -> str:
    """One clause on a velocity v (nv,) at which nothing can go on.

    cut: how many joints were at their torque limits; touching: how many points touched, -1 where it has only begun.
    """
    if touching < 0 and np.isfinite(v).all():
        how = f"it begins at {_speed(v, int(np.argmax(np.abs(v))))}"
    else:
        worst = int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf)))
        body = character.body_names[int(character.model.dof_bodyid[worst])]
        verb = "move" if worst < 3 else "turn"
        if not np.isfinite(v[worst]):
            return f"the next speed of its {body.replace('_', ' ')} is not a number"
        how = f"its {body.replace('_', ' ')} would {verb} at {_speed(v, worst)}"
        if cut:
            how += f", with {cut} joint{'s' if cut > 1 else ''} at the torque limit"
        if touching == 0:
            how += ", in the air"
    return f"{how}: too fast for the next frame to be computed"


def _speed(v: Array, dof: int) -> str:
    """The speed of one degree of freedom: of the root's place in m/s, of all else in degrees/s."""
    return f"{abs(v[dof]):.0f} m/s" if dof < 3 else f"{np.degrees(abs(v[dof])):.0f} degrees/s"
