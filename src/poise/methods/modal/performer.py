"""Modal: the paper's own update. The method solves for the next state of the character itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.modal.linearise import impulse, momentum_about_origin, with_momentum
from poise.methods.modal.mind import DT, Decision, Mind
from poise.methods.modal.settings import Settings
from poise.methods.modal.touch import RETURN
from poise.motion.reference import Reference
from poise.simulate.simulator import State, Touches
from poise.stage import Stage
from poise.stage.pushes import pushes_at

_NAMES = ("ground",)
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
        pushes = pushes_at(memory.stage, memory.character, state.q, state.time, dt)
        try:
            made = memory.decide(state.time, state.q, state.v, reference, pushes)
        except (np.linalg.LinAlgError, ZeroDivisionError):
            return _lost(state, dt)
        if not np.abs(made.outcome.v).max() < _FASTEST:
            return _lost(state, dt)
        q = conf.integrate(memory.character.layout, state.q, made.outcome.step)
        after = memory.watched.pose(q, made.outcome.v)
        force = np.einsum("pij,pi->pj", made.contact.frames[0], made.outcome.force)
        gravity = memory.character.mass * memory.character.model.opt.gravity
        wanted = momentum_about_origin(made.pose, state.v)
        impulse(made.places, force, dt, wanted)
        impulse(0.5 * (made.pose.centre + after.centre)[None], gravity[None], dt, wanted)
        for w in pushes:
            impulse(w.point[None], w.force[None], dt, wanted)
        v = with_momentum(after, made.outcome.v, wanted)
        memory.pose = after
        return State(state.time + dt, q, v), made.outcome.torque, _touches(made, force, dt)


def _lost(state: State, dt: float) -> tuple[State, Array, Touches]:
    """A state that is none: whoever records ends the performance there."""
    nothing = np.full(len(state.v), np.nan)
    return (
        State(
            state.time + dt,
            np.full(len(state.q), np.nan),
            nothing,
        ),
        nothing,
        Touches(np.zeros((0, 18)), _NAMES),
    )


def _touches(made: Decision, force: Array, dt: float) -> Touches:
    """The rows of the contacts that pressed."""
    chosen = np.flatnonzero((np.abs(made.outcome.force) > 1e-9).any(axis=1))
    rows, frames, friction = np.zeros((len(chosen), 18)), made.contact.frames[0][chosen], made.contact.friction[chosen]
    grips = friction < 0.0
    rows[:, 0] = made.bodies[chosen]
    rows[:, 2:5] = made.places[chosen]
    rows[:, 5:8] = frames[:, 0]
    rows[:, 8:11] = force[chosen]
    rows[:, 14] = np.where(grips, 0.0, friction)
    rows[:, 15] = np.maximum(-made.contact.gap[chosen, 0] / RETURN, 0.0)
    moved = made.contact.jacobian[chosen] @ made.outcome.step
    rows[:, 16] = np.hypot(moved[:, 1], moved[:, 2]) / dt
    rows[:, 17] = grips
    if grips.any():
        rows[grips, 5:8] = rows[grips, 8:11] / np.linalg.norm(rows[grips, 8:11], axis=1, keepdims=True)
        rows[grips, 15:17] = 0.0
    return Touches(rows, _NAMES)
