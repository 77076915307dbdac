"""Posture: the upper body solved for step by step, the root pushed along, the legs by inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics import Wrench, engine
from poise.dynamics.compiled import place_pose
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths.rotations import Array, rotate
from poise.methods.contract import Around, Stepped
from poise.methods.posture.legs import FULL, lowered, plant
from poise.methods.posture.memory import Memory
from poise.methods.posture.root import pushed_root
from poise.methods.posture.settings import Settings
from poise.methods.posture.solve import Tracking, own_torques, respond
from poise.methods.posture.surroundings import Near
from poise.motion.reference import Reference
from poise.simulate.simulator import State, no_touches
from poise.stage import Stage
from poise.stage.pushes import pushes_at

FRAME = 1 / 120  # [s] of recorded frames
FASTEST = 100.0  # [rad/s, m/s] beyond which a body has left what can be computed
_JOLT = 2.0  # [m/s²] of the ground from which on it is a push
_NOTHING = 1e-12


@dataclass(frozen=True)
class Posture(Settings):
    """Responses in near-unactuated coordinates."""

    name = "posture"

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """A fresh memory."""
        return Memory(self, character, reference, stage)

    def step(self, state: State, reference: Reference, around: Around, dt: float, memory: Memory) -> Stepped:
        """The state after dt [s] and the mean torques (nv,) [N m] of the upper body; or why there is none.

        A step of 1/60 s is given as two frames, the first of them half-way.
        """
        if abs(dt - FRAME) > 1e-9:
            raise BadValue(f"The method posture goes in frames of 1/120 s, not of {dt:.5g} s.")
        if memory.coming and np.array_equal(memory.coming[0], state.q):
            _, q, v, torque = memory.coming
            memory.coming = []
            return Stepped(State(state.time + dt, q, v), torque, no_touches(), memory.around.props, memory.traces)
        h = self.frames * FRAME
        pushes = list(around.pushes) if self.frames == 1 else pushes_at(
            around.stage, memory.character, state.q, state.time, h)  # fmt: skip
        made = advance(self, state, reference, pushes, h, memory)
        if made.status or self.frames == 1:
            return made
        half = conf.interpolate(memory.character.layout, state.q, made.state.q, 0.5)
        memory.coming = [half, made.state.q, made.state.v, made.torque]
        return made._replace(state=State(state.time + dt, half, made.state.v))

    def follow(self, memory: Memory, reference: Reference) -> Memory:
        """The memory for another reference: the style of response stays that of the clip it began with."""
        memory.known = False
        memory.coming = []
        return memory

    def surround(self, memory: Memory, reference: Reference, stage: Stage) -> Memory:
        """The memory on another stage."""
        memory.surround(stage)
        return memory


class Goal(NamedTuple):
    """The reference over one step."""

    plain: Array  # (nq,) where it is
    now: Array  # (nq,) the same, carried along by the ground
    then: Array  # (nq,) where it will be, carried along by the ground
    before: Array  # (nv,) its velocity until now
    rate: Array  # (nv,) its velocity in this step
    contacts: np.ndarray  # (P,) scheduled at the end
    jolt: Array  # (3,) [m/s²] acceleration of the ground
    feet: Array  # (2, 3) [m] of the feet at the end
    turns: Array  # (2, 4)
    hips: Array  # (2, 3) [m]


def advance(settings: Settings, state: State, reference: Reference, pushes: list[Wrench], h: float, memory: Memory
            ) -> Stepped:  # fmt: skip
    """One step of h [s]: the root, the upper body, the legs."""
    if not (np.abs(state.v).max() < FASTEST):
        return Stepped.lost(state, _why(memory, state.v))
    layout, upper = memory.character.layout, memory.parts.upper
    n = len(upper)
    goal = _goal(state, reference, h, memory)
    own = np.empty(n)
    terms = memory.compiled.at(goal.plain, goal.before)
    own_torques(terms, upper, goal.rate[:6], goal.rate[upper], h, own)
    terms = memory.compiled.at(state.q, state.v)
    near = memory.around.near(state, memory.compiled)
    loads = _loads(memory, [*pushes, *near.wrenches])
    jolted = float(np.abs(goal.jolt).max()) > _JOLT
    latency = memory.latency(bool(pushes) or bool(near.wrenches) or jolted, h)
    root, end = _root(settings, state, goal, loads, h, memory)
    tracking = _tracking(settings, state, goal, own, latency, near, root, h, memory)
    x, u = np.empty(n), np.empty(n)
    if not respond(terms, upper, root, loads, tracking, h, x, u) or not np.abs(x).max() < FASTEST:
        return Stepped.lost(state, _why(memory, x))
    v = goal.rate.copy()
    v[:6], v[upper] = root, x
    q = conf.integrate(layout, state.q, h * v)
    q[:7] = end
    _with_legs(q, goal, memory)
    v = conf.difference(layout, state.q, q) / h
    if not np.abs(v).max() < FASTEST:
        return Stepped.lost(state, _why(memory, v))
    memory.extra, memory.torque, memory.rate = u - own, u, goal.rate
    memory.known, memory.fresh = True, False
    torque = np.zeros(layout.nv)
    torque[upper] = u
    given = float(np.sum((memory.vectors[:, n - settings.k :].T @ u) ** 2))
    memory.traces = {"latency": latency, "foot_missed": memory.missed, "unactuated_torque": float(np.sqrt(given)),
                     "actuated_torque": float(np.sqrt(max(float(u @ u) - given, 0.0)))}  # fmt: skip
    return Stepped(State(state.time + h, q, v), torque, near.touches, memory.around.props, memory.traces)


def _goal(state: State, reference: Reference, h: float, memory: Memory) -> Goal:
    """The reference now and at the end of the step; the ground's motion carries it along."""
    layout, t, parts = memory.character.layout, state.time, memory.parts
    plain, after = reference.sample(t), reference.sample(t + h)
    before = memory.rate_at(reference, t, plain, h)
    rate = conf.difference(layout, plain.q, after.q) / h
    now, then, jolt = plain.q, after.q, np.zeros(3)
    if memory.around.motions:
        places = [memory.around.carried(max(x, 0.0)) for x in (t - h, t, t + h)]
        now, then = now.copy(), then.copy()
        now[:3] += places[1]
        then[:3] += places[2]
        jolt = (places[2] - 2.0 * places[1] + places[0]) / h**2
    terms = memory.compiled.terms
    place_pose(terms, then)
    return Goal(plain.q, now, then, before, rate, after.contacts, jolt, terms.positions[parts.feet],
                terms.quaternions[parts.feet], terms.positions[parts.hips])  # fmt: skip


def _loads(memory: Memory, wrenches: list[Wrench]) -> Array:
    """Jᵀ f (nv,) of all that acts."""
    out = np.zeros(memory.character.layout.nv)
    for w in wrenches:
        linear, angular = engine.jacobian(memory.compiled.model, memory.compiled.data, w.body, w.point)
        out += linear.T @ w.force
        if w.moment is not None:
            out += angular.T @ w.moment
    return out


def _root(settings: Settings, state: State, goal: Goal, loads: Array, h: float, memory: Memory) -> tuple[Array, Array]:
    """The root's velocity (6,) in this step, and its pose (7,) at the end; feet that swing go along."""
    layout = memory.character.layout
    off = conf.difference(layout, goal.now, state.q)[:6]
    off[2] += memory.down
    speed = memory.beside if memory.known else state.v[:6] - goal.before[:6]
    beside = np.empty(6)
    back = settings.root_return if settings.has("return") else 0.0
    pushed_root(memory.compiled.terms.mass_matrix, loads, off, speed, back, h, beside)
    memory.beside, off = beside, off + h * beside
    memory.tread([bool(goal.contacts[p].any()) for p in memory.parts.points], off[:3], h)
    end = goal.then
    memory.down = 0.0
    if max(np.abs(off).max(), np.abs(memory.feet).max()) > _NOTHING:
        whole = np.zeros(layout.nv)
        whole[:6] = off
        end = conf.integrate(layout, goal.then, whole)
        if settings.has("reach"):
            memory.down = _lowering(end, goal, memory)
            end[2] -= memory.down
    both = state.q.copy()
    both[:7] = end[:7]
    return conf.difference(layout, state.q, both)[:6] / h, end[:7]


def _lowering(end: Array, goal: Goal, memory: Memory) -> float:
    """How much [m] the root at `end` (nq,) must go down for the legs that stand."""
    hips = end[:3] + rotate(end[3:7], memory.sockets)
    out = 0.0
    for f, points in enumerate(memory.parts.points):
        if goal.contacts[points].any():
            used = float(np.linalg.norm(goal.hips[f] - goal.feet[f]))
            longest = max(used, FULL * memory.parts.lengths[f])
            out = max(out, lowered(hips[f], goal.feet[f] + memory.feet[f], longest))
    return out


def _tracking(settings: Settings, state: State, goal: Goal, own: Array, latency: float, near: Near, root: Array,
              h: float, memory: Memory) -> Tracking:  # fmt: skip
    """What (10) and (11) follow in this step."""
    upper, terms = memory.parts.upper, memory.compiled.terms
    n = len(upper)
    off = -conf.difference(memory.character.layout, state.q, goal.then)[upper]
    springs, dampers = np.zeros(n), np.zeros(n)
    if settings.has("tone"):
        inertia = np.diagonal(terms.mass_matrix)[upper]
        springs = settings.stiffness + settings.tone**2 * inertia
        dampers = settings.damper + 2.0 * settings.tone * inertia
    wanted = memory.space.mean if settings.zero else own
    before = own + memory.extra if settings.has("own_latency") or not memory.known else memory.torque
    rows, goals, prices = memory.around.rows(memory.compiled, near, upper, root, h)
    return Tracking(off, goal.rate[upper], wanted, before, memory.pose, memory.damping, latency,
                    settings.has("inertia"), memory.vectors, settings.k, springs, dampers, rows, goals,
                    prices)  # fmt: skip


def _with_legs(q: Array, goal: Goal, memory: Memory) -> None:
    """Give q (nq,) the reference's legs, bent so that feet are where they stand; in place."""
    parts, layout = memory.parts, memory.character.layout
    q[parts.leg_q] = goal.then[parts.leg_q]
    moved = np.abs(q[:7] - goal.then[:7]).max()
    memory.missed = 0.0
    if max(moved, np.abs(memory.feet).max()) > _NOTHING:
        memory.missed = plant(memory.compiled.terms, layout.kind, layout.qadr, layout.vadr, parts.legs, parts.feet,
                              goal.feet + memory.feet, goal.turns, q)  # fmt: skip


def _why(memory: Memory, v: Array) -> str:
    worst = int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf)))
    dof = int(memory.parts.upper[worst]) if len(v) == len(memory.parts.upper) else worst
    body = memory.character.body_names[int(memory.character.model.dof_bodyid[dof])].replace("_", " ")
    return f"its {body} would move faster than {FASTEST:.0f} rad/s or m/s: the response runs away"
