"""Sketches led over to other bodies, and bodies of recordings made alike on both sides."""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import character_files
import poise
from poise.character.skeletons.from_skeleton import evened
from poise.cli.main import main
from poise.errors import PoiseError
from poise.methods.vibration.gait import find_gait, load_gait, shipped
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
    assert all(b == (a,) and alike > 1.0 - 1e-6 for a, (b, alike) in led.modes.items())
    assert (led.sketch.flight, led.sketch.ground) == (sketch.flight, sketch.ground) and not led.sketch.even
    assert np.allclose(led.sketch.simulator().stiffness, sketch.simulator().stiffness)
    assert led.sketch.strength == {}


def test_vibrations_of_a_recorded_body_are_found_by_what_they_move(lopsided: Path):
    """The body of a recording has balls for knees and elbows; the vibrations of the run are found on it."""
    led = on_body(find_sketch("runner"), lopsided)
    alike = {m: a for m, (_, a) in led.modes.items()}
    assert led.sketch.even and min(alike[m] for m in ("f2", "f6", "g2", "g8")) > 0.8 and min(alike.values()) > 0.6
    stand = [m for others, _ in led.modes.values() for m in others]
    assert len(set(stand)) == len(stand) == len(led.sketch.flight.names) + len(led.sketch.ground.names)


def test_what_is_asked_of_another_body_is_within_its_strength(lopsided: Path):
    """Twice the amplitudes on the same body come down to what the joints bear, and bounds and E5 can be kept."""
    sketch = find_sketch("runner")
    vigorous = replace(sketch, flight=replace(sketch.flight, priority={"f2": -90.0, "f6": -40.0, "f14": 300.0}))
    for given, body in ((vigorous, "runner"), (sketch, lopsided)):
        made = on_body(given, body).sketch
        space = Space(made, made.palette())
        x = np.zeros(space.dimension)
        assert not space.short_of_sketch(x) and min(space.dominance(x)) > 0.0
    assert on_body(vigorous, "runner").sketch.flight.priority["f14"] < 200.0


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


def test_the_public_verbs_take_names_files_and_values(lopsided: Path, monkeypatch):
    found = poise.modes(lopsided, even=True)
    assert found.symmetric and set(found.words) > {"f1", "g1"} and "modes in flight" in repr(found)
    assert not np.array_equal(
        poise.modes(poise.load_character("runner"), {"shin": 50}).rest, poise.modes("runner").rest
    )
    sketch = poise.load_sketch("runner", character=lopsided)
    assert sketch.character == str(lopsided) and "in flight" in repr(sketch)
    assert poise.load_gait("runner").missed == () and "nothing missed" in repr(poise.load_gait("runner"))
    asked: list = []
    monkeypatch.setattr("poise.methods.vibration.design.design", lambda *a, **more: asked.append((a, more)))
    poise.design("runner", character=lopsided, origin="runner", attempts=2, workers=1)
    poise.design(sketch, seed=3)
    assert asked[0][0][0].digest == asked[1][0][0].digest == sketch.digest
    assert asked[0][1]["origin"].sketch.name == "runner" and asked[1][1]["origin"] is None and asked[1][1]["seed"] == 3


@pytest.mark.parametrize(("kind", "ending"), [("urdf", "urdf"), ("mjcf", "xml")])
def test_bodies_of_model_files_get_a_sketch(kind: str, ending: str, tmp_path: Path):
    """Several joints in a limb, one after the other, and a root that is the chest."""
    file = tmp_path / f"figure.{ending}"
    file.write_text(getattr(character_files, kind)())
    led = on_body(replace(find_sketch("runner"), gait="one leg"), file)
    assert len(led.sketch.palette().flight) == led.sketch.body().model.nv - 6
    assert np.mean([alike for _, alike in led.modes.values()]) > 0.5


def test_what_cannot_be_made_alike_is_refused(lopsided: Path, tmp_path: Path, capsys, monkeypatch):
    clip = poise.load_clip(lopsided)
    clip.save(tmp_path / "clip.npz")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PoiseError, match="even is for recordings"):
        on_body(find_sketch("runner"), "clip.npz")
    with pytest.raises(PoiseError, match="even is for recordings"):
        read({**find_sketch("runner").plain(), "character": "clip.npz", "springs": {}, "even": True})
    with pytest.raises(PoiseError, match="even is for recordings"):
        poise.load_clip("clip.npz", even=True)
    with pytest.raises(PoiseError, match="only the body"):
        poise.modes(clip.character, even=True)
    with pytest.raises(PoiseError, match="attempts of a design"):
        poise.design("runner", attempts=0)
    for words in (["--preview", "p.html", "-o", "a.toml"], ["--sketch", "a.toml", "--printed"]):
        assert main(["design", "runner", *words]) == 2 and "without a search" in capsys.readouterr().err
    assert main(["modes", str(lopsided), "--even"]) == 0 and "antisymmetric" in capsys.readouterr().out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["clip.npz"]


def test_modes_of_a_gait_are_those_of_its_sketch(capsys):
    hopper = next(p for p in shipped() if p.stem == "hopper")
    told = []
    for name in ("hopper", str(hopper)):
        assert main(["modes", name]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert poise.modes("hopper")["f2"].frequency == poise.load_gait("hopper").sketch.palette()["f2"].frequency
