"""Batch: the members of a generation judged on all cores, or on a Dask cluster, in shares.

A judge is a function of a module, `judge(job, members) -> list`, that gives one result a member and depends on nothing
else, so it does not matter who does which share. A worker that is lost costs only the time to do its share again.

    with Batch(workers=0, cluster="tcp://host:8786") as batch:
        results = batch.judge(judge, job, members)

In one process one share is judged at a time, whatever threads a Dask worker has: a judge may keep its simulator.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from types import TracebackType
from typing import Any, Self

import numpy as np

from poise._version import __version__
from poise.errors import BadValue
from poise.extras import need
from poise.maths.rotations import Array

Judge = Callable[[Any, Array], list[Any]]
_TRIES = 3  # a share is given to new workers after the old ones were lost
_LOST = "The {} were lost again and again while they judged, perhaps for want of memory; fewer of them may do."
_WAIT = 10.0  # [s] for a cluster to answer
_ONE = threading.Lock()


def shares(count: int, workers: int) -> list[np.ndarray]:
    """Indices of the members that each worker gets, as even as can be; none is empty."""
    return [s for s in np.array_split(np.arange(count), max(1, min(workers, count))) if len(s)]


class Batch:
    """Workers that judge; `with Batch(...) as batch`. `workers`: 0 for all cores, 1 for this process alone."""

    def __init__(self, workers: int = 1, cluster: str = ""):
        if workers < 0:
            raise BadValue(f"The number of workers must be 0 (all cores) or more, not {workers}.")
        self.workers = workers or os.cpu_count() or 1
        self.cluster = cluster
        self._pool: ProcessPoolExecutor | None = None
        self._client: Any = None

    def __enter__(self) -> Self:
        if self.cluster:
            self._client = _connected(self.cluster)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._drop(wait=kind is None)
        if self._client is not None:
            self._client.close()
            self._client = None

    @property
    def width(self) -> int:
        """How many can be judged side by side."""
        return self.workers if self._client is None else max(1, len(self._client.nthreads()))

    def judge(self, judge: Judge, job: Any, members: Array) -> list[Any]:
        """One result a member, in their order; an exception of the judge is raised here."""
        if self._client is not None:
            return self._on_cluster(judge, job, members)
        if self.workers == 1 or len(members) == 1:
            return judge(job, members)
        parts = shares(len(members), self.workers)
        for left in range(_TRIES, 0, -1):
            try:
                pool = self._started()
                return _flat([f.result() for f in [pool.submit(judge, job, members[p]) for p in parts]])
            except BrokenProcessPool:
                self._drop()
                if left == 1:
                    raise BadValue(_LOST.format("processes of this machine")) from None
        raise AssertionError

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), signal.signal,
                                             (signal.SIGINT, signal.SIG_IGN))  # fmt: skip
        return self._pool

    def _drop(self, wait: bool = False) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=True)
            self._pool = None

    def _on_cluster(self, judge: Judge, job: Any, members: Array) -> list[Any]:
        """One future a share, not one a member: Dask's cost a task is that of a whole evaluation."""
        from distributed import KilledWorker

        parts = shares(len(members), self.width)
        for left in range(_TRIES, 0, -1):
            try:
                futures = [self._client.submit(_alone, judge, job, members[p], pure=False) for p in parts]
                return _flat(self._client.gather(futures))
            except KilledWorker:  # Dask gives a share of a lost worker to another one, and gives up after some
                if left == 1:
                    raise BadValue(_LOST.format(f"workers of {self.cluster}")) from None
        raise AssertionError


def _alone(judge: Judge, job: Any, members: Array) -> list[Any]:
    with _ONE:
        return judge(job, members)


def _flat(parts: Sequence[list[Any]]) -> list[Any]:
    return [result for part in parts for result in part]


def check_cluster(address: str) -> None:
    """Refuse, before any work is done, a cluster whose package is missing."""
    if address:
        need("distributed", "A Dask cluster")


def _connected(address: str) -> Any:
    """A client of the scheduler there, whose workers have this poise."""
    need("distributed", "A Dask cluster")
    from distributed import Client

    advice = "Start one with `dask scheduler`, or leave --cluster out to use this machine."
    try:
        client = Client(address, timeout=_WAIT)
    except (OSError, TimeoutError, ValueError) as error:
        why = " ".join(str(error).split())[:160] or type(error).__name__
        raise BadValue(f"There is no Dask scheduler at {address}: {why.rstrip('.')}. {advice}") from None
    problem = _unfit(client, address)
    if problem:
        client.close()
        raise BadValue(problem)
    return client


def _unfit(client: Any, address: str) -> str:
    """Why the workers cannot judge, or nothing."""
    if not client.nthreads():
        return f"The Dask scheduler at {address} has no workers; start some with `dask worker {address}`."
    answers = client.run(_version, on_error="return").values()
    missing = [a for a in answers if isinstance(a, ImportError)]
    if missing:
        return f"The workers of {address} cannot import poise ({missing[0]}); install it where they run."
    found = {a for a in answers if isinstance(a, str)}  # a worker that was lost in between gives an error
    if found - {__version__}:
        return (f"The workers of {address} have poise {', '.join(sorted(found))}, and this is {__version__}; results "
                "would depend on who judges.")  # fmt: skip
    return ""


def _version() -> str:
    return __version__
