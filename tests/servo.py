"""A stable servo that holds a pose, for tests of the simulator."""

from __future__ import annotations

import numpy as np

from poise.dynamics import Dynamics
from poise.maths import configuration as conf


class Servo:
    """Implicit proportional-derivative torques towards one pose (Tan, Liu & Turk 2011); keeps no memory."""

    def __init__(self, character, q, dt, kp=None, ratio=0.1):
        self.character, self.q, self.dt = character, np.asarray(q, float), dt
        self.kp = np.where(character.stiffness > 0, 500.0, 0.0) if kp is None else kp
        self.kd = ratio * self.kp
        self.dynamics = Dynamics(character)

    def start(self, character, reference, stage):
        return None

    def act(self, state, touches=None, reference=None, memory=None):
        now = self.dynamics.at(state.q, state.v)
        error = conf.difference(self.character.layout, state.q, self.q) - self.dt * state.v
        drive = self.kp * error - self.kd * state.v
        mass = now.mass_matrix + self.dt * np.diag(self.kd)
        a = np.linalg.solve(mass, drive - now.bias)
        torque = drive - self.dt * self.kd * a
        torque[:6] = 0.0
        return torque
