"""pd: joint servos alone, what a game's powered ragdoll does. It has no balance and falls: the problem of this project.

The servos are implicit in time (Tan, Liu & Turk 2011, "Stable proportional-derivative controllers"): the torque is that
of the state one control step ahead, so that stiff servos stay stable at any step size.

Departures: a point that touches the ground counts as held when the state ahead is predicted; without that the ankles of
a standing body act as if the feet were in the air and give next to no torque.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from poise.character import Character
from poise.dynamics import Dynamics
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.motion.reference import Reference
from poise.settings import check, number
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

_KICK = 20.0  # [rad/s] by which a servo may spin up a free limb in one period: a foot may lift off at any moment
_HELD = 1000.0  # [kg] by which a touching point resists being moved: a standing foot is not taken for a free one


@dataclass(frozen=True, eq=False)
class Servos:
    """Memory of the method: gains of each degree of freedom and the equations of motion."""

    dynamics: Dynamics
    stiffness: Array  # (nv,) [N m/rad], zero on the root
    damping: Array  # (nv,) [N m s/rad]


@dataclass(frozen=True)
class PD:
    """Every joint is pulled to its reference angle as by a spring and a damper; nothing acts on the root."""

    full: float = number(0.2, "error at which a servo gives all the torque its joint can bear", 0.001, 10, "rad")
    lag: float = number(0.08, "damping over stiffness", 0.0001, 10, "s")
    period: float = number(1 / 960, "time between two decisions", 0.001, 0.1, "s")

    name = "pd"

    def __post_init__(self) -> None:
        check(self, self.name)

    def start(self, character: Character, reference: Reference, stage: Stage) -> Servos:
        """Gains in proportion to the strength of each joint."""
        stiffness = np.where(np.isfinite(character.torque_limit), character.torque_limit, 0.0) / self.full
        stiffness[:6] = 0.0
        return Servos(Dynamics(character), stiffness, self.lag * stiffness)

    def act(self, state: State, touches: Touches, reference: Reference, memory: Servos) -> Array:
        """Joint torques (nv,) [N m] within the character's limits."""
        character, h = memory.dynamics.character, self.period
        wanted = reference.sample(state.time + h)
        x = memory.dynamics.at(state.q, state.v)
        error = conf.difference(character.layout, state.q, wanted.q) - h * state.v
        pull = memory.stiffness * error + memory.damping * (wanted.v - state.v)
        inertia = x.mass_matrix + np.diag(h * memory.damping)
        for body, point in zip(touches.body, touches.point, strict=True):
            jacobian = x.jacobian(int(body), point)
            inertia += _HELD * jacobian.T @ jacobian
        ahead = _solved(inertia, pull - x.bias)
        torque = pull - h * memory.damping * ahead
        torque[:6] = 0.0
        most = np.minimum(character.torque_limit, np.diag(x.mass_matrix) * _KICK / h)
        return np.clip(torque, -most, most)


def _solved(inertia: Array, force: Array) -> Array:
    """Accelerations (nv,); of parts so far apart that rounding makes the matrix singular, the smallest ones."""
    try:
        return cho_solve(cho_factor(inertia), force)
    except np.linalg.LinAlgError:
        scale = np.sqrt(np.maximum(np.diag(inertia), np.finfo(float).tiny))
        return np.linalg.lstsq(inertia / scale / scale[:, None], force / scale)[0] / scale
