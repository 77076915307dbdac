"""Who judges does not matter: one process, two, two workers of a Dask cluster, one of them killed on the way.

Each way does the same generations of the same search; what comes out is compared bit for bit. Cost is told in steps of
the simulator a CPU second, summed over every process that judges, and in steps a second by the clock on the wall,
against `mujoco.rollout` on as many threads, which is given the same states and the torques that were recorded on the
way, and does nothing else. Times by the clock tell nothing on a machine that others use.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import mujoco
import mujoco.rollout
import numpy as np

from poise.experiments.reproduce import Options, Table, told
from poise.maths.rotations import Array
from poise.methods.vibration.judging import assist_of, judge
from poise.methods.vibration.plan import Round
from poise.methods.vibration.search import Designer
from poise.methods.vibration.sketch import find_sketch
from poise.methods.vibration.unit_simulator import Run
from poise.simulate.batch import Batch
from poise.solve import cma

POPULATION = 64
GENERATIONS = 2
SEED = 3
PLAN = (Round(1.0, GENERATIONS + 1, 17, 0.05),)  # units of the last round of a design
SKETCH = "flap"  # its candidates last from the beginning


class Searched(NamedTuple):
    """What a short search comes to, and what it took."""

    found: list[Array]
    cpu: float  # [s] of this process and of others by their clocks
    wall: float  # [s]


def run(options: Options) -> Table:
    """The same search in four ways: is its result the same, and what does a step cost against the bare simulator?"""
    from distributed import Client, LocalCluster

    work, runs = _members()
    steps = sum(r.steps for r in runs)
    bare = {n: _bare(work, runs, n) for n in (1, 2)}  # threads -> steps a CPU second, a second
    rows: list[tuple[Any, ...]] = [
        told((f"mujoco.rollout, threads: {n}", "", cpu, 100.0 * cpu / bare[1][0], wall, 100.0))
        for n, (cpu, wall) in bare.items()
    ]

    def row(way: str, same: object, done: Searched, threads: int, processor: bool = True) -> None:
        cpu, wall = steps / max(done.cpu, 1e-9), steps / done.wall
        costs = (cpu, 100.0 * cpu / bare[1][0]) if processor else ("", "")
        rows.append(told((way, same, *costs, wall, 100.0 * wall / bare[threads][1])))

    first = _searched(Batch(1))
    row("one process", True, first, 1)
    two = _searched(Batch(2))
    row("two processes", _same(first, two), two, 2, processor=False)
    quiet = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL}
    with LocalCluster(**quiet) as cluster:
        client = Client(cluster.scheduler_address)
        times = lambda: client.run(time.process_time)  # noqa: E731
        there = _searched(Batch(cluster=cluster.scheduler_address), times)
        row("Dask, two workers", _same(first, there), there, 2)
        before = _processes(client)
        lost = _searched(Batch(cluster=cluster.scheduler_address), dict, lambda: _kill_one(client))
        after = _processes(client)
        gone = before - after
        assert len(before) == 2 and len(gone) == 1, (
            f"no worker was lost: {sorted(before)} before, {sorted(after)} after"
        )
        rows.append(told(("Dask, one worker killed on the way", _same(first, lost), "", "", "", "")))
        client.close()
    note = (f"{GENERATIONS} generations of {POPULATION} of the sketch {SKETCH}, after some that compile and load and "
            f"do not count; {os.cpu_count()} cores. Two processes: CPU time is not known.")  # fmt: skip
    columns = ("way", "same bits", "steps a CPU second", "% of bare", "steps a second", "% of bare, as many threads")
    return Table("Who judges", columns, tuple(rows), (note,))


def _searched(batch: Batch, clocks: Callable[[], dict[str, float]] = dict,
              trouble: Callable[[], None] | None = None) -> Searched:  # fmt: skip
    work = Designer(find_sketch(SKETCH), SEED, PLAN, population=POPULATION)
    with batch as workers:
        workers.judge(judge, work.job(), cma.ask(work.progress.search)[:4])
        begun, own, wall = clocks(), time.process_time(), time.perf_counter()
        for k in range(GENERATIONS):
            if trouble is not None and k == 1:
                trouble()
            work.generation(workers)
        wall, own, ended = time.perf_counter() - wall, time.process_time() - own, clocks()
    p = work.progress
    found = [p.search.mean, p.search.covariance, p.state, p.best]
    return Searched(found, own + sum(ended[k] - begun[k] for k in ended), wall)


def _members() -> tuple[Designer, list[Run]]:
    """The same search once more, with every step of its candidates taken down; those that fall take fewer."""
    work = Designer(find_sketch(SKETCH), SEED, PLAN, population=POPULATION)
    runs = []
    with Batch(1) as batch:
        for _ in range(GENERATIONS):
            job = work.job()
            for x in cma.ask(work.progress.search):
                given = work.simulator.bursts(work.space.controls(x))
                runs.append(
                    work.simulator.run(job.state, given, job.units, None, assist_of(job, work.space, x), traced=True)
                )
            work.generation(batch)
    return work, runs


def _bare(work: Designer, runs: list[Run], threads: int) -> tuple[float, float]:
    """Steps a CPU second and a second of mujoco.rollout on some threads, given the torques of these runs.

    Each thread has a simulator of its own and every so many of the runs, one call a run, since each has its own length.
    """
    simulator = work.simulator
    nq, nv = len(simulator.rest), len(simulator.stiffness)
    size = mujoco.mj_stateSize(simulator.model, int(mujoco.mjtState.mjSTATE_FULLPHYSICS))
    forces = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
    given = []
    for run in runs:
        start = np.zeros((1, size))
        start[0, 1 : 1 + nq + nv] = run.trace[0, : nq + nv]
        given.append((start, np.ascontiguousarray(run.trace[None, :, nq + nv :])))

    def rolled(share: range) -> list[Array]:
        data, ends = mujoco.MjData(simulator.model), []
        for k in share:
            mujoco.mj_resetData(simulator.model, data)
            states, _ = mujoco.rollout.rollout(simulator.model, data, *given[k], control_spec=forces)
            ends.append(np.asarray(states)[0, -1, 1 : 1 + nq])
        return ends

    parts = [range(k, len(runs), threads) for k in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        spent, wall = time.process_time(), time.perf_counter()
        ends = list(pool.map(rolled, parts))
        spent, wall = time.process_time() - spent, time.perf_counter() - wall
    for part, there in zip(parts, ends, strict=True):
        for k, q in zip(part, there, strict=True):
            same = np.allclose(q, runs[k].states[-1][:nq], atol=1e-3)
            assert same or runs[k].finished < PLAN[0].units, "the comparison is between different motions"
    steps = sum(len(torques[0]) for _, torques in given)
    return steps / spent, steps / wall


def _same(a: Searched, b: Searched) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a.found, b.found, strict=True))


def _processes(client: Any) -> set[int]:
    """Process ids of the workers that there are; a lost worker is replaced by one of another id."""
    return set(client.run(os.getpid, on_error="ignore").values())


def _lost(before: set[int], after: set[int]) -> int:
    """The process that is there no more; refuses a table that says a worker was killed where none was."""
    gone = before - after
    assert len(gone) == 1, f"no worker was lost, or more than one: {sorted(before)} before, {sorted(after)} after"
    return gone.pop()


def _kill_one(client: Any) -> None:
    """End a worker in half a second, in the middle of its share."""
    first = next(iter(client.nthreads()))
    client.run(_end_soon, workers=[first])


def _end_soon() -> None:
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
