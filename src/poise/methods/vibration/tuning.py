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
from poise.methods.vibration.control import Corrections, correction_input
from poise.methods.vibration.endurance import GOOD, NOISE_AND_SLOPES, NOTHING, PUSHES, Verdict, verdict
from poise.methods.vibration.feedback import WIDER, WIDEST, Differences, Weights
from poise.methods.vibration.judging import tools_of
from poise.methods.vibration.search import Designer, Finishing, Progress
from poise.methods.vibration.unit_simulator import Driven
from poise.simulate.batch import Batch
from poise.solve import cma
from poise.threads import on_one_thread

FROM, TO = 30, 52  # units whose mean is taken
STIFF = Weights(pose=28.0, speed=2.6, torque=1 / 37, joints=0.1, joint_speeds=0.1)
ALIKE = Weights(pose=10.0, joints=1.0, joint_speeds=1.0)
WEIGHTS = np.array([Weights(), ALIKE, ALIKE._replace(torque=1 / 50), ALIKE._replace(torque=1 / 8), STIFF])
WIDTHS = (WIDER, Differences(), WIDEST)
LEFT_TO_BURSTS = (0.1, 0.2, 0.3)  # shares of the feedback's steady torques
SPREAD, POPULATION, GENERATIONS = 0.5, 8, 10  # of the search for weights, in their logarithms
IDLE = 4  # generations without a better one after which it ends
RUNS = 1 + NOISE_AND_SLOPES + PUSHES  # evaluations that one feedback counts as; harder pushes are not counted

Told = Callable[[Progress], None]


class Weighing(NamedTuple):
    """All that judging weights depends on, as plain data."""

    sketch: str  # as JSON
    options: tuple[float, ...]  # of the space
    x: Array  # vector of the gait
    state: Array  # (nq + nv,) from which it begins
    corrections: Corrections  # whose gains are replaced
    A: list[Array]  # of every stage
    B: list[Array]
    least: Verdict = NOTHING  # what is worse is not tried to its end


class Weighed(NamedTuple):
    """What came of weights."""

    verdict: Verdict
    gains: Array  # (K, inputs, 2 nv)


class Tuned(NamedTuple):
    """What the last step of a design came to."""

    progress: Progress
    verdict: Verdict
    evaluations: int  # that it took, `RUNS` for each feedback


@on_one_thread
def weigh(job: Weighing, members: Array) -> list[Weighed]:
    """The gaits with feedback of some logarithms of `Weights`; `Batch` calls it in whatever process."""
    simulator, space = tools_of(job.sketch, job.options)
    given, out = simulator.bursts(space.controls(job.x)), []
    for member in members:
        try:
            gains = np.stack(feedback.gains(simulator, job.A, job.B, Weights(*np.exp(member))).gains)
        except NoSolution:
            out.append(Weighed(NOTHING, job.corrections.gains))
            continue
        gait = Driven(simulator, given, job.corrections._replace(gains=gains), job.state)
        out.append(Weighed(verdict(space, job.x, gait, job.least), gains))
    return out


def tuned(work: Designer, workers: Batch, told: Told | None = None) -> Tuned:
    """The progress of a search that is over, with the best of some feedbacks; what is good already stays as it is.

    told(progress) is called as the search for weights goes on; `Designer.finishing` says how far it is.
    """
    now = Tuned(work.progress, tried(work, work.progress), RUNS)
    if now.verdict >= GOOD or now.verdict.units == 0:
        return now
    cycle, steady = mean_cycle(work, now.progress)
    mean = replace(now.progress, state=cycle[0], cycle=cycle, steady=steady)
    by, start = WIDER, np.log(np.array(STIFF))
    for width in WIDTHS:
        job = weighing(work, mean, width)
        if job is None:
            continue
        now, k, _ = _better(job, np.log(WEIGHTS), mean, now, workers)
        by, start = (by, start) if k is None else (width, np.log(WEIGHTS[k]))
        if now.verdict >= GOOD:
            return now
    if now.verdict.bars < 0:
        now = Tuned(*eased(work, now.progress, now.verdict), now.evaluations + len(LEFT_TO_BURSTS) * RUNS)
    if now.verdict.bars == 0:
        now = weighed(work, now, by, start, workers, told)
    work.finishing = None
    return now


def weighed(work: Designer, now: Tuned, by: Differences, start: Array, workers: Batch,
            told: Told | None = None) -> Tuned:  # fmt: skip
    """The same with the best weights of a search about `start`, from differences `by`."""
    search, about, idle = cma.begin(start, SPREAD, seed=work.seed, population=POPULATION), now.progress, 0
    job = weighing(work, about, by)
    while job is not None and search.generation < GENERATIONS and idle < IDLE and now.verdict < GOOD:
        if told is not None:
            work.finishing = Finishing(search.generation, GENERATIONS, now.verdict.pushes, PUSHES)
            told(work.progress)
        members = cma.ask(search)
        now, k, costs = _better(job, members, about, now, workers)
        idle = idle + 1 if k is None else 0
        search = cma.tell(search, members, costs)
    return now


def _better(job: Weighing, members: Array, about: Progress, now: Tuned,
            workers: Batch) -> tuple[Tuned, int | None, Array]:  # fmt: skip
    """What the best of some weights comes to, which one it is if it is better than `now`, and the costs of all."""
    found = workers.judge(weigh, job._replace(least=now.verdict), members)
    k = max(range(len(found)), key=lambda k: found[k].verdict)
    costs = np.array([f.verdict.cost for f in found])
    spent = now.evaluations + len(members) * RUNS
    if found[k].verdict > now.verdict:
        return Tuned(replace(about, gains=found[k].gains), found[k].verdict, spent), k, costs
    return now._replace(evaluations=spent), None, costs


def weighing(work: Designer, p: Progress, by: Differences) -> Weighing | None:
    """What weights are judged by for feedback about the cycle of a progress; none where it falls."""
    given, fix = work.simulator.bursts(work.controls(p)), work.about(p)
    assert fix is not None
    try:
        A, B = feedback.linearised(work.simulator, given, p.cycle, fix.starts, work.basis, p.steady, by)
    except NoSolution:
        return None
    return Weighing(work.text, (*work.options, work.plan[-1].asked), p.best, p.state, fix, A, B)


def eased(work: Designer, best: Progress, least: Verdict) -> tuple[Progress, Verdict]:
    """The same with less steady torque, where that is better: feedback about a cycle that the bursts carry more of."""
    given = work.simulator.bursts(work.controls(best))
    starts = feedback.cuts(given.table.shape[1], work.stages)
    for share in LEFT_TO_BURSTS:
        try:
            A, B = feedback.linearised(work.simulator, given, best.cycle, starts, work.basis, best.steady, WIDER)
            gains = np.stack(feedback.gains(work.simulator, A, B).gains)
        except NoSolution:
            break
        cycle = feedback.carried(work.simulator, best.cycle, best.steady, A, B, share)
        lighter = replace(best, state=cycle[0], cycle=cycle, steady=(1.0 - share) * best.steady, gains=gains)
        now = tried(work, lighter, least)
        if now > least:
            best, least = lighter, now
        if least.bars == 0:
            break
    return best, least


def tried(work: Designer, p: Progress, least: Verdict = NOTHING) -> Verdict:
    """How good the gait of a progress is."""
    return verdict(work.space_in(p.round), p.best, driven(work, p), least)


def driven(work: Designer, p: Progress) -> Driven:
    """The gait of a progress, ready to run."""
    return Driven(work.simulator, work.simulator.bursts(work.controls(p)), work.about(p), p.state)


def mean_cycle(work: Designer, p: Progress) -> tuple[Array, Array]:
    """The mean (K, nq + nv) of the states at the stages of some units, and what the feedback asks for there."""
    simulator, fix = work.simulator, work.about(p)
    assert fix is not None
    run = simulator.run(p.state, simulator.bursts(work.controls(p)), TO, fix, traced=True)
    units = range(FROM, TO, 2) if run.finished == TO else range(0, max(1, run.finished - 1), 2)
    cycle = feedback.mean_stages(simulator, run.trace, fix.starts, units)
    return cycle, np.stack(
        [correction_input(simulator.springs, fix, k, x, len(simulator.rest)) for k, x in enumerate(cycle)]
    )
