"""Balance: the method as a controller. Section 3: joint servos, balance control and the simplified contact."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.character import Character
from poise.errors import BadValue, PoiseError, UnknownName
from poise.maths.rotations import Array
from poise.methods.balance import virtual
from poise.methods.balance.body import Body, body_of
from poise.methods.balance.contact import Cylinder
from poise.methods.balance.decision import Decision
from poise.methods.balance.following import Following
from poise.methods.balance.outside import Pull, Puller, Upright
from poise.motion.reference import Reference
from poise.simulate.loop import Action
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

NOTES = 120.0  # [1/s] at which traces are noted
SENSORS = ("auto", "zones", "reference")
_STILL = 0.02  # [rad/s] below which all joints of a clip count as standing still


class NotStanding(PoiseError):
    """A start at which nobody stands."""


@dataclass(frozen=True)
class Balance:
    """Whole-body balance by the transpose of the momentum Jacobian, with a simplified foot contact.

    Gains are for 72 kg and are scaled with the character's mass; the paper prints none of them. With `slider` the
    cylinder is set by one number from 0 (exact physics) to 1 (superhuman).
    """

    kfs: float = 900.0  # [N/m] control force, position of the centre of mass
    kfd: float = 250.0  # [N s/m] control force, its velocity
    kP: float = 1.0  # [1/s] linear momentum
    kts: float = 400.0  # [N m/rad] control torque, orientation of the link
    ktd: float = 80.0  # [N m s/rad] control torque, its angular velocity
    kL: float = 1.0  # [1/s] angular momentum
    terms: str | tuple[str, ...] = virtual.TERMS  # which of the five act
    link: str = "chest"  # whose orientation is controlled
    stiffness: float = 1.0  # factor of the joint servos' ks: 80 to 800 N m/rad by joint
    damping: float = 0.05  # [s] kd / ks
    cylinder: Cylinder = field(default_factory=Cylinder)
    slider: float | None = None
    until: float = float("inf")  # [s] when the simplified contact is taken away: the paper's first test
    sole: float = 0.0  # share of the sole that legs keep the pressure in; 0: any, as in the paper
    give: float = 0.0  # share of what a foot cannot bear that is taken off the leg's force; the rest off its torque
    swing: float = 400.0  # [N m] that ankles lack for which the trunk is turned instead; not with a recording
    feed: float = 1.0  # share of the recording's change of momentum that is fed forward (not in the paper)
    ease: float = 0.5  # [s] within which the joints are brought from a careless start to the pose (not in the paper)
    fall_below: float = 0.0  # compensated share (21) of the foot's torque below which balance is given up; 0: never
    fall_damping: float = 0.3  # [s] kd / ks in a fall
    sensor: str = "auto"  # "zones", "reference", or by whether the clip moves
    zone: float = 0.25  # [m] radius of a foot's zone of influence
    linger: float = 0.1  # [s] for which a foot that lost the ground still counts as pressing on it
    reach: float = 0.03  # [m] below a foot that a recording has down, within which it treads on the ground at once
    swing_friction: float = 0.0  # factor of the friction of a foot that the recording has in the air
    split: str = "load"  # how both feet share the wrench: "load" by where the wrench meets the ground, or "even"
    pulls: tuple[Pull, ...] = ()
    uprights: tuple[Upright, ...] = ()
    period: float = 1 / 960  # [s] between two decisions: every second step
    step_size: float = 1 / 1920  # [s] of the simulator; the paper has 0.5 ms

    name = "balance"

    def __post_init__(self) -> None:
        virtual.switches(self.terms)
        if self.sensor not in SENSORS:
            raise UnknownName("contact sensor", self.sensor, SENSORS)
        if self.split not in ("load", "even"):
            raise UnknownName("way to split the wrench", self.split, ("load", "even"))
        for name in ("kfs", "kfd", "kP", "kts", "ktd", "kL", "stiffness", "damping", "fall_damping", "linger",
                     "ease", "swing", "reach", "swing_friction"):  # fmt: skip
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise BadValue(f"{name} of balance must be a number of 0 or more, not {getattr(self, name)}.")
        if not (self.zone > 0 and 0 <= self.fall_below <= 1 and self.period > 0 and self.step_size > 0):
            raise BadValue("balance needs a positive zone, period and step, and fall_below from 0 to 1.")
        if not 0 <= self.sole <= 2:
            raise BadValue(f"balance uses a share of the sole from 0 to 2, not {self.sole}.")
        if not 0 <= self.give <= 1:
            raise BadValue(f"give of balance is a share from 0 to 1, not {self.give}.")
        if not 0 <= self.feed <= 1:
            raise BadValue(f"balance feeds a share of the recording's momentum forward from 0 to 1, not {self.feed}.")
        if self.slider is not None:
            Cylinder.at(self.slider)

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """Tables, gains and the reference's wishes at the beginning; refuses a start with no foot on the ground."""
        body = body_of(character)
        link = character.body(self.link)
        following = Following(body, link)
        memory = Memory(self, body, following, stage, self._recorded(reference))
        memory.pullers = [Puller(p, character.body(p.body)) for p in self.pulls]
        _must_stand(character, reference, stage)
        return memory

    def _recorded(self, reference: Reference) -> bool:
        """Does the contact sensor look at the recording?"""
        if self.sensor != "auto":
            return self.sensor == "reference"
        clip = reference.baked
        return len(clip) > 1 and float(np.max(np.abs(clip.velocity[:, 6:]), initial=0.0)) > _STILL

    def act(self, state: State, touches: Touches, reference: Reference, memory: Memory) -> Action:
        """Joint torques within the character's limits, the artificial moments on the feet, and what it thought."""
        wish = memory.following.at(reference, state.time)
        decision = memory.decision
        decision.take(state, touches, wish)
        assist = decision.assist()
        for puller in memory.pullers:
            assist = puller.added(decision.links, state.time, assist)
        return Action(decision.torque.copy(), assist, memory.traces(state.time), decision.slippery())


class Memory:
    """What the method remembers."""

    def __init__(self, settings: Balance, body: Body, following: Following, stage: Stage, recorded: bool):
        self.body, self.following = body, following
        self.decision = Decision(settings, body, following, recorded)
        self.pullers: list[Puller] = []
        self._noted = -1

    def traces(self, time: float) -> dict[str, Array | float]:
        """What it thought, once for every recorded frame."""
        frame = int(time * NOTES + 1e-6)
        if frame == self._noted:
            return {}
        self._noted = frame
        return self.decision.traces()


def _must_stand(character: Character, reference: Reference, stage: Stage) -> None:
    """Refuse a start at which no foot is near the ground."""
    q = reference.sample(0.0).q
    points = character.points(q)[0]
    feet = np.concatenate([character.contact_points.of("left"), character.contact_points.of("right")]).astype(int)
    ground = stage.ground.height(points[feet, 0], points[feet, 1])
    gap = float(np.min(points[feet, 2] - ground, initial=np.inf))
    if gap > 0.05:
        raise NotStanding(
            f"No foot of {character.name} is on the ground at the start: the lowest is {100 * gap:.0f} cm above it. "
            "balance needs a foot to stand on; begin where the clip stands, or lower it."
        )
