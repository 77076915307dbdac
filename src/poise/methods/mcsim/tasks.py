"""The rows of the program: tracked joints, no-slip, and the tasks that are departures from the paper."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from poise.kernels import njit
from poise.maths.configuration import quat_difference
from poise.maths.rotations import Array
from poise.methods.mcsim import contacts, desired, legs, rail, reduced, swing, underfoot
from poise.methods.mcsim.settings import Numbers
from poise.methods.mcsim.terms import Balance, Body, Rig, Terms, jacobian, motion
from poise.motion.reference import Sample

if TYPE_CHECKING:
    from poise.methods.mcsim.memory import Memory
    from poise.methods.mcsim.method import McSim
    from poise.methods.mcsim.planner import Scene

_LEAST = 1e-7  # weight of λ² [1/N²]: makes the shares of redundant corners unique
_AT_REST = np.zeros(6)
_CLOSING = 400.0  # [1/s²] at which a corner that should touch goes down


def program(way: McSim, scene: Scene, cones: contacts.Cones, memory: Memory) -> reduced.Reduced:
    """The reduced program of this moment."""
    now, place, speed = scene.now, np.zeros((2, 3)), np.zeros((2, 3))
    for side in (0, 1):
        if way.has("momentum") and memory.feet[side] >= 0 and not scene.standing[side]:
            place[side], speed[side] = swing.target(way, scene, memory, side)
    held = rail.accelerations(now.q, now.v) if way.planar else _AT_REST
    out = _from_tuples(tuple(now), tuple(scene.goal), tuple(scene.wanted), tuple(scene.now_balance),
                       tuple(scene.goal_balance), tuple(cones), memory.body, memory.numbers,
                       scene.standing, place, speed, scene.rate, memory.lower, memory.tilt, held)  # fmt: skip
    return reduced.Reduced(*out)


@njit(cache=True)
def _from_tuples(now, goal, wanted, now_balance, goal_balance, cones, body, numbers, standing, place, speed, rate,
                 lower, tilt, held):  # fmt: skip
    """`_program` for plain tuples, which go into compiled code in half the time of named ones."""
    return _program(Terms(*now), Terms(*goal), Sample(*wanted), Balance(*now_balance), Balance(*goal_balance),
                    contacts.Cones(*cones), Body(*body), Numbers(*numbers), standing, place, speed, rate, lower, tilt,
                    held)  # fmt: skip


@njit(cache=True)
def _program(now, goal, wanted, now_balance, goal_balance, cones, body, numbers, standing, place, speed, rate, lower,
             tilt, held):  # fmt: skip
    """See `program`: all rows, and the program assembled from them (what `reduced.assemble` gives).

    place, speed (2, 3): where the feet that do not stand should be, and how fast they move against the reference.
    """
    count, nv = cones.which.shape[0], now.v.shape[0]
    generalised, grip, grip_wish = grip_rows(now.axes, now.rates, body.chain, now.centre, now.spin, now.v, body.points,
                                             cones.which, cones.place, cones.basis, cones.normal, cones.gap,
                                             numbers.grip_damping)  # fmt: skip
    if numbers.damped and count:
        grip_wish += led(goal.axes, goal.rates, body.chain, goal.centre, goal.spin, goal.v, wanted.a, body.points,
                         cones.which, goal.points, cones.normal, numbers.grip_damping)  # fmt: skip
    wish, weight = _joints(now, goal, wanted, body, numbers, standing, place, rate)
    used = 3 * count
    rows, wishes, weights = np.empty((used + 12, nv)), np.empty(used + 12), np.empty(used + 12)
    rows[:used], wishes[:used], weights[:used] = grip, grip_wish, numbers.grip
    push, push_wish = np.zeros((0, 6)), np.zeros(6)
    if numbers.momentum:
        for side in range(2):
            foot = body.feet[side]
            if foot >= 0:
                matrix, target = swing.rows(now, goal, wanted.a, underfoot.tilted(tilt, goal.turn[foot]), body.chain,
                                            foot, place[side], speed[side], rate, numbers.swing_gain,
                                            numbers.swing_damping)  # fmt: skip
                turning = numbers.stand_turn if standing[side] else numbers.swing_turn
                for i in range(3 if standing[side] else 0, 6):
                    rows[used], wishes[used] = matrix[i], target[i]
                    weights[used] = numbers.swing if i < 3 else turning
                    used += 1
        if count:
            push = push_rows(now.turn[body.root], now.origin[body.root] - now.centre, body.mass)
            _momentum(now_balance, goal_balance, numbers, body.gravity, lower, push_wish)
    H, g, root = reduced.assemble(now.M, now.h, body.free, held, wish, weight, rows[:used], wishes[:used],
                                  weights[:used], push, push_wish, numbers.push_weight)  # fmt: skip
    return H, g, root, now.M, now.h, generalised, _LEAST


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


@njit(cache=True)
def _joints(now, goal, wanted, body, numbers, standing, place, rate):
    """Wished accelerations (nv,) of equation (4) and their weights; a swinging leg is bent towards its foot's place."""
    nv = now.v.shape[0]
    wish, weight = np.empty(nv), np.ones(nv)
    desired.acceleration_into(body.kind, body.qadr, body.vadr, wanted.q, wanted.v, wanted.a, now.q, now.v, numbers.kos,
                              wish)  # fmt: skip
    if not numbers.momentum:
        return wish, weight
    off = np.empty(3)
    quat_difference(now.q[3:7], wanted.q[3:7], off)
    for i in range(3):
        slip = wanted.v[3 + i] - now.v[3 + i]
        wish[3 + i] = wanted.a[3 + i] + numbers.upright_gain * off[i] + 2.0 * math.sqrt(numbers.upright_gain) * slip
        weight[i] = 0.0
        weight[3 + i] = numbers.upright if standing[0] or standing[1] else numbers.upright_flying
    for side in range(2):
        foot, stands = body.feet[side], standing[side]
        if foot < 0:
            continue
        least = numbers.leg_standing if stands else numbers.leg_swinging
        bent = legs.bend(now, goal, now.origin[foot] if stands else place[side], stands, body.chain, body.root, foot,
                         body.legs[side])  # fmt: skip
        for d in range(nv):
            if body.legs[side, d]:
                wish[d] += numbers.kos * bent[d]
                if not stands:
                    wish[d] -= (1.0 - rate) * (wanted.a[d] + 2.0 * math.sqrt(numbers.kos) * wanted.v[d])
                weight[d] = least * body.stiff[d]
    return wish, weight


@njit(cache=True)
def _momentum(now, goal, numbers, gravity, lower, wish):
    """Wishes (6,) for the acceleration of the centre of mass, less gravity's, and for the moment about it."""
    for i in range(3):
        off = goal.place[i] - now.place[i] - (lower if i == 2 else 0.0)
        back = numbers.mass_gain[i] * off + numbers.mass_damping[i] * (goal.velocity[i] - now.velocity[i])
        most = numbers.mass_most[i]
        wish[i] = goal.acceleration[i] + min(max(back, -most), most) - gravity[i]
        spin = numbers.spin_gain * (goal.spin[i] - now.spin[i])
        wish[3 + i] = goal.torque[i] + min(max(spin, -numbers.spin_most), numbers.spin_most)


@njit(cache=True)
def push_rows(turn, lever, mass):
    """Rows (6, 6): acceleration of the centre of mass and moment about it of a force and moment on the root.

    As the root's rows of the equations of motion have them: the force in world axes, the moment about the root in the
    root's axes, which `turn` (3, 3) takes to the world's. `lever` (3,) leads from the centre of mass to the root.
    """
    x, y, z = lever
    out = np.zeros((6, 6))
    for i in range(3):
        out[i, i] = 1.0 / mass
        for j in range(3):
            out[3 + i, 3 + j] = turn[i, j]
    out[3, 1], out[3, 2] = -z, y
    out[4, 0], out[4, 2] = z, -x
    out[5, 0], out[5, 1] = -y, x
    return out


def tracking(rig: Rig, now: Terms, wish: Array, cones: contacts.Cones, grip: float, least: float) -> reduced.Reduced:
    """The paper's program at an instant, in its reduced form, without tasks: to be compared with the printed one.

    `wish` is q̈_d (nv,), `grip` the weight of no-slip beside 1 for an acceleration, `least` that of λ² [1/N²].
    """
    generalised, rows, rows_wish = grip_rows(now.axes, now.rates, rig.chain, now.centre, now.spin, now.v, rig.bodies,
                                             cones.which, cones.place, cones.basis, cones.normal, cones.gap,
                                             0.0)  # fmt: skip
    none, weights = np.zeros(0), np.full(len(rows_wish), grip)
    H, g, root = reduced.assemble(now.M, now.h, np.arange(6), np.zeros(6), wish, np.ones(len(wish)), rows,
                           rows_wish, weights, np.zeros((0, 6)), none, none)  # fmt: skip
    return reduced.Reduced(H, g, root, now.M, now.h, generalised, least)
