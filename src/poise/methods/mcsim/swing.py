"""Feet that do not stand: where they should be, and where they will land.

Departures: the paper tracks the joints of a swinging leg and lets its foot land where that leads. Here the foot is
tracked in space, its coming foothold is moved by the capture point (`poise.motion.foothold`), it leaves from where it
really stood, passes beside the other leg and goes down where it is late.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from poise.maths.configuration import quat_difference
from poise.maths.rotations import Array
from poise.methods.mcsim.memory import Memory
from poise.methods.mcsim.terms import jacobian, motion
from poise.motion.foothold import divergent

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim
    from poise.methods.mcsim.planner import Scene

_PASSING, _ASIDE = 0.35, 0.12  # [m] along and across the heading within which feet get in each other's way
_REACHED = 0.8  # share of the swing after which the foot is over its foothold
_LEAVING = 0.25  # share of the swing over which a foot that left goes aside
_STRAIGHT = 0.97  # share of its length to which a leg is stretched, where the reference does not stretch it further
_DAMPING, _FURTHEST = 0.01, 0.6  # of the step by which a leg is bent [m², rad²], and its most [rad]
_LOWEST, _DOWN = 0.10, 0.6  # [m] by which a body is let down for a far step at most, and how fast [m/s]
_DEEPEST = 0.15  # [s] for which a foot that should stand is pressed further down
_FEELING, _STEEPEST = 0.05, 0.25  # [s] in which a tilt of the ground is believed, and the most of it
_OVER, _RAISED, _RAISING = (0.15, 0.7), 0.10, 0.8  # shares of a swing between which a foot that meets something is
#   raised, by how much [m] and how fast [m/s]
_QUICKEST = 0.2  # [s] of a swing


def rows(way: McSim, scene: Scene, memory: Memory, side: int, place: Array, speed: Array
         ) -> tuple[Array, Array, Array]:  # fmt: skip
    """Rows (6, nv), wishes and weights for the place and the orientation of a foot; see `target`."""
    t, now, goal, chain = way.tasks, scene.now, scene.goal, memory.rig.chain
    turn = goal.turn.copy()
    turn[memory.feet[side]] = tilted(memory, turn[memory.feet[side]])
    matrix, wish = _rows(now.axes, now.rates, now.centre, now.origin, now.turn, now.spin, now.v, goal.axes, goal.rates,
                         goal.centre, goal.origin, turn, goal.spin, goal.v, scene.wanted.a, chain,
                         memory.feet[side], place, speed, scene.rate, t.swing_gain, t.swing_damping)  # fmt: skip
    return matrix, wish, np.array([t.swing, t.swing, t.swing, t.swing_turn, t.swing_turn, t.swing_turn])


@njit(cache=True)
def _rows(axes, rates, centre, origin, turn, spin, v, goal_axes, goal_rates, goal_centre, goal_origin, goal_turn,
          goal_spin, goal_v, a, chain, body, place, speed, pace, gain, damping):  # fmt: skip
    """The Jacobian (6, nv) of a foot and the accelerations (6,) that lead it to `place` and the goal's orientation.

    `pace` is the rate of the reference: while it waits, its velocity and acceleration are not to be followed.
    """
    nv = v.shape[0]
    linear, angular = np.empty((3, nv)), np.empty((3, nv))
    jacobian(goal_axes, chain, goal_centre, body, goal_origin[body], linear, angular)
    u, b, w, dw = motion(goal_axes, goal_rates, chain, goal_centre, goal_spin, goal_v, body, goal_origin[body])
    to_place, to_turn = pace * (linear @ a + b), pace * (angular @ a + dw)
    u, w = pace * u, pace * w
    jacobian(axes, chain, centre, body, origin[body], linear, angular)
    own_u, own_b, own_w, own_dw = motion(axes, rates, chain, centre, spin, v, body, origin[body])
    lean = np.empty(3)
    quat_difference(_quaternion(turn[body]), _quaternion(goal_turn[body]), lean)  # in the foot's own axes
    lean = turn[body] @ lean
    matrix, wish = np.empty((6, nv)), np.empty(6)
    for i in range(3):
        matrix[i], matrix[3 + i] = linear[i], angular[i]
        wish[i] = to_place[i] + gain * (place[i] - origin[body, i]) + damping * (u[i] + speed[i] - own_u[i]) - own_b[i]
        wish[3 + i] = to_turn[i] + gain * lean[i] + damping * (w[i] - own_w[i]) - own_dw[i]
    return matrix, wish


@njit(cache=True)
def _quaternion(R):
    """The quaternion (4,) of a rotation matrix, by its largest component."""
    q = np.empty(4)
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    if trace > 0.0:
        s = 2.0 * np.sqrt(1.0 + trace)
        q[0], q[1], q[2], q[3] = 0.25 * s, (R[2, 1] - R[1, 2]) / s, (R[0, 2] - R[2, 0]) / s, (R[1, 0] - R[0, 1]) / s
        return q
    i = 0
    if R[1, 1] > R[0, 0]:
        i = 1
    if R[2, 2] > R[i, i]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    s = 2.0 * np.sqrt(max(1e-300, 1.0 + R[i, i] - R[j, j] - R[k, k]))
    q[0], q[1 + i] = (R[k, j] - R[j, k]) / s, 0.25 * s
    q[1 + j], q[1 + k] = (R[j, i] + R[i, j]) / s, (R[k, i] + R[i, k]) / s
    return q


def target(way: McSim, scene: Scene, memory: Memory, side: int) -> tuple[Array, Array]:
    """Where (3,) a swinging foot should be now, and how fast (3,) it moves against the reference."""
    body, step = memory.feet[side], memory.schedule.foot(side, memory.clock.time)
    place, speed = scene.goal.origin[body].copy(), np.zeros(3)
    full = _on_ground(memory, side)
    if not step.down and step.left < 2.0:
        u = min(1.0, step.done / _REACHED)
        blend = u * u * (3 - 2 * u)
        rate = 6 * u * (1 - u) / _REACHED / max(step.length, _QUICKEST)
        place += blend * full + (1 - blend) * memory.lift[side]
        speed += scene.rate * rate * (full - memory.lift[side])
    elif step.down:
        place += full
    place[2] += memory.over[side]
    if scene.standing[1 - side] and not step.down:
        ahead = place[:2] - scene.now.origin[memory.feet[1 - side], :2]
        place[2] += min(1.0, step.done / _REACHED) * float(memory.tilt @ ahead)
    if way.has("foothold") and memory.feet[1 - side] >= 0:
        apart, widening = memory.passing.at(side, memory.clock.time)
        leaving = min(1.0, step.done / _LEAVING)
        across = (1.0 - 2.0 * side) * leaving * np.array([-math.sin(scene.heading), math.cos(scene.heading), 0.0])
        place += apart * across
        speed += scene.rate * widening * across
        aside = _beside(scene, memory, side, place, apart * leaving)
        place[0] += aside[0]
        place[1] += aside[1]
    late = memory.clock.held if scene.rate == 0.0 else min(float(memory.missing[side]), _DEEPEST)
    if late > 0.0:
        place[2] -= way.tasks.press * late
        speed[2] -= way.tasks.press
    return _within_reach(scene, memory, side, place), speed


def bend(scene: Scene, memory: Memory, side: int, place: Array) -> Array:
    """How far (nv,) [rad] the joints of a leg must be off the reference for its foot to be at `place`, turned as there.

    One damped step from the reference's own leg: the knee keeps bending its own way, also where the foot alone would
    as well be reached by a knee that bends backwards. A foot that stands is where it is; there it is the root that
    the leg should bring to its place.
    """
    now, goal, root, body = scene.now, scene.goal, memory.rig.root, memory.feet[side]
    hung, turn = (goal, now.turn[body]) if scene.standing[side] else (now, goal.turn[body])
    return _bend(hung.origin[root], hung.turn[root], place, turn, goal.origin, goal.turn, goal.axes, goal.centre,
                 memory.rig.chain, root, body, memory.legs[side])  # fmt: skip


@njit(cache=True)
def _bend(hip, hung, place, turn, goal_origin, goal_turn, axes, centre, chain, root, body, leg):
    """See `bend`: the leg hangs from a root at `hip`, turned as `hung`; all is seen from the goal's root."""
    nv = leg.shape[0]
    back = goal_turn[root] @ hung.T
    miss = np.empty(6)
    miss[:3] = goal_origin[root] + back @ (place - hip) - goal_origin[body]
    lean = np.empty(3)
    quat_difference(_quaternion(goal_turn[body]), _quaternion(back @ turn), lean)
    miss[3:] = goal_turn[body] @ lean
    linear, angular = np.empty((3, nv)), np.empty((3, nv))
    jacobian(axes, chain, centre, body, goal_origin[body], linear, angular)
    out = np.zeros(nv)
    J = np.zeros((6, nv))
    for d in range(nv):
        if leg[d]:
            for i in range(3):
                J[i, d], J[3 + i, d] = linear[i, d], angular[i, d]
    A = J @ J.T
    for i in range(6):
        A[i, i] += _DAMPING
    step = J.T @ np.linalg.solve(A, miss)
    for d in range(nv):
        out[d] = min(max(step[d], -_FURTHEST), _FURTHEST)
    return out


def _within_reach(scene: Scene, memory: Memory, side: int, place: Array) -> Array:
    """The place drawn in on the map to where a leg that is not quite straight reaches: straight ones flick and jam.

    What the body must be let down by for the leg to reach all the way is asked for in the memory.
    """
    thigh, length = memory.reach[side]
    body = memory.feet[side]
    own = float(np.linalg.norm(scene.goal.origin[body] - scene.goal.origin[thigh]))
    hip, far = scene.now.origin[thigh], max(_STRAIGHT * length, own)
    x, y, z = place[0] - hip[0], place[1] - hip[1], place[2] - hip[2]
    level = math.hypot(x, y)
    share = min(1.0, math.sqrt(max(0.0, far * far - z * z)) / max(level, 1e-9))
    if share < 1.0 and not scene.standing[side]:
        memory.asked = max(memory.asked, -z - math.sqrt(max(0.0, far * far - level * level)))
    return np.array([hip[0] + share * x, hip[1] + share * y, place[2]])


def let_down(memory: Memory, dt: float) -> None:
    """Let the body down, or up again, towards what far steps ask for."""
    goal = min(memory.asked, _LOWEST)
    memory.lower += min(max(goal - memory.lower, -_DOWN * dt), _DOWN * dt)
    memory.asked = 0.0


def feel_ground(scene: Scene, memory: Memory, dt: float) -> None:
    """Follow how the ground under the standing feet tilts against that of the reference."""
    felt = [memory.normal[s[0]] for s, on in zip(memory.sole, scene.standing, strict=True) if on and len(s)]
    if felt:
        n = np.sum(felt, axis=0)
        own = memory.reference.baked.ground.normal(scene.goal.q[:1], scene.goal.q[1:2])[0]
        tilt = own[:2] / own[2] - n[:2] / n[2]
        memory.tilt += (1.0 - math.exp(-dt / _FEELING)) * (np.clip(tilt, -_STEEPEST, _STEEPEST) - memory.tilt)


def step_over(scene: Scene, memory: Memory, dt: float) -> None:
    """Raise a foot that meets something in the middle of its swing, as people do who stumble."""
    for side in (0, 1):
        step = memory.schedule.foot(side, memory.clock.time)
        sole = memory.sole[side]
        met = not step.down and bool(memory.bumped[sole].any() or (step.done > _OVER[0] and scene.touching[sole].any()))
        met &= step.done < _OVER[1]
        memory.stumbled[side] = (memory.stumbled[side] or met) and not step.down
        high = _RAISED if memory.stumbled[side] and step.done < _OVER[1] else 0.0
        memory.over[side] += min(max(high - memory.over[side], -_RAISING * dt), _RAISING * dt)


def tilted(memory: Memory, turn: Array) -> Array:
    """An orientation (3, 3) of a foot turned with the ground."""
    x, y = memory.tilt
    if x == 0.0 and y == 0.0:
        return turn
    size = math.sqrt(1.0 + x * x + y * y)
    c, k = 1.0 / size, 1.0 / (size * (size + 1.0))  # the least turn that takes the vertical to (-x, -y, 1) / size
    return np.array([[1.0 - k * x * x, -k * x * y, -x * c], [-k * x * y, 1.0 - k * y * y, -y * c],
                     [x * c, y * c, c]]) @ turn  # fmt: skip


def _on_ground(memory: Memory, side: int) -> Array:
    """The shift of a coming foothold (3,), up or down with the ground on which the other foot stands."""
    x, y = memory.shift[side]
    sole = memory.sole[1 - side]
    normal = memory.normal[sole[0]] if len(sole) else np.array([0.0, 0.0, 1.0])
    return np.array([x, y, -(x * normal[0] + y * normal[1]) / max(normal[2], 0.5)])


def _beside(scene: Scene, memory: Memory, side: int, place: Array, apart: float) -> tuple[float, float]:
    """What must be added to the place of a swinging foot for it to pass beside the other leg, not through it.

    `apart` [m] is how much further outwards than in the reference it is led already.
    """
    other, body = memory.feet[1 - side], memory.feet[side]
    heading, sign = scene.heading, 1.0 - 2.0 * side
    c, s = math.cos(heading), math.sin(heading)
    x, y = place[0] - scene.now.origin[other, 0], place[1] - scene.now.origin[other, 1]
    planned = scene.goal.origin[body] - scene.goal.origin[other]
    near = max(0.0, 1.0 - ((c * x + s * y) / _PASSING) ** 2)
    miss = min(_ASIDE, sign * (-s * planned[0] + c * planned[1]) + apart) - sign * (-s * x + c * y)
    push = sign * near * max(0.0, miss)
    return -s * push, c * push


def move_footholds(way: McSim, scene: Scene, memory: Memory, dt: float) -> None:
    """Let the coming footholds follow the error of the divergent component of motion."""
    now, goal = scene.now_balance, scene.goal_balance
    low = min((float(scene.goal.points[s, 2].min()) for s in memory.sole if len(s)), default=0.0)
    frequency = math.sqrt(-memory.rig.gravity[2] / max(0.3, float(goal.place[2]) - low))
    error = divergent(now.place, now.velocity, frequency) - divergent(goal.place, goal.velocity, frequency)
    heading = scene.heading
    for side, sign in ((0, 1.0), (1, -1.0)):
        body = memory.feet[side]
        if body < 0:
            continue
        step = memory.schedule.foot(side, memory.clock.time)
        if scene.standing[side]:
            memory.shift[side] = 0.0
            memory.lift[side] = scene.now.origin[body] - scene.goal.origin[body]
        elif not step.down and step.left < 2.0:
            wanted = way.foothold.wanted(error, frequency, step.left, heading)
            if scene.standing[1 - side]:
                place = _landing(memory, side, memory.clock.time + step.left) + memory.offset[:2]
                other = scene.now.origin[memory.feet[1 - side], :2]
                wanted = way.foothold.uncrossed(wanted, place, other, sign, heading)
            memory.shift[side] = way.foothold.towards(memory.shift[side], wanted, dt)


def _landing(memory: Memory, side: int, time: float) -> Array:
    """The place (2,) where the reference has a foot at a time, remembered for as long as it is the coming landing."""
    when, place = memory.landing[side]
    if abs(when - time) > 1e-3:
        q = memory.reference.sample(time).q
        place = memory.model.character.forward(q)[0][0, memory.feet[side], :2]
        memory.landing[side] = (time, place)
    return place
