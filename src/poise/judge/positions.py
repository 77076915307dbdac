"""The same law from positions alone: recorded velocities are not believed, only where the body was in each frame.

The centre of mass c goes from frame k to the next by the mean momentum of that interval,

    P_k = m (c_{k+1} - c_k) / dt,        P_k - P_{k-1} = (1 - s) J_{k-1} + s J_k + what nothing explains,

where J_k is the recorded impulse of interval k and s says when in an interval its forces act on average: 1/2 where
they are even, 1/2 + h / (2 dt) for a simulator with steps h, 1 for one step a frame (q' = q + dt v'). Where a take
does not tell its step, the s that explains most is taken, one number for the whole take. Spin about the centre of mass
likewise: its momentum is that of the tangent step between two frames, at the pose half-way.

A simulator's finite step shows in positions too: a step moves the body by h A(q + h v / 2) v, while the momentum that
its forces change is A(q) v (`poise.judge.momenta`). So h/2 A'v is taken off P, and what the step itself makes counts
as acting, both only where the take tells its step.

A take holds means over intervals. When within it an impact came is not known, and P_k depends on it: an impulse at the
beginning of the interval moves the body by dt J, one at its end by nothing. What a force has in common with the
intervals before and after acted evenly; the rest, F_k - F_{k±1}, at one moment at worst, so P_k is uncertain by
dt u_k = dt/2 max |F_k - F_{k±1}|. Over a window of n frames the sum of the equations above telescopes, and only the
uncertainties of its first and last interval remain: (u_a + u_b) / n. What is left beyond that is no matter of timing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.dynamics import Dynamics
from poise.judge.acting import acting
from poise.judge.momenta import about
from poise.judge.report import Worst, moving_mean, worst
from poise.judge.tolerances import Tolerances
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.take import Take


@dataclass(frozen=True, eq=False)
class Positions:
    """What positions leave unexplained, by inner frame (F - 2), and where it lasts for a window."""

    time: Array  # (F - 2,) [s]
    force: Array  # (F - 2, 3) [N], timing not allowed for
    torque: Array  # (F - 2, 3) about the centre of mass [N m]
    force_held: Worst  # [N] mean over a window beyond what timing explains
    torque_held: Worst  # [N m]
    velocity: Worst  # [m/s] between recorded velocities and those of positions, mean over a window, mass-weighted
    share: float  # s above


NONE = Positions(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)), Worst(0.0), Worst(0.0), Worst(0.0), 0.5)


def from_positions(take: Take, stepping: Array, limits: Tolerances) -> Positions:
    """The residuals of a take; none where it has fewer than three frames.

    stepping (F - 1, 6): force and torque about the centre of mass that the time step makes.
    """
    if len(take) < 3:
        return NONE
    character, spans = take.character, np.diff(take.time)[:, None]
    speed = conf.difference(character.layout, take.q[:-1], take.q[1:]) / spans
    middle = conf.integrate(character.layout, take.q[:-1], 0.5 * spans * speed)
    places = character.centre_of_mass(take.q)
    moved = character.mass * np.diff(places, axis=0) / spans
    early = 0.5 * np.minimum(take.step / spans, 1.0)  # as in `audit_take.unexplained`
    centre = (0.5 + early) * places[:-1] + (0.5 - early) * places[1:]
    wrench = about(centre, acting(take, centre, limits)) + stepping
    force, torque = wrench[:, :3], wrench[:, 3:]
    impulse = force * spans
    share = acts_at(take, np.diff(moved, axis=0) - impulse[:-1], np.diff(impulse, axis=0))
    count = max(1, min(round(limits.window / take.dt), len(spans) - 1))
    spin, early, velocity = _steps(take, speed, middle, count)
    moved, spin = moved - 0.5 * take.step * early[:, :3], spin - 0.5 * take.step * early[:, 3:]
    left = [left_over(*part, spans, share) for part in ((moved, force), (spin, torque))]
    held = [held_over(rows, uncertain(acts), spans, count, take.time)
            for rows, acts in zip(left, (force, torque), strict=True)]  # fmt: skip
    return Positions(take.time[1:-1], left[0], left[1], held[0], held[1], velocity, share)


def _steps(take: Take, speed: Array, middle: Array, count: int) -> tuple[Array, Array, Worst]:
    """Of the steps between frames: angular momentum (F - 1, 3), A'v (F - 1, 6), and how far off velocities are.

    The last is the worst mean over a window of recorded velocities against these steps, as rms speed of the body's mass
    [m/s]. An impact at an unknown moment of an interval accounts for half of what the change of velocity differs from
    its neighbours'.
    """
    change, dynamics = np.diff(take.v, axis=0), Dynamics(take.character)
    share = acts_at(take, (speed - take.v[:-1])[:, :3], change[:, :3])
    off = moving_mean(speed - take.v[:-1] - share * change, count)
    jump, first = np.diff(change, axis=0), count // 2
    spin, early = np.empty((len(speed), 3)), np.zeros((len(speed), 6))
    size, unsure = np.zeros(len(off)), np.zeros(len(speed))
    for k in range(len(speed)):
        now = dynamics.at(middle[k], speed[k])
        spin[k], mass = now.momentum[3:], now.mass_matrix / take.character.mass
        if take.step > 0.0:
            early[k] = now.momentum_bias
        if 0 <= k - first < len(off):
            size[k - first] = _length(off[k - first], mass)
        if k < len(jump):
            sudden = 0.5 * _length(jump[k], mass)
            unsure[k], unsure[k + 1] = max(unsure[k], sudden), sudden
    beyond = size - moving_mean(unsure[:, None], count)[:, 0]
    return spin, early, worst(np.where(beyond <= 0.0, 0.0, beyond), take.time)


def _length(rate: Array, mass: Array) -> float:
    return float(np.sqrt(max(rate @ mass @ rate, 0.0)))


def acts_at(take: Take, beyond_first: Array, change: Array) -> float:
    """When in an interval forces act on average: s above, known from the step or the best fit of one to the other."""
    if take.step > 0.0:
        return 0.5 + 0.5 * min(take.step / take.dt, 1.0)
    size = float(np.sum(change**2))
    return float(np.clip(np.sum(beyond_first * change) / size, 0.0, 1.0)) if size > 0.0 else 0.5


def left_over(momentum: Array, acts: Array, spans: Array, share: float) -> Array:
    """Force or torque (F - 2, 3) that is missing at the inner frames."""
    impulse = acts * spans
    missing = np.diff(momentum, axis=0) - (1.0 - share) * impulse[:-1] - share * impulse[1:]
    return missing / (0.5 * (spans[1:] + spans[:-1]))


def uncertain(acts: Array) -> Array:
    """u (F - 1,): half of the most by which a mean force or torque (F - 1, 3) differs from its neighbours."""
    jump, out = np.linalg.norm(np.diff(acts, axis=0), axis=1), np.zeros(len(acts))
    out[:-1] = jump
    out[1:] = np.maximum(out[1:], jump)
    return 0.5 * out


def held_over(left: Array, uncertain: Array, spans: Array, count: int, time: Array) -> Worst:
    """The worst mean over `count` inner frames in a row beyond what the uncertain ends of the window explain."""
    weight = 0.5 * (spans[1:] + spans[:-1])
    total = np.concatenate([np.zeros((1, 4)), np.cumsum(np.concatenate([weight * left, weight], axis=1), axis=0)])
    over = total[count:] - total[:-count]
    mean = np.linalg.norm(over[:, :3], axis=1) / over[:, 3]
    ends = (uncertain[:-count] * spans[:-count, 0] + uncertain[count:] * spans[count:, 0]) / over[:, 3]
    beyond = mean - ends
    return worst(np.where(beyond <= 0.0, 0.0, beyond), time[1:])
