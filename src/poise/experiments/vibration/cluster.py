"""Who judges does not matter: one process, two, two workers of a Dask cluster, one of them killed on the way.

Each way does the same generations of the same search; what comes out is compared bit for bit. Cost is told in steps of
the simulator a CPU second, summed over every process that judges, against `mujoco.rollout` on one thread, which is
given the same states and the torques that were recorded on the way, and does nothing else.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

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


def run(options: Options) -> Table:
    """The same search in four ways: is its result the same, and what does a step cost against the bare simulator?"""
    from distributed import Client, LocalCluster

    work, runs = _members()
    bare, steps = _bare(work, runs), sum(r.steps for r in runs)
    rows: list[tuple[Any, ...]] = [told(("mujoco.rollout, one thread", "", bare, 100.0))]
    first, spent = _searched(Batch(1))
    rate = steps / spent
    rows.append(told(("one process", True, rate, 100.0 * rate / bare)))
    two, _ = _searched(Batch(2))
    rows.append(told(("two processes", _same(first, two), "", "")))
    quiet = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL}
    with LocalCluster(**quiet) as cluster:
        client = Client(cluster.scheduler_address)
        times = lambda: client.run(time.process_time)  # noqa: E731
        there, spent = _searched(Batch(cluster=cluster.scheduler_address), times)
        rate = steps / spent
        rows.append(told(("Dask, two workers", _same(first, there), rate, 100.0 * rate / bare)))
        lost, _ = _searched(Batch(cluster=cluster.scheduler_address), dict, lambda: _kill_one(client))
        rows.append(told(("Dask, one worker killed on the way", _same(first, lost), "", "")))
        client.close()
    note = (f"{GENERATIONS} generations of {POPULATION} of the sketch {SKETCH}, after some that compile and load and "
            "do not count.")  # fmt: skip
    return Table("Who judges", ("way", "same bits", "steps a CPU second", "% of bare"), tuple(rows), (note,))


def _searched(batch: Batch, clocks: Callable[[], dict[str, float]] = dict,
              trouble: Callable[[], None] | None = None) -> tuple[list[Array], float]:  # fmt: skip
    """What a short search comes to, and the CPU time [s] of this process and of others by their clocks."""
    work = Designer(find_sketch(SKETCH), SEED, PLAN, population=POPULATION)
    with batch as workers:
        workers.judge(judge, work.job(), cma.ask(work.progress.search)[:4])
        begun, own = clocks(), time.process_time()
        for k in range(GENERATIONS):
            if trouble is not None and k == 1:
                trouble()
            work.generation(workers)
        own, ended = time.process_time() - own, clocks()
    p = work.progress
    return [p.search.mean, p.search.covariance, p.state, p.best], own + sum(ended[k] - begun[k] for k in ended)


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


def _bare(work: Designer, runs: list[Run]) -> float:
    """Steps a CPU second of mujoco.rollout on one thread, given the torques of these runs."""
    simulator = work.simulator
    nq, nv = len(simulator.rest), len(simulator.stiffness)
    start = np.zeros((1, mujoco.mj_stateSize(simulator.model, int(mujoco.mjtState.mjSTATE_FULLPHYSICS))))
    forces = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
    steps, spent = 0, 0.0
    for run in runs:
        start[0, 1 : 1 + nq + nv] = run.trace[0, : nq + nv]
        torques = np.ascontiguousarray(run.trace[None, :, nq + nv :])
        mujoco.mj_resetData(simulator.model, simulator.data)
        begun = time.process_time()
        states, _ = mujoco.rollout.rollout(simulator.model, simulator.data, start, torques, control_spec=forces)
        spent, steps = spent + time.process_time() - begun, steps + torques.shape[1]
        same = np.allclose(np.asarray(states)[0, -1, 1 : 1 + nq], run.states[-1][:nq], atol=1e-3)
        assert same or run.finished < PLAN[0].units, "the comparison is between different motions"
    return steps / spent


def _same(a: list[Array], b: list[Array]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def _kill_one(client: Any) -> None:
    """End a worker in half a second, in the middle of its share."""
    first = next(iter(client.nthreads()))
    client.run(_end_soon, workers=[first])


def _end_soon() -> None:
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
