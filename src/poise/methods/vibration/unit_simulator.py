"""UnitSimulator: a body in its world, ready to be run for some units of a gait again and again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics import engine, native
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.vibration import unit_loop
from poise.methods.vibration.control import SQUARE, Bursts, Corrections, Springs, bursts, no_corrections
from poise.methods.vibration.rest import geared
from poise.motion.mirror import mirror_q, mirror_tangent
from poise.stage import Stage
from poise.stage.world import build

STEP = 1 / 480  # [s] of the simulator
RUN, HOP, ONE = "run", "hop", "one leg"  # legs take turns, go together, or only the right one stands
UNLIMITED = 1e9  # [N m]
GAITS = (RUN, HOP, ONE)
LOOKED = 4  # steps from one moment to the next at which self-contact is looked for
LOWEST = 0.6  # of the rest pose's height: a root below it has fallen


class Controls(NamedTuple):
    """What the state machine of figure 2 needs."""

    flight: Array  # (nv,) τ^f [N m]
    ground: Array  # (nv,) τ^g [N m]
    flight_length: float  # δ^f [s]
    ground_length: float  # δ^g [s]
    period: float  # T [s]
    share: float  # α: flight of the period


class Run(NamedTuple):
    """What came of some units."""

    finished: int  # units before a fall, or all
    steps: int  # the same in steps
    measured: Array  # (COUNT,) of the last unit; columns of `unit_loop`
    states: Array  # (units + 1, nq + nv) between units
    stages: Array  # (K, nq + nv) in the last unit
    trace: Array  # (steps, nq + 2 nv) states and torques of every step, if asked for

    @property
    def whole(self) -> bool:
        """Were all units done, without a fall?"""
        return self.finished == len(self.states) - 1


@dataclass(frozen=True, eq=False)
class UnitSimulator:
    """A body with its springs on flat ground; one simulation at a time."""

    character: Character  # with the inertia that its dampers need
    rest: Array  # (nq,)
    stiffness: Array  # (nv,)
    gait: str
    damping: float = 0.1  # [s] k_d over k_s
    contact: str = "soft"
    dt: float = STEP
    form: str = SQUARE
    limited: bool = False  # are torques kept within the joints' strength?

    @classmethod
    def of(cls, plain: Character, rest: Array, stiffness: Array, gait: str, damping: float = 0.1, dt: float = STEP,
           **more: Any) -> UnitSimulator:  # fmt: skip
        """A simulator of a character as it is in the library."""
        return cls(geared(plain, stiffness, damping, dt), rest, stiffness, gait, damping, dt=dt, **more)

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The world."""
        return build(self.character, Stage(), contact=self.contact, dt=self.dt).model

    @cached_property
    def data(self) -> mujoco.MjData:
        """Its working memory."""
        return engine.data_of(self.model)

    @cached_property
    def views(self) -> unit_loop.Views:
        """What compiled code reads and writes."""
        d = self.data
        return unit_loop.Views(native.address("mj_step"), self.model._address, d._address, d.qpos, d.qvel,
                               d.qfrc_applied, d.xfrc_applied, d.xpos, d.xmat, d.xipos, d.subtree_com)  # fmt: skip

    @cached_property
    def springs(self) -> Springs:
        """For compiled code."""
        layout = self.character.layout
        known = np.isfinite(self.character.torque_limit) & self.limited
        limit = np.where(known, self.character.torque_limit, UNLIMITED)
        return Springs(layout.kind, layout.qadr, layout.vadr, self.rest, self.stiffness, self.damping * self.stiffness,
                       limit)  # fmt: skip

    @property
    def inertia(self) -> Array:
        """[kg m²] (nv,) on the joints, which acts as dampers do that are implicit in time."""
        return self.dt * self.damping * self.stiffness

    @property
    def swaps(self) -> bool:
        """Are left and right exchanged from unit to unit?"""
        return self.gait == RUN

    @cached_property
    def mirror(self) -> Array:
        """S (nv, nv) from a unit to the next: the reflection, or the identity."""
        return np.ascontiguousarray(mirror_tangent(self.character) if self.swaps else np.eye(self.character.model.nv))

    def mirrored(self, q: Array) -> Array:
        """Configurations (N, nq) as the next unit sees them, R(q) = R(r) + S (q - r) about the rest pose r."""
        if not self.swaps:
            return np.array(q, float)
        layout = self.character.layout
        return conf.integrate(layout, self._mirrored_rest, conf.difference(layout, self.rest, q) @ self.mirror.T)

    @cached_property
    def _mirrored_rest(self) -> Array:
        return mirror_q(self.character, self.rest[None])[0]

    @cached_property
    def feet(self) -> unit_loop.Feet:
        """Points of both feet, that which stands in even units first: the right one."""
        character = self.character
        points, sides = character.contact_points, ("right", "left")
        at = character.points(self.rest)[0]
        front, heel = [], []
        for side in sides:
            bodies = [character.body(f"{side}_{p}") for p in ("foot", "toes") if character.has(f"{side}_{p}")]
            own = np.flatnonzero(np.isin(points.bodies, bodies))
            if not len(own):
                raise BadValue(f"{character.name} has no contact points at its {side} foot, so nothing to stand on.")
            ahead = at[own, 0] >= 0.5 * (at[own, 0].min() + at[own, 0].max())
            front.append(own[ahead])
            heel.append(own if ahead.all() else own[~ahead])
        local = lambda rows: np.stack([points.positions[r] for r in rows])  # noqa: E731
        body = lambda rows: np.array([points.bodies[r] for r in rows], np.int64)  # noqa: E731
        torso = character.body("chest" if character.has("chest") else "pelvis")
        hips = np.array([character.body(f"{side}_thigh") for side in sides])
        return unit_loop.Feet(body(front), local(front), body(heel), local(heel), hips, torso, int(self.swaps))

    def steps(self, controls: Controls) -> int:
        """Steps of a unit.

        Departures: T is taken as the nearest whole number of steps, so that every unit is simulated alike.
        """
        return max(8, round(controls.period * (0.5 if self.swaps else 1.0) / self.dt))

    def bursts(self, controls: Controls) -> Bursts:
        """The torques of a unit; the ground burst of a foot begins α T after its flight burst (figure 2).

        In a unit of a run the left foot's cycle begins, and the right foot's is half over. From α = 0.5 on the ground
        burst that falls into the unit is the right foot's, (α - 0.5) T from its beginning; below it is the left foot's,
        which is the mirrored one, at α T. At 0.5 the two are one, and so they are at 0 and 1.
        """
        steps, ground = self.steps(controls), controls.ground
        unit = steps * self.dt
        at = (2.0 * controls.share - 1.0) * unit if self.swaps else controls.share * unit
        early = self.swaps and controls.share < 0.5
        if early:
            at, ground = at + unit, self.mirror @ ground
        return bursts(controls.flight, ground, (controls.flight_length, controls.ground_length),
                      float(np.clip(at, 0.0, unit)), steps, self.dt, self.mirror, self.form
                      )._replace(foot=int(early))  # fmt: skip

    @cached_property
    def world(self) -> unit_loop.World:
        """All of it for compiled code."""
        return unit_loop.World(views=self.views, springs=self.springs, feet=self.feet, mirror=self.mirror, dt=self.dt,
                               swaps=self.swaps, lowest=LOWEST * float(self.rest[2]))  # fmt: skip

    def run(self, state: Array, given: Bursts, units: int, corrections: Corrections | None = None,
            assist: unit_loop.Assist | None = None, disturbance: unit_loop.Disturbance | None = None,
            traced: bool = False, gravity: Array | None = None) -> Run:  # fmt: skip
        """Some units from a state (nq + nv,); `traced`: every step is taken down; gravity (3,) [m/s²], or its own."""
        nq, nv = self.character.model.nq, self.character.model.nv
        steps = given.table.shape[1]
        corrections = no_corrections(nq, nv, steps) if corrections is None else corrections
        drive = unit_loop.Drive(bursts=given, corrections=corrections,
                                assist=NO_ASSIST if assist is None else assist,
                                disturbance=unit_loop.Disturbance.nothing(nv) if disturbance is None else
                                disturbance)  # fmt: skip
        record = unit_loop.Record(measured=np.zeros(unit_loop.COUNT), states=np.zeros((units + 1, nq + nv)),
                                  stages=np.zeros((len(corrections.starts) - 1, nq + nv)),
                                  trace=np.zeros((units * steps if traced else 0, nq + 2 * nv)))  # fmt: skip
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = state[:nq], state[nq:]
        own = self.model.opt.gravity.copy()
        try:
            self.model.opt.gravity[:] = own if gravity is None else gravity
            done = int(unit_loop.run_units(self.world, drive, units, record))
        finally:
            self.model.opt.gravity[:] = own
        return Run(done // steps, done, record.measured, record.states, record.stages, record.trace[:done])

    def touching(self, trace: Array) -> float:
        """Share of some moments of a trace (steps, nq + ...) at which the body touches itself."""
        model, data, rows = self.model, self.data, trace[::LOOKED, : self.character.model.nq]
        own = np.isin(model.geom_bodyid, np.arange(1, self.character.model.nbody))
        count = 0
        for q in rows:
            data.qpos[:] = q
            mujoco.mj_kinematics(model, data)
            mujoco.mj_collision(model, data)
            count += bool(own[data.contact.geom].all(axis=1).any())
        return count / max(1, len(rows))

    def drift(self, start: Array, end: Array) -> Array:
        """φ (2 nv - 2,) of (6): how far a unit's end is from its beginning, seen mirrored where units are.

        Departures: the place in the plane is left out, since a gait travels; poses are compared in the tangent.
        """
        nq = self.character.model.nq
        step = conf.difference(self.character.layout, start[:nq], self.mirrored(end[None, :nq])[0])
        return np.concatenate([step[2:], self.mirror @ end[nq:] - start[nq:]])

    def begun(self, state: Array) -> Array:
        """The state as the next unit would begin with it: mirrored, and put back to the origin."""
        nq = self.character.model.nq
        q = self.mirrored(state[None, :nq])[0]
        q[:2] = 0.0
        return np.concatenate([q, self.mirror @ state[nq:]])

    def start(self, height: float, speed: float) -> Array:
        """The rest pose so far above the ground [m], going forward [m/s]."""
        q, v = self.rest.copy(), np.zeros(self.character.model.nv)
        q[2] += height
        v[0] = speed
        return np.concatenate([q, v])


class Driven(NamedTuple):
    """A body with the bursts and the feedback of a gait, and a state from which it begins."""

    simulator: UnitSimulator
    bursts: Bursts
    corrections: Corrections | None
    state: Array  # (nq + nv,)

    def run(self, units: int, disturbance: unit_loop.Disturbance | None = None, traced: bool = False,
            gravity: Array | None = None) -> Run:  # fmt: skip
        """Some units of the gait; gravity (3,) [m/s²], or its own."""
        return self.simulator.run(self.state, self.bursts, units, self.corrections, disturbance=disturbance,
                                  traced=traced, gravity=gravity)  # fmt: skip


NO_ASSIST = unit_loop.Assist(0.0, rot.IDENTITY.copy(), 0.0, np.zeros(4))
