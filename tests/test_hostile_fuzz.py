"""Mutated models, motions, clips and takes: refused in a sentence, or read, checked, performed and audited.

Each has 20 s and 2 GB, in a process of its own.

The short test runs about ten seconds; the long one for POISE_FUZZ_MINUTES (10 by default) from POISE_FUZZ_SEED.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from fuzzing import KINDS, Cases
from guarded import Guard

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="children are forked")


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    return Cases(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(scope="module")
def guard() -> Iterator[Guard]:
    made = Guard()
    yield made
    made.close()


def attempt(cases: Cases, guard: Guard, kind: str, seed: int) -> str:
    """The outcome of one case; a file that is not taken soundly is kept beside the others, by kind and seed."""
    path, do = cases.make(kind, seed)
    outcome = guard.use(path, do)
    if not outcome.sound:
        kept = shutil.copy(path, path.with_name(f"bad-{kind}-{seed}{path.suffix}"))
        raise AssertionError(f"{kind} {seed} ({kept}): {outcome}")
    return outcome.outcome


@pytest.mark.parametrize("kind", KINDS)
def test_mutated_files(cases: Cases, guard: Guard, kind: str) -> None:
    end = time.monotonic() + 2.0
    seed, outcomes = 0, Counter[str]()
    while time.monotonic() < end or seed < 4:
        outcomes[attempt(cases, guard, kind, seed)] += 1
        seed += 1
    assert outcomes["refused"] + outcomes["read"] == seed


@pytest.mark.slow
def test_mutated_files_for_long(cases: Cases, guard: Guard) -> None:
    end = time.monotonic() + 60.0 * float(os.environ.get("POISE_FUZZ_MINUTES", "10"))
    seed = int(os.environ.get("POISE_FUZZ_SEED", str(int(time.time()))))
    outcomes, bad = Counter[str](), list[str]()
    while time.monotonic() < end and len(bad) < 20:
        for kind in KINDS:
            try:
                outcomes[f"{kind} {attempt(cases, guard, kind, seed)}"] += 1
            except AssertionError as error:
                bad.append(str(error))
        seed += 1
    print(dict(outcomes), Path(cases.folder))
    assert not bad, "\n".join(bad)
    for kind in KINDS:
        assert outcomes[f"{kind} read"] and outcomes[f"{kind} refused"], outcomes
