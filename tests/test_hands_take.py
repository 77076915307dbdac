"""Solutions of hands as takes: the audit checks the object, and files hold hands and object together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from gltf_reader import Gltf
from poise.judge.hands.validity import Checker
from poise.methods.hands import Hands, find, load_scene, take_of
from poise.methods.hands.delivery import Found
from poise.methods.hands.scene import Scene
from poise.methods.hands.scene_file import save_scene
from poise.methods.hands.scenes import scene as authored
from poise.methods.hands.scenes import table2
from poise.methods.hands.solution import Solution
from poise.take import Take


def first(scene: Scene, **options) -> Found:
    checker = Checker(scene)
    for found in find(scene, count=1, seconds=40.0, check=lambda s: checker(s).valid, **options):
        if found.solutions:
            return found
    raise AssertionError("no solution")


@pytest.fixture(scope="module")
def scene() -> Scene:
    return table2.small_bottle()


@pytest.fixture(scope="module")
def solution(scene: Scene) -> Solution:
    return first(scene).solutions[0]


@pytest.fixture(scope="module")
def take(scene: Scene, solution: Solution) -> Take:
    return take_of(scene, solution)


def test_the_audit_finds_nothing_missing_at_the_object(take: Take) -> None:
    report = poise.audit(take)
    assert report.passed and report.props_audited
    assert report.prop_force.value < 0.01 and report.prop_torque.value < 0.01  # of weight, of weight x half length
    assert report.prop_cone.value == 0.0 and report.prop_slip.value < 0.009  # 0.3 mm a frame
    assert report.assist_force_rms == 0.0 and report.unexplained_force_share < 1e-3


def test_the_audit_finds_what_is_wrong_at_the_object(take: Take) -> None:
    weak = replace(take.contacts, force=0.9 * take.contacts.force)
    kinds = {f.kind for f in poise.audit(take.with_(contacts=weak)).findings}
    assert "prop_force" in kinds
    ice = replace(take.contacts, friction=0.2 * take.contacts.friction)
    kinds = {f.kind for f in poise.audit(take.with_(contacts=ice)).findings}
    assert "prop_cone" in kinds
    pose = np.array(take.props["bottle"])
    pose[:, :3] += 0.05 * np.sin(6 * take.time)[:, None]
    kinds = {f.kind for f in poise.audit(take.with_(props={"bottle": pose})).findings}
    assert {"prop_force", "prop_place"} <= kinds


def test_takes_of_hands_are_saved_and_shown(take: Take, tmp_path: Path) -> None:
    take.save(tmp_path / "take.npz")
    again = Take.load(tmp_path / "take.npz")
    assert np.array_equal(again.contacts.force, take.contacts.force) and poise.audit(again).passed
    take.save(tmp_path / "take.glb")
    names = [n.get("name") for n in Gltf(tmp_path / "take.glb").json["nodes"]]
    assert "bottle" in names and "right_index_distal" in names
    take.save(tmp_path / "take.png")
    assert (tmp_path / "take.png").stat().st_size > 5000


def test_two_hands_are_one_take() -> None:
    scene = authored("two-hand-big-2")
    take = take_of(scene, first(scene).solutions[0])
    assert take.character.model.nv == 72 and len(take.external) == 2 * (len(scene) - 1)
    report = poise.audit(take)
    assert report.passed and report.prop_force.value < 0.01 and report.prop_torque.value < 0.01


def test_the_first_solutions_stay_whenever_a_search_is_stopped(scene: Scene) -> None:
    fast = Hands(round_nodes=300, round_solutions=1)
    long = list(find(scene, fast, count=99, seconds=1e9, seed=5, rounds=2))[-1].solutions
    cut = list(find(scene, fast, count=99, seconds=1e9, seed=5, rounds=1))[-1]
    short = list(cut.solutions)
    rest = list(find(scene, fast, count=99, seconds=1e9, seed=5, found=cut, rounds=2))[-1].solutions
    assert 0 < len(short) < len(long) == len(rest)
    for a, b in ((short, long), (rest, long)):
        for s, other in zip(a, b, strict=False):
            assert np.array_equal(s.q, other.q)
            assert all(np.array_equal(x.forces, y.forces) for x, y in zip(s.loads, other.loads, strict=True))


def test_a_scene_file_gives_the_same_take(scene: Scene, solution: Solution, take: Take, tmp_path: Path) -> None:
    again = load_scene(save_scene(scene, tmp_path))
    assert take_of(again, solution).props["bottle"] == pytest.approx(take.props["bottle"], abs=1e-6)
