"""Feet that do not stand: where they should be, and where they will land.

Departures: the paper tracks the joints of a swinging leg and lets its foot land where that leads. Here the foot is
tracked in space, its coming foothold is moved by the capture point (`feet.capture_point`), it leaves from where it
really stood, passes beside the other leg and goes down where it is late.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from poise.dynamics.compiled import jacobian, motion, no_motion
from poise.kernels import njit
from poise.maths.configuration import quat_difference
from poise.maths.rotations import Array
from poise.methods.mcsim import contacts, obstacles, terrain
from poise.methods.mcsim.legs import quaternion, within_reach
from poise.methods.mcsim.memory import Memory
from poise.motion.feet.capture_point import divergent

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim
    from poise.methods.mcsim.planner import Scene

_PASSING, _ASIDE = 0.35, 0.12  # [m] along and across the heading within which feet get in each other's way
_CROSSING = 0.3  # [m] along the heading between feet of which one crosses
_REACHED = 0.8  # share of the swing after which the foot is over its foothold
_LEAVING = 0.25  # share of the swing over which a foot that left goes aside
_DEEPEST = 0.15  # [s] for which a foot that should stand is pressed further down
_QUICKEST = 0.2  # [s] of a swing


@njit(cache=True)
def rows(now, goal, a, foot, side, aim, numbers):
    """The Jacobian (6, nv) of a foot and the accelerations (6,) that lead it to its place and orientation.

    J q̈ = r (J_r a + J_r' q̇_r) + gain (x_w - x) + damping (r J_r q̇_r + speed - J q̇) - J' q̇

    with x_w and speed of the `Aim`, and r the rate of the reference: while it waits, its velocity and acceleration are
    not to be followed. The orientation is that of the reference, turned with the ground. `now` and `goal` are the
    `Terms` of the character and of the reference, whose accelerations are a (nv,).
    """
    nv, gain, damping, pace = now.v.shape[0], numbers.swing_gain, numbers.swing_damping, aim.rate
    there, here = no_motion(), no_motion()
    matrix, wish = np.empty((6, nv)), np.empty(6)
    linear, angular = matrix[:3], matrix[3:]
    jacobian(goal, foot, goal.positions[foot], linear, angular)
    motion(goal, foot, goal.positions[foot], there)
    to_place, to_turn = pace * (linear @ a + there.bias), pace * (angular @ a + there.spin_bias)
    jacobian(now, foot, now.positions[foot], linear, angular)
    motion(now, foot, now.positions[foot], here)
    turn, lean = terrain.tilted(aim.tilt, goal.rotations[foot]), np.empty(3)
    quat_difference(quaternion(now.rotations[foot]), quaternion(turn), lean)  # in the foot's own axes
    lean = now.rotations[foot] @ lean
    for i in range(3):
        off = aim.place[side, i] - now.positions[foot, i]
        slow = pace * there.velocity[i] + aim.speed[side, i] - here.velocity[i]
        wish[i] = to_place[i] + gain * off + damping * slow - here.bias[i]
        wish[3 + i] = to_turn[i] + gain * lean[i] + damping * (pace * there.spin[i] - here.spin[i]) - here.spin_bias[i]
    return matrix, wish


def target(way: McSim, scene: Scene, memory: Memory, side: int) -> tuple[Sequence[float], Sequence[float]]:
    """Where (3,) a swinging foot should be now, and how fast (3,) it moves against the reference."""
    step = memory.schedule.foot(side, memory.clock.time)
    x, y, z = scene.goal.positions[memory.feet[side]].tolist()
    fast, done = [0.0, 0.0, 0.0], min(1.0, step.done / _REACHED)
    full = _uncrossed_yet(scene, memory, side, _on_ground(memory, side))
    if not step.down and step.left < 2.0:
        blend = done * done * (3 - 2 * done)
        rate = scene.rate * 6 * done * (1 - done) / _REACHED / max(step.length, _QUICKEST)
        lift = memory.lift[side].tolist()
        x, y, z = (p + blend * f + (1 - blend) * b for p, f, b in zip((x, y, z), full, lift, strict=True))
        fast = [rate * (f - b) for f, b in zip(full, lift, strict=True)]
    elif step.down:
        x, y, z = x + full[0], y + full[1], z + full[2]
    z += float(memory.over[side] + memory.sunk[side])
    if scene.standing[1 - side] and not step.down:
        ox, oy, _ = scene.now.positions[memory.feet[1 - side]].tolist()
        rise, slant = memory.tilt.tolist()
        z += done * (rise * (x - ox) + slant * (y - oy))
    if way.has("foothold") and memory.feet[1 - side] >= 0:
        apart, widening = memory.passing.at(side, memory.clock.time)
        leaving = min(1.0, step.done / _LEAVING)
        out = (1.0 - 2.0 * side) * leaving
        along, across = -out * math.sin(scene.heading), out * math.cos(scene.heading)
        x, y = x + apart * along, y + apart * across
        fast[0] += scene.rate * widening * along
        fast[1] += scene.rate * widening * across
        aside = _beside(scene, memory, side, (x, y), apart * leaving)
        x, y = x + aside[0], y + aside[1]
    late = memory.clock.held if scene.rate == 0.0 else min(float(memory.missing[side]), _DEEPEST)
    if late > 0.0:
        z -= way.tasks.press * late
        fast[2] -= way.tasks.press
    if scene.rate == 0.0 and memory.flying:  # the reference that waits is carried along
        along, across, _ = scene.now_whole.velocity.tolist()
        fast[0] += along
        fast[1] += across
    return within_reach(scene, memory, side, (x, y, z)), fast


def _on_ground(memory: Memory, side: int) -> tuple[float, float, float]:
    """The shift of a coming foothold (3,), up or down with the ground on which the other foot stands."""
    x, y = memory.shift[side].tolist()
    sole = memory.sole[1 - side]
    a, b, c = memory.known.normal[sole[0]].tolist() if len(sole) else (0.0, 0.0, 1.0)
    return x, y, -(x * a + y * b) / max(c, 0.5)


def _uncrossed_yet(scene: Scene, memory: Memory, side: int, shift: tuple[float, float, float]
                   ) -> tuple[float, float, float]:  # fmt: skip
    """The shift (3,) of a foothold without what leads inwards, until the foot has passed the other one.

    A foot that crosses sooner kicks the leg that is stood on: toes reach far ahead of an ankle.
    """
    other, body, sign = memory.feet[1 - side], memory.feet[side], 1.0 - 2.0 * side
    c, s = math.cos(scene.heading), math.sin(scene.heading)
    inwards = sign * (-s * shift[0] + c * shift[1])
    if other < 0 or inwards >= 0.0 or not scene.standing[1 - side]:
        return shift
    bx, by, _ = (scene.now.positions[body] - scene.now.positions[other]).tolist()
    x = c * bx + s * by
    u = min(1.0, abs(x) / _CROSSING)
    lx, ly = (memory.landing[side][1] + memory.offset[:2] - scene.now.positions[other, :2]).tolist()
    ahead = c * (lx + shift[0]) + s * (ly + shift[1])
    share = u * u * (3.0 - 2.0 * u) if ahead * x > 0.0 else 0.0
    held = sign * (1.0 - share) * inwards
    return shift[0] + s * held, shift[1] - c * held, shift[2]


def _beside(scene: Scene, memory: Memory, side: int, place: tuple[float, float], apart: float) -> tuple[float, float]:
    """What must be added to the place of a swinging foot for it to pass beside the other leg, not through it.

    `apart` [m] is how much further outwards than in the reference it is led already.
    """
    other, sign = memory.feet[1 - side], 1.0 - 2.0 * side
    c, s = math.cos(scene.heading), math.sin(scene.heading)
    ox, oy, _ = scene.now.positions[other].tolist()
    x, y = place[0] - ox, place[1] - oy
    goal = scene.goal.positions
    px, py, _ = (goal[memory.feet[side]] - goal[other]).tolist()
    near = max(0.0, 1.0 - ((c * x + s * y) / _PASSING) ** 2)
    miss = min(_ASIDE, sign * (-s * px + c * py) + apart) - sign * (-s * x + c * y)
    push = sign * near * max(0.0, miss)
    return -s * push, c * push


def move_footholds(way: McSim, scene: Scene, memory: Memory, dt: float) -> None:
    """Let the coming footholds follow the error of the divergent component of motion."""
    now, goal = scene.now_whole, scene.goal_whole
    low = contacts.lowest(scene.goal.points, memory.soles.sides)
    frequency = math.sqrt(-float(memory.dynamics.gravity[2]) / max(0.3, float(goal.place[2]) - low))
    error = divergent(now.place - goal.place, now.velocity - goal.velocity, frequency)
    heading = scene.heading
    terrain.flatten(scene, memory, error, dt)
    for side, sign in ((0, 1.0), (1, -1.0)):
        body = memory.feet[side]
        if body < 0:
            continue
        step = memory.schedule.foot(side, memory.clock.time)
        if scene.standing[side]:
            memory.shift[side] = 0.0
            memory.lift[side] = scene.now.positions[body] - scene.goal.positions[body]
        elif not step.down and step.left < 2.0:
            wanted = way.foothold.wanted(error, frequency, step.left, heading)
            if scene.standing[1 - side]:
                place = _landing(memory, side, memory.clock.time + step.left) + memory.offset[:2]
                other = scene.now.positions[memory.feet[1 - side], :2]
                wanted = way.foothold.uncrossed(wanted, place, other, sign, heading)
            if len(memory.blocks):
                wanted = wanted + _beside_blocks(memory, side, wanted, memory.clock.time + step.left, heading)
            memory.shift[side] = way.foothold.towards(memory.shift[side], wanted, dt)


def _beside_blocks(memory: Memory, side: int, shift: Array, time: float, heading: float) -> Array:
    """How far (2,) [m] a foothold that is shifted already must be moved for the foot not to land on a block."""
    _landing(memory, side, time)
    points = memory.landing[side][2] + memory.offset[:2] + shift
    memory.aside[side] = obstacles.aside(
        memory.blocks, obstacles.footprint(points, heading), heading, memory.aside[side]
    )
    return memory.aside[side]


def _landing(memory: Memory, side: int, time: float) -> Array:
    """The place (2,) where the reference has a foot at a time, remembered for as long as it is the coming landing."""
    when, place, _ = memory.landing[side]
    if abs(when - time) > 1e-3:
        q, character = memory.reference.sample(time).q, memory.reference_dynamics.character
        place = character.forward(q)[0][0, memory.feet[side], :2]
        points = character.points(q)[0][memory.sole[side], :2] if len(memory.blocks) else np.zeros((0, 2))
        memory.landing[side] = (time, place, points)
    return place
