"""design: from a sketch to a gait, with a checkpoint after every generation of the search."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import NoSolution
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.vibration import unit_loop
from poise.methods.vibration.checkpoint import keep, restored
from poise.methods.vibration.endurance import (
    ENOUGH,
    NOISE_AND_SLOPES,
    NOTHING,
    PUSHES,
    TRIED,
    noise_and_slopes,
    stays_up,
)
from poise.methods.vibration.gait import Gait
from poise.methods.vibration.plan import Round
from poise.methods.vibration.progress import Progress
from poise.methods.vibration.score import judged
from poise.methods.vibration.search import POPULATION, Designer
from poise.methods.vibration.sketch import Sketch
from poise.methods.vibration.tuning import tune, verdict_of
from poise.methods.vibration.unit_simulator import UnitSimulator
from poise.simulate.batch import Batch
from poise.threads import on_one_thread

TRACK = 120  # frames a second of the cycle
SETTLE = 41  # units after which the cycle is taken down
LONGEST, CYCLES = 401, 200  # units that are run to say how long it stays up, and cycles after which it looks ahead
ATTEMPTS = 6  # searches at most, until one ends with a gait that is `ENOUGH`
MOST = 12_000  # evaluations after which no other attempt is begun

Watch = Callable[[Designer, float], None]


@on_one_thread
def design(sketch: Sketch, *, origin: Gait | None = None, seed: int = 0, plan: tuple[Round, ...] | None = None,
           population: int = POPULATION, attempts: int = ATTEMPTS, batch: Batch | None = None,
           checkpoint: str | PathLike[str] | None = None, watch: Watch | None = None,
           random_start: bool = False) -> Gait:  # fmt: skip
    """The gait that a sketch leads to. `checkpoint`: a file that is gone on from where it exists, and kept up to date.

    `origin`: a gait of the same body, such as that of another sketch, which is led to this one step by step. A search
    whose gait is not `ENOUGH` (`endurance`) is done again from other beginnings, up to `attempts` times, and the best
    is taken. A design that was stopped in its last step, the tuning of the feedback, does that step anew.
    random_start: each search begins with amplitudes and times drawn at random (by seed, attempt and beginning), as the
    paper's may, in place of the sketch's own. `watch(designer, seconds)` is called after every generation. The same
    sketch and seed give the same gait, however many workers judge and however often it was stopped. One design at a
    time in a process.
    """
    kept = None if checkpoint is None else Path(checkpoint)
    work = Designer(sketch, seed, plan, population=population, origin=origin, random_start=random_start)
    done = None if kept is None or not kept.exists() else restored(kept, work)
    if done is not None:
        work.resume(done)
    begun = cpu_seconds() - (0.0 if done is None else done.seconds)

    def told(progress: Progress) -> None:
        spent = cpu_seconds() - begun
        if kept is not None:
            keep(kept, replace(progress, seconds=spent), work)
        if watch is not None:
            watch(work, spent)

    with batch or Batch(1) as workers:
        while run_attempt(work, workers, attempts, told):
            pass
    made = gait_of(work)
    return replace(made, facts={**made.facts, "cpu_seconds": round(cpu_seconds() - begun, 1)})


def run_attempt(work: Designer, workers: Batch, attempts: int, told: Callable[[Progress], None]) -> bool:
    """One search to its end; is another one begun, since what it came to does not endure all that is tried?"""
    before, fault, spent = work.progress.best_attempt, None, 0
    best, least = before, NOTHING if before is None else verdict_of(work, before)
    try:
        while not work.over and not (work.hopeless and may_try_again(work, attempts)):
            work.generation(workers)
            told(work.progress)
        if work.over:
            found, now, spent = tune(work, workers, told)
        else:
            found, now = work.progress, verdict_of(work, work.progress, least)
        best, least = (found, now) if now.rank > least.rank else (best, least)
    except NoSolution as error:
        fault = error
    p = replace(work.progress, evaluations=work.progress.evaluations + spent)
    work.resume(p)
    if least.rank < ENOUGH.rank and may_try_again(work, attempts):
        work.another(None if best is None else replace(best, best_beginning=None, best_attempt=None))
        return True
    if best is None:
        raise fault or NoSolution(f"No gait was found for {work.sketch.name!r}; give the sketch more modes.")
    work.resume(replace(best, evaluations=p.evaluations, seconds=p.seconds))
    return False


def may_try_again(work: Designer, attempts: int) -> bool:
    """May another search be begun?"""
    return work.progress.attempt + 1 < attempts and work.progress.evaluations < MOST


def cpu_seconds() -> float:
    """CPU time [s] of this process and of those it has waited for; what a cluster spends is not in it."""
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def gait_of(work: Designer) -> Gait:
    """The gait of a search that is over, with the digits of its file, and facts about it."""
    p, simulator, space = work.progress, work.simulator, work.space
    controls = space.controls(p.best)
    given, corrections = simulator.bursts(controls), work.corrections()
    assert corrections is not None
    warm = simulator.run(p.state, given, TRIED, corrections)
    state = p.state if warm.finished < TRIED else np.concatenate([np.zeros(2), warm.stages[0, 2:]])
    once = simulator.run(state, given, 2 if simulator.swaps else 1, corrections, traced=True)
    if not once.whole:
        raise NoSolution(f"No gait was found for {work.sketch.name!r}: the best falls in its first cycle; give the "
                         "sketch more modes, or another start.")  # fmt: skip
    nq, nv = len(simulator.rest), len(simulator.stiffness)
    states = np.vstack([once.trace[:, : nq + nv], once.states[-1]])
    dt, track = resampled(simulator, states)
    names = (work.sketch.flight.names, work.sketch.ground.names)
    flight, ground = [dict(zip(n, np.round(a, 4).tolist(), strict=True)) for n, a in
                  zip(names, space.amplitudes(p.best), strict=True)]  # fmt: skip
    times = {"period": (2.0 if simulator.swaps else 1.0) * given.table.shape[1] * simulator.dt,
             "share": round(controls.share, 6), "flight_length": round(controls.flight_length, 6),
             "ground_length": round(controls.ground_length, 6)}  # fmt: skip
    shift = states[-1, :3] - states[0, :3]
    shift[1 if simulator.swaps else 2 :] = 0.0  # a hop on one leg may lead aside
    made = Gait(work.sketch, flight, ground, times, p.cycle, p.steady, p.gains, track, dt, shift, state[nq:],
                {"seed": work.seed, "evaluations": p.evaluations, "cpu_seconds": 0.0}).as_written()  # fmt: skip
    return replace(made, facts={**made.facts, **measured(made)})


def measured(gait: Gait) -> dict[str, Any]:
    """What a gait does, as its file has it: the facts that it tells of itself."""
    ready, space = gait.driven(), gait.space()
    x = gait.vector(space)
    last, long = ready.run(SETTLE), ready.run(LONGEST)
    score = judged(ready.simulator, space, x, last, SETTLE)
    there = long.states[CYCLES * (2 if ready.simulator.swaps else 1)]
    settled = ready._replace(state=last.stages[0])
    return {
        "speed": round(score.speed, 4), "energy": round(score.energy, 1),
        "short_of_sketch": space.short_of_sketch(x), "easy": [round(float(e), 4) for e in score.easy],
        "cyclic_error": round(score.drift, 6), "feedback_share": round(score.feedback, 4),
        "deepest": round(score.deepest, 5), "flight": round(float(last.measured[unit_loop.FLYING]), 4),
        "turn": round(float(np.degrees(rot.heading(there[3:7]))), 2) if long.whole else np.inf,
        "units": long.finished, "units_asked": LONGEST,
        "stays_up": stays_up(settled) if last.whole else 0, "pushes": PUSHES,
        "noise_and_slopes_kept": noise_and_slopes(settled) if last.whole else 0, "noise_and_slopes": NOISE_AND_SLOPES,
        "open_loop_units": ready._replace(corrections=None).run(LONGEST).finished,
    }  # fmt: skip


def resampled(simulator: UnitSimulator, states: Array) -> tuple[float, Array]:
    """Time step [s] and configurations (N, nq) of a cycle at about 120 frames a second, closed."""
    nq, length = len(simulator.rest), (len(states) - 1) * simulator.dt
    count = max(4, round(length * TRACK))
    x = np.linspace(0.0, len(states) - 1.0, count + 1)
    k = np.minimum(x.astype(int), len(states) - 2)
    q = conf.interpolate(simulator.character.layout, states[k, :nq], states[k + 1, :nq], x - k)
    q[-1] = q[0]
    aside = 1 if simulator.swaps else 2
    q[-1, :aside] += states[-1, :aside] - states[0, :aside]
    return length / count, q


def without_feedback(gait: Gait) -> Gait:
    """The same gait in open loop."""
    return replace(gait, cycle=gait.cycle[:0], steady=gait.steady[:0], gains=gait.gains[:0])
