"""What a gait is tried with before it is called found: pushes, sensor noise, slopes; and how good it is.

Directions, strengths, phases and seeds are not those of the tables (`experiments.vibration.disturbed`): pushes are a
third stronger, come from between their directions and begin between their phases, and slopes are a third steeper. A
gait may take every push at one phase and fall at the next, so each unit has four.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from poise.ground.slope import Slope
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.vibration import unit_loop
from poise.methods.vibration.ground_view import seen_from
from poise.methods.vibration.score import DEEP, FEEDBACK, easy, feedback_share
from poise.methods.vibration.space import Space
from poise.methods.vibration.unit_simulator import Driven

TRIED = 81  # units that it must last by itself
WAVERS = 6  # of the last of them over which it must be still
ASIDE = np.radians(9.0)  # that the heading may be off by then
STILL = 1e-3  # max |φ| from which it is
PUSH, HARD, LENGTH = 0.2, 0.3, 0.2  # of body weight; the same of harder pushes, which tell how much is to spare; [s]
DIRECTIONS, PHASES = 8, 4  # phases of a unit; in the other half of a run a push is the mirrored one of the first
NOISES, SLOPES = 3, (4.0, -4.0)  # how many, [degrees]
POSE_NOISE, SPEED_NOISE = 0.005, 0.05  # [rad], [rad/s]
LONG, AFTER = 101, 12  # units under noise and on a slope, and after a push
MOST_MISSES = 4  # disturbances that a candidate may lose more than the best one before the rest is not tried


class Verdict(NamedTuple):
    """How good a gait is, what counts most first: the greater, the better."""

    units: int  # that it lasts of `TRIED`
    bars: int  # less how many are missed
    still: bool  # is it a cycle?
    endured: int  # of `disturbances`
    spare: int  # harder pushes, beside
    calm: float  # less how far it wavers

    @property
    def cost(self) -> float:
        """The same as one number, for a search that wants one: the less, the better."""
        wavering = 0.0 if self.still else 5.0 + min(20.0, -50.0 * self.calm)
        return 1e3 * (TRIED - self.units) - 20.0 * self.bars + wavering - self.endured - 0.3 * self.spare


NOTHING = Verdict(0, -99, False, 0, 0, -np.inf)


def disturbances() -> int:
    """How many are tried, without the harder pushes."""
    return DIRECTIONS * PHASES + NOISES + len(SLOPES)


def good() -> Verdict:
    """A gait that nothing is missing of."""
    return Verdict(TRIED, 0, True, disturbances(), 0, -STILL)


def enough() -> Verdict:
    """What a search must come to."""
    return good()._replace(endured=asked(disturbances()))


def asked(count: int) -> int:
    """In how many of so many disturbances it must stay up: as they are a third more than is asked, 1 in 12 may fail."""
    return count - count // 12


def verdict(space: Space, x: Array, gait: Driven, least: Verdict = NOTHING) -> Verdict:
    """How good a gait of a vector x is; what it endures is not tried if it is worse than `least` already."""
    simulator = gait.simulator
    run = gait.run(TRIED)
    if run.finished < TRIED:
        return NOTHING._replace(units=run.finished)
    m = run.measured
    wrong = int(np.count_nonzero(easy(space, x, run))) + int(not m[unit_loop.DEEPEST] <= DEEP)
    wrong += int(not feedback_share(m) <= FEEDBACK)
    wrong += int(not abs(rot.heading(run.states[-1, 3:7])) <= ASIDE)
    last = run.states[-WAVERS - 1 :]
    drift = max(float(np.abs(simulator.drift(a, b)).max()) for a, b in pairwise(last))
    now = Verdict(TRIED, -wrong, drift < STILL, 0, 0, -drift)
    if now[:3] < least[:3]:
        return now
    settled = gait._replace(state=run.stages[0])
    now = now._replace(endured=endured(settled, least.endured - MOST_MISSES))
    return now if now.endured < least.endured else now._replace(spare=spared(settled))


def endured(gait: Driven, wanted: int = 0) -> int:
    """How many disturbances a gait stays up in, from a state of its cycle.

    What remains is not tried once so many have failed that fewer than `wanted` would be left.
    """
    simulator, gait = gait.simulator, _at_origin(gait)
    left = disturbances()
    for way, phase in _pushes():
        left -= not _pushed(gait, PUSH, way, phase)
        if left < wanted:
            return left
    nv = len(simulator.stiffness)
    size, calm = np.repeat([POSE_NOISE, SPEED_NOISE], nv), np.zeros(3)
    stages = 1 if gait.fix is None else len(gait.fix.starts) - 1
    for k in range(NOISES):
        noise = np.random.default_rng([4, k]).standard_normal((LONG * stages, 2 * nv)) * size
        left -= not _lasts(gait, LONG, unit_loop.Disturbance(calm, -1, -1, noise))
    return left - sum(not _climbed(gait, degrees) for degrees in SLOPES)


def spared(gait: Driven) -> int:
    """How many harder pushes it stays up in: from each way at every other phase."""
    gait = _at_origin(gait)
    return sum(_pushed(gait, HARD, way, phase) for way, phase in _pushes() if (way + phase) % 2 == 0)


def _at_origin(gait: Driven) -> Driven:
    state = gait.state.copy()
    state[:2] = 0.0
    return gait._replace(state=state)


def _pushes() -> list[tuple[int, int]]:
    """Ways and phases of all pushes; sideways first, as what falls at all mostly falls there."""
    ways = sorted(range(DIRECTIONS), key=lambda way: abs(np.cos(_angle(way))))
    return [(way, phase) for way in ways for phase in range(PHASES)]


def _angle(way: int) -> float:
    return 2.0 * np.pi * (way + 0.5) / DIRECTIONS


def _lasts(gait: Driven, units: int, disturbance: unit_loop.Disturbance | None = None) -> bool:
    return gait.run(units, disturbance).finished == units


def _pushed(gait: Driven, share: float, way: int, phase: int) -> bool:
    """Does it stay up when it is pushed with a share of its weight in the first unit?"""
    simulator, steps, angle = gait.simulator, gait.given.table.shape[1], _angle(way)
    force = share * simulator.character.mass * 9.81 * np.array([np.cos(angle), np.sin(angle), 0.0])
    since = round((phase + 0.5) * steps / PHASES)
    until = since + round(LENGTH / simulator.dt)
    quiet = np.zeros((0, 2 * len(simulator.stiffness)))
    return _lasts(gait, until // steps + AFTER, unit_loop.Disturbance(force, since, until, quiet))


def _climbed(gait: Driven, degrees: float) -> bool:
    """Does it go on a slope, on which it begins as upright as on the flat? Gravity is tilted in the slope's place."""
    simulator, nq = gait.simulator, len(gait.simulator.rest)
    q, v = seen_from(Slope(degrees), gait.state[:nq], gait.state[nq:])
    down, tilt = simulator.model.opt.gravity.copy(), np.radians(degrees)
    try:
        simulator.model.opt.gravity[:] = np.linalg.norm(down) * np.array([-np.sin(tilt), 0.0, -np.cos(tilt)])
        return _lasts(gait._replace(state=np.concatenate([q, v])), LONG)
    finally:
        simulator.model.opt.gravity[:] = down
