"""The rows of the program: tracked joints, no-slip, and the tasks that are departures from the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.mcsim import contacts, desired, rail, reduced
from poise.methods.mcsim.memory import Memory
from poise.methods.mcsim.terms import jacobian, motion
from poise.motion.foothold import divergent

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim
    from poise.methods.mcsim.planner import Scene

_LEAST = 1e-7  # weight of λ² [1/N²]: makes the shares of redundant corners unique
_PASSING, _ASIDE = 0.35, 0.12  # [m] along and across the heading within which feet get in each other's way
_CLOSING = 400.0  # [1/s²] at which a corner that should touch goes down


def program(way: McSim, scene: Scene, cones: contacts.Cones, memory: Memory) -> reduced.Reduced:
    """The reduced program of this moment."""
    now, nv = scene.now, len(scene.now.v)
    generalised, grip, grip_wish = grip_rows(now.axes, now.rates, memory.rig.chain, now.centre, now.spin, now.v,
                                             memory.rig.bodies, cones.index, cones.place, cones.basis,
                                             cones.normal, cones.gap, way.grip_damping)  # fmt: skip
    if way.has("damped") and len(cones.index):
        grip_wish += led(scene.goal.axes, scene.goal.rates, memory.rig.chain, scene.goal.centre, scene.goal.spin,
                         scene.goal.v, scene.wanted.a, memory.rig.bodies, cones.index, scene.goal.points, cones.normal,
                         way.grip_damping)  # fmt: skip
    wish, weight = _joints(way, scene, memory)
    rows, wishes, weights = [grip], [grip_wish], [np.full(len(grip_wish), way.grip)]
    push, push_wish, push_weight = np.zeros((0, generalised.shape[1])), np.zeros(0), np.zeros(0)
    if way.has("momentum"):
        for side in (0, 1):
            if not scene.standing[side] and memory.feet[side] >= 0:
                row, target, w = _swing(way, scene, memory, side)
                rows.append(row)
                wishes.append(target)
                weights.append(w)
        if len(cones.index):
            push, push_wish, push_weight = _momentum(way, scene, cones, memory)
    held = np.zeros(6)
    if way.planar:
        held = rail.accelerations(now.q, now.v)
    out = reduced.assemble(now.M, now.h, memory.free, held, generalised, wish, weight, np.concatenate(rows),
                           np.concatenate(wishes), np.concatenate(weights), push, push_wish, push_weight,
                           _LEAST)  # fmt: skip
    return reduced.Reduced(*out, nv - 6)


@njit(cache=True)
def grip_rows(axes, rates, chain, centre, spin, v, bodies, index, place, basis, normal, gap, damping):
    """J V (nv, 4 K) of K points, and the rows (3 K, nv) and wishes of no-slip (7e) with damping of their velocity."""
    nv, count = axes.shape[0], index.shape[0]
    generalised = np.empty((nv, 4 * count))
    rows, wish = np.empty((3 * count, nv)), np.empty(3 * count)
    linear, angular = np.empty((3, nv)), np.empty((3, nv))
    for k in range(count):
        body = bodies[index[k]]
        jacobian(axes, chain, centre, body, place[k], linear, angular)
        velocity, bias, _, _ = motion(axes, rates, chain, centre, spin, v, body, place[k])
        for i in range(3):
            wish[3 * k + i] = -bias[i] - damping * velocity[i] - _CLOSING * gap[k] * normal[k, i]
            for d in range(nv):
                rows[3 * k + i, d] = linear[i, d]
        for f in range(4):
            for d in range(nv):
                x = 0.0
                for i in range(3):
                    x += linear[i, d] * basis[k, i, f]
                generalised[d, 4 * k + f] = x
    return generalised, rows, wish


@njit(cache=True)
def led(axes, rates, chain, centre, spin, v, a, bodies, index, points, normal, damping):
    """What the reference adds (3 K,) to the wishes of no-slip: how its own touching points move along the ground.

    A planted foot adds nothing; one that pivots is led round.
    """
    out = np.empty(3 * index.shape[0])
    nv = axes.shape[0]
    linear, angular = np.empty((3, nv)), np.empty((3, nv))
    for k in range(index.shape[0]):
        body, point = bodies[index[k]], points[index[k]]
        jacobian(axes, chain, centre, body, point, linear, angular)
        velocity, bias, _, _ = motion(axes, rates, chain, centre, spin, v, body, point)
        push = linear @ a + bias + damping * velocity
        along = push[0] * normal[k, 0] + push[1] * normal[k, 1] + push[2] * normal[k, 2]
        for i in range(3):
            out[3 * k + i] = push[i] - along * normal[k, i]
    return out


def _joints(way: McSim, scene: Scene, memory: Memory) -> tuple[Array, Array]:
    """Wished accelerations (nv,) of equation (4) and their weights."""
    layout, wanted, t = memory.rig.character.layout, scene.wanted, way.tasks
    wish = desired.acceleration(layout, wanted, scene.now.q, scene.now.v, way.kos)
    weight = np.ones(len(wish))
    if way.has("momentum"):
        weight[:3] = 0.0
        turn = desired.difference(layout, wanted.q, scene.now.q)[3:6]
        wish[3:6] = wanted.a[3:6] + t.upright_gain * turn + 2 * np.sqrt(t.upright_gain) * (wanted.v - scene.now.v)[3:6]
        weight[3:6] = t.upright if scene.standing.any() else t.upright_flying
        for side in (0, 1):
            if memory.feet[side] >= 0:
                least = t.leg_standing if scene.standing[side] else t.leg_swinging
                weight[memory.legs[side]] = least * memory.stiff[memory.legs[side]]
    return wish, weight


def _momentum(way: McSim, scene: Scene, cones: contacts.Cones, memory: Memory) -> tuple[Array, Array, Array]:
    """Rows on the forces for the centre of mass and the angular momentum about it."""
    t, now, goal, mass = way.tasks, scene.now_balance, scene.goal_balance, memory.rig.mass
    most = np.array(t.mass_most)
    back = np.array(t.mass_gain) * (goal.place - now.place) + np.array(t.mass_damping) * (goal.velocity - now.velocity)
    wish = goal.acceleration + np.clip(back, -most, most) - memory.rig.gravity
    force = cones.basis.transpose(1, 0, 2).reshape(3, -1)
    arm = cones.place - now.place
    moment = np.cross(arm[:, :, None], cones.basis, axis=1).transpose(1, 0, 2).reshape(3, -1)
    spin = goal.torque + np.clip(t.spin_gain * (goal.spin - now.spin), -t.spin_most, t.spin_most)
    weight = np.concatenate([t.mass_centre, np.full(3, t.spin)])
    return np.concatenate([force / mass, moment]), np.concatenate([wish, spin]), weight


def _swing(way: McSim, scene: Scene, memory: Memory, side: int) -> tuple[Array, Array, Array]:
    """Rows (6, nv), wishes and weights for the place and the orientation of a foot that does not stand."""
    t, now, goal, rig = way.tasks, scene.now, scene.goal, memory.rig
    body, nv = memory.feet[side], len(now.v)
    linear, angular = np.empty((3, nv)), np.empty((3, nv))
    jacobian(goal.axes, rig.chain, goal.centre, body, goal.origin[body], linear, angular)
    goal_v, goal_b, goal_w, goal_dw = motion(goal.axes, goal.rates, rig.chain, goal.centre, goal.spin, goal.v, body,
                                             goal.origin[body])  # fmt: skip
    a_lin, a_ang = linear @ scene.wanted.a + goal_b, angular @ scene.wanted.a + goal_dw
    place, speed = target(way, scene, memory, side)
    jacobian(now.axes, rig.chain, now.centre, body, now.origin[body], linear, angular)
    v, b, w, dw = motion(now.axes, now.rates, rig.chain, now.centre, now.spin, now.v, body, now.origin[body])
    lean = rot.log(rot.from_matrix(goal.turn[body] @ now.turn[body].T))
    to_place = a_lin + t.swing_gain * (place - now.origin[body]) + t.swing_damping * (goal_v + speed - v) - b
    to_turn = a_ang + t.swing_gain * lean + t.swing_damping * (goal_w - w) - dw
    weight = np.repeat([t.swing, t.swing_turn], 3)
    return np.concatenate([linear, angular]), np.concatenate([to_place, to_turn]), weight


def target(way: McSim, scene: Scene, memory: Memory, side: int) -> tuple[Array, Array]:
    """Where (3,) a swinging foot should be now, and how fast (3,) it moves against the reference."""
    body, step = memory.feet[side], memory.schedule.foot(side, memory.clock.time)
    place, speed = scene.goal.origin[body].copy(), np.zeros(3)
    if not step.down and step.left < 2.0:
        u = min(1.0, step.done / 0.8)
        blend, rate = u * u * (3 - 2 * u), 6 * u * (1 - u) / 0.8 / max(step.length, 0.2)
        full = np.append(memory.shift[side], 0.0)
        place += blend * full + (1 - blend) * memory.lift[side]
        speed += scene.rate * rate * (full - memory.lift[side])
    elif step.down:
        place[:2] += memory.shift[side]
    if way.has("foothold"):
        place += _beside(scene, memory, side, place)
    if scene.rate == 0.0:
        place[2] -= way.tasks.press * memory.clock.held
    return place, speed


def _beside(scene: Scene, memory: Memory, side: int, place: Array) -> Array:
    """What must be added (3,) to the place of a swinging foot for it to pass beside the other leg, not through it."""
    other, body = memory.feet[1 - side], memory.feet[side]
    if other < 0:
        return np.zeros(3)
    heading, sign = float(rot.heading(scene.wanted.q[3:7])), 1.0 - 2.0 * side
    along, across = np.array([np.cos(heading), np.sin(heading)]), sign * np.array([-np.sin(heading), np.cos(heading)])
    way = place[:2] - scene.now.origin[other, :2]
    planned = float(across @ (scene.goal.origin[body, :2] - scene.goal.origin[other, :2]))
    near = max(0.0, 1.0 - (float(along @ way) / _PASSING) ** 2)
    miss = min(_ASIDE, planned) - float(across @ way)
    return np.append(near * max(0.0, miss) * across, 0.0)


def move_footholds(way: McSim, scene: Scene, memory: Memory, dt: float) -> None:
    """Let the coming footholds follow the error of the divergent component of motion."""
    now, goal = scene.now_balance, scene.goal_balance
    height = max(0.3, float(goal.place[2] - scene.goal.points[:, 2].min()))
    frequency = float(np.sqrt(-memory.rig.gravity[2] / height))
    error = divergent(now.place, now.velocity, frequency) - divergent(goal.place, goal.velocity, frequency)
    heading = float(rot.heading(scene.wanted.q[3:7]))
    for side, sign in ((0, 1.0), (1, -1.0)):
        body, step = memory.feet[side], memory.schedule.foot(side, memory.clock.time)
        if body < 0:
            continue
        if scene.standing[side]:
            memory.shift[side] = 0.0
            memory.lift[side] = scene.now.origin[body] - scene.goal.origin[body]
        elif not step.down and step.left < 2.0:
            wanted = way.foothold.wanted(error, frequency, step.left, heading)
            if scene.standing[1 - side]:
                landing = memory.reference.sample(memory.clock.time + step.left)
                place = memory.model.character.forward(landing.q)[0][0, body, :2] + memory.offset[:2]
                other = scene.now.origin[memory.feet[1 - side], :2]
                wanted = way.foothold.uncrossed(wanted, place, other, sign, heading)
            memory.shift[side] = way.foothold.towards(memory.shift[side], wanted, dt)
