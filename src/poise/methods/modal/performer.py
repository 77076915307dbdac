"""Modal: the paper's own update. The method solves for the next state of the character itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.modal.assemble import arrive
from poise.methods.modal.mind import DT, Mind
from poise.methods.modal.settings import Settings
from poise.motion.reference import Reference
from poise.simulate.guard import all_finite
from poise.simulate.simulator import Lost, State, Touches
from poise.stage import Stage
from poise.stage.pushes import pushes_at

FASTEST = 200.0  # [rad/s, m/s] beyond which a body has left what can be computed


@dataclass(frozen=True)
class Modal(Settings):
    """Long-horizon planning in modal space, advanced by the analytic modal update."""

    name = "modal"

    def start(self, character: Character, reference: Reference, stage: Stage) -> Mind:
        """A fresh memory."""
        return Mind(self, character, reference, stage, alone=True)

    def step(self, state: State, reference: Reference, dt: float, memory: Mind) -> tuple[State, Array, Touches] | Lost:
        """The state after dt [s], the mean torques (nv,) [N m] and the contacts on the way; or why there is none.

        Departures: the linearised step changes the momentum by what the forces give at the old pose. The root's
        velocity at the new pose takes the small rest, so that Newton's and Euler's laws hold exactly from frame to
        frame; the trace `root_correction` tells how much that was.
        """
        if abs(dt - DT) > 1e-9:
            raise BadValue(f"The modal update goes in steps of 1/120 s, not of {dt:.5g} s.")
        fresh = memory.placed is None or memory.placed[0] is not state.q  # not the end of the step before
        if fresh and too_fast(state.q, state.v):
            return Lost(why_lost(memory.character, state.v))
        pushes = ()
        if any(at - dt < state.time for at in memory.pushes):
            pushes = pushes_at(memory.stage, memory.character, state.q, state.time, dt)
        made = memory.decide(state.time, state.q, state.v, reference, pushes)
        if too_fast(made.step, made.v):
            return Lost(why_lost(memory.character, made.v, int(memory.traces["torques_cut"]), len(made.rows)))
        q, M, rest = np.empty(len(state.q)), np.empty((len(state.v), len(state.v))), np.empty(6)
        v = arrive(memory.rig, memory.watched.views, state.q, made.step, made.v, made.centre, made.wanted, dt,
                   memory.corrects, q, M, rest)  # fmt: skip
        if too_fast(q, v):
            return Lost(why_lost(memory.character, v, int(memory.traces["torques_cut"]), len(made.rows)))
        memory.placed = (q, M)
        memory.traces["root_correction"] = rest
        rows, loads = made.rows, memory.loads
        if loads is not None:
            places, gravity = memory.watched.places()[memory.points.feet :], memory.rig.gravity
            rows = loads.rows(rows, made.places, places, memory.rates(v), gravity, dt)
        return State(state.time + dt, q, v), made.torque, Touches(rows, memory.names)


@njit(cache=True)
def too_fast(q, v):
    """Is this no state that a step can begin or end with: not finite, or faster than can be computed?"""
    for i in range(len(v)):
        if not abs(v[i]) < FASTEST:  # what is not a number is not below anything
            return True
    return not all_finite(q)


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
