"""The last step of a design: feedback with which the found gait settles into a cycle and withstands what comes.

Feedback about one unit of a gait that still wavers may keep it wavering for ever. About the mean of many units, and
from wider differences, it mostly settles. Of a few such feedbacks the one is taken that keeps what was found and
endures most of some disturbances: pushes, sensor noise, slopes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.errors import NoSolution
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.vibration import feedback, flow
from poise.methods.vibration.control import correction_input
from poise.methods.vibration.feedback import WIDER, WIDEST, Differences, Weights
from poise.methods.vibration.score import DEEP, FEEDBACK, easy, feedback_share
from poise.methods.vibration.search import Designer, Progress

TRIED = 81  # units
WAVERS = 6  # of the last of them over which it must be still
ASIDE = np.radians(9.0)  # that the heading may be off by then
STILL = 1e-3  # max |φ| from which it is
FROM, TO = 30, 52  # units whose mean is taken
WAYS = (*((by, Weights(torque=1 / t)) for by in (WIDER, Differences(), WIDEST) for t in (20, 50, 8)),
        *((by, Weights(torque=1 / t, joints=0.1)) for by in (WIDEST, WIDER) for t in (20, 50)))  # fmt: skip
EASED = (0.1, 0.2, 0.3)  # of the steady torques that are left to the bursts
PUSH, LENGTH = 0.2, 0.2  # of body weight, [s]
PUSHES, NOISES, SLOPES = 8, 6, (3.0, -3.0)  # how many, how many, [degrees]
POSE_NOISE, SPEED_NOISE = 0.005, 0.05  # [rad], [rad/s]
ENDURED = PUSHES + NOISES + len(SLOPES)
LONG, AFTER = 101, 14  # units under noise and on a slope, and after a push


class Verdict(NamedTuple):
    """How good a gait is, what counts most first: the greater, the better."""

    units: int  # that it lasts of `TRIED`
    bars: int  # less how many are missed
    still: bool  # is it a cycle?
    endured: int  # disturbances of `ENDURED`
    calm: float  # less how far it wavers


# what is tried is a third stronger than what the tables show, so one of it may fail
NOTHING, GOOD = Verdict(0, -99, False, 0, -np.inf), Verdict(TRIED, 0, True, ENDURED, -STILL)
ENOUGH = GOOD._replace(endured=ENDURED - 1)


def settled(work: Designer) -> tuple[Progress, Verdict]:
    """The progress of a search that is over, with the best of some feedbacks; what is good already stays as it is."""
    best = work.progress
    least = verdict(work, best)
    if least >= GOOD or least.units == 0:
        return best, least
    cycle, steady = mean_cycle(work, best)
    given = work.rig.bursts(work.space.controls(best.best))
    starts = feedback.cuts(given.table.shape[1], work.stages)
    seen: dict[Differences, tuple[list[Array], list[Array]]] = {}
    for by, weights in WAYS:
        try:
            if by not in seen:
                seen[by] = feedback.linearised(work.rig, given, cycle, starts, work.basis, steady, by)
            gains = np.stack(feedback.gains(work.rig, *seen[by], weights).gains)
        except NoSolution:
            continue
        tried = replace(best, state=cycle[0], cycle=cycle, steady=steady, gains=gains)
        now = verdict(work, tried, least)
        if now > least:
            best, least = tried, now
        if least >= GOOD:
            break
    return (best, least) if least.bars == 0 else eased(work, best, least)


def eased(work: Designer, best: Progress, least: Verdict) -> tuple[Progress, Verdict]:
    """The same with less steady torque, where that is better: feedback about a cycle that the bursts carry more of."""
    given = work.rig.bursts(work.space.controls(best.best))
    starts = feedback.cuts(given.table.shape[1], work.stages)
    for share in EASED:
        try:
            A, B = feedback.linearised(work.rig, given, best.cycle, starts, work.basis, best.steady, WIDER)
            gains = np.stack(feedback.gains(work.rig, A, B).gains)
        except NoSolution:
            break
        cycle = feedback.carried(work.rig, best.cycle, best.steady, A, B, share)
        tried = replace(best, state=cycle[0], cycle=cycle, steady=(1.0 - share) * best.steady, gains=gains)
        now = verdict(work, tried, least)
        if now > least:
            best, least = tried, now
        if least.bars == 0:
            break
    return best, least


def verdict(work: Designer, p: Progress, least: Verdict = NOTHING) -> Verdict:
    """How good a gait is; what it endures is not tried if it is worse than `least` already."""
    rig = work.rig
    run = rig.run(p.state, rig.bursts(work.space.controls(p.best)), TRIED, work.about(p))
    if run.finished < TRIED:
        return NOTHING._replace(units=run.finished)
    m = run.measured
    wrong = int(np.count_nonzero(easy(work.space, p.best, run))) + int(not m[flow.DEEPEST] <= DEEP)
    wrong += int(not feedback_share(m) <= FEEDBACK)
    wrong += int(not abs(rot.heading(run.states[-1, 3:7])) <= ASIDE)
    drift = max(float(np.abs(rig.drift(a, b)).max()) for a, b in zip(run.states[-WAVERS - 1 :], run.states[-WAVERS:],
                                                                     strict=False))  # fmt: skip
    now = Verdict(TRIED, -wrong, drift < STILL, 0, -drift)
    return now if now[:3] < least[:3] else now._replace(endured=endured(work, p, run.stages[0]))


def endured(work: Designer, p: Progress, state: Array) -> int:
    """How many of `ENDURED` disturbances it stays up in, from a state (nq + nv,) of its cycle.

    Pushes at the torso are stronger than those of the experiments, in directions between theirs.
    """
    rig, given, fix = work.rig, work.rig.bursts(work.space.controls(p.best)), work.about(p)
    steps, nv = given.table.shape[1], len(rig.stiffness)
    calm, none = np.zeros(3), np.zeros((0, 2 * nv))
    state = state.copy()
    state[:2] = 0.0
    cases: list[tuple[flow.Disturbance, int]] = []
    for k in range(PUSHES):
        angle = 2.0 * np.pi * (k + 0.5) / PUSHES
        force = PUSH * rig.character.mass * 9.81 * np.array([np.cos(angle), np.sin(angle), 0.0])
        at = 2 * steps + round((k % 4 + 0.5) * steps / 2)
        until = at + round(LENGTH / rig.dt)
        cases.append((flow.Disturbance(force, at, until, none), until // steps + AFTER))
    size = np.repeat([POSE_NOISE, SPEED_NOISE], nv)
    for k in range(NOISES):
        noise = np.random.default_rng([4, k]).standard_normal((LONG * work.stages, 2 * nv)) * size
        cases.append((flow.Disturbance(calm, -1, -1, noise), LONG))
    count = sum(rig.run(state, given, units, fix, None, disturbance).finished == units for disturbance, units in cases)
    down = rig.model.opt.gravity.copy()
    try:
        for degrees in SLOPES:
            tilt = np.radians(degrees)
            rig.model.opt.gravity[:] = np.linalg.norm(down) * np.array([-np.sin(tilt), 0.0, -np.cos(tilt)])
            count += rig.run(state, given, LONG, fix).finished == LONG
    finally:
        rig.model.opt.gravity[:] = down
    return count


def mean_cycle(work: Designer, p: Progress) -> tuple[Array, Array]:
    """The mean (K, nq + nv) of the states at the stages of some units, and what the feedback asks for there."""
    rig, fix = work.rig, work.about(p)
    assert fix is not None
    run = rig.run(p.state, rig.bursts(work.space.controls(p.best)), TO, fix, traced=True)
    units = range(FROM, TO, 2) if run.finished == TO else range(0, max(1, run.finished - 1), 2)
    cycle = feedback.mean_stages(rig, run.trace, fix.starts, units)
    return cycle, np.stack([correction_input(rig.springs, fix, k, x, len(rig.rest)) for k, x in enumerate(cycle)])
