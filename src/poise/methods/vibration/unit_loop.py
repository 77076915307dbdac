"""Units of a gait one after the other in the simulator, compiled: an evaluation of the search is one call.

The world is the house's own (`poise.stage.world`), the torques are those of `control`, so that what is found here is
what is performed. What the constraints and the objective need is summed up on the way; no state is kept but those at
the stages of the last unit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.dynamics import native
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.vibration.control import Bursts, Corrections, Springs, correction, total_torque


class Views(NamedTuple):
    """Addresses of mj_step, the model and the data, and MuJoCo's own arrays."""

    step: int
    model: int
    data: int
    q: Array
    v: Array
    force: Array  # qfrc_applied
    push: Array  # xfrc_applied
    xpos: Array  # (B, 3)
    xmat: Array  # (B, 9)
    xipos: Array  # (B, 3)
    com: Array  # (B, 3) of subtrees


class Feet(NamedTuple):
    """Points of the feet, the one that stands in even units first."""

    front: np.ndarray  # (2, P) bodies of ball and toes
    front_at: Array  # (2, P, 3)
    heel: np.ndarray  # (2, Q)
    heel_at: Array  # (2, Q, 3)
    hip: np.ndarray  # (2,) bodies
    torso: int
    both: int  # 1: the other foot must be lifted clear (legs take turns), 0: it need not


class Assist(NamedTuple):
    """What holds the root while a search begins: a departure of the search, absent from every gait."""

    scale: float  # 0: none
    turn: Array  # (4,) attitude that it holds
    speed: float  # [m/s] forward
    gains: Array  # (4,) [N m/rad, N m s/rad, N s/m, N/m] attitude, its rate, speeds, sideways place


class Disturbance(NamedTuple):
    """What comes from outside: a push on the torso, noise on what is sensed."""

    force: Array  # (3,) [N]
    since: int  # step since the start
    until: int
    noise: Array  # (decisions, 2 nv), or (0, 2 nv)

    @classmethod
    def push(cls, force: Array, since: int, until: int, nv: int) -> Disturbance:
        """A force (3,) [N] on the torso from a step to another one, counted from the start."""
        return cls(force, since, until, np.zeros((0, 2 * nv)))

    @classmethod
    def sensor_noise(cls, noise: Array) -> Disturbance:
        """Noise (decisions, 2 nv) [rad or m, rad/s or m/s] on the state that each decision of the feedback senses."""
        return cls(np.zeros(3), -1, -1, noise)

    @classmethod
    def nothing(cls, nv: int) -> Disturbance:
        """Neither a push nor noise."""
        return cls.sensor_noise(np.zeros((0, 2 * nv)))


class World(NamedTuple):
    """A body in its simulator: what stays the same from run to run."""

    views: Views
    springs: Springs
    feet: Feet
    mirror: Array  # (nv, nv) from a unit to the next
    dt: float  # [s] of a step
    swaps: bool  # are left and right exchanged from unit to unit?
    lowest: float  # [m] a root below it has fallen


class Drive(NamedTuple):
    """What moves the body in a run."""

    bursts: Bursts
    corrections: Corrections
    assist: Assist
    disturbance: Disturbance


class Record(NamedTuple):
    """What a run writes."""

    measured: Array  # (COUNT,) what was measured in the last unit
    states: Array  # (units + 1, nq + nv) at the beginning of each unit and at the end
    stages: Array  # (K, nq + nv) at the stages of the last unit
    trace: Array  # (steps, nq + 2 nv) state and torques of every step, or no rows


class Seen(NamedTuple):
    """What is carried from step to step, in arrays, which compiled code can change."""

    com: Array  # (3,) [m] centre of mass a step before
    began: Array  # (3,) the same at the beginning of the unit
    toe: Array  # (1,) [m] height of the standing foot's toes a step before
    known: Array  # (1,) 1: there was a step before, 0: this is the first one of the run


# Columns of what is measured in the last unit: sums of (7) as printed, but E5, which is of the controls and not of what
# they do (`score.easy`)
EASY = E1, E2, E3, E4, E6, E7, E8, E9 = tuple(range(8))
# means of what is missed of E1, E3, E6, E7, E9, and of the height of the higher foot
M_SPEED, M_JOINT, M_UPRIGHT, M_STANCE, M_STUB, M_LIFT = range(8, 14)
VX, VY, VZ, AIR, NEAR_AIR, ACTIVE, FEEDBACK, DEEPEST, ASSIST_FORCE, ASSIST_TORQUE, FLYING, SUNK = range(14, 26)
COUNT = 26
NEAR = 0.04  # [m] by which a heel below its toe still counts in part
LIFT = 0.025  # [m] that one of the feet is to be above the ground at any time of a run
CONTACT = 0.001  # [m] above the ground up to which a foot counts as touching it, as in `spectrum`
STANCE = 0.001  # [m] ε of (14): what stands while it thrusts is no higher
MOST_RATE = 80.0  # [m/s, rad/s] of any coordinate: at four times what E3 permits a body is thrown apart
LEAST_UPRIGHT = 0.4  # cosine of the root's tilt: a body that leans by more than 66 degrees lies rather than runs


@njit(cache=True)
def _height(views, bodies, at):
    """Lowest height of points fixed in bodies."""
    low = 1e9
    for k in range(bodies.shape[0]):
        b = bodies[k]
        m = views.xmat[b]
        z = views.xpos[b, 2] + m[6] * at[k, 0] + m[7] * at[k, 1] + m[8] * at[k, 2]
        low = min(low, z)
    return low


@njit(cache=True)
def _leg(views, hip, bodies, at):
    """Distance from a hip to the middle of the toes."""
    p = np.zeros(3)
    for k in range(bodies.shape[0]):
        b = bodies[k]
        m = views.xmat[b]
        for i in range(3):
            p[i] += views.xpos[b, i] + m[3 * i] * at[k, 0] + m[3 * i + 1] * at[k, 1] + m[3 * i + 2] * at[k, 2]
    d = 0.0
    for i in range(3):
        d += (p[i] / bodies.shape[0] - views.xpos[hip, i]) ** 2
    return np.sqrt(d)


@njit(cache=True)
def _below(d, edge):
    """Q_u(d, ε) of (7) with h = 1."""
    return (edge - d) ** 2 + 1.0 if d < edge else 0.0


@njit(cache=True)
def _assist_force(views, assist, out):
    """The assist's force and torque on the root into out (6,)."""
    w, x, y, z = views.q[3], views.q[4], views.q[5], views.q[6]
    a = assist.turn
    # rotation vector from the wanted attitude to the present one, in the body's frame
    c = np.array([a[0] * w + a[1] * x + a[2] * y + a[3] * z, a[0] * x - a[1] * w - a[2] * z + a[3] * y,
                  a[0] * y + a[1] * z - a[2] * w - a[3] * x, a[0] * z - a[1] * y + a[2] * x - a[3] * w])  # fmt: skip
    sign = 1.0 if c[0] >= 0.0 else -1.0
    for i in range(3):
        out[3 + i] = -assist.scale * (2.0 * sign * assist.gains[0] * c[1 + i] + assist.gains[1] * views.v[3 + i])
    out[0] = -assist.scale * assist.gains[2] * (views.v[0] - assist.speed)
    out[1] = -assist.scale * (assist.gains[2] * views.v[1] + assist.gains[3] * views.q[1])
    out[2] = 0.0


@njit(cache=True)
def _has_fallen(views, lowest):
    """Is the root too low [m], does it lie, or is the body thrown apart?"""
    if not (views.q[2] > lowest) or not np.isfinite(views.v).all() or np.abs(views.v).max() > MOST_RATE:
        return True
    return 1.0 - 2.0 * (views.q[4] ** 2 + views.q[5] ** 2) < LEAST_UPRIGHT


@njit(cache=True)
def _apply(world, drive, burst, feedback, out):
    """Springs, a step's burst (nv,), feedback (nv,) and assist as forces of the coming step; their squares into out.

    A burst counts as far as its joint bears it.
    """
    views, nv = world.views, world.views.v.shape[0]
    total_torque(world.springs, views.q, views.v, burst, feedback, views.force)
    for d in range(6, nv):
        out[ACTIVE] += min(abs(burst[d]), world.springs.limit[d]) ** 2
        out[FEEDBACK] += feedback[d] * feedback[d]
    if drive.assist.scale > 0.0:
        held = np.zeros(6)
        _assist_force(views, drive.assist, held)
        for d in range(6):
            views.force[d] = held[d]
        out[ASSIST_FORCE] += held[0] ** 2 + held[1] ** 2
        out[ASSIST_TORQUE] += held[3] ** 2 + held[4] ** 2 + held[5] ** 2
    else:
        views.force[:6] = 0.0


@njit(cache=True)
def run_units(world, drive, units, record):
    """So many units from the state in the data, written into `record`; gives the steps taken before a fall."""
    views, bursts, corrections, disturbance = world.views, drive.bursts, drive.corrections, drive.disturbance
    nq, nv = views.q.shape[0], views.v.shape[0]
    steps, count = bursts.table.shape[1], corrections.starts.shape[0] - 1
    feedback, quiet, out, trace = np.zeros(nv), np.zeros(2 * nv), record.measured, record.trace
    seen = Seen(np.zeros(3), np.zeros(3), np.zeros(1), np.zeros(1))
    taken = 0
    record.states[0, :nq], record.states[0, nq:] = views.q, views.v
    views.push[:] = 0.0
    for unit in range(units):
        odd = unit % 2 if world.swaps else 0
        stage = 0
        out[:] = 0.0
        for i in range(steps):
            if stage < count and i == corrections.starts[stage]:
                if unit == units - 1:
                    record.stages[stage, :nq], record.stages[stage, nq:] = views.q, views.v
                sensed = disturbance.noise[unit * count + stage] if disturbance.noise.shape[0] else quiet
                correction(world.springs, corrections, stage, odd, world.mirror, views.q, views.v, sensed, feedback)
                stage += 1
            _apply(world, drive, bursts.table[odd, i], feedback, out)
            if taken == disturbance.since:
                views.push[world.feet.torso, :3] = disturbance.force
            if taken == disturbance.until:
                views.push[:] = 0.0
            if taken < trace.shape[0]:
                trace[taken, :nq], trace[taken, nq : nq + nv], trace[taken, nq + nv :] = views.q, views.v, views.force
            native.call_two(views.step, views.model, views.data)
            taken += 1
            _measure(world, bursts, odd, i, seen, out)
            if _has_fallen(views, world.lowest):
                return taken - 1
        _finish(bursts, steps, world.dt, seen, out)
        record.states[unit + 1, :nq], record.states[unit + 1, nq:] = views.q, views.v
    return taken


@njit(cache=True)
def _measure(world, bursts, odd, i, seen, out):
    """Sum up what one step shows. MuJoCo's places are those of the step's beginning."""
    views, feet, dt = world.views, world.feet, world.dt
    com, before = views.com[1], seen.com
    known, nv = seen.known[0] > 0.0, views.v.shape[0]
    if i == 0:
        seen.began[:] = com
    vx = (com[0] - before[0]) / dt if known else 1.0
    vz = (com[2] - before[2]) / dt if known else 0.0
    before[:] = com
    out[E1] += _below(vx, 0.5)
    out[M_SPEED] += max(0.0, 0.6 - vx)
    fastest = 0.0
    for d in range(6, nv):
        size = abs(views.v[d])
        fastest = max(fastest, size)
        out[E3] += _below(-size, -20.0)
    out[M_JOINT] += max(0.0, fastest - 18.5)
    upright = views.xipos[feet.torso, 2] - com[2]
    out[E6] += _below(upright, 0.0)
    out[M_UPRIGHT] += max(0.0, 0.02 - upright)
    toe = _height(views, feet.front[odd], feet.front_at[odd])
    heel = _height(views, feet.heel[odd], feet.heel_at[odd])
    other = min(_height(views, feet.front[1 - odd], feet.front_at[1 - odd]),
                _height(views, feet.heel[1 - odd], feet.heel_at[1 - odd]))  # fmt: skip
    out[DEEPEST] = max(out[DEEPEST], -min(toe, min(heel, other)))
    if min(toe, heel) > CONTACT and other > CONTACT:
        out[FLYING] += 1.0
    if bursts.thrust[0] <= i < bursts.thrust[1]:
        low = min(toe, heel) if bursts.foot == 0 else other
        out[E7] += _below(-low, -STANCE)
        out[M_STANCE] += max(0.0, low + STANCE)
    rise = toe - seen.toe[0] if i > 0 else 0.0
    if vz < 0.0:
        out[SUNK] = 1.0  # it has sunk since the toe became active
    if out[SUNK] > 0.0 and vz > 0.0 and vz - rise / dt > -0.1 and heel > toe and rise > 0.0:
        out[AIR] += rise
    if vz > 0.0 and rise > 0.0:  # the same without its edges, so that a search sees where it leads
        tilt = min(max((heel - toe + NEAR) / NEAR, 0.0), 1.0)
        out[NEAR_AIR] += tilt * min(rise, (vz + 0.1) * dt)
    if feet.both == 1:
        out[M_LIFT] += max(0.0, LIFT - max(min(toe, heel), other))
    if feet.both == 1 and min(toe, heel) < CONTACT:
        longer = (_leg(views, feet.hip[odd], feet.front[odd], feet.front_at[odd])
                  - _leg(views, feet.hip[1 - odd], feet.front[1 - odd], feet.front_at[1 - odd]))  # fmt: skip
        out[E9] += _below(longer, 0.0)
        out[M_STUB] += max(0.0, 0.01 - longer)
    seen.toe[0], seen.known[0] = toe, 1.0


@njit(cache=True)
def _finish(bursts, steps, dt, seen, out):
    """Means over the unit, and the constraints on them."""
    span = (steps - 1) * dt
    for k in range(3):
        out[VX + k] = (seen.com[k] - seen.began[k]) / span
    for k in (M_SPEED, M_JOINT, M_UPRIGHT, M_STUB, M_LIFT, ACTIVE, FEEDBACK, ASSIST_FORCE, ASSIST_TORQUE, FLYING):
        out[k] /= steps
    out[M_STANCE] /= max(1, bursts.thrust[1] - bursts.thrust[0])
    out[E2] = _below(out[VX], 2.0) + _below(-abs(out[VY]), -0.25) + _below(-abs(out[VZ]), -0.25)
    out[E4] = _below(-(out[ACTIVE] + out[FEEDBACK]), -500000.0)
    out[E8] = _below(out[AIR], 0.02)
