"""Natural vibrations of bodies: what certifies them, and what is said of them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import poise
from cli_files import done
from poise.character.load import load_character, names
from poise.cli.main import main
from poise.errors import PoiseError
from poise.methods.vibration import sketch as sketch_module
from poise.methods.vibration.palette import ANTISYMMETRIC, SYMMETRIC, palette
from poise.methods.vibration.rest import UPRIGHT, geared, rest_pose, stiffness_of
from poise.methods.vibration.showing import LARGEST, mode_clip
from poise.methods.vibration.sketch import find_sketch
from poise.methods.vibration.words import describe
from poise.motion.mirror import mirror_q, mirror_tangent

STANCE = {"kangaroo": "both"}
every_body = pytest.mark.parametrize("name", names())


def made(name: str, **more):
    return palette(load_character(name), stance=STANCE.get(name, "right"), **more)


def columns(modes):
    return np.column_stack([m.shape for m in modes])


@every_body
def test_the_modes_diagonalise_mass_and_stiffness(name: str):
    found = made(name)
    for modes in (found.flight, found.ground):
        shapes, squares = columns(modes), np.array([(2 * np.pi * m.frequency) ** 2 for m in modes])
        assert np.abs(shapes.T @ found.mass @ shapes - np.eye(len(squares))).max() < 1e-10
        assert np.abs((shapes.T * found.stiffness) @ shapes - np.diag(squares)).max() < 1e-10 * squares.max()
        assert np.all(np.diff(squares) >= 0.0)


@every_body
def test_as_many_motions_meet_no_spring_as_there_must_be(name: str):
    found, nv = made(name), load_character(name).model.nv
    assert found.rigid == ((6, 1) if name == "kangaroo" else (6, 3))
    assert len(found.flight) == nv - 6 and len(found.ground) == nv - (6 if found.rigid[1] == 3 else 7)


@every_body
def test_symmetric_bodies_give_modes_of_definite_parity(name: str):
    found = made(name)
    assert found.symmetric
    for mode in found.flight:
        sign = {SYMMETRIC: 1.0, ANTISYMMETRIC: -1.0}[mode.parity]
        assert np.abs(found.mirror @ mode.shape - sign * mode.shape).max() < 1e-9


def test_left_ground_modes_mirror_the_right_ones():
    right, left = palette(load_character("runner")), palette(load_character("runner"), stance="left")
    for a, b in zip(right.ground, left.ground, strict=True):
        assert abs(a.frequency - b.frequency) < 1e-9
        assert abs(abs(a.shape @ right.mass @ right.mirror @ b.shape) - 1.0) < 1e-6


def test_the_held_toe_stays_where_it_is():
    found = palette(load_character("runner"))
    size = 1e-4
    before = found.character.points(found.rest)[0]
    front = [k for k, n in enumerate(found.character.contact_points.names) if n.startswith(("right_tip", "right_ball"))]
    for mode in found.ground[:8]:
        q = poise.maths.configuration.integrate(found.character.layout, found.rest, size * mode.shape)
        moved = found.character.points(q)[0] - before
        assert np.abs(moved[front].mean(axis=0)).max() < 0.02 * size


def test_torques_of_a_mode_have_no_part_on_the_root_and_move_that_mode_alone():
    found = palette(load_character("runner"))
    torque, shapes = found.torques("flight"), columns(found.flight)
    assert np.abs(torque[:6]).max() < 1e-9 and np.allclose(np.linalg.norm(torque, axis=0), 1.0)
    response = shapes.T @ torque  # of modal coordinates, mass-normalised
    off = response - np.diag(np.diag(response))
    assert np.abs(off).max() < 1e-9 * np.abs(response).max()
    plain = shapes.T @ found.plain_torques("flight")
    pure = np.diag(plain) ** 2 / np.sum(plain**2, axis=0)
    assert pure.min() < 0.9  # the paper's form moves others too


def test_reflected_velocities_are_those_of_the_reflected_motion():
    character = load_character("monster")
    rng = np.random.default_rng(3)
    q = poise.maths.configuration.integrate(
        character.layout, character.zero_pose(), rng.normal(size=character.model.nv)
    )
    v, h = rng.normal(size=character.model.nv), 1e-6
    ahead = poise.maths.configuration.integrate(character.layout, q, h * v)
    both = mirror_q(character, np.stack([q, ahead]))
    rate = poise.maths.configuration.difference(character.layout, both[0], both[1]) / h
    S = mirror_tangent(character)
    assert np.allclose(rate, S @ v, atol=1e-5) and np.allclose(S @ S, np.eye(len(S))) and np.allclose(S.T, S)


def test_the_palette_of_all_characters_takes_less_than_a_second():
    bodies = [load_character(n) for n in names()]
    begun = time.process_time()
    for body in bodies:
        describe(palette(body, stance=STANCE.get(body.name, "right")))
    assert time.process_time() - begun < 1.0


def test_words():
    words = describe(palette(load_character("runner")))
    assert words["f2"] == "arms swing against the legs, legs swing in turn"
    assert words["f5"] == "arms flap together" and "toes curl" in " ".join(words.values())
    assert describe(made("kangaroo"))["f1"] == "tail bobs"
    assert any("second arms" in w for w in describe(made("monster")).values())


def test_a_mode_is_a_loop_that_swings_about_the_rest_pose():
    found = palette(load_character("runner"))
    clip = mode_clip(found, found.flight[1])
    assert abs(clip.duration - 1.0 / found.flight[1].frequency) < 1e-9 and clip.cycle is not None
    step = poise.maths.configuration.difference(found.character.layout, found.rest, clip.q)
    assert abs(np.abs(step[:, 6:]).max() - LARGEST) < 1e-6 and np.abs(step.sum(axis=0)).max() < 1e-9


def test_the_rest_pose_bends_both_sides_alike_and_stands_on_the_ground():
    character = load_character("runner")
    q = rest_pose(character)
    assert np.allclose(mirror_q(character, q[None])[0], q) and abs(character.points(q)[0, :, 2].min()) < 1e-9
    shin = character.model.joint("left_shin_y").qposadr[0]
    assert np.degrees(q[shin]) == pytest.approx(UPRIGHT["shin"])
    one = rest_pose(character, {"left_shin": 60.0})
    assert np.degrees(one[shin]) == pytest.approx(60.0) and one[character.model.joint("right_shin_y").qposadr[0]] == 0.0


def test_joints_have_the_inertia_that_their_dampers_need():
    character = load_character("runner")
    stiffness = stiffness_of(character, {"shin": 500.0})
    body = geared(character, stiffness, 0.1, 1 / 480)
    assert np.allclose(body.model.dof_armature - character.model.dof_armature, 0.1 * stiffness / 480)
    assert np.isclose(stiffness[character.dofs("left_shin")[0]], 500.0)


def test_the_command_lists_and_shows(tmp_path: Path, capsys):
    told = json.loads(done(capsys, "modes", "kangaroo", "--stance", "both", "--json"))
    assert told["symmetric"] and len(told["modes"]) == 71 and told["modes"][0]["moves"] == "tail bobs"
    page = tmp_path / "runner.html"
    text = done(capsys, "modes", "runner", "--html", page)
    assert "f2" in text and "arms swing against the legs" in text
    assert page.read_text().count('"title":"f') == 24 and "http" not in page.read_text().replace("http-equiv", "")
    assert main(["modes", "runner", "--html", str(page)]) == 2 and "exists already" in capsys.readouterr().err


BAD = {
    ("modes", "runer"): "Did you mean 'runner'",
    ("modes", "runner", "--rest", "shni=30"): "Did you mean 'shin'",
    ("modes", "runner", "--rest", "shin"): "PART=DEGREES",
    ("modes", "runner", "--rest", "shin=200"): "180 degrees",
    ("modes", "runner", "--stance", "middle"): "one of",
    ("modes", "runner", "--html", "modes.png"): ".html",
}


@pytest.mark.parametrize("words", BAD, ids=" ".join)
def test_bad_input_is_one_sentence(capsys, words: tuple[str, ...]):
    assert main(list(words)) == 2
    told = capsys.readouterr().err
    assert BAD[words] in told and told.count("\n") == 1


def test_a_mode_that_does_not_exist_and_a_joint_without_spring():
    character = load_character("runner")
    with pytest.raises(PoiseError, match="f1 to f30"):
        palette(character)["f31"]
    with pytest.raises(PoiseError, match="above 0 N m/rad"):
        stiffness_of(character, {"shin": 0.0})


def test_modes_of_a_sketch_are_those_of_its_rest_pose_and_springs(tmp_path, capsys):
    hopper = find_sketch("hopper").palette()
    file = tmp_path / "mine.toml"
    file.write_text((Path(sketch_module.__file__).parent / "sketches" / "hopper.toml").read_text())
    for name in ("hopper", str(file)):
        assert main(["modes", name, "--all", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["modes"]
        assert [m["frequency"] for m in told] == [round(m.frequency, 4) for m in (*hopper.flight, *hopper.ground)]
    assert main(["modes", "hopper", "--rest", "shin=40"]) == 2 and "its own rest pose" in capsys.readouterr().err
    assert main(["modes", "runner", "--json"]) == 0
    body = palette(poise.load_character("runner"))
    assert json.loads(capsys.readouterr().out)["modes"][0]["frequency"] == round(body.flight[0].frequency, 4)
