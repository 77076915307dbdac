"""Thinking: the compiled parts of one decision, in the order in which they are taken.

Who supports (`sense`), the virtual wrench at the centre of mass (`wish_for`) and its joint torques (`carry_out`), the
servos (`follow`), and what feet and joints can bear of both (`bear`). Arrays are made once and written into.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.balance import contact, momentum, sensor, servo, sole, virtual

KICK = 3.0  # [rad/s] by which torques may spin up a limb in one period that stands on nothing
SMOOTH = 0.005  # [s] over which the ground's force on a foot is averaged
FIRM = 0.1  # share of the weight on a foot from which it bears the whole artificial torque
LEAST = 0.02  # share of the weight that a foot is taken to bear at least
HOPELESS = 1.0  # distance of the centre of mass from the support point, in its heights, at which balance is given up
(MOST, ZONE, PERIOD, WEIGHT, FALL_BELOW, FALLING, RATIO, EVEN, LINGER, LEFT_SINCE, RIGHT_SINCE, SOLE, FEED, GIVE,
 RECORDED, EASE, BEGAN, SWING, REACH, SHARE, ANSWERED, BOUNDED, IMPLICIT, LIMITED, HOPE, POSED) = range(26)  # fmt: skip


class Frame(NamedTuple):
    """Tables that do not change: of the body, and the gains."""

    moved: np.ndarray  # (nv,) the body that a degree of freedom moves
    parent: np.ndarray  # (nv,) the degree of freedom before it
    above: np.ndarray  # (bodies,) parents of the links
    path: np.ndarray  # (2, nv) between root and each foot
    ankle: np.ndarray  # (2, nv)
    feet: np.ndarray  # (2,) bodies
    foot_of: np.ndarray  # (bodies,)
    foot_weights: Array  # (2, bodies)
    extent: Array  # (2, 5) of the soles
    limit: Array  # (nv,) [N m]
    armature: Array  # (nv,)
    gains: Array  # (6,) of the virtual force and torque
    on: np.ndarray  # (5,) bool: the terms that act
    spring: Array  # (nv,) [N m/rad]
    damper: Array  # (nv,) [N m s/rad]
    fall_damper: Array  # (nv,) in a fall
    uprights: Array  # (U, 6) body, axis, stiffness, damping
    link: int  # the body whose orientation is controlled


class Sight(NamedTuple):
    """Views of the links as they are now; see `momentum.Links`."""

    twists: Array  # (nv, 6)
    beyond: Array  # (bodies, 10)
    own: Array  # (bodies, 10)
    velocity: Array  # (bodies, 6)
    centre: Array  # (3,) of mass
    centres: Array  # (bodies, 3)
    turns: Array  # (bodies, 4)
    places: Array  # (bodies, 3) of the links' origins
    bias: Array  # (nv,)


class Mind(NamedTuple):
    """What is remembered and decided."""

    facts: Array  # numbers, by the names above
    support: np.ndarray  # (2,) bool
    force: Array  # (2,) [N] pressing on each foot
    load: Array  # (2, 3) [N] smoothed ground force on each foot
    patch: Array  # (2, 3) [m] smoothed middle of the points that touch, from the ankle
    carried: Array  # (2, 6) part of the virtual wrench that each foot carries
    middles: Array  # (2, 3) centres of mass of the feet
    place: Array  # (2,) of the centre of mass against the support point
    wrench: Array  # (6,) virtual, torque then force
    balance: Array  # (nv,) [N m]
    servo: Array  # (nv,) [N m]
    moments: Array  # (2, 3) [N m] artificial, on the feet
    torque: Array  # (nv,) [N m] what the joints give
    error: Array  # (nv,) [rad] of the joints
    first: Array  # (nv,) [rad] their errors at the first decision
    masses: Array  # (bodies, 10) scratch
    matrix: Array  # (nv, nv) scratch


@njit(cache=True)
def sense(frame, sight, mind, wish, table, ground):
    """Which feet support, by the ground's force on them and the sensor: section 6.1."""
    facts, feet = mind.facts, mind.middles
    feet[:] = 0.0
    for b in range(sight.centres.shape[0]):
        for s in range(2):
            if frame.foot_weights[s, b] != 0.0:
                for i in range(3):
                    feet[s, i] += frame.foot_weights[s, b] * sight.centres[b, i]
    felt = sensor.pressing(table, ground, frame.foot_of)
    keep = np.exp(-facts[PERIOD] / SMOOTH)
    for s in range(2):
        mind.force[s] = felt[s, 2]
        for i in range(3):
            mind.load[s, i] = keep * mind.load[s, i] + (1.0 - keep) * felt[s, i]
    sensor.patches(table, ground, frame.foot_of, frame.feet, sight.places, keep, mind.patch)
    sensor.linger(mind.force, facts[LEFT_SINCE : RIGHT_SINCE + 1], facts[PERIOD], facts[LINGER])
    if facts[RECORDED] != 0.0:
        for s in range(2):
            if (
                mind.force[s] <= sensor.PRESSING
                and mind.force[1 - s] > sensor.PRESSING
                and _near(frame, sight, mind, s)
            ):
                mind.force[s] = 2.0 * sensor.PRESSING
        mind.support[:] = sensor.by_reference(mind.force, wish.feet_down)
        return
    mind.support[:] = sensor.by_zones(mind.force, sight.centre, feet, facts[ZONE])
    if facts[POSED] != 0.0:
        for i in range(2):
            mind.support[i] = mind.support[i] and wish.feet_down[i]


@njit(cache=True)
def _near(frame, sight, mind, s):
    """Is a foot in the air within REACH of the ground on which the other one presses?"""
    b, other = frame.feet[s], frame.feet[1 - s]
    high = sight.places[b, 2] + sole.lowest(frame.extent[s], sight.turns[b])
    return high < sight.places[other, 2] + mind.patch[1 - s, 2] + mind.facts[REACH]


@njit(cache=True)
def wish_for(frame, sight, mind, wish, since):
    """The virtual wrench (11)-(19) at the centre of mass, and the recording's change of momentum."""
    facts, support, feet, centre = mind.facts, mind.support, mind.middles, sight.centre
    mass, recorded = sight.beyond[1, 9], facts[RECORDED] != 0.0
    count = 2.0 if support[0] and support[1] else 1.0
    wanted, turn, spin = np.zeros(2), np.empty(3), np.empty(3)
    for i in range(2):
        middle = (support[0] * feet[0, i] + support[1] * feet[1, i]) / count
        middle_ref = (support[0] * wish.feet[0, i] + support[1] * wish.feet[1, i]) / count
        mind.place[i] = centre[i] - middle
        if recorded:
            wanted[i] = wish.centre[i] + since * wish.momentum[3 + i] / mass - middle_ref
    virtual.world_turn(sight.turns[frame.link], wish.turn, turn)
    for i in range(3):
        turn[i] += since * wish.spin[i]
        spin[i] = wish.spin[i] - sight.velocity[frame.link, i]
    stance = 0 if support[0] else 1
    both = facts[POSED] == 0.0 or (wish.feet_down[0] and wish.feet_down[1])
    airborne = (not recorded) and count == 1.0 and both
    mind.wrench[:] = virtual.wrench(
        frame.gains, frame.on, mass, facts[WEIGHT], momentum.momentum(sight.own, sight.velocity), wish.momentum,
        mind.place, wanted, turn, spin, airborne, feet[stance, :2], feet[1 - stance, :2])  # fmt: skip
    if recorded:
        for i in range(6):
            mind.wrench[i] += facts[FEED] * wish.rate[i]


@njit(cache=True)
def carry_out(frame, sight, mind):
    """Joint torques (9) of the virtual wrench, and whether balance must be given up."""
    facts, feet, centre, turn = mind.facts, mind.middles, sight.centre, np.empty(3)
    low = min(feet[0, 2], feet[1, 2])
    held = 0.0 if frame.on[virtual.GRAVITY] else facts[WEIGHT]  # the ground bears it all the same, the servos hold it
    facts[SHARE] = momentum.carry(mind.wrench, held, mind.support, centre, feet, low, facts[EVEN] != 0.0, mind.carried)
    momentum.joint_torques(sight.twists, sight.beyond, frame.moved, frame.path, mind.carried, mind.balance)
    for s in range(2):
        if mind.support[s]:
            foot_torque(s, sight.twists, frame.ankle, mind.balance, turn)
            if facts[ANSWERED] != 0.0:
                contact.unanswered(turn, mind.patch[s], _ground_force(frame, mind, s))
            size = np.sqrt(turn[0] ** 2 + turn[1] ** 2)
            facts[RATIO] = min(facts[RATIO], facts[MOST] / size if size > facts[MOST] else 1.0)
    far = mind.place[0] ** 2 + mind.place[1] ** 2 > (HOPELESS * (centre[2] - low)) ** 2
    if facts[RATIO] < facts[FALL_BELOW] or (far and facts[HOPE] != 0.0):
        facts[FALLING] = 1.0


@njit(cache=True)
def _ground_force(frame, mind, s):
    """The ground's force (3,) [N] on a foot that carries its part of the virtual wrench and of the weight."""
    force = mind.carried[s, 3:].copy()
    if not frame.on[virtual.GRAVITY]:
        force[2] += mind.facts[WEIGHT] * (mind.facts[SHARE] if s == 1 else 1.0 - mind.facts[SHARE])
    return force


@njit(cache=True)
def follow(frame, sight, mind, wish, since, v, table, ground):
    """Torques of the servos (1), one period ahead if implicit, and what the recording's own motion needs."""
    facts, nv = mind.facts, v.shape[0]
    h, error, pull = facts[IMPLICIT] * facts[PERIOD], mind.error, mind.servo
    rate, stiffness, damping = np.empty(nv), frame.spring.copy(), frame.damper.copy()
    if facts[FALLING] != 0.0:
        damping[:] = frame.fall_damper
    for i in range(nv):
        error[i] += since * wish.v[i] + 0.5 * since * since * wish.a[i] if i >= 6 else 0.0
        rate[i] = wish.v[i] + since * wish.a[i] - v[i]
    ease(facts, mind.first, wish.time + since, error, rate)
    if frame.uprights.shape[0]:
        keep_upright(frame.uprights, sight, frame.moved, error, rate, stiffness, damping)
    ahead, diagonal = np.empty(nv), np.empty(nv)
    for i in range(nv):
        pull[i] = 0.0
        if i >= 6:
            pull[i] = stiffness[i] * (error[i] + h * rate[i]) + damping[i] * rate[i] + facts[FEED] * wish.lead[i]
        ahead[i] = pull[i] + mind.balance[i] - sight.bias[i]
        diagonal[i] = frame.armature[i] + h * damping[i]
    if h == 0.0:
        return
    servo.hold(sight.own, sight.centre, table, ground, mind.masses)
    servo.inertia(sight.twists, mind.masses, frame.above, frame.moved, frame.parent, diagonal, mind.matrix)
    servo.solve_tree(mind.matrix, frame.parent, ahead)
    for i in range(6, nv):
        pull[i] -= h * damping[i] * ahead[i]


@njit(cache=True)
def ease(facts, first, time, error, rate):
    """Take the joints' errors (nv,) of the first decision off the servos, fading within EASE seconds.

    Departures: the paper's servos pull at all of a careless pose at once, which throws the body before it stands.
    """
    if np.isnan(facts[BEGAN]):
        facts[BEGAN] = time
        first[:] = error
    passed = time - facts[BEGAN]
    if passed < facts[EASE]:
        x = passed / facts[EASE]
        left, slope = 1.0 - x * x * (3.0 - 2.0 * x), -6.0 * x * (1.0 - x) / facts[EASE]
        for i in range(6, first.shape[0]):
            error[i] -= left * first[i]
            rate[i] -= slope * first[i]


@njit(cache=True)
def bear(frame, sight, mind):
    """What feet and joints bear: the artificial torque (20)-(22), the sole, the strength of the joints."""
    facts, support, balance = mind.facts, mind.support, mind.balance
    firm_by = FIRM * facts[WEIGHT]
    for s in range(2):
        if support[s] and facts[FALLING] == 0.0:
            if facts[SWING] > 0.0 or facts[SOLE] > 0.0:
                _within_strength(frame, sight, mind, s)
            turned = np.empty(3)
            for k in range(balance.shape[0]):  # limits cut balance before the servo, and turn neither round
                if frame.ankle[s, k] and facts[LIMITED] != 0.0:
                    most, asked = frame.limit[k], balance[k]
                    left = min(max(mind.servo[k] + asked, -most), most) - mind.servo[k]
                    balance[k] = min(max(left, min(asked, 0.0)), max(asked, 0.0))
            foot_torque(s, sight.twists, frame.ankle, balance, turned)
            if facts[ANSWERED] != 0.0:
                contact.unanswered(turned, mind.patch[s], _ground_force(frame, mind, s))
            firm = 1.0
            if facts[SOLE] > 0.0:  # a foot in the air has nothing to stand on, real or imagined
                firm = min(1.0, max(mind.load[s, 2], 0.0) / firm_by)
            contact.compensation(turned, firm * facts[MOST], mind.moments[s], facts[BOUNDED] != 0.0)
            if facts[SOLE] > 0.0:
                _within_sole(frame, sight, mind, s)
    for i in range(6, balance.shape[0]):
        most = frame.limit[i]
        if not (support[0] and frame.path[0, i]) and not (support[1] and frame.path[1, i]):
            most = min(most, _alone(sight.beyond[frame.moved[i]], sight.twists[i], frame.armature[i]) * KICK
                       / facts[PERIOD])  # fmt: skip
        if facts[LIMITED] == 0.0:
            most = np.inf
        mind.torque[i] = min(max(mind.servo[i] + balance[i], -most), most)


@njit(cache=True)
def _within_strength(frame, sight, mind, s):
    """Let a leg whose ankle would have to be too strong give way."""
    change, over = np.zeros(3), False
    for k in range(mind.balance.shape[0]):
        if frame.ankle[s, k]:
            asked = mind.servo[k] + mind.balance[k]
            less = min(max(asked, -frame.limit[k]), frame.limit[k]) - asked
            if less != 0.0:
                over = True
                for i in range(3):
                    change[i] += sight.twists[k, i] * less
    if over:
        size = np.sqrt(change[0] ** 2 + change[1] ** 2 + change[2] ** 2)
        if mind.facts[SOLE] == 0.0 and size > mind.facts[SWING]:
            for i in range(3):
                change[i] *= mind.facts[SWING] / size
        sole.yield_to(change, mind.facts[GIVE], _reach(sight, mind, s), sight.twists, frame.path[s], mind.balance)


@njit(cache=True)
def _within_sole(frame, sight, mind, s):
    """Let a leg whose foot would have to roll over its edge give way."""
    facts, b = mind.facts, frame.feet[s]
    turned, change = np.empty(3), np.empty(3)
    foot_torque(s, sight.twists, frame.ankle, mind.servo, turned)
    foot_torque(s, sight.twists, frame.ankle, mind.balance, change)
    for i in range(3):
        turned[i] += change[i] + mind.moments[s, i]
    if sole.spare(facts[SOLE], frame.extent[s], sight.turns[b], -mind.patch[s, 2], turned, mind.load[s],
                  LEAST * facts[WEIGHT], change):  # fmt: skip
        sole.yield_to(change, facts[GIVE], _reach(sight, mind, s), sight.twists, frame.path[s], mind.balance)


@njit(cache=True)
def _reach(sight, mind, s):
    """Height [m] of the centre of mass above a foot, and not less than a hand's width."""
    return max(0.1, sight.centre[2] - mind.middles[s, 2])


@njit(cache=True)
def keep_upright(uprights, sight, moved, error, rate, stiffness, damping):
    """Replace the horizontal part of the servo's error at links that must stay upright by their tilt in the world."""
    twists, error_world, rate_world = sight.twists, np.empty(3), np.empty(3)
    for k in range(uprights.shape[0]):
        b = int(uprights[k, 0])
        _tilt(uprights[k], sight.turns[b], sight.velocity[b], error_world, rate_world)
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
                stiffness[i], damping[i] = uprights[k, 4], uprights[k, 5]


@njit(cache=True)
def _tilt(upright, turn, velocity, error, rate):
    """error (3,) = turn in the world that sets a link's axis upright, rate (3,) = that which stops its tilting."""
    w, x, y, z = turn[0], turn[1], turn[2], turn[3]
    a, c, e = upright[1], upright[2], upright[3]
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
