"""Decision: all that is computed at one time step, in compiled code on memory that is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.balance import contact, momentum, servo, thinking, virtual
from poise.methods.balance.body import Body
from poise.methods.balance.following import Following, Wish
from poise.methods.balance.sole import soles
from poise.methods.balance.thinking import FALLING, MOST, RATIO, Frame, Mind, Sight
from poise.simulate.simulator import State, Touches

if TYPE_CHECKING:
    from poise.methods.balance.method import Balance


class Decision:
    """Torques, moments on the feet and what was thought, of the decision last taken."""

    def __init__(self, settings: Balance, body: Body, following: Following, recorded: bool):
        self.body, self.recorded = body, recorded
        self.links = links = momentum.Links(body)
        self._layout = body.character.layout
        self._frame = _frame(settings, body, following)
        self._sight = Sight(links.twists, links.beyond, links.own, links.velocity, links.centre[1], links.centres,
                            links.turns, links.data.xpos, links.bias)  # fmt: skip
        self._mind = _mind(settings, body, recorded)
        self.torque, self.moments, self.wrench = self._mind.torque, self._mind.moments, self._mind.wrench
        self.support, self.facts = self._mind.support, self._mind.facts
        self._until = settings.until
        self._wish_down = np.ones(2, bool)
        toes = [np.flatnonzero(body.foot_of == side).tolist() for side in (0, 1)]
        slip = settings.swing_friction
        self._slippery = {
            (left, right): {b: slip for b in [*(() if left else toes[0]), *(() if right else toes[1])]}
            for left in (False, True) for right in (False, True)
        }  # fmt: skip
        self._names: tuple[str, ...] = ()
        self._ground = np.zeros(0, bool)

    def take(self, state: State, touches: Touches, wish: Wish) -> None:
        """Decide at a state."""
        if touches.names is not self._names:
            self._names = touches.names
            self._ground = np.array([n == "ground" or n.startswith("ground ") for n in touches.names])
        if state.time >= self._until:
            self.facts[MOST] = 0.0
        self.links.place(state.q, state.v)
        self._wish_down = wish.feet_down
        layout = self._layout
        servo.joint_errors(layout.kind, layout.qadr, layout.vadr, state.q, wish.q, self._mind.error)
        _decide(self._frame, self._sight, self._mind, wish, state.time - wish.time, state.v, touches.table,
                self._ground)  # fmt: skip

    @property
    def falling(self) -> bool:
        """Has balance been given up?"""
        return bool(self.facts[FALLING])

    def assist(self) -> Array:
        """The artificial moments on the feet as rows (0 to 2, 10) of assistance."""
        if self.facts[MOST] <= 0.0 or self.falling:
            return np.zeros((0, 10))
        sides = [s for s in (0, 1) if self.support[s]]
        rows = np.zeros((len(sides), 10))
        for row, s in zip(rows, sides, strict=True):
            b = self.body.feet[s]
            row[0], row[1:4], row[7:] = b, self.links.centres[b], self.moments[s]
        return rows

    def slippery(self) -> dict[int, float]:
        """Bodies of the feet that the recording has in the air, and the factor of their friction."""
        left, right = self._wish_down.tolist()
        return {} if not self.recorded or (left and right) or self.falling else self._slippery[left, right]

    def traces(self) -> dict[str, Array | float]:
        """What it thought, for the take."""
        return {
            "support": self.support.astype(float), "virtual_wrench": self.wrench.copy(),
            "compensation": float(self.facts[RATIO]), "foot_moment": self.moments.copy().ravel(),
            "centre_offset": self._mind.place.copy(), "falling": float(self.facts[FALLING]),
        }  # fmt: skip


def _frame(s: Balance, body: Body, following: Following) -> Frame:
    """Tables of the body and the gains, scaled for its mass."""
    model = body.character.model
    gains = np.array([s.kfs, s.kfd, s.kP, s.kts, s.ktd, s.kL])
    gains[[virtual.KFS, virtual.KFD, virtual.KTS, virtual.KTD]] *= body.scale
    spring = s.stiffness * body.stiffness
    uprights = np.array([[body.character.body(u.body), *u.axis, body.scale * u.stiffness, body.scale * u.damping]
                         for u in s.uprights]).reshape(-1, 6)  # fmt: skip
    return Frame(
        body.moved, body.parent, model.body_parentid.astype(np.int64), body.path, body.ankle, body.feet, body.foot_of,
        following.weights, soles(body.character, body.feet), body.torque_limit, model.dof_armature.copy(), gains,
        virtual.switches(s.terms), spring, s.damping * spring, s.fall_damping * spring, uprights,
        following.link)  # fmt: skip


def most_torque(s: Balance, body: Body) -> float:
    """Largest artificial torque [N m] on a foot: of the slider or the cylinder, and of the ankle's strength."""
    strength = np.inf
    if s.has("ankle"):  # no ankle puts more on a foot
        strength = float(body.torque_limit[body.ankle.any(axis=0)].max(initial=0.0))
    if s.slider is not None:
        return contact.Cylinder.at(s.slider, body.character.mass, strength).torque
    return min(s.cylinder.torque * body.scale, strength)


def _mind(s: Balance, body: Body, recorded: bool) -> Mind:
    """Empty memory, and the numbers of the contact."""
    model, nv = body.character.model, int(body.character.model.nv)
    weight = body.character.mass * float(np.linalg.norm(model.opt.gravity))
    lean = 0.0 if recorded or not s.has("lean") else s.swing * body.scale
    facts = np.array([
        most_torque(s, body), s.zone, s.period, weight, s.fall_below, 0.0, 1.0,
        float(s.split == "even" or not s.has("load")), s.linger if s.has("linger") else 0.0, np.inf, np.inf, s.sole,
        s.feed if s.has("feed") else 0.0, s.give, float(recorded), s.ease if s.has("ease") else 0.0, np.nan, lean,
        s.reach if s.has("tread") else -np.inf, 0.5,
        *(float(s.has(name)) for name in ("answered", "bounded", "implicit", "limits", "hopeless", "posed")),
    ])  # fmt: skip
    return Mind(facts, np.zeros(2, bool), np.zeros(2), np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 6)),
                np.zeros((2, 3)), np.zeros(2), np.zeros(6), np.zeros(nv), np.zeros(nv), np.zeros((2, 3)), np.zeros(nv),
                np.zeros(nv), np.zeros(nv), np.zeros((model.nbody, 10)), np.zeros((nv, nv)))  # fmt: skip


@njit(cache=True)
def _decide(frame, sight, mind, wish, since, v, table, ground):
    """Everything of one decision; results are written into the mind."""
    thinking.sense(frame, sight, mind, wish, table, ground)
    mind.moments[:] = 0.0
    mind.wrench[:] = 0.0
    mind.balance[:] = 0.0
    mind.facts[RATIO] = 1.0
    if (mind.support[0] or mind.support[1]) and mind.facts[FALLING] == 0.0:
        thinking.wish_for(frame, sight, mind, wish, since)
        thinking.carry_out(frame, sight, mind)
    if mind.facts[FALLING] != 0.0:
        mind.balance[:] = 0.0
    thinking.follow(frame, sight, mind, wish, since, v, table, ground)
    thinking.bear(frame, sight, mind)
