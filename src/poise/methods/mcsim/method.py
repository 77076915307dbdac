"""McSim: the method as a controller. It knows a simulator only by the state and the touches that it reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.errors import BadValue, UnknownName
from poise.methods.mcsim import rail, reduced, servo, sight, tuned
from poise.methods.mcsim.feedback import hips_of
from poise.methods.mcsim.memory import Memory, beside_of, body_of, feet_of, reach_of, sides_of, up_of
from poise.methods.mcsim.planner import make_plan
from poise.methods.mcsim.schedule import Clock, Schedule
from poise.methods.mcsim.settings import Numbers, Tasks
from poise.methods.mcsim.terms import Rig
from poise.motion.foothold import Foothold
from poise.motion.passing import Passing
from poise.motion.reference import Reference
from poise.physical.prepare import prepared
from poise.simulate.loop import Action
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

DEPARTURES = ("schedule", "clock", "foothold", "momentum", "damped", "ahead", "slope", "sight", "repair")


@dataclass(frozen=True)
class McSim:
    """Short-horizon predictive tracking (da Silva, Abe & Popović 2008).

    `McSim.printed()` is the paper's own formulation with its errors corrected. Departures, each of which can be left
    out of `departures` by its name:

    - schedule: points push only while the reference stands on them, with a grace; corners that should follow the one
      that touches are brought down; the paper uses what touches at the moment.
    - clock: the reference is taken on by an early landing and waits for a late one.
    - foothold: footholds are moved by the capture point, the body is let down for far ones, feet pass beside each
      other, follow ground that tilts and are raised where they stumble.
    - momentum: centre of mass, angular momentum and feet are tracked, not the root's velocity alone; legs are bent
      for where their feet are.
    - damped: touching points are brought to rest, and led where the reference's feet pivot.
    - ahead: the servos follow the program's prediction, not the reference.
    - slope: a clip made for level ground is fitted to a slope before it is performed.
    - sight: feet are raised over the blocks of a stage and set down beside them.
    - repair: a clip is made physical before it is performed.
    """

    kos: float = 400.0  # [1/s²] gain of equation (4); table 1: 300 to 1000
    k: float = 0.02  # scale of the joints' stiffness in the servos; table 1: 0.005 to 0.2
    friction: float = 0.7  # of the cones in the program
    plan: float = 1 / 192  # [s] between two programs; the paper: 1/100 to 1/40
    departures: tuple[str, ...] | str = DEPARTURES
    tasks: Tasks = field(default_factory=Tasks)
    foothold: Foothold = field(default_factory=lambda: Foothold(aside=0.6, apart=-0.15, band=0.04))
    cd: float = 0.0  # [rad/m] gain of the balance feedback (11) on distance
    cv: float = 0.0  # [rad s/m] and on velocity
    planar: bool = False  # a rail keeps the root in the plane y = 0, upright seen from ahead
    grip: float = 1e3  # weight of no-slip (7e) in the reduced program
    grip_damping: float = 20.0  # [1/s] of a slipping point
    shrink: float = 0.05  # share by which the corners of a foot are drawn inwards
    skin: float = 0.0  # [m] above the ground up to which a point counts as touching
    average: bool = False  # track the mean acceleration of the reference over a plan's window, not that of the moment
    grace: float = 0.015  # [s] for which a point counts as touching after it was last reported
    reach: float = 0.012  # [m] height from which a scheduled corner of a touching foot is used
    early: float = 0.1  # [s] before its time that a landing may take the reference on
    late: float = 0.15  # [s] for which the reference waits for a landing
    step_size: float = 1 / 960  # [s] of the simulator, and between two torques of the servos

    name = "mcsim"

    def __post_init__(self) -> None:
        wanted = self.departures
        if isinstance(wanted, str):
            wanted = {"all": DEPARTURES, "none": (), "": ()}.get(wanted, tuple(wanted.split(",")))
        for name in wanted:
            if name not in DEPARTURES:
                raise UnknownName("departure of mcsim", name, DEPARTURES)
        object.__setattr__(self, "departures", tuple(wanted))
        for name in ("kos", "plan", "step_size", "friction"):
            if not getattr(self, name) > 0:
                raise BadValue(f"mcsim needs a positive {name}, not {getattr(self, name)}.")

    def has(self, departure: str) -> bool:
        """Is this departure from the paper on?"""
        return departure in self.departures

    @classmethod
    def printed(cls, **changes: Any) -> McSim:
        """The paper's own formulation, its errors corrected, with the settings of its tables.

        A plan reproduces the reference acceleration "over a window of size h" (section 4.1): its mean over the window.
        What rests within 2 mm of the ground counts as touching: contacts that come and go by the micrometre lead the
        forces from heel to toe and back. The paper's simulator (ODE) has a surface layer against that.
        """
        own: dict[str, Any] = {"departures": (), "kos": 1000.0, "k": 0.05, "plan": 1 / 96, "friction": 1.0,
                               "grip_damping": 0.0, "shrink": 0.0, "grace": 0.0, "skin": 0.002, "average": True,
                               "cd": 0.5, "cv": 0.3}  # fmt: skip
        return cls(**{**own, **changes})

    def prepare(self, reference: Reference, stage: Stage) -> tuple[Reference, list[str]]:
        """The reference fitted to the stage and made physical, and what was done; before the performance begins."""
        character = reference.character
        reference, notes = prepared(reference, stage.ground, fit=self.has("slope"), repair=self.has("repair"))
        missing = [f"{side}_foot" for side in SIDES if not character.has(f"{side}_foot")]
        if missing:
            notes = [*notes, f"{character.name} has no {' and no '.join(missing)} to stand on: its joints are tracked"]
        return reference, notes

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """A fresh memory; gains that were tuned for the clip take the place of defaults."""
        reduced.warm_up()
        own = tuned.with_factors(self, tuned.told(reference.clip)) if self._untouched() else self
        memory = own._remember(character, reference)
        if own.has("sight"):
            memory.blocks = sight.seen(stage)
        return memory

    def _untouched(self) -> bool:
        """Are the gains that may be tuned those of the class?"""
        return self.kos == McSim.kos and self.k == McSim.k and self.tasks == Tasks() and bool(self.departures)

    def _remember(self, character: Character, reference: Reference) -> Memory:
        rig = Rig.of(character)
        feet = feet_of(character)
        points = character.contact_points
        limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e6)[6:]
        free = np.array([0, 2, 4] if self.planar else range(6), np.int64)
        k = servo.stiffness(character, self.k)
        return Memory(self, rig, Rig.of(character), limit, servo.blocks(character), k,
                      servo.shares(character, k, self.step_size), feet, (points.of(SIDES[0]), points.of(SIDES[1])),
                      sides_of(character),
                      beside_of(character), (hips_of(character, SIDES[0]), hips_of(character, SIDES[1])),
                      (reach_of(character, feet[0]), reach_of(character, feet[1])),
                      tuple(body_of(rig, reference, feet, free)), tuple(Numbers.of(self)),
                      Clock(self.early, self.late), Schedule(reference), Passing.of(reference), reference,
                      np.full(len(points), -np.inf), np.tile([0.0, 0.0, 1.0], (len(points), 1)),
                      np.zeros(len(points), bool), np.full(len(points), -np.inf),
                      np.full(len(points), np.inf), up_of(character, feet))  # fmt: skip

    @property
    def period(self) -> float:
        """[s] between two decisions; in between a servo acts. A rail must be felt at every step."""
        return self.step_size if self.planar else self.plan

    def act(self, state: State, touches: Touches, reference: Reference, memory: Memory) -> Action:
        """A servo around the torques of the program, equation (1), within the character's limits."""
        traces: dict[str, Any] = {}
        if state.time - memory.planned > self.plan - 0.5 * self.step_size:
            traces = make_plan(memory.way, state, touches, reference, memory)
        assist = (rail.wrench(state, memory.rail, memory.rig.root),) if self.planar else ()
        notes, memory.notes = memory.notes, []
        assert memory.servo is not None
        return Action(memory.servo, assist, traces, notes=tuple(notes))
