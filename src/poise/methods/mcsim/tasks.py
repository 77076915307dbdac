"""The rows of the program: tracked joints (4), no-slip (7e), and the tasks that are departures from the paper."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.dynamics.compiled import Terms, WholeBody, jacobian, motion, no_motion
from poise.kernels import njit
from poise.maths.configuration import Layout, difference_rows, quat_difference
from poise.maths.rotations import Array
from poise.methods.mcsim import contacts, legs, rail, reduced, swing
from poise.methods.mcsim.memory import Structure
from poise.methods.mcsim.settings import Numbers
from poise.motion.reference import Sample

if TYPE_CHECKING:
    from poise.methods.mcsim.memory import Memory
    from poise.methods.mcsim.method import McSim
    from poise.methods.mcsim.planner import Scene

_LEAST = 1e-7  # weight of λ² [1/N²]: makes the shares of redundant corners unique
_AT_REST = np.zeros(6)
_CLOSING = 400.0  # [1/s²] at which a corner that should touch goes down


class Aim(NamedTuple):
    """What a plan aims at beside the reference itself."""

    standing: np.ndarray  # (2,) bool: each foot should stand and does
    place: Array  # (2, 3) [m] where the feet that do not stand should be
    speed: Array  # (2, 3) [m/s] at which these places move against the reference
    tilt: Array  # (2,) rise of the ground per metre, less the reference's
    held: Array  # (6,) accelerations of the root that a rail prescribes
    rate: float  # at which the reference runs
    lower: float  # [m] by which the centre of mass is let down


def difference(layout: Layout, wanted: Array, now: Array) -> Array:
    """d(q_r, q) (nv,) [rad, m]: the step from the configuration `now` (nq,) to `wanted`, zero for the root's place.

    Corrected against print: with a = q_r, d(a, b) = vec(a⁻¹ b) for a ball joint is the rotation from the reference to
    the character, opposite in sign to a - b of a pin joint; ball joints would be driven away. It is vec(b⁻¹ a) here.
    """
    out = np.empty(layout.nv)
    _difference(layout, wanted, now, out)
    return out


@njit(cache=True)
def _difference(layout, wanted, now, out):
    difference_rows(layout.kind, layout.qadr, layout.vadr, now.reshape(1, -1), wanted.reshape(1, -1),
                    out.reshape(1, -1))  # fmt: skip
    out[:3] = 0.0


def acceleration(layout: Layout, wanted: Sample, q: Array, v: Array, gain: float) -> Array:
    """The desired acceleration q̈_d (nv,): equation (4) of da Silva, Abe & Popović 2008.

    q̈_d = q̈_r + k_os d(q_r, q) + k_od (q̇_r - q̇),  k_od = 2 √k_os

    for every degree of freedom, with no position gain on the root's translation; `gain` is k_os [1/s²].
    """
    out = np.empty(layout.nv)
    acceleration_into(layout, wanted, q, v, gain, out)
    return out


@njit(cache=True)
def acceleration_into(layout, wanted, q, v, gain, out):
    """Equation (4) into out (nv,)."""
    _difference(layout, wanted.q, q, out)
    damping = 2.0 * np.sqrt(gain)
    for d in range(v.shape[0]):
        out[d] = wanted.a[d] + gain * out[d] + damping * (wanted.v[d] - v[d])


def program(way: McSim, scene: Scene, cones: contacts.Cones, memory: Memory) -> reduced.Reduced:
    """The reduced program of this moment."""
    now, place, speed = scene.now, np.zeros((2, 3)), np.zeros((2, 3))
    for side in (0, 1):
        if way.has("momentum") and memory.feet[side] >= 0 and not scene.standing[side]:
            place[side], speed[side] = swing.target(way, scene, memory, side)
    held = rail.accelerations(now.q, now.v) if way.planar else _AT_REST
    aim = Aim(standing=scene.standing, place=place, speed=speed, tilt=memory.tilt, held=held, rate=scene.rate,
              lower=memory.lower)  # fmt: skip
    return reduced.Reduced(*_from_tuples(
        memory.dynamics.fields, memory.reference_dynamics.fields, tuple(scene.wanted), tuple(scene.now_whole),
        tuple(scene.goal_whole), tuple(cones), tuple(aim), memory.structure, memory.numbers))  # fmt: skip


@njit(cache=True)
def _from_tuples(now, goal, wanted, now_whole, goal_whole, cones, aim, structure, numbers):
    """`_program` for plain tuples, which go into compiled code in half the time of named ones."""
    return _program(Terms(*now), Terms(*goal), Sample(*wanted), WholeBody(*now_whole), WholeBody(*goal_whole),
                    contacts.Cones(*cones), Aim(*aim), Structure(*structure), Numbers(*numbers))  # fmt: skip


@njit(cache=True)
def _program(now, goal, wanted, now_whole, goal_whole, cones, aim, structure, numbers):
    """See `program`: all rows, and the fields of `Reduced` assembled from them."""
    count, nv = cones.which.shape[0], now.v.shape[0]
    generalised, grip, grip_wish = grip_rows(now, cones, numbers.grip_damping)
    if numbers.damped and count:
        grip_wish += led(goal, wanted.a, cones, numbers.grip_damping)
    tracked = _joints(now, goal, wanted, aim, structure, numbers)
    used = 3 * count
    rows, wishes, weights = np.empty((used + 12, nv)), np.empty(used + 12), np.empty(used + 12)
    rows[:used], wishes[:used], weights[:used] = grip, grip_wish, numbers.grip
    push, push_wish = np.zeros((0, 6)), np.zeros(6)
    if numbers.momentum:
        for side in range(2):
            foot = structure.feet[side]
            if foot >= 0:
                matrix, target = swing.rows(now, goal, wanted.a, foot, side, aim, numbers)
                turning = numbers.stand_turn if aim.standing[side] else numbers.swing_turn
                for i in range(3 if aim.standing[side] else 0, 6):
                    rows[used], wishes[used] = matrix[i], target[i]
                    weights[used] = numbers.swing if i < 3 else turning
                    used += 1
        if count:
            push = push_rows(now.rotations[now.root], now.positions[now.root] - now.centre_of_mass, now.mass)
            _momentum(now_whole, goal_whole, numbers, now.gravity, aim.lower, push_wish)
    H, g, root = reduced.assemble(now.mass_matrix, now.bias, structure.free, aim.held, tracked,
                                  reduced.Rows(rows[:used], wishes[:used], weights[:used]),
                                  reduced.Rows(push, push_wish, numbers.push_weight))  # fmt: skip
    return H, g, root, now.mass_matrix, now.bias, generalised, _LEAST


@njit(cache=True)
def grip_rows(now, cones, damping):
    """J V (nv, 4 K) of K points, and the rows (3 K, nv) and wishes (3 K,) of no-slip (7e), J q̈ = -J' q̇.

    Departures (`damped`): the wish is -J' q̇ - damping J q̇, and a point above the ground is led down to it.
    """
    nv, count = now.v.shape[0], cones.which.shape[0]
    generalised = np.empty((nv, 4 * count))
    rows, wish = np.empty((3 * count, nv)), np.empty(3 * count)
    linear, angular, moving = np.empty((3, nv)), np.empty((3, nv)), no_motion()
    for k in range(count):
        body = now.point_bodies[cones.which[k]]
        jacobian(now, body, cones.place[k], linear, angular)
        motion(now, body, cones.place[k], moving)
        for i in range(3):
            closing = _CLOSING * cones.gap[k] * cones.normal[k, i]
            wish[3 * k + i] = -moving.bias[i] - damping * moving.velocity[i] - closing
            for d in range(nv):
                rows[3 * k + i, d] = linear[i, d]
        for f in range(4):
            for d in range(nv):
                x = 0.0
                for i in range(3):
                    x += linear[i, d] * cones.basis[k, i, f]
                generalised[d, 4 * k + f] = x
    return generalised, rows, wish


@njit(cache=True)
def led(goal, a, cones, damping):
    """What the reference adds (3 K,) to the wishes of no-slip: how its own touching points move along the ground.

    With its accelerations a (nv,), that is J a + J' q̇ + damping J q̇ without the part along the normal. A planted foot
    adds nothing; one that pivots is led round.
    """
    out = np.empty(3 * cones.which.shape[0])
    nv, normal = goal.v.shape[0], cones.normal
    linear, angular, moving = np.empty((3, nv)), np.empty((3, nv)), no_motion()
    for k in range(cones.which.shape[0]):
        body, point = goal.point_bodies[cones.which[k]], goal.points[cones.which[k]]
        jacobian(goal, body, point, linear, angular)
        motion(goal, body, point, moving)
        push = linear @ a + moving.bias + damping * moving.velocity
        along = push[0] * normal[k, 0] + push[1] * normal[k, 1] + push[2] * normal[k, 2]
        for i in range(3):
            out[3 * k + i] = push[i] - along * normal[k, i]
    return out


@njit(cache=True)
def _joints(now, goal, wanted, aim, structure, numbers):
    """Wished accelerations of equation (4) and their weights; a swinging leg is bent towards its foot's place."""
    nv = now.v.shape[0]
    wish, weight = np.empty(nv), np.ones(nv)
    acceleration_into(structure.layout, wanted, now.q, now.v, numbers.kos, wish)
    if not numbers.momentum:
        return reduced.Tracked(wish, weight)
    off, standing = np.empty(3), aim.standing
    quat_difference(now.q[3:7], wanted.q[3:7], off)
    for i in range(3):
        slip = wanted.v[3 + i] - now.v[3 + i]
        wish[3 + i] = wanted.a[3 + i] + numbers.upright_gain * off[i] + 2.0 * math.sqrt(numbers.upright_gain) * slip
        weight[i] = 0.0
        weight[3 + i] = numbers.upright if standing[0] or standing[1] else numbers.upright_flying
    for side in range(2):
        foot, stands = structure.feet[side], standing[side]
        if foot < 0:
            continue
        least = numbers.leg_standing if stands else numbers.leg_swinging
        place = now.positions[foot] if stands else aim.place[side]
        bent = legs.bend(now, goal, place, stands, foot, structure.legs[side])
        for d in range(nv):
            if structure.legs[side, d]:
                wish[d] += numbers.kos * bent[d]
                if not stands:
                    wish[d] -= (1.0 - aim.rate) * (wanted.a[d] + 2.0 * math.sqrt(numbers.kos) * wanted.v[d])
                weight[d] = least * structure.stiff[d]
    return reduced.Tracked(wish, weight)


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


def tracking(now: Terms, wish: Array, cones: contacts.Cones, grip: float, least: float) -> reduced.Reduced:
    """The paper's program at an instant, in its reduced form, without tasks: to be compared with the printed one.

    `wish` is q̈_d (nv,), `grip` the weight of no-slip beside 1 for an acceleration, `least` that of λ² [1/N²].
    """
    generalised, rows, rows_wish = grip_rows(now, cones, 0.0)
    H, g, root = reduced.assemble(
        now.mass_matrix, now.bias, np.arange(6), np.zeros(6), reduced.Tracked(wish, np.ones(len(wish))),
        reduced.Rows(rows, rows_wish, np.full(len(rows_wish), grip)),
        reduced.Rows(np.zeros((0, 6)), np.zeros(0), np.zeros(0)))  # fmt: skip
    return reduced.Reduced(H, g, root, now.mass_matrix, now.bias, generalised, least)
