"""Lying: how a body lies on the ground after it fell, and which way up it is."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.skin import skin
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.performance.falling import Limp
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import Stage

WAYS = ("front", "back", "left", "right")  # the side that is down
_ROLL = {"front": 0.0, "back": np.pi, "left": -0.5 * np.pi, "right": 0.5 * np.pi}  # [rad] about the spine
_ABOVE = 0.05  # [m] from which it is let fall
_BENT = 0.4  # [rad] standard deviation of joints
_TURNED = 0.3  # [rad] of the whole body
_SECONDS = 1.5  # [s] after which it lies
_STEP = 1 / 480  # [s]


def lying(character: Character, way: str, seed: int = 0, stage: Stage | None = None) -> Array:
    """A pose (nq,) in which a limp body lies on the ground: on its front, back, left or right, somehow bent.

    It is let fall from just above the ground with joints bent at random, and is limp until it rests.
    """
    if way not in WAYS:
        raise BadValue(f"A body lies on its {', '.join(WAYS[:-1])} or {WAYS[-1]}, not on its {way}.")
    rng = np.random.default_rng((seed, WAYS.index(way)))
    off = np.zeros(character.layout.nv)
    off[3:6] = _TURNED * rng.standard_normal(3) * [1.0, 1.0, 0.3]
    off[6:] = _BENT * rng.standard_normal(len(off) - 6)
    q = character.standing_pose()
    q[3:7] = rot.multiply(rot.about_z(rng.uniform(-np.pi, np.pi)), prone(_ROLL[way]))
    q = within(character, conf.integrate(character.layout, q, off))
    q[2] += _ABOVE - lowest(character, q[None])[0]
    simulator = MujocoSimulator(character, stage, _STEP)
    simulator.reset(q, np.zeros(len(off)), check=False)
    limp, clip = Limp(), Reference(Clip(character, q[None], 1 / 120))
    memory = limp.start(character, clip, stage or Stage())
    for _ in range(round(_SECONDS / _STEP)):
        simulator.step(limp.act(simulator.state(), simulator.touches(), clip, memory))
    return simulator.state().q.copy()


def prone(roll: float) -> Array:
    """The orientation (4,) of a pelvis whose head points along X: on its front, or rolled about the spine [rad]."""
    return rot.multiply(rot.from_axis_angle(np.array([1.0, 0.0, 0.0]), roll),
                        rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.5 * np.pi))  # fmt: skip


def attitude(q: Array) -> tuple[float, float]:
    """How a body (nq,) lies [rad]: where its head points about the vertical, and the roll about its spine, 0 prone."""
    spine, ahead = rot.rotate(q[3:7], np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))
    yaw = float(np.arctan2(spine[1], spine[0]))
    side = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    return yaw, float(np.arctan2(ahead @ side, -ahead[2]))


def lowest(character: Character, q: Array, without: np.ndarray | None = None) -> Array:
    """Height (N,) [m] of the lowest place of the skin, but for that of the bodies `without`."""
    balls = skin(character, without)
    return (balls.centres(character, q)[..., 2] - balls.radius).min(axis=1)


def within(character: Character, q: Array) -> Array:
    """The configuration (nq,) with all joints within their ranges."""
    model, out = character.model, q.copy()
    for j in range(model.njnt):
        a, (low, high) = int(model.jnt_qposadr[j]), model.jnt_range[j]
        if not model.jnt_limited[j]:
            continue
        if model.jnt_type[j] == conf.BALL:
            turn = rot.log(out[a : a + 4])
            size = float(np.linalg.norm(turn))
            out[a : a + 4] = rot.exp(turn * min(1.0, 0.9 * high / max(size, 1e-9)))
        else:
            out[a] = np.clip(out[a], low, high)
    return out
