"""Sketches led over to other bodies, and bodies of recordings made alike on both sides."""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.character.skeletons.from_skeleton import evened
from poise.cli.main import main
from poise.errors import PoiseError
from poise.methods.vibration.gait import find_gait, load_gait
from poise.methods.vibration.other_body import on_body
from poise.methods.vibration.palette import palette
from poise.methods.vibration.sketch import find_sketch, load_sketch, read
from poise.methods.vibration.space import Space
from poise.motion.load import load_any_character


@pytest.fixture(scope="module")
def lopsided(tmp_path_factory) -> Path:
    """A recording of somebody whose right shin and left upper arm are 2 cm longer than the others."""
    path = tmp_path_factory.mktemp("lopsided") / "walk.bvh"
    poise.load_clip("walk").save(path)
    lines = path.read_text().split("\n")
    for joint, old, new in (("right_foot", "-43.05", "-45.05"), ("left_forearm", "-30.1", "-32.1")):
        at = next(k for k, line in enumerate(lines) if line.split()[-2:] == ["JOINT", joint]) + 2
        assert old in lines[at]
        lines[at] = lines[at].replace(old, new)
    path.write_text("\n".join(lines))
    return path


def test_evened_points_are_the_mean_of_both_sides_and_of_their_mirror_image():
    points = {"pelvis": np.array([0.0, 0.02, 1.0]), "left_foot": np.array([0.0, 0.1, 0.0]),
              "right_foot": np.array([0.02, -0.2, 0.0]), "left_heel": np.array([-0.1, 0.1, 0.0])}  # fmt: skip
    out = evened(points)
    assert np.allclose(out["pelvis"], [0.0, 0.0, 1.0]) and np.allclose(out["left_foot"], [0.01, 0.15, 0.0])
    assert set(out) == {*points, "right_heel"}
    assert all(np.allclose(out[f"right_{p}"], out[f"left_{p}"] * [1, -1, 1]) for p in ("foot", "heel"))


def test_an_even_body_has_bones_at_the_mean_and_the_clip_still_plays_on_it(lopsided: Path):
    own, even = load_any_character(lopsided), load_any_character(lopsided, even=True)
    assert not palette(own).symmetric and palette(even).symmetric
    bone = lambda body, role: float(np.linalg.norm(body.model.body_pos[body.body(role)]))  # noqa: E731
    for role in ("left_foot", "right_foot"):
        assert bone(even, role) == pytest.approx(0.5 * (bone(own, "left_foot") + bone(own, "right_foot")), abs=1e-5)
    assert abs(bone(own, "right_foot") - bone(own, "left_foot")) == pytest.approx(0.02, abs=1e-3)
    clip = poise.load_clip(lopsided, even=True)
    assert clip.posture_change(poise.load_clip(lopsided)) < 0.1


def test_a_run_of_a_lopsided_body_is_refused_and_told_how_it_can_be_had(lopsided: Path):
    plain = {**find_sketch("runner").plain(), "character": str(lopsided), "springs": {}}
    with pytest.raises(PoiseError, match="even = true"):
        read(plain)
    assert read({**plain, "even": True}).palette().symmetric


def test_a_sketch_on_its_own_body_is_the_same_sketch():
    sketch = find_sketch("runner")
    led = on_body(sketch, "runner")
    assert all(a == b and alike > 1.0 - 1e-6 for a, (b, alike) in led.modes.items())
    assert (led.sketch.flight, led.sketch.ground) == (sketch.flight, sketch.ground) and not led.sketch.even
    assert np.allclose(led.sketch.simulator().stiffness, sketch.simulator().stiffness)
    assert led.sketch.strength == {}


def test_vibrations_of_a_recorded_body_are_found_by_what_they_move(lopsided: Path):
    """The body of a recording has balls for knees and elbows; the vibrations of the run are found on it."""
    led = on_body(find_sketch("runner"), lopsided)
    alike = {m: a for m, (_, a) in led.modes.items()}
    assert led.sketch.even and min(alike[m] for m in ("f2", "f6", "g2", "g8")) > 0.8
    assert min(alike.values()) > 0.5 and len({b for b, _ in led.modes.values()}) == len(led.modes)
    size = led.sketch.body().mass * led.sketch.body().height / (70.0 * 1.75)
    assert sum(map(abs, led.sketch.flight.priority.values())) == pytest.approx(
        size * sum(map(abs, find_sketch("runner").flight.priority.values())), rel=1e-2)  # fmt: skip


def test_the_sign_of_an_amplitude_goes_along(lopsided: Path):
    """With the torque that it stands for: pushes of both bodies turn the thighs the same way."""
    sketch = find_sketch("runner")
    there = on_body(sketch, lopsided).sketch
    turns = []
    for s in (sketch, there):
        space = Space(s, s.palette())
        controls = space.controls(np.zeros(space.dimension))
        body = s.body()
        turns.append([controls.flight[body.dofs(f"{side}_thigh")][1] for side in ("left", "right")])
    assert np.all(np.sign(turns[0]) == np.sign(turns[1]))


@pytest.mark.parametrize("name", ["monster-swing", "kangaroo"])
def test_a_sketch_of_limbs_that_a_body_has_not_is_refused(name: str):
    """Second arms, or a tail, that the sketch poses."""
    with pytest.raises(PoiseError, match=r"second|tail"):
        on_body(find_sketch(name), "runner")


def test_a_written_sketch_reads_back_from_any_folder(lopsided: Path, tmp_path: Path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    body = os.path.relpath(lopsided)
    (tmp_path / "sketches").mkdir()
    assert main(["design", "runner", "--character", body, "--sketch", "sketches/mine.toml"]) == 0
    assert "made alike" in capsys.readouterr().out
    written = (tmp_path / "sketches" / "mine.toml").read_text()
    assert "swing" in written and tomllib.loads(written)["even"] is True
    here = load_sketch("sketches/mine.toml")
    monkeypatch.chdir(tmp_path / "sketches")
    there = load_sketch("mine.toml")
    assert here.flight == there.flight == on_body(find_sketch("runner"), lopsided).sketch.flight
    assert main(["design", "runner", "--sketch", "mine.toml"]) == 2 and "--force" in capsys.readouterr().err
    assert main(["design", "runner", "--sketch", "a.toml", "-o", "b.toml"]) == 2
    assert main(["design", "runner", "--sketch", "a.bvh"]) == 2 and not list(Path().glob("[ab].*"))


def test_a_gait_of_a_file_s_body_is_found_beside_it(lopsided: Path, tmp_path: Path, monkeypatch):
    """A gait names its body by the way from its own folder, and plays from any other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "body.bvh").write_bytes(lopsided.read_bytes())
    (tmp_path / "gaits").mkdir()
    sketch = on_body(find_sketch("runner"), "body.bvh").sketch
    runner = find_gait("runner")
    rest, nv = sketch.simulator().rest, sketch.simulator().character.model.nv
    still = replace(runner, sketch=sketch, cycle=np.zeros((0, len(rest) + nv)), steady=np.zeros((0, 12)),
                    gains=np.zeros((0, 12, 2 * nv)), track=np.stack([rest, rest]), start=np.zeros(nv),
                    flight=dict.fromkeys(sketch.flight.names, 0.0),
                    ground=dict.fromkeys(sketch.ground.names, 0.0))  # fmt: skip
    still.save("gaits/still.toml")
    mass = sketch.body().mass
    monkeypatch.chdir("/")
    for made in (load_gait(tmp_path / "gaits" / "still.toml").sketch.body(),
                 poise.load_clip(tmp_path / "gaits" / "still.toml").character):  # fmt: skip
        assert made.mass == pytest.approx(mass) and made.model.nv == nv


def test_bounds_and_dominance_are_asked_of_what_the_joints_bear():
    """More than a joint bears is cut, and what is left holds less of the sketched modes and some of others."""
    sketch = find_sketch("runner")
    space = Space(sketch, sketch.palette())
    x = np.zeros(space.dimension)
    flight, _ = space.applied(x)
    assert np.array_equal(flight[: len(sketch.flight.names)], space.amplitudes(x)[0]) and not flight[5:].any()
    assert not space.short_of_sketch(x) and space.lacking(x) == 0.0
    strong = x.copy()
    strong[1] = 10.0  # f6
    torque = space.controls(strong).flight
    limit = sketch.body().torque_limit
    assert np.abs(torque[6:] / limit[6:]).max() > 1.4
    cut = space.applied(strong)[0]
    names = [*sketch.flight.names, *(m.name for m in space.palette.flight if m.name not in sketch.flight.names)]
    columns = space.palette.torques("flight")[:, [int(n[1:]) - 1 for n in names]]
    assert np.allclose(columns @ cut, np.clip(torque, -limit, limit), atol=1e-9)
    assert abs(cut[1]) < abs(space.amplitudes(strong)[0][1]) and np.abs(cut[5:]).max() > 1.0
    free = replace(sketch, limits=False)
    assert not Space(free, sketch.palette()).applied(strong)[0][5:].any()


def test_feedback_counts_among_what_may_not_outweigh_the_sketch():
    sketch = find_sketch("runner")
    space = Space(sketch, sketch.palette())
    x = np.zeros(space.dimension)
    (alone, _), (beside, _) = space.dominance(x), space.dominance(x, 0.1)
    total = np.abs(space.amplitudes(x)[0]).sum()
    assert beside == pytest.approx(alone - 0.1 * total)
