"""Who acts on the tour of the stage: a crate, somebody who hangs or stands, servos that hold a pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.character import ContactPoints
from poise.dynamics import Dynamics
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.recording import Source
from poise.motion.reference import Reference
from poise.simulate.loop import Action, run
from poise.simulate.mujoco import MujocoSimulator
from poise.simulate.simulator import State, Touches
from poise.stage import Stage
from poise.stage.world import World
from poise.take import Take


@dataclass(frozen=True, eq=False)
class Servo:
    """Holds a pose with joint servos, implicit in time (Tan, Liu & Turk 2011)."""

    q: Array
    stiffness: float = 500.0  # [N m/rad]
    damping: float = 50.0  # [N m s/rad]
    period: float = 1 / 480  # [s]
    free: Sequence[str] = field(default=())  # bodies whose joints hang loose

    def start(self, character: Character, reference: Reference, stage: Stage) -> tuple[Dynamics, Array]:
        """The equations of motion and which degrees of freedom are held."""
        held = np.ones(character.model.nv)
        held[:6] = 0.0
        for name in self.free:
            held[character.dofs(name)] = 0.0
        return Dynamics(character), held

    def act(
        self, state: State, touches: Touches, reference: Reference, memory: tuple[Dynamics, Array]
    ) -> Array | Action:
        """Torques (nv,) [N m]."""
        dynamics, held = memory
        now, h = dynamics.at(state.q, state.v), self.period
        error = conf.difference(dynamics.character.layout, state.q, self.q) - h * state.v
        pull = held * (self.stiffness * error - self.damping * state.v)
        ahead = np.linalg.solve(now.mass_matrix + np.diag(h * self.damping * held), pull - now.bias)
        return held * (pull - h * self.damping * ahead)


@dataclass(frozen=True)
class Limp:
    """No torques at all."""

    def start(self, character: Character, reference: Reference, stage: Stage) -> None:
        """Nothing is remembered."""

    def act(self, state: State, touches: Touches, reference: Reference, memory: None) -> Array | Action:
        """Zeros (nv,)."""
        return np.zeros(len(state.v))


def crate(size: Sequence[float] = (0.3, 0.3, 0.3), mass: float = 10.0) -> Character:
    """A box as a character of one body, so that its contacts are recorded."""
    x, y, z = (0.5 * s for s in size)
    inertia = mass / 3.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    xml = (
        f'<mujoco model="crate"><compiler angle="radian"/><worldbody><body name="crate"><freejoint name="root"/>'
        f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia[0]} {inertia[1]} {inertia[2]}"/>'
        f'<geom type="box" size="{x} {y} {z}" mass="0" rgba=".3 .5 .7 1"/></body></worldbody></mujoco>'
    )
    corners = np.array([[sx * x, sy * y, -z] for sx in (-1, 1) for sy in (-1, 1)])
    points = ContactPoints(tuple(f"corner_{k}" for k in range(4)), np.ones(4, int), corners)
    return Character("crate", xml, {"pelvis": "crate"}, points, np.zeros(6), np.zeros(6))


def perform(
    character: Character,
    stage: Stage,
    q: Array,
    seconds: float,
    controller: Any = None,
    v: Array | None = None,
    contact: str = "soft",
) -> tuple[World, Take]:
    """Simulate a character on a stage from q."""
    simulator = MujocoSimulator(character, stage, contact=contact)
    simulator.reset(q, v)
    clip = Clip(character, np.asarray(q, float)[None].copy(), 1 / 120, Source("stage tour"), ground=stage.ground)
    take = run(simulator, controller or Limp(), Reference(clip), seconds=seconds, decimation=2, stage=stage)
    return simulator.world, take


def hanging_pose(character: Character, height: float, reach: float = 170.0) -> Array:
    """Arms forwards and up by `reach` degrees, the hands' centres at this height over the origin."""
    q = character.zero_pose()
    turn = rot.from_axis_angle([0.0, 1.0, 0.0], -np.radians(reach))
    for side in ("left", "right"):
        first = int(character.model.joint(f"{side}_upper_arm").qposadr[0])
        q[first : first + 4] = turn
    pos, quat = character.forward(q)
    hand = character.body("left_hand")
    point = pos[0, hand] + rot.rotate(quat[0, hand], character.model.body_ipos[hand])
    q[:3] += np.array([-point[0], 0.0, height - point[2]])
    return q
