"""Judging: one candidate of a search, alone or in a share of a generation, in whatever process."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.vibration import feedback, unit_loop
from poise.methods.vibration.control import Corrections
from poise.methods.vibration.palette import Palette
from poise.methods.vibration.score import Score, judged
from poise.methods.vibration.sketch import read
from poise.methods.vibration.space import Space
from poise.methods.vibration.unit_simulator import UnitSimulator
from poise.threads import on_one_thread

ASSIST_GAINS = np.array([1500.0, 60.0, 250.0, 200.0])  # [N m/rad, N m s/rad, N s/m, N/m] gains of the assist


class Job(NamedTuple):
    """All that judging a member depends on, as plain data."""

    sketch: str  # as JSON
    options: tuple[float, ...]  # of the space
    state: Array  # (nq + nv,) from which it begins
    units: int
    assist: float
    speed: float  # [m/s] to which the assist leads
    corrections: Corrections | None
    strict: float


class Judged(NamedTuple):
    """A member's score and where it ended."""

    score: Score
    end: Array  # (nq + nv,) after the last unit


@lru_cache(maxsize=4)
def body_of(sketch: str) -> tuple[UnitSimulator, Palette]:
    """The body of a sketch (JSON) in the world, and its modes."""
    made = read(json.loads(sketch))
    return made.simulator(), made.palette()


@lru_cache(maxsize=8)
def tools_of(sketch: str, options: tuple[float, ...]) -> tuple[UnitSimulator, Space]:
    """The body of a sketch (JSON) in the world, and the space with these options, of which the last is `asked`."""
    (simulator, palette), (*kind, asked) = body_of(sketch), options
    return simulator, Space(read(json.loads(sketch)), palette, *map(bool, kind), asked=asked)


@on_one_thread
def judge(job: Job, members: Array) -> list[Judged]:
    """The scores of some members; `Batch` calls it in whatever process."""
    simulator, space = tools_of(job.sketch, job.options)
    return [judge_one(simulator, space, job, x) for x in members]


def judge_one(simulator: UnitSimulator, space: Space, job: Job, x: Array) -> Judged:
    """One member."""
    given = simulator.bursts(space.controls(x))
    corrections = job.corrections
    if corrections is not None:
        starts = feedback.cuts(given.table.shape[1], len(corrections.starts) - 1)
        corrections = corrections._replace(starts=starts)
    run = simulator.run(job.state, given, job.units, corrections, assist_of(job, space, x), traced=True)
    return Judged(judged(simulator, space, x, run, job.units, job.strict), run.states[-1])


def assist_of(job: Job, space: Space, x: Array) -> unit_loop.Assist | None:
    """What holds the root while a vector is judged, if anything does."""
    return unit_loop.Assist(job.assist, space.lean(x), job.speed, ASSIST_GAINS) if job.assist > 0.0 else None
