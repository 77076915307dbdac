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
from poise.methods.vibration.control import correction, total_torque


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


# Columns of what is measured in the last unit: sums of (7) as printed, then sums of how far each is missed
E1, E2, E3, E4, E5, E6, E7, E8, E9 = range(9)
# means of what is missed of E1, E3, E6, E7, E9, and of the height of the higher foot
M_SPEED, M_JOINT, M_UPRIGHT, M_STANCE, M_STUB, M_LIFT = range(9, 15)
VX, VY, VZ, AIR, NEAR_AIR, ACTIVE, FEEDBACK, DEEPEST, ASSIST_FORCE, ASSIST_TORQUE, FLYING, SUNK = range(15, 27)
COUNT = 27
NEAR = 0.04  # [m] by which a heel below its toe still counts in part
LIFT = 0.025  # [m] that one of the feet is to be above the ground at any time of a run


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
def run_units(views, springs, bursts, corrections, mirror, feet, assist, disturbance, dt, units, swaps, lowest, out,
              states, stages, trace):  # fmt: skip
    """So many units from the state in the data; gives how many steps were taken before a fall.

    swaps: are left and right exchanged from unit to unit? lowest [m]: a root below it has fallen. out (COUNT,): what
    was measured in the last unit; states (units + 1, nq + nv): at the beginning of each unit and at the end; stages
    (K, nq + nv): at the stages of the last unit; trace (steps, nq + 2 nv), or no rows: state and torques of every step.
    """
    nq, nv = views.q.shape[0], views.v.shape[0]
    steps, count = bursts.table.shape[1], corrections.starts.shape[0] - 1
    fix, held = np.zeros(nv), np.zeros(6)
    before, quiet = np.zeros(3), np.zeros(2 * nv)
    known, toe_before, taken = False, 0.0, 0
    states[0, :nq], states[0, nq:] = views.q, views.v
    views.push[:] = 0.0
    for unit in range(units):
        odd = unit % 2 if swaps else 0
        last, fallen, stage = unit == units - 1, False, 0
        out[:] = 0.0
        began = before.copy()
        for i in range(steps):
            if stage < count and i == corrections.starts[stage]:
                if last:
                    stages[stage, :nq], stages[stage, nq:] = views.q, views.v
                sensed = disturbance.noise[unit * count + stage] if disturbance.noise.shape[0] else quiet
                correction(springs, corrections, stage, odd, mirror, views.q, views.v, sensed, fix)
                stage += 1
            total_torque(springs, views.q, views.v, bursts.table[odd, i], fix, views.force)
            for d in range(6, nv):
                out[ACTIVE] += bursts.table[odd, i, d] ** 2
                out[FEEDBACK] += fix[d] * fix[d]
            if assist.scale > 0.0:
                _assist_force(views, assist, held)
                for d in range(6):
                    views.force[d] = held[d]
                out[ASSIST_FORCE] += held[0] ** 2 + held[1] ** 2
                out[ASSIST_TORQUE] += held[3] ** 2 + held[4] ** 2 + held[5] ** 2
            else:
                views.force[:6] = 0.0
            if taken == disturbance.since:
                views.push[feet.torso, :3] = disturbance.force
            if taken == disturbance.until:
                views.push[:] = 0.0
            if taken < trace.shape[0]:
                trace[taken, :nq], trace[taken, nq : nq + nv], trace[taken, nq + nv :] = views.q, views.v, views.force
            native.call_two(views.step, views.model, views.data)
            taken += 1
            toe_before = _measure(views, bursts, feet, dt, odd, i, known, before, began, toe_before, out)
            known = True
            if not (views.q[2] > lowest) or not np.isfinite(views.v).all() or np.abs(views.v).max() > 80.0:
                fallen = True
                break
            up = 1.0 - 2.0 * (views.q[4] ** 2 + views.q[5] ** 2)
            if up < 0.4:
                fallen = True
                break
        if fallen:
            return taken - 1
        _finish(bursts, steps, dt, before, began, out)
        states[unit + 1, :nq], states[unit + 1, nq:] = views.q, views.v
    return taken


@njit(cache=True)
def _measure(views, bursts, feet, dt, odd, i, known, before, began, toe_before, out):
    """Sum up what one step shows; gives the toe's height. MuJoCo's places are those of the step's beginning."""
    com = views.com[1]
    nv = views.v.shape[0]
    if i == 0:
        began[:] = com
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
    if min(toe, heel) > 0.001 and other > 0.001:
        out[FLYING] += 1.0
    if bursts.thrust[0] <= i < bursts.thrust[1]:
        low = min(toe, heel) if bursts.foot == 0 else other
        out[E7] += _below(-low, -0.001)
        out[M_STANCE] += max(0.0, low + 0.001)
    rise = toe - toe_before if i > 0 else 0.0
    if vz < 0.0:
        out[SUNK] = 1.0  # it has sunk since the toe became active
    if out[SUNK] > 0.0 and vz > 0.0 and vz - rise / dt > -0.1 and heel > toe and rise > 0.0:
        out[AIR] += rise
    if vz > 0.0 and rise > 0.0:  # the same without its edges, so that a search sees where it leads
        tilt = min(max((heel - toe + NEAR) / NEAR, 0.0), 1.0)
        out[NEAR_AIR] += tilt * min(rise, (vz + 0.1) * dt)
    if feet.both == 1:
        out[M_LIFT] += max(0.0, LIFT - max(min(toe, heel), other))
    if feet.both == 1 and min(toe, heel) < 0.001:
        longer = (_leg(views, feet.hip[odd], feet.front[odd], feet.front_at[odd])
                  - _leg(views, feet.hip[1 - odd], feet.front[1 - odd], feet.front_at[1 - odd]))  # fmt: skip
        out[E9] += _below(longer, 0.0)
        out[M_STUB] += max(0.0, 0.01 - longer)
    return toe


@njit(cache=True)
def _finish(bursts, steps, dt, before, began, out):
    """Means over the unit, and the constraints on them."""
    span = (steps - 1) * dt
    for k in range(3):
        out[VX + k] = (before[k] - began[k]) / span
    for k in (M_SPEED, M_JOINT, M_UPRIGHT, M_STUB, M_LIFT, ACTIVE, FEEDBACK, ASSIST_FORCE, ASSIST_TORQUE, FLYING):
        out[k] /= steps
    out[M_STANCE] /= max(1, bursts.thrust[1] - bursts.thrust[0])
    out[E2] = _below(out[VX], 2.0) + _below(-abs(out[VY]), -0.25) + _below(-abs(out[VZ]), -0.25)
    out[E4] = _below(-(out[ACTIVE] + out[FEEDBACK]), -500000.0)
    out[E8] = _below(out[AIR], 0.02)
