"""Many rehearsals: clips and seeds side by side, on all cores or on a Dask cluster, each plan the same as alone.

A rehearsal depends on its clip, its seed and its settings, and on nothing else, so it does not matter who does which.
They travel as the plain data of their files, without pickled bodies or simulators.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from poise.errors import PoiseError
from poise.maths.rotations import Array
from poise.methods.rehearse import Plan
from poise.motion.clip import Clip
from poise.performance import encoding
from poise.rehearsal import saving
from poise.rehearsal.passes import rehearse
from poise.rehearsal.settings import Settings
from poise.simulate.batch import Batch


class Job(NamedTuple):
    """What all of them share, as plain data."""

    clips: tuple[Any, ...]
    settings: Any
    seconds: float | None
    start: float


class Done(NamedTuple):
    """One rehearsal: its plan as the bytes of a file, or why there is none."""

    clip: int
    seed: int
    file: bytes
    problem: str

    def plan(self) -> Plan:
        """The plan itself."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plan.npz"
            path.write_bytes(self.file)
            return saving.load(path)


def rehearse_all(clips: Sequence[Clip], members: Sequence[tuple[int, int]], batch: Batch, *,
                 settings: Settings | None = None, seconds: float | None = None,
                 start: float = 0.0) -> Iterator[Done]:  # fmt: skip
    """Rehearsals of `members`, pairs of a clip's number and a seed; as they are done, some at a time.

    `batch` is entered by whoever calls. Each rehearsal has one thread: clips and seeds are what is done side by side.
    """
    job = Job(tuple(encoding.plain(c) for c in clips), encoding.plain(settings or Settings()), seconds, start)
    for first in range(0, len(members), batch.width):
        yield from batch.judge(judge, job, np.array(members[first : first + batch.width], float).reshape(-1, 2))


def judge(job: Job, members: Array) -> list[Done]:
    """What `Batch` gives to its workers: one rehearsal a member (clip, seed)."""
    return [_rehearsed(job, round(float(c)), round(float(s))) for c, s in members]


def _rehearsed(job: Job, clip: int, seed: int) -> Done:
    try:
        plan = rehearse(encoding.value(job.clips[clip]), seed=seed, settings=encoding.value(job.settings),
                        seconds=job.seconds, start=job.start, threads=1)  # fmt: skip
    except PoiseError as error:
        return Done(clip, seed, b"", str(error))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.npz"
        saving.save(plan, path)
        return Done(clip, seed, path.read_bytes(), "")
