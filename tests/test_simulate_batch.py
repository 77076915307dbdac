"""Batch: the same results whoever judges."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from poise.errors import PoiseError
from poise.simulate.batch import Batch, shares

MEMBERS = np.arange(14.0).reshape(7, 2)


def scaled(job: float, members: np.ndarray) -> list[float]:
    return [float(job * x.sum()) for x in members]


def refused(job: float, members: np.ndarray) -> list[float]:
    raise PoiseError("no")


inside = threading.Lock()


def alone(job: float, members: np.ndarray) -> list[bool]:
    """Was nobody else of this process judging?"""
    if not inside.acquire(blocking=False):
        return [False] * len(members)
    time.sleep(job)
    inside.release()
    return [True] * len(members)


def slowly(job: float, members: np.ndarray) -> list[float]:
    time.sleep(job)
    return scaled(2.0, members)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="poise[cluster] is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None) as made:
        yield made.scheduler_address


def test_shares_are_even_and_none_is_empty():
    assert [s.tolist() for s in shares(5, 2)] == [[0, 1, 2], [3, 4]] and len(shares(2, 8)) == 2


def test_one_process_judges_in_order():
    with Batch(1) as batch:
        assert batch.judge(scaled, 2.0, MEMBERS) == scaled(2.0, MEMBERS)


def test_a_cluster_judges_the_same_one_share_at_a_time_in_a_process(cluster: str):
    with Batch(cluster=cluster) as batch:
        assert batch.judge(scaled, 2.0, MEMBERS) == scaled(2.0, MEMBERS)
        assert all(batch.judge(alone, 0.05, MEMBERS))
        with pytest.raises(PoiseError, match="no"):
            batch.judge(refused, 1.0, MEMBERS)


def test_no_scheduler_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("distributed", reason="poise[cluster] is not installed")
    monkeypatch.setattr("poise.simulate.batch._WAIT", 0.3)
    with (
        pytest.raises(PoiseError, match="no Dask scheduler at tcp") as caught,
        Batch(cluster="tcp://127.0.0.1:1"),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_a_scheduler_without_workers_is_told_in_a_sentence():
    distributed = pytest.importorskip("distributed", reason="poise[cluster] is not installed")
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as made,
        pytest.raises(PoiseError, match="no workers"),
        Batch(cluster=made.scheduler_address),
    ):
        pass


@pytest.mark.slow
def test_a_worker_killed_in_its_share_costs_time_alone():
    distributed = pytest.importorskip("distributed", reason="poise[cluster] is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        client = distributed.Client(made.scheduler_address)
        pid = next(iter(client.run(os.getpid).values()))
        with Batch(cluster=made.scheduler_address) as batch:
            threading.Timer(1.0, lambda: os.kill(pid, signal.SIGKILL)).start()
            assert batch.judge(slowly, 3.0, MEMBERS) == scaled(2.0, MEMBERS)
        client.close()
