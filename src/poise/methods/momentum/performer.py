"""Momentum: the document's own update. The method solves for the next state of the character itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.dynamics import engine
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.contract import Around, Stepped
from poise.methods.momentum.forces import matched, moment_of, wrench_matrix, yielding
from poise.methods.momentum.memory import Memory
from poise.methods.momentum.pose import Tracking, momenta, put, reduce, speeds_of, velocity, with_momenta
from poise.methods.momentum.reach import calm
from poise.methods.momentum.second_look import added, joint_rows, kick, no_rows, second_look
from poise.methods.momentum.settings import Settings
from poise.methods.pose_rows import PoseStep
from poise.motion.reference import Reference
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

DT = 1 / 120  # [s] of the document's steps
FASTEST = 100.0  # [rad/s, m/s] beyond which a body has left what can be computed
REACHES = 0.02  # [m] above the ground up to which a corner that should push does
_HOLD = 20.0  # times w2: corners that stand, beside those in the air, of a calm body (departure pins)
_FLIGHT = 0.3  # [m] least arm in (30) of clips that leave the ground
_NONE = (np.zeros((0, 0)), np.zeros(0), np.zeros(0))


@dataclass(frozen=True)
class Momentum(Settings):
    """Optimal feedback on the abstract model, and the pose that has its momenta."""

    name = "momentum"
    slippery = True  # knows of events that change the ground's friction

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """A fresh memory."""
        return Memory(self, character, reference, stage, alone=True)

    def step(self, state: State, reference: Reference, around: Around, dt: float, memory: Memory) -> Stepped:
        """The state after dt [s], the mean torques (nv,) [N m] and the contacts on the way; or why there is none."""
        if abs(dt - DT) > 1e-9:
            raise BadValue(f"The method momentum goes in steps of 1/120 s, not of {dt:.5g} s.")
        return advance(self, state, dt, memory, list(around.pushes))


def advance(settings: Settings, state: State, dt: float, memory: Memory, pushes: list,
            lasts: float | None = None) -> Stepped:  # fmt: skip
    """One step of the method: feedback, contact forces, pose, and the clocks that go on.

    `lasts` [s]: until the next step is planned, if that is not dt.
    """
    lasts = lasts or dt
    if not memory.begun:
        memory.begin(state.time, memory.compiled.at(state.q, state.v).points[memory.plan.course.points])
    memory.tread(state.time)
    seen = Seen.of(memory, state, lasts)
    wanted = memory.want(memory.ride(seen.x, lasts) if memory.rides else seen.x, seen.error, lasts)
    ground = Grounded.of(memory, seen)
    solved = (
        matched(ground.A, wanted.wrench, memory.friction, _arm(settings, memory), settings.level)
        if len(ground.points)
        else None
    )
    forces = np.zeros(0) if solved is None else solved.forces
    tracking = followed(memory, seen, wanted.rate, dt, pushes)
    if settings.rows:
        tracking = _with_rows(memory, seen, tracking, wanted.rate, ground, forces, pushes, dt)
    reduced = reduce(memory.compiled.terms, tracking)
    given = _impulse(memory, seen, pushes, dt)
    if len(pushes) and len(forces):
        lack = reduced.free - seen.momenta - 0.5 * given
        forces = yielding(0.5 * dt * ground.A, forces, reduced.stiffness, lack, memory.friction, settings.pushed).forces
    change = _change(memory, seen, ground, forces, pushes, dt)
    middle = seen.momenta + 0.5 * change
    u = velocity(reduced, middle)
    if reduced.sound and np.abs(u).max() < FASTEST:
        acting = _ground_torque(memory, ground, forces) + _push_torque(memory, pushes)
        again = second_look(memory, seen, tracking, middle, u, acting, change, dt)
        reduced, u = again or (reduced, u)
    if not reduced.sound or not np.abs(u).max() < FASTEST:
        return Stepped.lost(state, _why(memory, u))
    after, v = _arrive(memory, seen, u, ground, forces, pushes, dt, settings.has("centre"))
    if not np.abs(v).max() < FASTEST:
        return Stepped.lost(state, _why(memory, v))
    torque = _torques(memory, state, v, ground, forces, pushes, dt)
    memory.traces["residual"] = float(np.linalg.norm(solved.residual)) if solved is not None else 0.0
    memory.traces["shortened"] = wanted.shortened
    memory.traces["strain"] = float(np.max(np.abs(torque) / memory.strength))
    touches = Touches(ground.rows(forces, memory.friction), memory.names)
    places = memory.compiled.terms.points[memory.plan.course.points]
    memory.advance(wanted.rate, lasts, places)
    return Stepped(State(state.time + dt, after, v), torque, touches, traces=memory.traces)


def _arm(settings: Settings, memory: Memory) -> float:
    """The arm [m] of (30): where a clip leaves the ground, forces and moments of take-off belong together."""
    return max(settings.arm, _FLIGHT) if memory.flies else settings.arm


@dataclass(frozen=True, eq=False)
class Seen:
    """A state as the abstract model sees it."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    x: Array  # (12,)
    momenta: Array  # (6,)
    error: Array  # (3,) Φ less that of the reference
    places: Array  # (P, 3) of the plan's points
    pose: Array  # (nq,) of the reference at t_d, moved to the body's offset

    @classmethod
    def of(cls, memory: Memory, state: State, dt: float) -> Seen:
        """Read the state, which the compiled terms then hold."""
        terms, character = memory.compiled.at(state.q, state.v), memory.character
        J = np.empty((6, len(state.v)))
        both = momenta(terms, state.v, J)
        pose = memory.pose(memory.td).copy()
        off = conf.difference(character.layout, pose[None], state.q[None])[0]
        turned = J[3:] @ off  # the angular momentum of a step, about the centre of mass
        if memory.settings.has("orientation"):
            error = turned
        else:
            low = memory.line.placed(memory.index)
            k = int(min(max(round(memory.tc) - low.first, 0), low.segment.steps))
            if memory.phi is None:
                memory.phi = np.zeros(3)
            error = memory.phi
            memory.phi = memory.phi + dt * (both[3:] - low.turn @ low.segment.reference[k, 9:])
        x = np.concatenate([terms.centre_of_mass, both[:3], np.zeros(3), both[3:]])
        return cls(state.q, state.v, x, both, error, terms.points[memory.plan.course.points], pose)


@dataclass(frozen=True, eq=False)
class Grounded:
    """Corners that can push now."""

    points: np.ndarray  # (K,) contact points of the character
    bodies: np.ndarray  # (K,)
    places: Array  # (K, 3)
    frames: Array  # (K, 3, 3) normal, tangent, tangent
    depth: Array  # (K,) [m]
    A: Array  # (6, 3K)

    @classmethod
    def of(cls, memory: Memory, seen: Seen) -> Grounded:
        """Points that the schedule has on the ground, and that are."""
        course = memory.plan.course
        touch = memory.line.touching(memory.td)
        ground = memory.stage.ground
        height = np.asarray(ground.height(seen.places[:, 0], seen.places[:, 1]), float)
        touch = touch & (seen.places[:, 2] - height < REACHES)
        places = seen.places[touch]
        normals = np.asarray(ground.normal(places[:, 0], places[:, 1]), float).reshape(-1, 3)
        A, frames = wrench_matrix(places, seen.x[:3], normals)
        points = course.points[touch]
        return cls(points, memory.character.contact_points.bodies[points], places, frames,
                   np.maximum(height[touch] - places[:, 2], 0.0), A)  # fmt: skip

    def world(self, forces: Array) -> Array:
        """Forces (K, 3) [N] in world axes."""
        return np.einsum("kij,ki->kj", self.frames, forces.reshape(-1, 3))

    def rows(self, forces: Array, friction: float) -> Array:
        """Rows (K, 18) for a take."""
        out = np.zeros((len(self.points), 18))
        out[:, 0], out[:, 2:5], out[:, 5:8] = self.bodies, self.places, self.frames[:, 0]
        out[:, 8:11], out[:, 14], out[:, 15] = self.world(forces), friction, self.depth
        return out[np.abs(out[:, 8:11]).max(axis=1) > 1e-9] if len(out) else out


def followed(memory: Memory, seen: Seen, rate: float, dt: float, pushes: list) -> Tracking:
    """g1, g2 and g3 of (31) and (32): the warped reference's velocities, and what takes errors back.

    Departures: g1 has (q̄ - q)/h, the printed sign diverges; g3 has + h M⁻¹ Jᵀ F^e and the pose term of g1.
    """
    s, layout, line = memory.settings, memory.character.layout, memory.line
    course = memory.plan.course
    after = memory.pose(memory.td + rate * dt / line.h)
    g1 = conf.difference(layout, seen.pose[None], after[None])[0] / dt
    off = conf.difference(layout, seen.q[None], seen.pose[None])[0] / dt
    g1 = g1 + s.pose_return * off
    weight = np.full(layout.nv, s.pose)
    weight[:6] = 0.0
    if s.has("root"):
        weight[3:6] = s.root * s.pose
        g1[3:6] = g1[3:6] - s.pose_return * off[3:6] + 0.1 * off[3:6]
    if pushes:
        g1[6:] += np.linalg.solve(memory.compiled.terms.mass_matrix, dt * _push_torque(memory, pushes))[6:]
    now, then = line.corners(memory.td), line.corners(memory.td + rate * dt / line.h)
    now = now + memory.feet.offsets(memory.td)
    then = then + memory.feet.offsets(memory.td + rate * dt / line.h)
    shares = np.full(now.shape, s.feet)
    if s.has("pins"):
        stands, pins = memory.feet.pinned(memory.td, seen.places, held=not memory.alone)
        now[stands] = then[stands] = pins[stands]
        shares[stands] *= 1.0 + (_HOLD - 1.0) * calm(memory.strayed)
    speeds = (then - now + s.feet_return * (now - seen.places)) / dt
    bodies = memory.character.contact_points.bodies[course.points].astype(np.int64)
    if memory.rides:
        moving = speeds_of(memory.compiled.terms, bodies, np.ascontiguousarray(seen.places), seen.v)
        speeds[:, :2] += memory.feet.carry(memory.td, seen.places, moving, dt)
    rows, goals, prices = joint_rows(memory, seen.q, None, dt) if s.has("limits") else no_rows(layout.nv)
    return Tracking(weight, g1, bodies, np.ascontiguousarray(seen.places), speeds, shares, rows,
                    goals, prices)  # fmt: skip


def _with_rows(memory: Memory, seen: Seen, tracking: Tracking, rate: float, ground: Grounded, forces: Array,
               pushes: list, dt: float) -> Tracking:  # fmt: skip
    """What (31) follows with the rows from outside added."""
    terms, line = memory.compiled.terms, memory.line
    after = memory.pose(memory.td + rate * dt / line.h)
    step = PoseStep(memory.td * line.h, dt, seen.q, seen.v, seen.pose,
                    conf.difference(memory.character.layout, seen.pose[None], after[None])[0] / dt,
                    terms.mass_matrix.copy(), terms.bias.copy(), _ground_torque(memory, ground, forces),
                    kick(memory, _change(memory, seen, ground, forces, pushes, dt)),
                    _push_torque(memory, pushes))  # fmt: skip
    for value in memory.settings.rows:
        rows, goals, prices, follow = value.pose_rows(step)
        tracking = added(tracking._replace(weight=tracking.weight * follow), (rows, goals, prices))
    return tracking


def _ground_torque(memory: Memory, ground: Grounded, forces: Array) -> Array:
    """J_cᵀF (nv,) of contact forces, in the pose that the terms hold."""
    model, out = memory.compiled, np.zeros(memory.character.layout.nv)
    world = ground.world(forces) if len(forces) else np.zeros((0, 3))
    for body, place, force in zip(ground.bodies, ground.places, world, strict=True):
        out += engine.jacobian(model.model, model.data, int(body), place)[0].T @ force
    return out


def _push_torque(memory: Memory, pushes: list) -> Array:
    """J_eᵀF^e (nv,) of pushes, in the pose that the terms hold."""
    model, out = memory.compiled, np.zeros(memory.character.layout.nv)
    for push in pushes:
        out += engine.jacobian(model.model, model.data, push.body, push.point)[0].T @ push.force
    return out


def _impulse(memory: Memory, seen: Seen, pushes: list, dt: float) -> Array:
    """Change of the momenta (6,) by gravity and pushes."""
    out = np.zeros(6)
    out[:3] = dt * memory.plan.course.mass * memory.plan.course.gravity
    for push in pushes:
        out[:3] += dt * push.force
        out[3:] += dt * np.cross(push.point - seen.x[:3], push.force)
    return out


def _change(memory: Memory, seen: Seen, ground: Grounded, forces: Array, pushes: list, dt: float) -> Array:
    """Change of the momenta (6,) by gravity, pushes and contact forces."""
    return _impulse(memory, seen, pushes, dt) + (dt * ground.A @ forces if len(forces) else 0.0)


def _arrive(memory: Memory, seen: Seen, u: Array, ground: Grounded, forces: Array, pushes: list, dt: float,
            exact: bool) -> tuple[Array, Array]:  # fmt: skip
    """Configuration and velocity after the step; the momenta about the origin change by exactly what acts."""
    terms, layout, course = memory.compiled.terms, memory.character.layout, memory.plan.course
    q = conf.integrate(layout, seen.q[None], dt * u[None])[0]
    put(terms, q)
    world = ground.world(forces) if len(forces) else np.zeros((0, 3))
    linear = seen.x[3:6] + dt * (world.sum(axis=0) + course.mass * course.gravity)
    for push in pushes:
        linear = linear + dt * push.force
    goal = seen.x[:3] + 0.5 * dt * (seen.x[3:6] + linear) / course.mass
    if exact:
        q[:3] += goal - terms.centre_of_mass
        put(terms, q)
    centre = terms.centre_of_mass.copy()
    turning = seen.x[9:] + dt * moment_of(ground.places, world, centre)
    turning = turning + moment_of(np.stack([seen.x[:3], 0.5 * (seen.x[:3] + centre)]),
                                  np.stack([seen.x[3:6], dt * course.mass * course.gravity]), centre)  # fmt: skip
    for push in pushes:
        turning = turning + dt * np.cross(push.point - centre, push.force)
    v = with_momenta(terms, u, np.concatenate([linear, turning]))
    memory.compiled.at(q, v)
    return q, v


def _torques(memory: Memory, state: State, v: Array, ground: Grounded, forces: Array, pushes: list, dt: float) -> Array:
    """Joint torques (nv,) [N m] that this step takes: inverse dynamics at its beginning."""
    terms = memory.compiled.at(state.q, state.v)
    out = terms.mass_matrix @ ((v - state.v) / dt) + terms.bias
    out -= _ground_torque(memory, ground, forces) + _push_torque(memory, pushes)
    out[:6] = 0.0
    return out


def _why(memory: Memory, v: Array) -> str:
    worst = int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf)))
    body = memory.character.body_names[int(memory.character.model.dof_bodyid[worst])].replace("_", " ")
    return f"its {body} would move faster than {FASTEST:.0f} rad/s or m/s: the pose no longer follows the momenta"
