"""The last step of a design: feedback with which the found gait settles into a cycle and withstands what comes.

Feedback about one unit of a gait that still wavers may keep it wavering for ever. About the mean of many units, and
from wider differences, it mostly settles. Of a few such feedbacks the best is taken, and what it weighs is then
searched for by CMA-ES until the gait stays up in all the disturbances of `endurance`, or no better is found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.errors import NoSolution
from poise.maths.rotations import Array
from poise.methods.vibration import feedback
from poise.methods.vibration.control import Corrections
from poise.methods.vibration.endurance import GOOD, NOISE_AND_SLOPES, NOTHING, PUSHES, Verdict, verdict
from poise.methods.vibration.feedback import WIDER, WIDEST, Cycle, Differences, Weights
from poise.methods.vibration.judging import tools_of
from poise.methods.vibration.progress import Finishing, Progress
from poise.methods.vibration.search import Designer
from poise.methods.vibration.unit_simulator import Driven
from poise.simulate.batch import Batch
from poise.solve import cma
from poise.threads import on_one_thread

FROM, TO = 30, 52  # units whose mean is taken
STIFF = Weights(pose=28.0, speed=2.6, torque=1 / 37, joints=0.1, joint_speeds=0.1)
ALIKE = Weights(pose=10.0, joints=1.0, joint_speeds=1.0)
WEIGHTS = np.array([Weights(), ALIKE, ALIKE._replace(torque=1 / 50), ALIKE._replace(torque=1 / 8), STIFF])
WIDTHS = (WIDER, Differences(), WIDEST)
# shares of the feedback's steady torques that are left to the bursts at the end: small ones, since no search follows
# that would change the bursts to carry them
LEFT_AT_THE_END = (0.1, 0.2, 0.3)
SPREAD, POPULATION, GENERATIONS = 0.5, 8, 10  # of the search for weights, in their logarithms
IDLE = 4  # generations without a better one after which it ends
RUNS = 1 + NOISE_AND_SLOPES + PUSHES  # evaluations that one feedback counts as; harder pushes are not counted

Told = Callable[[Progress], None]


class WeightJob(NamedTuple):
    """All that judging weights depends on, as plain data."""

    sketch: str  # as JSON
    options: tuple[float, ...]  # of the space
    x: Array  # vector of the gait
    state: Array  # (nq + nv,) from which it begins
    corrections: Corrections  # whose gains are replaced
    A: list[Array]  # of every stage
    B: list[Array]
    least: Verdict = NOTHING  # what is worse is not tried to its end


class WeightResult(NamedTuple):
    """What came of weights."""

    verdict: Verdict
    gains: Array  # (K, inputs, 2 nv)


class Tuned(NamedTuple):
    """What the last step of a design came to."""

    progress: Progress
    verdict: Verdict
    evaluations: int  # that it took, `RUNS` for each feedback


@on_one_thread
def judge_weights(job: WeightJob, members: Array) -> list[WeightResult]:
    """The gaits with feedback of some logarithms of `Weights`; `Batch` calls it in whatever process."""
    simulator, space = tools_of(job.sketch, job.options)
    given, out = simulator.bursts(space.controls(job.x)), []
    for member in members:
        try:
            gains = np.stack(feedback.gains(simulator, job.A, job.B, Weights(*np.exp(member))).gains)
        except NoSolution:
            out.append(WeightResult(NOTHING, job.corrections.gains))
            continue
        gait = Driven(simulator, given, job.corrections._replace(gains=gains), job.state)
        out.append(WeightResult(verdict(space, job.x, gait, job.least), gains))
    return out


def tune(work: Designer, workers: Batch, told: Told | None = None) -> Tuned:
    """The progress of a search that is over, with the best of some feedbacks; what is good already stays as it is.

    told(progress) is called as the search for weights goes on; `Designer.finishing` says how far it is.
    """
    now = Tuned(work.progress, verdict_of(work, work.progress), RUNS)
    if now.verdict.rank >= GOOD.rank or now.verdict.units == 0:
        return now
    mean = with_mean_cycle(work, now.progress)
    by, start = WIDER, np.log(np.array(STIFF))
    for width in WIDTHS:
        job = weight_job(work, mean, width)
        if job is None:
            continue
        now, k, _ = _better(job, np.log(WEIGHTS), mean, now, workers)
        by, start = (by, start) if k is None else (width, np.log(WEIGHTS[k]))
        if now.verdict.rank >= GOOD.rank:
            return now
    if now.verdict.missed > 0:
        lighter = with_less_steady_torque(work, now.progress, now.verdict)
        now = Tuned(*lighter, now.evaluations + len(LEFT_AT_THE_END) * RUNS)
    if now.verdict.missed == 0:
        now = search_weights(work, now, by, start, workers, told)
    work.report(None)
    return now


def search_weights(work: Designer, now: Tuned, by: Differences, start: Array, workers: Batch,
                   told: Told | None = None) -> Tuned:  # fmt: skip
    """The same with the best weights of a search about `start`, from differences `by`."""
    search, about, idle = cma.begin(start, SPREAD, seed=work.seed, population=POPULATION), now.progress, 0
    job = weight_job(work, about, by)
    while job is not None and search.generation < GENERATIONS and idle < IDLE and now.verdict.rank < GOOD.rank:
        if told is not None:
            work.report(Finishing(search.generation, GENERATIONS, now.verdict.pushes, PUSHES))
            told(work.progress)
        members = cma.ask(search)
        now, k, costs = _better(job, members, about, now, workers)
        idle = idle + 1 if k is None else 0
        search = cma.tell(search, members, costs)
    return now


def _better(job: WeightJob, members: Array, about: Progress, now: Tuned,
            workers: Batch) -> tuple[Tuned, int | None, Array]:  # fmt: skip
    """What the best of some weights comes to, which one it is if it is better than `now`, and the costs of all."""
    found = workers.judge(judge_weights, job._replace(least=now.verdict), members)
    k = max(range(len(found)), key=lambda k: found[k].verdict.rank)
    costs = np.array([f.verdict.cost for f in found])
    spent = now.evaluations + len(members) * RUNS
    if found[k].verdict.rank > now.verdict.rank:
        return Tuned(replace(about, gains=found[k].gains), found[k].verdict, spent), k, costs
    return now._replace(evaluations=spent), None, costs


def weight_job(work: Designer, p: Progress, by: Differences) -> WeightJob | None:
    """What weights are judged by for feedback about the cycle of a progress; none where it falls."""
    given, corrections = work.simulator.bursts(work.controls(p)), work.corrections(p)
    assert corrections is not None
    try:
        A, B = feedback.linearised(work.simulator, given, p.cycle, corrections.starts, work.basis, p.steady, by)
    except NoSolution:
        return None
    return WeightJob(work.text, (*work.options, work.plan[-1].asked), p.best, p.state, corrections, A, B)


def with_less_steady_torque(work: Designer, best: Progress, least: Verdict) -> tuple[Progress, Verdict]:
    """The same with less steady torque, where that is better: feedback about a cycle that the bursts carry more of."""
    given = work.simulator.bursts(work.controls(best))
    starts = feedback.cuts(given.table.shape[1], work.stages)
    for share in LEFT_AT_THE_END:
        try:
            A, B = feedback.linearised(work.simulator, given, best.cycle, starts, work.basis, best.steady, WIDER)
            gains = np.stack(feedback.gains(work.simulator, A, B).gains)
        except NoSolution:
            break
        cycle = feedback.cycle_with_less_steady(work.simulator, Cycle(best.cycle, best.steady), A, B, share)
        lighter = replace(best, state=cycle.states[0], cycle=cycle.states, steady=cycle.steady, gains=gains)
        now = verdict_of(work, lighter, least)
        if now.rank > least.rank:
            best, least = lighter, now
        if least.missed == 0:
            break
    return best, least


def verdict_of(work: Designer, p: Progress, least: Verdict = NOTHING) -> Verdict:
    """How good the gait of a progress is."""
    return verdict(work.space_in(p.round), p.best, driven(work, p), least)


def driven(work: Designer, p: Progress) -> Driven:
    """The gait of a progress, ready to run."""
    return Driven(work.simulator, work.simulator.bursts(work.controls(p)), work.corrections(p), p.state)


def with_mean_cycle(work: Designer, p: Progress) -> Progress:
    """The same with feedback about the mean of many units, gains as they are."""
    simulator, corrections = work.simulator, work.corrections(p)
    assert corrections is not None
    run = simulator.run(p.state, simulator.bursts(work.controls(p)), TO, corrections, traced=True)
    units = range(FROM, TO, 2) if run.whole else range(0, max(1, run.finished - 1), 2)
    cycle = feedback.mean_cycle(simulator, run.trace, corrections, units)
    return replace(p, state=cycle.states[0], cycle=cycle.states, steady=cycle.steady)
