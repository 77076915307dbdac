"""What a gait is tried with before it is called found: pushes, sensor noise, slopes; and how good it is.

Directions, strengths, phases and seeds are not those of the tables (`experiments.vibration.disturbed`): pushes are a
third stronger, come from between their directions and begin between their phases, slopes are a third steeper, noise is
as strong, of other seeds. A gait may take every push at one phase and fall at the next, so each unit has four.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from poise.ground.slope import Slope
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.vibration import unit_loop
from poise.methods.vibration.ground_view import seen_from
from poise.methods.vibration.score import MOST_DEPTH, MOST_FEEDBACK, easy, feedback_share
from poise.methods.vibration.space import Space
from poise.methods.vibration.unit_simulator import Driven, Run

TRIED = 81  # units that it must last by itself
WAVERS = 6  # of the last of them over which it must be a cycle
MOST_TURN = np.radians(9.0)  # that the heading may be off by then
MOST_DRIFT = 1e-3  # max |φ| of a cycle
PUSH, HARD, LENGTH = 0.2, 0.3, 0.2  # of body weight; the same of harder pushes, which tell how much is to spare; [s]
DIRECTIONS, PHASES = 8, 4  # phases of a unit; in the other half of a run a push is the mirrored one of the first
NOISES, SLOPES = 3, (4.0, -4.0)  # how many, [degrees]
POSE_NOISE, SPEED_NOISE = 0.005, 0.05  # [rad], [rad/s]
LONG, AFTER = 101, 12  # units under noise and on a slope, and after a push
MOST_MISSES = 4  # pushes that a candidate may lose more than the best one before the rest is not tried


Rank = tuple[float, ...]


@dataclass(frozen=True)
class Verdict:
    """How good a gait is. Verdicts are compared by `rank`, or by what of it is known already."""

    units: int  # that it lasts of `TRIED`
    missed: int = 0  # how many of the bars of a gait
    is_cycle: bool = False
    noise_and_slopes: int = 0  # that it stays up in, of `NOISE_AND_SLOPES`
    pushes: int = 0  # that it stays up in, of `PUSHES`
    harder: int = 0  # pushes, beside
    drift: float = np.inf  # max |φ| of the last units: how far it wavers

    @property
    def undisturbed(self) -> Rank:
        """What it is by itself: the greater, the better, what counts most first."""
        return self.units, -self.missed, self.is_cycle

    @property
    def with_noise(self) -> Rank:
        """The same, then how it takes noise and slopes."""
        return *self.undisturbed, self.noise_and_slopes

    @property
    def with_pushes(self) -> Rank:
        """The same, then how it takes pushes."""
        return *self.with_noise, self.pushes

    @property
    def rank(self) -> Rank:
        """The same, then what it has to spare."""
        return *self.with_pushes, self.harder, -self.drift

    @property
    def cost(self) -> float:
        """The same order in one number, the less the better; of gaits that waver, how far they do counts beside."""
        wavering = 0.0 if self.is_cycle else 400.0 + min(20.0, 50.0 * self.drift)
        missed = wavering + 1e3 * self.missed + 1e6 * (TRIED - self.units)
        return missed - 50.0 * self.noise_and_slopes - self.pushes - self.harder / (1.0 + PUSHES)


NOTHING = Verdict(units=0, missed=99)
PUSHES = DIRECTIONS * PHASES
NOISE_AND_SLOPES = NOISES + len(SLOPES)
MOST_FALLS = 2  # of the pushes, which are a third stronger than what is asked
GOOD = Verdict(TRIED, 0, True, NOISE_AND_SLOPES, PUSHES, 0, MOST_DRIFT)  # nothing is missing
ENOUGH = replace(GOOD, pushes=PUSHES - MOST_FALLS)  # what a search must come to


def verdict(space: Space, x: Array, gait: Driven, least: Verdict = NOTHING) -> Verdict:
    """How good a gait of a vector x is; what it endures is not tried if it is worse than `least` already."""
    run = gait.run(TRIED)
    if run.finished < TRIED:
        return replace(NOTHING, units=run.finished)
    now = _undisturbed(space, x, gait, run)
    if now.undisturbed < least.undisturbed:
        return now
    settled = gait._replace(state=run.stages[0])
    now = replace(now, noise_and_slopes=noise_and_slopes(settled))
    if now.with_noise < least.with_noise:
        return now
    least_needed = least.pushes - MOST_MISSES if now.with_noise == least.with_noise else 0
    now = replace(now, pushes=stays_up(settled, least_needed))
    if now.with_pushes < least.with_pushes:
        return now
    return replace(now, harder=stays_up(settled, share=HARD, every=2))


def _undisturbed(space: Space, x: Array, gait: Driven, run: Run) -> Verdict:
    """How many bars a run of `TRIED` units misses, and whether it ends in a cycle."""
    m, last = run.measured, run.states[-WAVERS - 1 :]
    missed = int(np.count_nonzero(easy(space, x, run))) + int(not m[unit_loop.DEEPEST] <= MOST_DEPTH)
    missed += int(not feedback_share(m) <= MOST_FEEDBACK)
    missed += int(not abs(rot.heading(run.states[-1, 3:7])) <= MOST_TURN)
    drift = max(float(np.abs(gait.simulator.drift(a, b)).max()) for a, b in pairwise(last))
    return Verdict(TRIED, missed, drift < MOST_DRIFT, drift=drift)


def noise_and_slopes(gait: Driven) -> int:
    """In how many of `NOISE_AND_SLOPES` a gait stays up from a state of its cycle."""
    gait, nv = _at_origin(gait), len(gait.simulator.stiffness)
    size = np.repeat([POSE_NOISE, SPEED_NOISE], nv)
    stages = 1 if gait.corrections is None else len(gait.corrections.starts) - 1
    count = sum(_survives_slope(gait, degrees) for degrees in SLOPES)
    for k in range(NOISES):
        noise = np.random.default_rng([4, k]).standard_normal((LONG * stages, 2 * nv)) * size
        count += _survives(gait, LONG, unit_loop.Disturbance.sensor_noise(noise))
    return count


def stays_up(gait: Driven, least_needed: int = 0, share: float = PUSH, every: int = 1) -> int:
    """In how many pushes with a share of its weight it stays up, from a state of its cycle; every so many of each way.

    Once so many have failed that fewer than `least_needed` are left, the rest is not tried: the count is an upper bound
    then.
    """
    gait, tried = _at_origin(gait), _pushes(every)
    left = len(tried)
    for way, phase in tried:
        left -= not _survives_push(gait, share, way, phase)
        if left < least_needed:
            break
    return left


def _at_origin(gait: Driven) -> Driven:
    state = gait.state.copy()
    state[:2] = 0.0
    return gait._replace(state=state)


def _pushes(every: int = 1) -> list[tuple[int, int]]:
    """Ways and phases of all pushes; sideways first, as what falls at all mostly falls there."""
    ways = sorted(range(DIRECTIONS), key=lambda way: abs(np.cos(_angle(way))))
    return [(way, phase) for way in ways for phase in range(PHASES) if (way + phase) % every == 0]


def _angle(way: int) -> float:
    return 2.0 * np.pi * (way + 0.5) / DIRECTIONS


def _survives(gait: Driven, units: int, disturbance: unit_loop.Disturbance | None = None,
              gravity: Array | None = None) -> bool:  # fmt: skip
    return gait.run(units, disturbance, gravity=gravity).finished == units


def _survives_push(gait: Driven, share: float, way: int, phase: int) -> bool:
    """Does it stay up when it is pushed with a share of its weight in the first unit?"""
    simulator, steps, angle = gait.simulator, gait.bursts.table.shape[1], _angle(way)
    force = share * simulator.character.mass * GRAVITY * np.array([np.cos(angle), np.sin(angle), 0.0])
    since = round((phase + 0.5) * steps / PHASES)
    until = since + round(LENGTH / simulator.dt)
    push = unit_loop.Disturbance.push(force, since, until, len(simulator.stiffness))
    return _survives(gait, until // steps + AFTER, push)


def _survives_slope(gait: Driven, degrees: float) -> bool:
    """Does it go on a slope, on which it begins as upright as on the flat? Gravity is tilted in the slope's place."""
    nq, tilt = len(gait.simulator.rest), np.radians(degrees)
    q, v = seen_from(Slope(degrees), gait.state[:nq], gait.state[nq:])
    size = np.linalg.norm(gait.simulator.model.opt.gravity)
    gravity = size * np.array([-np.sin(tilt), 0.0, -np.cos(tilt)])
    return _survives(gait._replace(state=np.concatenate([q, v])), LONG, gravity=gravity)
