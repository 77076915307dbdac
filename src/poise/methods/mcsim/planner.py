"""One planning cycle: from state and touches to the program (7), and to the torques until the next one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from poise.dynamics.compiled import Terms, WholeBody, terms_at, whole_body
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.mcsim import contacts, legs, rail, reduced, swing, tasks, terrain
from poise.methods.mcsim.feedback import hip_turn, with_hips
from poise.methods.mcsim.memory import Memory
from poise.methods.mcsim.schedule import Schedule
from poise.motion.feet.leg_clearance import Passing
from poise.motion.reference import Reference, Sample
from poise.simulate.servo import Servo
from poise.simulate.simulator import State, Touches

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim

_LEAVES = 0.03  # [m/s] at which a point that rises counts as leaving the skin of the ground
_LETTING_GO = 1 / 120  # [s] before its time that a point is let go
_STRAINED = 0.25  # [s] of torques at their limits after which it is said
_TOGETHER = 0.1  # [s] within which two feet land as one
_LEAVING = 0.25  # [s] before it leaves from which on a foot counts less
_SETTLING = 0.03  # [s] in which the reference is brought to where the feet stand


class Scene(NamedTuple):
    """All that a plan is made from."""

    now: Terms  # the character
    goal: Terms  # the reference, moved to where the feet stand
    wanted: Sample
    now_whole: WholeBody
    goal_whole: WholeBody
    touching: np.ndarray  # (P,) bool
    feet: np.ndarray  # (2,) bool: each foot touches
    standing: np.ndarray  # (2,) bool: each foot should stand and does
    rate: float  # at which the reference runs
    heading: float  # [rad] of the reference


def make_plan(way: McSim, state: State, touches: Touches, reference: Reference, memory: Memory) -> dict[str, Any]:
    """Plan anew and put the plan into the memory; gives the traces of it."""
    if reference is not memory.reference:
        memory.reference, memory.schedule = reference, Schedule(reference, memory.clock.time)
        memory.passing = Passing.of(reference)
    if not np.isfinite(memory.planned):
        memory.clock.time = state.time  # it may take over under way
    dt = state.time - memory.planned if np.isfinite(memory.planned) else 0.0
    now = memory.dynamics.at(state.q, state.v)
    touching = _touching(state, touches, now, memory)
    feet = contacts.feet(touching, memory.soles.sides)
    rate = _tick(way, state, feet, memory, dt)
    scene = _scene(way, now, touching, feet, rate, memory, dt)
    if way.has("foothold"):
        terrain.feel_ground(scene, memory, dt)
        terrain.step_over(scene, memory, dt)
        swing.move_footholds(way, scene, memory, dt)
        legs.let_down(memory, dt)
    cones = _cones(way, state, scene, memory)
    problem, limit = tasks.program(way, scene, cones, memory), memory.limit
    plan = reduced.solve(problem, limit)
    _keep(way, state, scene, plan, memory)
    return {"reference_lag": memory.clock.time - state.time, "solved": float(plan.solved),
            "foothold": memory.shift.copy()}  # fmt: skip


def _touching(state: State, touches: Touches, now: Terms, memory: Memory) -> np.ndarray:
    """Points (P,) that touch something to stand on."""
    if memory.ground is None or memory.names is not touches.names:
        memory.names, own = touches.names, set(memory.dynamics.character.body_names)
        memory.ground = np.array([n not in own and not n.startswith("ball_") for n in touches.names], bool)
    known, bodies, skin = memory.known, memory.soles.bodies, memory.way.skin
    on = np.zeros(len(bodies), bool)
    contacts.touched(touches.table, memory.ground, bodies, now.points, known.normal, known.bumped, on)
    if skin > 0.0:
        contacts.within(now.points, bodies, skin, _LEAVES * (state.time - memory.planned), known, on)
    contacts.stamp(on, state.time, known.last)
    return on


def _tick(way: McSim, state: State, feet: np.ndarray, memory: Memory, dt: float) -> float:
    """Let the clock of the reference run; gives its rate."""
    if not way.has("clock"):
        memory.clock.time = state.time
        return 1.0
    return memory.clock.advance(memory.schedule, feet.tolist(), dt, state.time)


def _scene(way: McSim, now: Terms, touching: np.ndarray, feet: np.ndarray, rate: float, memory: Memory, dt: float
           ) -> Scene:  # fmt: skip
    wanted = memory.reference.sample(memory.clock.time)
    if way.average:
        wanted = wanted._replace(a=(memory.reference.sample(memory.clock.time + way.plan).v - wanted.v) / way.plan)
    down = contacts.feet(wanted.contacts, memory.soles.sides)
    standing = down & feet
    for side in (0, 1):
        memory.missing[side] = memory.missing[side] + dt if down[side] and not standing[side] else 0.0
    q = wanted.q.copy()
    q[:3] += memory.offset
    goal = memory.reference_dynamics.at(q, wanted.v)
    move = _misplaced(now, goal, touching, wanted.contacts, memory)
    memory.flying = move is None and not any(memory.schedule.foot(side, memory.clock.time).down for side in (0, 1))
    if memory.flying:
        move = now.centre_of_mass - goal.centre_of_mass
        move[2] = 0.0
    if move is not None:
        at_once = not memory.placed or (memory.flying and rate == 0.0)  # one that waits for a landing goes along
        if not at_once:
            move *= 1.0 - math.exp(-dt / _SETTLING)
        memory.offset += move
        memory.placed = True
        for place in (goal.q[:3], goal.centre_of_mass, goal.positions, goal.points):  # the same instant elsewhere
            place += move
    if way.cd or way.cv:
        wanted = _with_feedback(way, now, goal, wanted, touching, memory)
    if way.has("momentum") or way.has("foothold"):
        _move_wholes(memory.dynamics.where, memory.whole, memory.reference_dynamics.where, wanted.a,
                     memory.reference_whole)  # fmt: skip
    return Scene(now=now, goal=goal, wanted=wanted, now_whole=memory.whole, goal_whole=memory.reference_whole,
                 touching=touching, feet=feet, standing=standing, rate=rate, heading=_heading(wanted.q))  # fmt: skip


@njit(cache=True)
def _move_wholes(where, out, goal_where, a, goal_out):
    """The body as a whole, now with no acceleration and in the goal with a (nv,), in one call from Python."""
    whole_body(terms_at(where), np.zeros_like(a), out)
    whole_body(terms_at(goal_where), a, goal_out)


def _heading(q: Array) -> float:
    """Where the root's x axis points on the map [rad]."""
    w, x, y, z = q[3:7].tolist()
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def _with_feedback(way: McSim, now: Terms, goal: Terms, wanted: Sample, touching: np.ndarray, memory: Memory
                   ) -> Sample:  # fmt: skip
    """The sample with the hips of swinging legs turned by the balance feedback (11).

    In flight there is no foot to measure distances from: the legs that land next follow the velocity alone (`flight`).
    """
    down = [bool(wanted.contacts[s].any()) for s in memory.sole]
    heading, relative = _heading(wanted.q), way.has("relative")
    if not any(down) and not way.has("flight"):
        return wanted
    if not any(down):
        left = [memory.schedule.foot(side, memory.clock.time).left for side in (0, 1)]
        turn = hip_turn(now, goal, now.root, heading, 0.0, way.cv, relative)
        for side in (0, 1):
            if left[side] < min(left) + _TOGETHER:
                wanted = wanted._replace(q=with_hips(wanted.q, memory.hips[side], turn, goal))
        return wanted
    for side in (0, 1):
        if down[1 - side] and not down[side] and memory.feet[1 - side] >= 0:
            turn = hip_turn(now, goal, memory.feet[1 - side], heading, way.cd, way.cv, relative)
            return wanted._replace(q=with_hips(wanted.q, memory.hips[side], turn, goal))
    return wanted


def _misplaced(now: Terms, goal: Terms, touching: np.ndarray, due: np.ndarray, memory: Memory) -> Array | None:
    """How far (3,) the touching points are from where the reference has them; None where none should touch and does.

    A foot that is about to leave counts less and less: the body goes over to the one that stays.
    """
    stays, time = memory.schedule.stays, memory.clock.time
    left, right = (min(1.0, max(0.02, stays(side, time) / _LEAVING)) for side in (0, 1))
    move = np.empty(3)
    found = contacts.misplaced(now.points, goal.points, touching, due, memory.soles.sides, left, right, move)
    return move if found else None


def _cones(way: McSim, state: State, scene: Scene, memory: Memory) -> contacts.Cones:
    """The points that the program may push with.

    By the schedule, a point that is about to leave is let go: in the last frame before, the reference lifts it already.
    """
    points, soles, known = scene.now.points, memory.soles, memory.known
    use, gap = np.empty(len(points), bool), np.zeros(len(points))
    contacts.lately(known.last, state.time - way.grace - 1e-9, use)
    if way.skin > 0.0:
        contacts.gaps(use, points, known, way.skin, gap)
    if way.has("schedule"):
        due = scene.wanted.contacts & memory.schedule.points(memory.clock.time + _LETTING_GO)
        contacts.scheduled_of_both(
            soles, memory.flat, due, points, scene.goal.points, way.reach, known.normal, use, gap
        )
    return contacts.cones(use, gap, points, soles.bodies, known.normal, way.friction, way.shrink)


def _keep(way: McSim, state: State, scene: Scene, plan: reduced.Plan, memory: Memory) -> None:
    """Remember the plan and what the servos follow until the next one."""
    memory.planned = state.time
    if way.planar:
        memory.rail = rail.inertia(state.q, scene.now.mass_matrix)
    memory.strained = memory.strained + 1 if plan.bounded else 0
    if memory.strained == round(_STRAINED / way.plan):
        words = "torque limits have been met for a quarter of a second on end: the body is too weak for this motion"
        memory.notes.append(("torques", words))
    if plan.solved:
        memory.failed = 0
    else:
        if not memory.failed:
            memory.notes.append(("program", "no forces meet the program's constraints; the servos alone act"))
        memory.failed += 1
        torque = scene.now.bias * (np.arange(len(state.v)) >= 6)
        plan = reduced.Plan(scene.wanted.a, torque, np.zeros(0), False, False)
    wanted = scene.wanted.q, scene.wanted.v, scene.wanted.a
    if way.has("ahead") and plan.solved:
        wanted = state.q, state.v, plan.acceleration
    (q, v, a), layout = wanted, memory.dynamics.character.layout
    memory.servo = Servo(time=state.time, q=q, v=v, a=a, planned=plan.torque, inertia=scene.now.mass_matrix.copy(),
                         k=memory.stiffness, share=memory.share, limit=memory.limit, joints=memory.joints,
                         kind=layout.kind, qadr=layout.qadr, vadr=layout.vadr)  # fmt: skip
