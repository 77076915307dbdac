"""Decision: all that is computed at one time step, in compiled code on memory that is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from poise.maths.rotations import Array
from poise.methods.balance import contact, momentum, sensor, servo, virtual
from poise.methods.balance.body import Body
from poise.methods.balance.following import Following, Wish
from poise.methods.balance.sole import cut, soles
from poise.simulate.simulator import State, Touches

if TYPE_CHECKING:
    from poise.methods.balance.method import Balance

KICK = 3.0  # [rad/s] by which torques may spin up a limb in one period that stands on nothing
SMOOTH = 0.005  # [s] over which the ground's force on a foot is averaged
FIRM = 0.1  # share of the weight on a foot from which it bears the whole artificial torque
HOPELESS = 1.0  # distance of the centre of mass from the support point, in its heights, at which balance is given up
(MOST, ZONE, PERIOD, WEIGHT, FALL_BELOW, FALLING, RATIO, EVEN, LINGER, LEFT_SINCE, RIGHT_SINCE, SOLE, FEED) = range(13)


class Decision:
    """Torques, moments on the feet and what was thought, of the decision last taken."""

    def __init__(self, settings: Balance, body: Body, following: Following, recorded: bool):
        model, nv = body.character.model, int(body.character.model.nv)
        self.body, self.recorded, self._follow = body, recorded, following
        self.links = momentum.Links(body)
        self.torque, self.moments = np.zeros(nv), np.zeros((2, 3))
        self.support, self.force = np.zeros(2, bool), np.zeros(2)
        self.wrench = np.zeros(6)
        self.place = np.zeros(2)
        self.load = np.zeros((2, 3))
        s = settings
        self._gains = np.array([s.kfs, s.kfd, s.kP, s.kts, s.ktd, s.kL])
        self._gains[[virtual.KFS, virtual.KFD, virtual.KTS, virtual.KTD]] *= body.scale
        self._on = virtual.switches(s.terms)
        self._stiffness = s.stiffness * body.stiffness
        self._damping, self._fall_damping = s.damping * self._stiffness, s.fall_damping * self._stiffness
        self._armature = model.dof_armature.copy()
        self._above = model.body_parentid.astype(np.int64)
        self._layout = body.character.layout
        most = contact.Cylinder.at(s.slider, body.character.mass) if s.slider is not None else s.cylinder
        scale = 1.0 if s.slider is not None else body.scale
        weight = body.character.mass * float(np.linalg.norm(model.opt.gravity))
        sole = float(recorded) if s.sole is None else s.sole
        self.facts = np.array([most.torque * scale, s.zone, s.period, weight, s.fall_below, 0.0, 1.0,
                               float(s.split == "even"), s.linger, np.inf, np.inf, sole, s.feed])  # fmt: skip
        self._uprights = np.array([[body.character.body(u.body), *u.axis, body.scale * u.stiffness,
                                    body.scale * u.damping] for u in s.uprights]).reshape(-1, 6)  # fmt: skip
        self._until = s.until
        self._masses, self._inertia = np.zeros((model.nbody, 10)), np.zeros((nv, nv))
        self._wish_down = np.ones(2, bool)
        toes = [np.flatnonzero(body.foot_of == side).tolist() for side in (0, 1)]
        self._slippery = {
            (left, right): {b: s.swing_friction for b in [*(() if left else toes[0]), *(() if right else toes[1])]}
            for left in (False, True) for right in (False, True)
        }  # fmt: skip
        self._names: tuple[str, ...] = ()
        self._ground = np.zeros(0, bool)
        self._error = np.zeros(nv)
        self._extent = soles(body.character, body.feet)

    def take(self, state: State, touches: Touches, wish: Wish) -> None:
        """Decide at a state."""
        if touches.names is not self._names:
            self._names = touches.names
            self._ground = np.array([n == "ground" or n.startswith("ground ") for n in touches.names])
        if state.time >= self._until:
            self.facts[MOST] = 0.0
        links, body, layout = self.links, self.body, self._layout
        links.place(state.q, state.v)
        self._wish_down = wish.feet_down
        servo.joint_errors(layout.kind, layout.qadr, layout.vadr, state.q, wish.q, self._error)
        _decide(
            state.v, touches.table, self._ground, state.time - wish.time, self._error,
            wish.v, wish.a, wish.momentum, wish.rate, wish.centre, wish.feet, wish.turn, wish.spin, wish.feet_down,
            self.recorded, self._follow.link, self._follow.weights,
            links.twists, links.beyond, links.own, links.velocity, links.centre[1], links.centres, links.turns,
            links.bias,
            body.moved, body.parent, self._above, body.path, body.ankle, body.feet, body.foot_of, body.torque_limit,
            self._gains, self._on, self._stiffness, self._damping, self._fall_damping, self._armature, self._uprights,
            self.facts, self._extent, links.data.xpos, self._masses, self._inertia,
            self.torque, self.moments, self.support, self.force, self.wrench, self.place, self.load,
        )  # fmt: skip

    @property
    def falling(self) -> bool:
        """Has balance been given up?"""
        return bool(self.facts[FALLING])

    def assist(self) -> Array:
        """The artificial moments on the feet as rows (0 to 2, 10) of assistance."""
        rows = np.zeros((2, 10))
        rows[:, 0] = self.body.feet
        rows[:, 1:4] = self.links.centres[self.body.feet]
        rows[:, 7:] = self.moments
        return rows[self.support] if self.facts[MOST] > 0.0 and not self.falling else rows[:0]

    def slippery(self) -> dict[int, float]:
        """Bodies of the feet that the recording has in the air, and the factor of their friction."""
        left, right = self._wish_down.tolist()
        return {} if not self.recorded or (left and right) or self.falling else self._slippery[left, right]

    def traces(self) -> dict[str, Array | float]:
        """What it thought, for the take."""
        return {
            "support": self.support.astype(float), "virtual_wrench": self.wrench.copy(),
            "compensation": float(self.facts[RATIO]), "foot_moment": self.moments.copy().ravel(),
            "centre_offset": self.place.copy(), "falling": float(self.facts[FALLING]),
        }  # fmt: skip


@njit(cache=True)
def _keep_upright(uprights, twists, velocity, turns, moved, spin_wanted, error, rate, stiffness, damping):
    """Replace the horizontal part of the servo's error at links that must stay upright by their tilt in the world."""
    axis, error_world, rate_world = np.empty(3), np.empty(3), np.empty(3)
    for k in range(uprights.shape[0]):
        b = int(uprights[k, 0])
        w, x, y, z = turns[b, 0], turns[b, 1], turns[b, 2], turns[b, 3]
        a, c, e = uprights[k, 1], uprights[k, 2], uprights[k, 3]
        tx, ty, tz = 2.0 * (y * e - z * c), 2.0 * (z * a - x * e), 2.0 * (x * c - y * a)
        axis[0], axis[1] = a + w * tx + y * tz - z * ty, c + w * ty + z * tx - x * tz
        axis[2] = e + w * tz + x * ty - y * tx
        level = np.sqrt(axis[0] ** 2 + axis[1] ** 2)
        tilt = np.arctan2(level, axis[2]) / level if level > 1e-9 else 1.0
        error_world[0], error_world[1] = tilt * axis[1], -tilt * axis[0]
        rate_world[0], rate_world[1] = -velocity[b, 0], -velocity[b, 1]
        error_world[2] = rate_world[2] = 0.0
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
def _decide(v, table, ground, since, error, v_ref, a_ref, momentum_ref, rate_ref, centre_ref, feet_ref, turn_ref,
            spin_ref, down, recorded, link, foot_weights, twists, beyond, own, velocity, centre, centres, turns, bias,
            moved, parent, above, path, ankle, feet_bodies, foot_of, limit, gains, on, spring, damper, fall_damper,
            armature, uprights, facts, extent, positions, masses, matrix, torque, moments, support, force, wrench,
            place, load):  # fmt: skip
    """Everything of one decision; results are written into the last arrays."""
    nv, h, mass = v.shape[0], facts[PERIOD], beyond[1, 9]
    feet = np.zeros((2, 3))
    for b in range(centres.shape[0]):
        for s in range(2):
            for i in range(3):
                feet[s, i] += foot_weights[s, b] * centres[b, i]
    felt = sensor.pressing(table, ground, foot_of)
    keep = np.exp(-h / SMOOTH)
    for s in range(2):
        force[s] = felt[s, 2]
        for i in range(3):
            load[s, i] = keep * load[s, i] + (1.0 - keep) * felt[s, i]
    sensor.linger(force, facts[LEFT_SINCE : RIGHT_SINCE + 1], h, facts[LINGER])
    if recorded:
        support[:] = sensor.by_reference(force, down)
    else:
        support[:] = sensor.by_zones(force, centre, feet, facts[ZONE])
        for i in range(2):
            support[i] = support[i] and down[i]
    balance, carried = np.zeros(nv), np.zeros((2, 6))
    moments[:] = 0.0
    wrench[:] = 0.0
    facts[RATIO] = 1.0
    if (support[0] or support[1]) and facts[FALLING] == 0.0:
        count = 2.0 if support[0] and support[1] else 1.0
        wanted = np.zeros(2)
        for i in range(2):
            middle = (support[0] * feet[0, i] + support[1] * feet[1, i]) / count
            middle_ref = (support[0] * feet_ref[0, i] + support[1] * feet_ref[1, i]) / count
            place[i] = centre[i] - middle
            if recorded:
                wanted[i] = centre_ref[i] + since * momentum_ref[3 + i] / mass - middle_ref
        turn, spin = np.empty(3), np.empty(3)
        virtual.world_turn(turns[link], turn_ref, turn)
        for i in range(3):
            turn[i] += since * spin_ref[i]
            spin[i] = spin_ref[i] - velocity[link, i]
        stance = 0 if support[0] else 1
        airborne = (not recorded) and count == 1.0 and down[0] and down[1]
        wrench[:] = virtual.wrench(gains, on, mass, facts[WEIGHT], _total(own, velocity), momentum_ref, place, wanted,
                                   turn, spin, airborne, feet[stance, :2], feet[1 - stance, :2])  # fmt: skip
        if recorded:
            for i in range(6):
                wrench[i] += facts[FEED] * rate_ref[i]
        low = min(feet[0, 2], feet[1, 2])
        momentum.carry(wrench, support, centre, feet, low, facts[EVEN] != 0.0, carried)
        momentum.joint_torques(twists, beyond, moved, path, carried, balance)
        for s in range(2):
            if support[s]:
                _foot_torque(s, twists, ankle, balance, turn)
                size = np.sqrt(turn[0] ** 2 + turn[1] ** 2)
                facts[RATIO] = min(facts[RATIO], facts[MOST] / size if size > facts[MOST] else 1.0)
        if facts[RATIO] < facts[FALL_BELOW]:
            facts[FALLING] = 1.0
        if place[0] ** 2 + place[1] ** 2 > (HOPELESS * (centre[2] - low)) ** 2:
            facts[FALLING] = 1.0
    rate, stiffness, damping = np.empty(nv), spring.copy(), damper.copy()
    if facts[FALLING] != 0.0:
        damping[:] = fall_damper
        balance[:] = 0.0
    for i in range(nv):
        error[i] += since * v_ref[i] + 0.5 * since * since * a_ref[i] if i >= 6 else 0.0
        rate[i] = v_ref[i] + since * a_ref[i] - v[i]
    if uprights.shape[0]:
        _keep_upright(uprights, twists, velocity, turns, moved, spin_ref, error, rate, stiffness, damping)
    pull, ahead, diagonal = np.zeros(nv), np.empty(nv), np.empty(nv)
    for i in range(nv):
        if i >= 6:
            pull[i] = stiffness[i] * (error[i] + h * rate[i]) + damping[i] * rate[i]
        ahead[i] = pull[i] + balance[i] - bias[i]
        diagonal[i] = armature[i] + h * damping[i]
    servo.hold(own, centre, table, ground, masses)
    servo.inertia(twists, masses, above, moved, parent, diagonal, matrix)
    servo.solve_tree(matrix, parent, ahead)
    for i in range(nv):
        torque[i] = 0.0
        if i >= 6:
            most = limit[i]
            if not (support[0] and path[0, i]) and not (support[1] and path[1, i]):
                most = min(most, _alone(beyond[moved[i]], twists[i], armature[i]) * KICK / h)
            balance[i] = min(max(balance[i], -limit[i]), limit[i])
            pull[i] -= h * damping[i] * ahead[i]
            torque[i] = min(max(pull[i] + balance[i], -most), most)
            balance[i] = torque[i] - pull[i]  # what reaches the joint: limits cut balance, not the servo
    if facts[FALLING] == 0.0:
        turned = np.empty(3)
        for s in range(2):
            if support[s]:
                _foot_torque(s, twists, ankle, balance, turned)
                firm = 1.0
                if facts[SOLE] > 0.0:  # a foot in the air has nothing to stand on, real or imagined
                    firm = min(1.0, max(load[s, 2], 0.0) / (FIRM * facts[WEIGHT]))
                contact.compensation(turned, firm * facts[MOST], moments[s])
    if facts[SOLE] > 0.0:
        for s in range(2):
            if support[s] and facts[FALLING] == 0.0:
                b = feet_bodies[s]
                cut(s, facts[SOLE], extent, turns[b], positions[b], positions[b, 2] + extent[s, 4], twists, ankle,
                    moments[s], load[s], 0.02 * facts[WEIGHT], torque)  # fmt: skip


@njit(cache=True)
def _total(own, velocity):
    return momentum.momentum(own, velocity)


@njit(cache=True)
def _alone(mass, twist, armature):
    """Inertia of all beyond a degree of freedom, about it."""
    out = momentum.product(mass, twist)
    total = armature
    for i in range(6):
        total += twist[i] * out[i]
    return total


@njit(cache=True)
def _foot_torque(foot, twists, ankle, torque, out):
    """out (3,) = torque [N m] on a foot, world axes, of the ankle's part of joint torques (nv,)."""
    out[:] = 0.0
    for k in range(torque.shape[0]):
        if ankle[foot, k]:
            for i in range(3):
                out[i] += twists[k, i] * torque[k]
