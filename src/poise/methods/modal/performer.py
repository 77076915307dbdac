"""Modal: the paper's own update. The method solves for the next state of the character itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.methods.modal.assemble import arrive
from poise.methods.modal.mind import DT, Mind
from poise.methods.modal.settings import Settings
from poise.motion.reference import Reference
from poise.simulate.simulator import State, Touches
from poise.stage import Stage
from poise.stage.pushes import pushes_at

_FASTEST = 200.0  # [rad/s] beyond which a body has left what can be computed


@dataclass(frozen=True)
class Modal(Settings):
    """Long-horizon planning in modal space, advanced by the analytic modal update."""

    name = "modal"

    def start(self, character: Character, reference: Reference, stage: Stage) -> Mind:
        """A fresh memory."""
        return Mind(self, character, reference, stage, alone=True)

    def step(self, state: State, reference: Reference, dt: float, memory: Mind) -> tuple[State, Array, Touches]:
        """The state after dt [s], the mean torques (nv,) [N m] and the contacts on the way.

        Departures: the linearised step changes the momentum by what the forces give at the old pose. The root's
        velocity at the new pose takes the small rest, so that Newton's and Euler's laws hold exactly from frame to
        frame.
        """
        if abs(dt - DT) > 1e-9:
            raise BadValue(f"The modal update goes in steps of 1/120 s, not of {dt:.5g} s.")
        pushes = ()
        if any(at - dt < state.time for at in memory.pushes):
            pushes = pushes_at(memory.stage, memory.character, state.q, state.time, dt)
        made = memory.decide(state.time, state.q, state.v, reference, pushes)
        if not np.abs(made.v).max() < _FASTEST:  # NaN too
            return _lost(state, dt)
        q, M = np.empty(len(state.q)), np.empty((len(state.v), len(state.v)))
        v = arrive(memory.rig, memory.watched.views, state.q, made.step, made.v, made.centre, made.wanted, dt, q, M)
        memory.placed = (q, M)
        rows, loads = made.rows, memory.loads
        if loads is not None:
            places, gravity = memory.watched.places()[memory.points.feet :], memory.rig.gravity
            rows = loads.rows(rows, made.places, places, memory.rates(v), gravity, dt)
        return State(state.time + dt, q, v), made.torque, Touches(rows, memory.names)


def _lost(state: State, dt: float) -> tuple[State, Array, Touches]:
    """A state that is none: whoever records ends the performance there."""
    nothing = np.full(len(state.v), np.nan)
    return (
        State(state.time + dt, np.full(len(state.q), np.nan), nothing),
        nothing,
        Touches(np.zeros((0, 18)), ("ground",)),
    )
