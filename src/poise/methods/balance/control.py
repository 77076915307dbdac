"""The compiled parts of one decision, in the order in which they are taken.

Who supports (`sense`), the virtual wrench at the centre of mass (`virtual_wrench`) and its joint torques (`carry_out`),
the servos (`follow`), and what feet and joints can bear of both (`bear`). All are given `Tables`, the `Terms` of the
state, `Work`, the `Target` of the recording and `Numbers`, as far as they need them; arrays of `Work` are written into.
"""

from __future__ import annotations

import numpy as np

from poise.dynamics.compiled.momentum import MASS
from poise.kernels import njit
from poise.methods.balance import contact, momentum, sensor, servo, sole, virtual

KICK = 3.0  # [rad/s] by which torques may spin up a limb in one period that stands on nothing
SMOOTH = 0.005  # [s] over which the ground's force on a foot is averaged
FIRM = 0.1  # share of the weight on a foot from which it bears the whole artificial torque
LEAST = 0.02  # share of the weight that a foot is taken to bear at least
HOPELESS = 1.0  # distance of the centre of mass from the support point, in its heights, at which balance is given up


@njit(cache=True)
def sense(tables, terms, work, target, numbers, table, ground):
    """Which feet support, by the ground's force on them and the sensor: section 6.1.

    `table` (K, 18) are the touches; `ground` tells of each thing that may be touched whether it is ground.
    """
    feet = work.middles
    feet[:] = 0.0
    for b in range(terms.link_centres.shape[0]):
        for s in range(2):
            if tables.foot_weights[s, b] != 0.0:
                for i in range(3):
                    feet[s, i] += tables.foot_weights[s, b] * terms.link_centres[b, i]
    felt = sensor.pressing(table, ground, tables.foot_of)
    keep = np.exp(-numbers.period / SMOOTH)
    for s in range(2):
        work.force[s] = felt[s, 2]
        for i in range(3):
            work.load[s, i] = keep * work.load[s, i] + (1.0 - keep) * felt[s, i]
    sensor.patches(table, ground, tables.foot_of, tables.feet, terms.positions, keep, work.patch)
    sensor.linger(work.force, work.since, numbers.period, numbers.linger)
    if numbers.recorded:
        for s in range(2):
            lifted = work.force[s] <= sensor.PRESSING and work.force[1 - s] > sensor.PRESSING
            if lifted and _near(tables, terms, work, numbers.reach, s):
                work.force[s] = 2.0 * sensor.PRESSING
        work.support[:] = sensor.by_reference(work.force, target.feet_down)
        return
    work.support[:] = sensor.by_zones(work.force, terms.centre_of_mass, feet, numbers.zone)
    if numbers.posed:
        for i in range(2):
            work.support[i] = work.support[i] and target.feet_down[i]


@njit(cache=True)
def _near(tables, terms, work, reach, s):
    """Is a foot in the air within `reach` [m] of the ground on which the other one presses?"""
    b, other = tables.feet[s], tables.feet[1 - s]
    high = terms.positions[b, 2] + sole.lowest(tables.extent[s], terms.quaternions[b])
    return high < terms.positions[other, 2] + work.patch[1 - s, 2] + reach


@njit(cache=True)
def virtual_wrench(tables, terms, work, target, numbers, since):
    """The virtual wrench (11)-(19) at the centre of mass, and the recording's change of momentum."""
    support, feet, centre = work.support, work.middles, terms.centre_of_mass
    mass = terms.subtree_inertias[terms.root, MASS]
    count = 2.0 if support[0] and support[1] else 1.0
    wanted, turn, spin = np.zeros(2), np.empty(3), np.empty(3)
    for i in range(2):
        middle = (support[0] * feet[0, i] + support[1] * feet[1, i]) / count
        middle_ref = (support[0] * target.feet[0, i] + support[1] * target.feet[1, i]) / count
        work.place[i] = centre[i] - middle
        if numbers.recorded:
            wanted[i] = target.centre[i] + since * target.momentum[3 + i] / mass - middle_ref
    virtual.world_turn(terms.quaternions[tables.link], target.turn, turn)
    for i in range(3):
        turn[i] += since * target.spin[i]
        spin[i] = target.spin[i] - terms.velocities[tables.link, i]
    stance = 0 if support[0] else 1
    both = not numbers.posed or (target.feet_down[0] and target.feet_down[1])
    airborne = (not numbers.recorded) and count == 1.0 and both
    work.wrench[:] = virtual.wrench(tables.gains, tables.acting, virtual.Compared(
        mass=mass, weight=numbers.weight, momentum=momentum.momentum(terms), momentum_wanted=target.momentum,
        place=work.place, place_wanted=wanted, turn=turn, spin=spin, airborne=airborne, stance=feet[stance, :2],
        other=feet[1 - stance, :2]))  # fmt: skip
    if numbers.recorded:
        for i in range(6):
            work.wrench[i] += numbers.feed * target.rate[i]


@njit(cache=True)
def carry_out(tables, terms, work, numbers):
    """Joint torques (9) of the virtual wrench, and whether balance must be given up."""
    feet, centre, turn = work.middles, terms.centre_of_mass, np.empty(3)
    low = min(feet[0, 2], feet[1, 2])
    held = 0.0 if tables.acting.gravity else numbers.weight  # the ground bears it all the same, the servos hold it
    work.share[0] = momentum.carry(work.wrench, held, work.support, centre, feet, low, numbers.even, work.carried)
    momentum.joint_torques(terms, tables.path, work.carried, work.balance)
    for s in range(2):
        if work.support[s]:
            foot_torque(s, terms.axes, tables.ankle, work.balance, turn)
            if numbers.answered:
                contact.unanswered(turn, work.patch[s], _ground_force(tables, work, numbers.weight, s))
            size = np.sqrt(turn[0] ** 2 + turn[1] ** 2)
            work.ratio[0] = min(work.ratio[0], numbers.most / size if size > numbers.most else 1.0)
    far = work.place[0] ** 2 + work.place[1] ** 2 > (HOPELESS * (centre[2] - low)) ** 2
    if work.ratio[0] < numbers.fall_below or (far and numbers.hopeless):
        work.falling[0] = True


@njit(cache=True)
def _ground_force(tables, work, weight, s):
    """The ground's force (3,) [N] on a foot that carries its part of the virtual wrench and of the weight."""
    force = work.carried[s, 3:].copy()
    if not tables.acting.gravity:
        force[2] += weight * (work.share[0] if s == 1 else 1.0 - work.share[0])
    return force


@njit(cache=True)
def follow(tables, terms, work, target, numbers, since, table, ground):
    """Torques of the servos (1), one period ahead if implicit, and what the recording's own motion needs.

    τ = k_s log(q_d q⁻¹) + k_d (ω_d - ω), for the target as it is `since` [s] after it was looked up.
    """
    v, nv = terms.v, terms.v.shape[0]
    h, error, pull = numbers.period if numbers.implicit else 0.0, work.error, work.servo
    rate, stiffness, damping = np.empty(nv), tables.spring.copy(), tables.damper.copy()
    if work.falling[0]:
        damping[:] = tables.fall_damper
    for i in range(nv):
        error[i] += since * target.v[i] + 0.5 * since * since * target.a[i] if i >= 6 else 0.0
        rate[i] = target.v[i] + since * target.a[i] - v[i]
    ease(work, numbers.ease, target.time + since, rate)
    if tables.uprights.body.shape[0]:
        keep_upright(tables.uprights, terms, error, rate, stiffness, damping)
    ahead, diagonal = np.empty(nv), np.empty(nv)
    for i in range(nv):
        pull[i] = 0.0
        if i >= 6:
            pull[i] = stiffness[i] * (error[i] + h * rate[i]) + damping[i] * rate[i] + numbers.feed * target.lead[i]
        ahead[i] = pull[i] + work.balance[i] - terms.bias[i]
        diagonal[i] = tables.armature[i] + h * damping[i]
    if h == 0.0:
        return
    servo.hold(terms, table, ground, work.masses)
    servo.inertia(terms, work.masses, tables.above, tables.parent, diagonal, work.matrix)
    servo.solve_tree(work.matrix, tables.parent, ahead)
    for i in range(6, nv):
        pull[i] -= h * damping[i] * ahead[i]


@njit(cache=True)
def ease(work, within, time, rate):
    """Take the joints' errors (nv,) of the first decision off the servos, fading `within` [s].

    Departures: the paper's servos pull at all of a careless pose at once, which throws the body before it stands.
    """
    first, error = work.first, work.error
    if np.isnan(work.began[0]):
        work.began[0] = time
        first[:] = error
    passed = time - work.began[0]
    if passed < within:
        x = passed / within
        left, slope = 1.0 - x * x * (3.0 - 2.0 * x), -6.0 * x * (1.0 - x) / within
        for i in range(6, first.shape[0]):
            error[i] -= left * first[i]
            rate[i] -= slope * first[i]


@njit(cache=True)
def bear(tables, terms, work, numbers):
    """What feet and joints bear: the artificial torque (20)-(22), the sole, the strength of the joints."""
    support, balance = work.support, work.balance
    firm_by = FIRM * numbers.weight
    for s in range(2):
        if support[s] and not work.falling[0]:
            if numbers.swing > 0.0 or numbers.sole > 0.0:
                _within_strength(tables, terms, work, numbers, s)
            turned = np.empty(3)
            for k in range(balance.shape[0]):  # limits cut balance before the servo, and turn neither round
                if tables.ankle[s, k] and numbers.limited:
                    most, asked = tables.limit[k], balance[k]
                    left = min(max(work.servo[k] + asked, -most), most) - work.servo[k]
                    balance[k] = min(max(left, min(asked, 0.0)), max(asked, 0.0))
            foot_torque(s, terms.axes, tables.ankle, balance, turned)
            if numbers.answered:
                contact.unanswered(turned, work.patch[s], _ground_force(tables, work, numbers.weight, s))
            firm = 1.0
            if numbers.sole > 0.0:  # a foot in the air has nothing to stand on, real or imagined
                firm = min(1.0, max(work.load[s, 2], 0.0) / firm_by)
            contact.compensation(turned, firm * numbers.most, work.moments[s], numbers.bounded)
            if numbers.sole > 0.0:
                _within_sole(tables, terms, work, numbers, s)
    for i in range(6, balance.shape[0]):
        most = tables.limit[i]
        if not (support[0] and tables.path[0, i]) and not (support[1] and tables.path[1, i]):
            beyond = terms.subtree_inertias[terms.moved[i]]
            most = min(most, _alone(beyond, terms.axes[i], tables.armature[i]) * KICK / numbers.period)
        if not numbers.limited:
            most = np.inf
        work.torque[i] = min(max(work.servo[i] + balance[i], -most), most)


@njit(cache=True)
def _within_strength(tables, terms, work, numbers, s):
    """Let a leg whose ankle would have to be too strong give way."""
    change, over = np.zeros(3), False
    for k in range(work.balance.shape[0]):
        if tables.ankle[s, k]:
            asked = work.servo[k] + work.balance[k]
            less = min(max(asked, -tables.limit[k]), tables.limit[k]) - asked
            if less != 0.0:
                over = True
                for i in range(3):
                    change[i] += terms.axes[k, i] * less
    if over:
        size = np.sqrt(change[0] ** 2 + change[1] ** 2 + change[2] ** 2)
        if numbers.sole == 0.0 and size > numbers.swing:
            for i in range(3):
                change[i] *= numbers.swing / size
        sole.give_way(change, numbers.give, _reach(terms, work, s), terms.axes, tables.path[s], work.balance)


@njit(cache=True)
def _within_sole(tables, terms, work, numbers, s):
    """Let a leg whose foot would have to roll over its edge give way."""
    b = tables.feet[s]
    turned, change = np.empty(3), np.empty(3)
    foot_torque(s, terms.axes, tables.ankle, work.servo, turned)
    foot_torque(s, terms.axes, tables.ankle, work.balance, change)
    for i in range(3):
        turned[i] += change[i] + work.moments[s, i]
    if sole.spare(numbers.sole, tables.extent[s], terms.quaternions[b], -work.patch[s, 2], turned, work.load[s],
                  LEAST * numbers.weight, change):  # fmt: skip
        sole.give_way(change, numbers.give, _reach(terms, work, s), terms.axes, tables.path[s], work.balance)


@njit(cache=True)
def _reach(terms, work, s):
    """Height [m] of the centre of mass above a foot, and not less than a hand's width."""
    return max(0.1, terms.centre_of_mass[2] - work.middles[s, 2])


@njit(cache=True)
def keep_upright(uprights, terms, error, rate, stiffness, damping):
    """Replace the horizontal part of the servo's error at links that must stay upright by their tilt in the world."""
    twists, moved, error_world, rate_world = terms.axes, terms.moved, np.empty(3), np.empty(3)
    for k in range(uprights.body.shape[0]):
        b = uprights.body[k]
        _tilt(uprights.axis[k], terms.quaternions[b], terms.velocities[b], error_world, rate_world)
        for i in range(twists.shape[0]):  # what the servo wants about the vertical stays
            if moved[i] == b:
                error_world[2] += twists[i, 2] * error[i]
                rate_world[2] += twists[i, 2] * rate[i]
        for i in range(twists.shape[0]):
            if moved[i] == b:
                error[i] = rate[i] = 0.0
                for n in range(3):
                    error[i] += twists[i, n] * error_world[n]
                    rate[i] += twists[i, n] * rate_world[n]
                stiffness[i], damping[i] = uprights.stiffness[k], uprights.damping[k]


@njit(cache=True)
def _tilt(axis, turn, velocity, error, rate):
    """error (3,) = turn in the world that sets a link's axis (3,) upright, rate (3,) = that which stops its tilting."""
    w, x, y, z = turn[0], turn[1], turn[2], turn[3]
    a, c, e = axis[0], axis[1], axis[2]
    tx, ty, tz = 2.0 * (y * e - z * c), 2.0 * (z * a - x * e), 2.0 * (x * c - y * a)
    ax, ay, az = a + w * tx + y * tz - z * ty, c + w * ty + z * tx - x * tz, e + w * tz + x * ty - y * tx
    level = np.sqrt(ax * ax + ay * ay)
    tilt = np.arctan2(level, az) / level if level > 1e-9 else 1.0
    error[0], error[1], error[2] = tilt * ay, -tilt * ax, 0.0
    rate[0], rate[1], rate[2] = -velocity[0], -velocity[1], 0.0


@njit(cache=True)
def _alone(mass, twist, armature):
    """Inertia of all beyond a degree of freedom, about it."""
    out = momentum.product(mass, twist)
    total = armature
    for i in range(6):
        total += twist[i] * out[i]
    return total


@njit(cache=True)
def foot_torque(foot, twists, ankle, torque, out):
    """out (3,) = torque [N m] on a foot, world axes, of the ankle's part of joint torques (nv,)."""
    out[:] = 0.0
    for k in range(torque.shape[0]):
        if ankle[foot, k]:
            for i in range(3):
                out[i] += twists[k, i] * torque[k]
