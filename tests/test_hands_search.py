"""Hands: the search, its solutions checked with MuJoCo alone, the same bits from the same seed, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.cli.main import main
from poise.judge.hands.forward import perform_forward
from poise.judge.hands.validity import Checker
from poise.methods.hands.delivery import APART, Found, find
from poise.methods.hands.problem import prepare
from poise.methods.hands.scenes import table2
from poise.methods.hands.search import Search
from poise.methods.hands.settings import STYLES, Hands
from poise.methods.hands.solution import Solution, difference

SCENE = table2.small_bottle


def last(scene=None, **options) -> Found:
    return list(find(scene or SCENE(), **{"count": 2, "seconds": 30.0, **options}))[-1]


@pytest.fixture(scope="module")
def solutions() -> list[Solution]:
    return last().solutions


def test_solutions_are_valid_by_mujoco(solutions: list[Solution]) -> None:
    checker = Checker(SCENE())
    assert len(solutions) >= 2
    for s in solutions:
        assert checker(s).faults == ()


def test_a_solution_can_be_performed_forward(solutions: list[Solution]) -> None:
    """Finger servos, the object free; and a hand that lets go loses it."""
    done = [perform_forward(SCENE(), s) for s in solutions]
    assert any(p.kept for p in done)
    limp = replace(solutions[0], q=np.repeat(solutions[0].q[:, :1], len(SCENE()), axis=1))
    assert not perform_forward(SCENE(), limp).kept


def test_solutions_differ_pairwise(solutions: list[Solution]) -> None:
    problem = prepare(SCENE())
    for k, a in enumerate(solutions):
        assert all(difference(a, b, problem) > APART for b in solutions[:k])


def test_the_check_sees_what_is_wrong(solutions: list[Solution]) -> None:
    scene, s = SCENE(), solutions[0]
    checker = Checker(scene)
    bent = s.q.copy()
    bent[0, 60, 2, 3] += 0.3
    assert {"penetration", "speed"} <= set(checker(replace(s, q=bent)).faults)
    lighter = tuple(replace(load, forces=0.9 * load.forces) for load in s.loads)
    assert "force" in checker(replace(s, loads=lighter)).faults
    slippery = Checker(replace(scene, friction=0.5))
    assert "cone" in slippery(s).faults
    heavy = Checker(replace(scene, thing=replace(scene.thing, mass=0.3)))
    assert "force" in heavy(s).faults
    drifting = s.q.copy()
    drifting[0, :, :, 3] += 0.02 * np.sin(np.arange(len(scene)))[:, None]
    assert checker(replace(s, q=drifting)).faults


def test_the_same_seed_gives_the_same_bits_however_it_is_stopped(solutions: list[Solution]) -> None:
    first = list(find(SCENE(), count=1, rounds=1))[-1]
    known = Found(list(first.solutions), first.next_round)
    resumed = last(found=known)
    for a, b in zip(solutions, resumed.solutions, strict=False):
        assert np.array_equal(a.q, b.q)
    other = last(seed=1, count=1)
    assert not np.array_equal(other.solutions[0].q, solutions[0].q)


def test_fixed_joints_and_given_times_are_kept() -> None:
    name = "right_little_pip_flex"
    scene = replace(SCENE(), fixed={name: 0.5}, windows={"right_index": (0.8, 3.0)})
    path = Search(prepare(scene), Hands(round_solutions=1), 0).round(0)[0]
    assert all(abs(node.q[0, 4, 4] - 0.5) < 1e-9 for node in path if node.t > 30)
    index = [node.t for node in path for c in node.contacts if c[1] == 1]
    assert min(index) >= 24


def test_the_thesis_search_runs_without_additions() -> None:
    printed = Hands.printed()
    assert not (printed.closing or printed.reallocate or printed.settle or printed.horizon or printed.spread)
    search = Search(prepare(table2.turning_milk()), replace(printed, round_nodes=200), 0)
    search.round(0)
    assert search.counts.deepest > 20
    plain = Search(
        prepare(table2.turning_milk()), Hands.printed(improved=False, round_nodes=100, round_solutions=1000), 0
    )
    plain.round(0)
    assert plain.counts.nodes == 100


@pytest.mark.parametrize("style", [s for s in STYLES if s != "free"])
def test_every_style_searches(style: str) -> None:
    search = Search(prepare(table2.turning_milk()), Hands(style=style, round_nodes=120, round_solutions=1), 0)
    search.round(0)
    assert search.counts.deepest > 30


@pytest.mark.slow
def test_one_of_some_solutions_can_be_performed() -> None:
    """Finger servos, the object free: a box turned on the table."""
    scene = table2.turning_milk()
    found = last(scene, count=6)
    assert any(perform_forward(scene, s).kept for s in found.solutions)


def test_the_command_writes_stops_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    words = ["hands", "small-bottle", "-n", "1", "-o", str(out), "--json", "--save", "bvh"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["solutions"] >= 1 and (out / "sheet.png").stat().st_size > 10_000
    assert "solution" in (out / "index.html").read_text() and (out / "solution-01-object.bvh").exists()
    kept = (out / "solution-01.npz").read_bytes()
    assert main([*words[:3], str(told["solutions"] + 1), *words[4:], "--no-pictures"]) == 0
    more = json.loads(capsys.readouterr().out)
    assert more["solutions"] > told["solutions"] and (out / "solution-01.npz").read_bytes() == kept
    assert main([*words, "--seed", "3"]) == 2
    assert "another scene, seed or settings" in capsys.readouterr().err


def test_the_command_refuses_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, text in (
        (["nothing"], "There is no scene"),
        (["cup", "-n", "0"], "at least one"),
        (["cup", "--save", "fbx", "-o", str(tmp_path)], "fbx"),
        (["cup", "--style", "odd"], "style"),
        (["cup", "--object", "car"], "object"),
        (["cup", "--friction", "-1"], "friction"),
        ([str(tmp_path / "no.toml")], "cannot be read"),
    ):
        assert main(["hands", *words]) == 2
        assert text in capsys.readouterr().err
