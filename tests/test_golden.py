"""The same bits: against a table of digests for this kind of machine, and whatever the threads of linear algebra."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import golden
from poise import threads
from poise.methods import names as method_names
from poise.physical import library

CASES = golden.cases()
QUICK = {"clip/walk", "clip/stand", "write/bvh", "write/npz", "edit/Mirror", "edit/Slope", "take/kinematic", "take/pd"}


def test_every_clip_method_edit_and_format_has_a_digest() -> None:
    from poise.motion import edit

    assert set(library.names()) == set(golden.CLIPS), "CLIPS of tests/golden.py lacks or invents some"
    assert set(method_names()) == set(golden.METHODS), "METHODS of tests/golden.py lacks or invents some"
    assert set(edit.NAMES) == set(golden.edits()), "edits() of tests/golden.py lacks or invents some"
    known = {name for column in golden.table().values() for name in column}
    assert known <= set(CASES), "tests/golden.json has digests of what is no more: make golden"
    lacks = sorted(set(CASES) - known)  # each in one column at least: nobody has every kind of machine
    assert not lacks, f"no digest yet: python tests/golden.py --write {' '.join(lacks)}"


@pytest.mark.parametrize("name", [c if c in QUICK else pytest.param(c, marks=pytest.mark.slow) for c in CASES])
def test_the_bits_are_those_of_the_table(name: str) -> None:
    column = golden.table().get(golden.key())
    if column is None:
        pytest.skip(f"no digests for this kind of machine and these versions: {golden.key()}")
    if name not in column:
        pytest.skip(f"no digest for this kind of machine yet: python tests/golden.py --write {name}")
    assert CASES[name]() == column[name]


LARGE = "import numpy, scipy.linalg; x = numpy.ones((900, 900)); x @ x; scipy.linalg.lu(x)"  # threads are at work


def elsewhere(names: list[str], **env: str) -> dict[str, str]:
    """Digests from a process in which numpy and scipy were at work before poise, with these settings of threads."""
    drop = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}
    settings = {k: v for k, v in os.environ.items() if k not in drop} | env
    code = f"{LARGE}\nimport json, golden\nprint(json.dumps({{n: golden.cases()[n]() for n in {names!r}}}))"
    done = subprocess.run([sys.executable, "-c", code], env=settings, cwd=Path(__file__).parent, capture_output=True,
                          text=True, check=True)  # fmt: skip
    return json.loads(done.stdout)


def test_threads_and_imports_before_change_nothing() -> None:
    names = ["clip/walk", "take/pd"]
    assert elsewhere(names, OPENBLAS_NUM_THREADS="2") == {n: CASES[n]() for n in names}


@pytest.mark.slow
@pytest.mark.parametrize("count", ["", "1", "2", "5"])
def test_takes_of_all_methods_with_any_number_of_threads(count: str) -> None:
    names = [*(f"take/{m}" for m in golden.METHODS), "clip/jump", "repair/walk", "retarget/human57"]
    env = {"OPENBLAS_NUM_THREADS": count} if count else {}
    assert elsewhere(names, **env) == {n: CASES[n]() for n in names}


def test_one_thread_inside_and_as_many_as_before_outside() -> None:
    libraries = threads._libraries()
    if not libraries:
        pytest.skip("the linear algebra of this numpy has no threads that can be set")
    before = [library.get() for library in libraries]
    try:
        for library in libraries:
            library.set(2)
        many = [library.get() for library in libraries]
        with threads.one_thread():
            with threads.one_thread():
                assert [library.get() for library in libraries] == [1] * len(libraries)
            assert [library.get() for library in libraries] == [1] * len(libraries)
        assert [library.get() for library in libraries] == many
        with pytest.raises(ZeroDivisionError), threads.one_thread():
            _ = 1 / 0
        assert [library.get() for library in libraries] == many
    finally:
        for library, count in zip(libraries, before, strict=True):
            library.set(count)
    assert np.isfinite(np.ones((3, 3)) @ np.ones(3)).all()
