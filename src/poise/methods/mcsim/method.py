"""McSim: the method as a controller. It knows a simulator only by the state and the touches that it reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.dynamics.compiled import Compiled
from poise.methods.mcsim import obstacles, rail, reduced, servo, tuned
from poise.methods.mcsim.contacts import nothing_known
from poise.methods.mcsim.feedback import hips_of
from poise.methods.mcsim.memory import Memory, feet_of, reach_of, soles_of, structure_of, up_of
from poise.methods.mcsim.planner import make_plan
from poise.methods.mcsim.schedule import Clock, Schedule
from poise.methods.mcsim.settings import Numbers, Tasks
from poise.motion.feet.capture_point import Foothold
from poise.motion.feet.leg_clearance import Passing
from poise.motion.feet.leg_separation import APART, led_apart
from poise.motion.reference import Reference
from poise.physical.prepare import prepared
from poise.settings import PART, check, flag, has_departure, names, number, printed_form
from poise.simulate.loop import Action
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

_GONE = 0.003  # [m] above a new ground from which on a point that touched the old one does not
DEPARTURES = ("schedule", "clock", "foothold", "momentum", "damped", "ahead", "slope", "sight", "repair", "relative",
              "flight")  # fmt: skip


@dataclass(frozen=True)
class McSim:
    """Short-horizon predictive tracking (da Silva, Abe & Popović 2008).

    `McSim.printed()` is the paper's own formulation with its errors corrected. Departures, each of which can be left
    out of `departures` by its name:

    - schedule: points push only while the reference stands on them, with a grace; corners that should follow the one
      that touches are brought down; the paper uses what touches at the moment.
    - clock: the reference is taken on by an early landing and waits for a late one; what that gains or loses is given
      back in the steps that follow.
    - foothold: footholds are moved by the capture point, the body is let down for far ones, legs that overlap are
      moved apart, feet pass beside each other, follow ground that tilts and are raised where they stumble.
    - momentum: centre of mass, angular momentum and feet are tracked, not the root's velocity alone; legs are bent
      for where their feet are.
    - damped: touching points are brought to rest, and led where the reference's feet pivot.
    - ahead: the servos follow the program's prediction, not the reference.
    - slope: a clip made for level ground is fitted to a slope before it is performed.
    - sight: feet are raised over the blocks of a stage and set down beside them.
    - repair: a clip is made physical before it is performed.
    - relative: the balance feedback (11) acts on the differences of distance and velocity from those of the reference.
    - flight: where no foot stands it goes on with the velocity alone.
    """

    kos: float = number(400.0, "gain of equation (4)", 0.001, 1e5, "1/s²", printed=1000.0, said="1000; 300 to 1000")
    k: float = number(0.02, "scale of the joints' stiffness in the servos", 0, 10, printed=0.05,
                      said="0.05; 0.005 to 0.2")  # fmt: skip
    friction: float = number(0.7, "friction of the cones in the program", 0.001, 10, printed=1.0)
    plan: float = number(1 / 192, "time between two programs", 0.0005, 0.1, "s", printed=1 / 96, said="1/100 to 1/40")
    departures: tuple[str, ...] | str = names(
        DEPARTURES, "departures from the paper that are on", DEPARTURES, "departure of mcsim", printed=())  # fmt: skip
    tasks: Tasks = field(default_factory=Tasks, metadata=PART)
    foothold: Foothold = field(default_factory=lambda: Foothold(aside=0.6, apart=-0.15, band=0.04), metadata=PART)
    cd: float = number(0.0, "gain of the balance feedback (11) on distance", -10, 10, "rad/m", printed=0.0,
                       said="not printed; 'even zero' tracks")  # fmt: skip
    cv: float = number(0.0, "gain of it on velocity", -10, 10, "rad s/m", printed=0.0, said="not printed")
    planar: bool = flag(False, "a rail keeps the root in the plane y = 0, upright seen from ahead",
                        said="on for its 2D character")  # fmt: skip
    grip: float = number(1e3, "weight of no-slip (7e) in the reduced program", 0, 1e8)
    grip_damping: float = number(20.0, "damping of a slipping point", 0, 1e3, "1/s", printed=0.0)
    shrink: float = number(0.05, "share by which the corners of a foot are drawn inwards", 0, 0.95, printed=0.0)
    skin: float = number(0.0, "height above the ground up to which a point counts as touching", 0, 0.1, "m",
                         printed=0.002, said="0.002: the surface layer of its simulator")  # fmt: skip
    average: bool = flag(False, "track the mean acceleration of the reference over a plan's window, not that of the "
                         "moment", printed=True)  # fmt: skip
    grace: float = number(0.015, "time for which a point counts as touching after it was last reported", 0, 1, "s",
                          printed=0.0)  # fmt: skip
    reach: float = number(0.012, "height from which a scheduled corner of a touching foot is used", 0, 0.5, "m")
    early: float = number(0.1, "time by which an early landing may take the reference on", 0, 1, "s")
    late: float = number(0.15, "time for which the reference waits for a landing", 0, 2, "s")
    step_size: float = number(1 / 960, "time step of the simulator, and between two torques of the servos; a whole "
                              "number of them makes 1/120 s", 1e-5, 1 / 120, "s")  # fmt: skip

    name = "mcsim"
    has = has_departure

    def __post_init__(self) -> None:
        check(self, self.name)

    @classmethod
    def printed(cls, **changes: Any) -> McSim:
        """The paper's own formulation, its errors corrected, with the settings of its tables.

        A plan reproduces the reference acceleration "over a window of size h" (section 4.1): its mean over the window.
        What rests within 2 mm of the ground counts as touching: contacts that come and go by the micrometre lead the
        forces from heel to toe and back. The paper's simulator (ODE) has a surface layer against that. The balance
        feedback (11) acts on the body's own distance and velocity; its gains, which the paper does not print and uses
        for some motions in the plane, are zero here: others change a walk that goes as it should.
        """
        return printed_form(cls, **changes)

    def prepare(self, reference: Reference, stage: Stage) -> tuple[Reference, list[tuple[str, str]]]:
        """The reference fitted to the stage and made physical, and what was done; before the performance begins."""
        character = reference.character
        reference, notes = prepared(reference, stage.ground, fit=self.has("slope"), repair=self.has("repair"))
        apart = led_apart(reference.baked) if self.has("foothold") else reference.baked
        if apart is not reference.baked:
            reference, notes = Reference(apart, start=reference.start), [*notes, APART]
        missing = [f"{side}_foot" for side in SIDES if not character.has(f"{side}_foot")]
        if missing:
            lacks = f"{character.name} has no {' and no '.join(missing)} to stand on: its joints are tracked"
            notes = [*notes, ("no feet", lacks)]
        return reference, notes

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """A fresh memory; gains that were tuned for the clip take the place of defaults."""
        reduced.warm_up()
        own = tuned.with_factors(self, tuned.told(reference.clip)) if self._untouched() else self
        memory = own._remember(character, reference)
        if own.has("sight"):
            memory.blocks = obstacles.blocks_of(stage)
        return memory

    def follow(self, memory: Memory, reference: Reference) -> Memory:
        """The memory for another reference; a plan learns of its schedule by itself."""
        if reference.baked is not memory.reference.baked:
            free = np.array([0, 2, 4] if self.planar else range(6), np.int64)
            character = reference.character
            memory.structure = tuple(structure_of(character, reference, memory.feet, free))
        return memory

    def surround(self, memory: Memory, reference: Reference, stage: Stage) -> Memory:
        """The memory on another stage: it looks for blocks anew, and points whose ground has gone touch no longer.

        A program that counts on such a point for as long as its `grace` lasts flings the foot down.
        """
        if self.has("sight"):
            memory.blocks = obstacles.blocks_of(stage)
        if memory.servo is not None:
            places = memory.dynamics.character.points(memory.servo.q[None])[0]
            memory.known.last[places[:, 2] - stage.ground.height(places[:, 0], places[:, 1]) > _GONE] = -np.inf
        return memory

    def _untouched(self) -> bool:
        """Are the gains that may be tuned those of the class?"""
        return self.kos == McSim.kos and self.k == McSim.k and self.tasks == Tasks() and bool(self.departures)

    def _remember(self, character: Character, reference: Reference) -> Memory:
        feet, (left, right) = feet_of(character), SIDES
        free = np.array([0, 2, 4] if self.planar else range(6), np.int64)
        k = servo.stiffness(character, self.k)
        return Memory(
            way=self, dynamics=Compiled(character), reference_dynamics=Compiled(character),
            limit=np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e6)[6:],
            joints=servo.blocks(character), stiffness=k, share=servo.shares(character, k, self.step_size), feet=feet,
            soles=soles_of(character), known=nothing_known(len(character.contact_points)),
            hips=(hips_of(character, left), hips_of(character, right)),
            reach=(reach_of(character, feet[0]), reach_of(character, feet[1])),
            structure=tuple(structure_of(character, reference, feet, free)), numbers=tuple(Numbers.of(self)),
            clock=Clock(self.early, self.late), schedule=Schedule(reference), passing=Passing.of(reference),
            reference=reference, up=up_of(character, feet))  # fmt: skip

    @property
    def period(self) -> float:
        """[s] between two decisions; in between a servo acts. A rail must be felt at every step."""
        return self.step_size if self.planar else self.plan

    def act(self, state: State, touches: Touches, reference: Reference, memory: Memory) -> Action:
        """A servo around the torques of the program, equation (1), within the character's limits."""
        traces: dict[str, Any] = {}
        if state.time - memory.planned > self.plan - 0.5 * self.step_size:
            traces = make_plan(memory.way, state, touches, reference, memory)
        assist = (rail.wrench(state, memory.rail, memory.dynamics.root),) if self.planar else ()
        notes, memory.notes = memory.notes, []
        assert memory.servo is not None
        return Action(memory.servo, assist, traces, notes=tuple(notes))
