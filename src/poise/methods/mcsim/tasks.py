"""The rows of the program: tracked joints, no-slip, and the tasks that are departures from the paper."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from poise.maths.rotations import Array
from poise.methods.mcsim import contacts, desired, legs, rail, reduced, swing
from poise.methods.mcsim.memory import Memory
from poise.methods.mcsim.terms import jacobian, motion

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim
    from poise.methods.mcsim.planner import Scene

_LEAST = 1e-7  # weight of λ² [1/N²]: makes the shares of redundant corners unique
_NOWHERE = (np.zeros(3), np.zeros(3))
_CLOSING = 400.0  # [1/s²] at which a corner that should touch goes down


def program(way: McSim, scene: Scene, cones: contacts.Cones, memory: Memory) -> reduced.Reduced:
    """The reduced program of this moment."""
    now, nv = scene.now, len(scene.now.v)
    generalised, grip, grip_wish = grip_rows(now.axes, now.rates, memory.rig.chain, now.centre, now.spin, now.v,
                                             memory.rig.bodies, cones.which, cones.place, cones.basis,
                                             cones.normal, cones.gap, way.grip_damping)  # fmt: skip
    if way.has("damped") and len(cones.which):
        grip_wish += led(scene.goal.axes, scene.goal.rates, memory.rig.chain, scene.goal.centre, scene.goal.spin,
                         scene.goal.v, scene.wanted.a, memory.rig.bodies, cones.which, scene.goal.points, cones.normal,
                         way.grip_damping)  # fmt: skip
    targets = [swing.target(way, scene, memory, side) if _led(scene, memory, side) else _NOWHERE for side in (0, 1)]
    wish, weight = _joints(way, scene, memory, targets)
    rows: list[Array] = [grip]
    wishes: list[Array] = [grip_wish]
    weights: list[Array] = [np.full(len(grip_wish), way.grip)]
    push, push_wish, push_weight = np.zeros((0, generalised.shape[1])), np.zeros(0), np.zeros(0)
    if way.has("momentum"):
        for side in (0, 1):
            if memory.feet[side] >= 0:
                place, speed = targets[side]
                row, target, w = swing.rows(way, scene, memory, side, place, speed)
                if scene.standing[side]:
                    row, target, w = row[3:], target[3:], np.full(3, way.tasks.stand_turn)
                rows.append(row)
                wishes.append(target)
                weights.append(w)
        if len(cones.which):
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


def _led(scene: Scene, memory: Memory, side: int) -> bool:
    """Is there a foot that does not stand, to be led through space?"""
    return memory.feet[side] >= 0 and not scene.standing[side]


def _joints(way: McSim, scene: Scene, memory: Memory, targets: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Wished accelerations (nv,) of equation (4) and their weights; a swinging leg is bent towards its foot's place."""
    layout, wanted, t = memory.rig.character.layout, scene.wanted, way.tasks
    wish = desired.acceleration(layout, wanted, scene.now.q, scene.now.v, way.kos)
    weight = np.ones(len(wish))
    if way.has("momentum"):
        weight[:3] = 0.0
        off, slip = desired.turned(wanted.q, scene.now.q), wanted.v[3:6] - scene.now.v[3:6]
        wish[3:6] = wanted.a[3:6] + t.upright_gain * off + 2 * math.sqrt(t.upright_gain) * slip
        weight[3:6] = t.upright if scene.standing.any() else t.upright_flying
        for side in (0, 1):
            if memory.feet[side] >= 0:
                leg, least = memory.legs[side], t.leg_standing
                place = scene.now.origin[memory.feet[side]] if scene.standing[side] else targets[side][0]
                wish[leg] += way.kos * legs.bend(scene, memory, side, place)[leg]
                if not scene.standing[side]:
                    least = t.leg_swinging
                    wish[leg] -= (1.0 - scene.rate) * (wanted.a + 2.0 * math.sqrt(way.kos) * wanted.v)[leg]
                weight[leg] = least * memory.stiff[leg]
    return wish, weight


def _momentum(way: McSim, scene: Scene, cones: contacts.Cones, memory: Memory) -> tuple[Array, Array, Array]:
    """Rows on the forces for the centre of mass and the angular momentum about it."""
    t, now, goal = way.tasks, scene.now_balance, scene.goal_balance
    most, gain, damping, weight = memory.mass_task
    back = gain * (goal.place - now.place) + damping * (goal.velocity - now.velocity)
    back[2] -= gain[2] * memory.lower
    wish = np.empty(6)
    wish[:3] = goal.acceleration + np.minimum(np.maximum(back, -most), most) - memory.rig.gravity
    spin = t.spin_gain * (goal.spin - now.spin)
    wish[3:] = goal.torque + np.minimum(np.maximum(spin, -t.spin_most), t.spin_most)
    return push_rows(cones.basis, cones.place, now.place, memory.rig.mass), wish, weight


@njit(cache=True)
def push_rows(basis, place, centre, mass):
    """Rows (6, 4 K): acceleration of the centre of mass and moment about it per newton of each λ."""
    out = np.empty((6, 4 * basis.shape[0]))
    for k in range(basis.shape[0]):
        x, y, z = place[k, 0] - centre[0], place[k, 1] - centre[1], place[k, 2] - centre[2]
        for f in range(4):
            a, b, c = basis[k, 0, f], basis[k, 1, f], basis[k, 2, f]
            j = 4 * k + f
            out[0, j], out[1, j], out[2, j] = a / mass, b / mass, c / mass
            out[3, j], out[4, j], out[5, j] = y * c - z * b, z * a - x * c, x * b - y * a
    return out
