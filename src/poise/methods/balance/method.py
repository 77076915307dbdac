"""Balance: the method as a controller. Section 3: joint servos, balance control and the simplified contact."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.character import Character
from poise.errors import PoiseError
from poise.maths.rotations import Array
from poise.methods.balance import virtual
from poise.methods.balance.contact import Cylinder
from poise.methods.balance.decision import Decision
from poise.methods.balance.hierarchy import Hierarchy, hierarchy_of
from poise.methods.balance.link_control import Pull, Puller
from poise.methods.balance.target import Targets
from poise.methods.upright import Upright
from poise.motion.reference import Reference
from poise.settings import PART, check, choice, has_departure, names, number, parts, printed_form, text
from poise.simulate.loop import Action
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

DEPARTURES: dict[str, str] = {
    "implicit": "servos (1) give the torque of the state one decision ahead, so that light links do not shake; the "
    "document: of the state now",
    "smooth": "rates of a recording are those of a parabola over 50 ms to either side; the document: finite "
    "differences from frame to frame",
    "feed": "the recording's change of momentum is added to the virtual wrench, and the joint torques that its links "
    "need against each other to the servos; the document: neither",
    "answered": "the part of a foot's torque that a ground force in the middle of what touches answers is left on it; "
    "the document takes off all of it (22)",
    "bounded": "the vertical part of a foot's torque is taken off up to the cylinder's torque; the document: always "
    "wholly",
    "ankle": "artificial torque is never more than the strongest axis of an ankle gives, and the slider ends there; "
    "the document: no such bound",
    "ease": "joints are brought from a careless start to the pose within `ease` seconds; the document: at once",
    "load": "both feet share the wrench by where it meets the ground between them; the document has no formula: half "
    "each, as here too where the slider holds feet by far more than real ones bear",
    "linger": "a foot that lost the ground counts as pressing on it for `linger` seconds more; the document: not at "
    "all",
    "tread": "a foot that the recording has down and that hovers within `reach` of the ground carries its share; the "
    "document: only one on which the ground presses",
    "floating": "a foot without a label that is as low as the other one and at rest stands too; the document: by the "
    "labels alone",
    "posed": "without a recording, a foot that the pose holds in the air never supports, and (23) acts only where the "
    "pose stands on both; the document: by pressure and zones alone",
    "lean": "what ankles are too weak for is taken off the torque of the wrench, up to `swing` N m: the trunk gives "
    "way, less where the slider holds feet by more than real ones bear; the document: no limits",
    "limits": "joints give no more than the character's strength, balance before the servo, and limbs that stand on "
    "nothing are not spun up; the document: no limits",
    "hopeless": "balance is given up when the centre of mass is further from the support point than it is high; the "
    "document: by the share (21) alone",
}
"""What each departure does, and what the document does instead; each can be left out.

`Balance.printed()` has none of them: the document's own form, its printed errors corrected (see `virtual`, `contact`,
`sensor` and `link_control` for those). Where the document leaves a thing to the user (gains, cylinder, zones, the
tolerance below which balance is given up) a value of ours is no departure. That feet have no friction while the
recording has them in the air is the document's own (section 6.1).
"""


NOTES = 120.0  # [1/s] at which traces are noted
SENSORS = ("auto", "zones", "reference")
SPLITS = ("load", "even")
_STILL = 0.02  # [rad/s] below which all joints of a clip count as standing still


class NotStanding(PoiseError):
    """A start at which nobody stands."""


@dataclass(frozen=True)
class Balance:
    """Whole-body balance by the transpose of the momentum Jacobian, with a simplified foot contact.

    Gains are for 72 kg and are scaled with the character's mass; the paper prints none of them. With `slider` the
    cylinder is set by one number from 0 (exact physics) to 1 (superhuman). `Balance.printed()` is the paper's own form
    with its errors corrected; each of our `departures` from it has a name and can be left out
    (`poise.methods.balance.DEPARTURES` says what each does). A setting that belongs to a departure has no
    effect without it.
    """

    kfs: float = number(900.0, "control force, position of the centre of mass (11)", 0, 1e6, "N/m")
    kfd: float = number(250.0, "control force, its velocity", 0, 1e5, "N s/m")
    kP: float = number(1.0, "linear momentum (14)", 0, 1e3, "1/s")
    kts: float = number(400.0, "control torque, orientation of the link (16)", 0, 1e5, "N m/rad")
    ktd: float = number(80.0, "control torque, its angular velocity", 0, 1e4, "N m s/rad")
    kL: float = number(1.0, "angular momentum (17)", 0, 1e3, "1/s")
    terms: str | tuple[str, ...] = names(virtual.TERMS, "which of the five terms act", virtual.TERMS,
                                         "term of the virtual force and torque", printed=virtual.TERMS,
                                         said="all")  # fmt: skip
    link: str = text("chest", "role or name of the link whose orientation is controlled")
    stiffness: float = number(1.0, "factor of the joint servos' ks: 80 to 800 N m/rad by joint", 0, 100)
    damping: float = number(0.05, "kd / ks of the joint servos", 0, 10, "s", printed=0.02,
                            said="not printed: 0.02, which servos that look at the state now bear")  # fmt: skip
    cylinder: Cylinder = field(default_factory=Cylinder, metadata=PART)
    slider: float | None = number(None, "sets the cylinder by one number: 0 exact physics, 0.5 about a real foot, 1 "
                                  "all that an ankle gives; without the departure ankle, m is the weight times "
                                  "s / (1 - s)",
                                  0, 1, none=True)  # fmt: skip
    until: float = number(np.inf, "time at which the simplified contact is taken away", 0, np.inf, "s", infinite=True,
                          said="its first test takes it away")  # fmt: skip
    sole: float = number(0.0, "share of the real sole within which legs keep the pressure, under the load that the "
                         "foot feels; 0: any", 0, 2, printed=0.0)  # fmt: skip
    give: float = number(0.0, "share of what a foot cannot bear that is taken off the leg's force; the rest off its "
                         "torque", 0, 1, printed=0.0)  # fmt: skip
    swing: float = number(400.0, "what ankles lack, up to this, is taken off the torque that their leg carries: the "
                          "trunk gives way; not with a recording (departure lean)", 0, 1e5, "N m",
                          said="none")  # fmt: skip
    departures: tuple[str, ...] | str = names(
        tuple(DEPARTURES), "departures from the paper that are on; a setting that belongs to one has no effect without "
        "it", DEPARTURES, "departure of balance", printed=())  # fmt: skip
    feed: float = number(1.0, "share of the recording's change of momentum, and of the joint torques that its links "
                         "need against each other, that is fed forward (departure feed)", 0, 1,
                         said="none")  # fmt: skip
    ease: float = number(0.5, "time within which the joints are brought from a careless start to the pose "
                         "(departure ease)", 0, 60, "s", said="none")  # fmt: skip
    fall_below: float = number(0.0, "compensated share (21) of the foot's torque below which balance is given up; 0: "
                               "never", 0, 1)  # fmt: skip
    fall_damping: float = number(0.3, "kd / ks in a fall", 0, 10, "s")
    sensor: str = choice("auto", "which feet support: zones of influence, the reference, or by whether the clip moves",
                         SENSORS, "contact sensor")  # fmt: skip
    zone: float = number(0.25, "radius of a foot's zone of influence", 0.001, 10, "m")
    linger: float = number(0.1, "time for which a foot that lost the ground still counts as pressing on it (departure "
                           "linger)", 0, 10, "s", said="none")  # fmt: skip
    reach: float = number(0.03, "height up to which a foot that a recording has down treads on the ground at once "
                          "(departure tread)", 0, 1, "m", said="none")  # fmt: skip
    swing_friction: float = number(0.0, "factor of the friction of a foot that the recording has in the air", 0, 10,
                                   printed=0.0)  # fmt: skip
    split: str = choice("load", "how both feet share the wrench: by where the wrench meets the ground (departure "
                        "load), or evenly", SPLITS, "way to split the wrench", said="no formula: even")  # fmt: skip
    pulls: tuple[Pull, ...] = parts(Pull, "external positional controllers (24)")
    uprights: tuple[Upright, ...] = parts(Upright, "links that stay upright in the world")
    period: float = number(1 / 960, "time between two decisions: every second step", 0.0001, 0.1, "s", printed=1 / 1920,
                           said="every step")  # fmt: skip
    step_size: float = number(1 / 1920, "time step of the simulator; a whole number of them makes 1/120 s", 1e-5,
                              1 / 120, "s", printed=1 / 1920, said="0.5 ms")  # fmt: skip

    name = "balance"
    has = has_departure

    def __post_init__(self) -> None:
        check(self, self.name)

    @classmethod
    def printed(cls, **changes: Any) -> Balance:
        """The paper's own form, its printed errors corrected: no departure, a decision at every step of 0.5 ms.

        Gains, cylinder and zones, which the paper leaves to the user, are ours; servos are damped less, since with
        the default damping and nothing implicit a light foot shakes itself away within 30 ms.
        """
        return printed_form(cls, **changes)

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """Tables, gains and the reference's targets at the beginning; refuses a start with no foot on the ground."""
        hierarchy = hierarchy_of(character)
        targets = Targets(hierarchy, character.body(self.link), self.has("smooth"), self.has("floating"))
        memory = Memory(self, hierarchy, targets, self._recorded(reference))
        memory.pullers = [Puller(p, character.body(p.body)) for p in self.pulls]
        _must_stand(character, reference, stage)
        return memory

    def surround(self, memory: Memory, reference: Reference, stage: Stage) -> Memory:
        """The memory on another stage, which it feels with its feet alone."""
        return memory

    def _recorded(self, reference: Reference) -> bool:
        """Does the contact sensor look at the recording?"""
        if self.sensor != "auto":
            return self.sensor == "reference"
        clip = reference.baked
        return len(clip) > 1 and float(np.max(np.abs(clip.velocity[:, 6:]), initial=0.0)) > _STILL

    def act(self, state: State, touches: Touches, reference: Reference, memory: Memory) -> Action:
        """Joint torques within the character's limits, the artificial moments on the feet, and the traces."""
        decision = memory.decision
        decision.take(state, touches, memory.targets.at(reference, state.time))
        assist = decision.assist()
        for puller in memory.pullers:
            assist = puller.added(decision.links, state.time, assist)
        return Action(decision.work.torque.copy(), assist, memory.traces(state.time), decision.slippery())


class Memory:
    """What the method remembers."""

    def __init__(self, settings: Balance, hierarchy: Hierarchy, targets: Targets, recorded: bool):
        self.hierarchy, self.targets = hierarchy, targets
        self.decision = Decision(settings, hierarchy, targets, recorded)
        self.pullers: list[Puller] = []
        self._noted = -1

    def traces(self, time: float) -> dict[str, Array | float]:
        """What is recorded in the take, once for every recorded frame."""
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


HONEST = Balance(
    slider=0.0, kfs=1396.0, kfd=134.7, kP=0.9078, kts=356.5, ktd=112.4, kL=0.7189, stiffness=0.9496, damping=0.03842,
    sole=0.9115, give=0.5955,
)  # fmt: skip
"""A controller in exact physics, without artificial torque.

Its gains were found by a search along a homotopy that lowers the slider to zero, the paper's future work:

    poise reproduce balance/search-honest --seeds 1
"""
