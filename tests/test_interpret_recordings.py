"""Real and made-up recordings become characters and clips with no option given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import recordings_variants as variants
from conftest import recordings
from poise.character import Character
from poise.character.skeleton import Skeleton
from poise.character.skeletons.from_skeleton import from_skeleton
from poise.errors import BadValue, NoRoles, UnknownName
from poise.maths import rotations as rot
from poise.maths.configuration import BALL
from poise.motion.clip import Clip
from poise.motion.formats import read
from poise.motion.load import load_clip
from poise.motion.reading.interpret import artificial_frames, clip_from_recording

WALKS_FORWARD = ["02_01", "12_01", "08_07", "09_01", "02_03", "127_04", "136_20", "91_19", "91_16", "120_08", "132_23",
                 "humanoid3d_walk", "humanoid3d_run", "humanoid3d_stealthy_walk"]  # fmt: skip
_loaded: dict[Path, Clip] = {}


def loaded(path: Path) -> Clip:
    if path not in _loaded:
        _loaded[path] = load_clip(path, level=False)
    return _loaded[path]


def file_error(clip: Clip) -> dict[str, float]:
    """Rms distance [m] of each body from the joint of the file that it follows."""
    assert clip.recording is not None and clip.placement is not None and clip.source_times is not None
    binding = clip.character.binding
    assert binding is not None
    frames = np.round(clip.source_times / clip.recording.dt).astype(int)
    points = clip.placement.points(clip.recording.forward()[0][frames])
    places, _ = clip.character.forward(clip.q)
    gap = {name: places[:, b] - points[:, binding.joints[b]] for b, name in enumerate(clip.character.body_names) if b}
    return {name: float(np.sqrt(np.mean(np.sum(g**2, axis=-1)))) for name, g in gap.items()}


@pytest.mark.parametrize("path", recordings(), ids=lambda p: p.stem)
def test_every_recording_becomes_a_person(path: Path):
    clip = loaded(path)
    body = clip.character
    cmu = path.suffix == ".bvh"
    assert clip.placement is not None and body.binding is not None
    assert clip.placement.unit == pytest.approx(0.0254 / 0.45 if cmu else 1.0)
    np.testing.assert_allclose(rot.rotate(clip.placement.turn, [0.0, 1.0, 0.0]), [0, 0, 1], atol=1e-9)  # Y is up
    assert 1.45 < body.height < 1.85
    assert 45 < body.mass < 90
    without_toes = any("toes do not bend" in note for note in clip.source.notes)
    assert len(body.roles) == (18 if cmu else 15) - 2 * without_toes
    assert len(clip) == len(clip.recording or ()) - (1 if cmu else 0)  # the T-pose in front of CMU files
    assert any("artificial" in note for note in clip.source.notes) == cmu
    for role, name in body.roles.items():  # names of CMU and DeepMimic tell their side
        joint = body.binding.skeleton.names[body.binding.joints[body.body(name)]]
        if role.startswith(("left", "right")):
            assert joint.lower().startswith(role.split("_")[0])
            assert body.body(joint) == body.body(role)
    assert np.all(np.abs(np.linalg.norm(clip.q[:, 3:7], axis=1) - 1) < 1e-9)
    for kind, at in zip(body.layout.kind, body.layout.qadr, strict=True):
        if kind == BALL:  # no quaternion changes its sign from frame to frame
            assert np.sum(clip.q[1:, at : at + 4] * clip.q[:-1, at : at + 4], axis=1).min() >= 0


@pytest.mark.parametrize("path", recordings(), ids=lambda p: p.stem)
def test_bodies_are_where_the_file_has_its_joints(path: Path):
    error = file_error(loaded(path))
    for name, gap in error.items():
        part = name.split("_", 1)[-1]
        if part in ("pelvis", "thigh", "shin", "foot"):
            assert gap < 1e-5, name  # the model is text of six digits
        elif part == "toes":
            assert gap < 0.08, name  # toes are hinged at the level of the sole, below the joint of the file
        elif part in ("chest", "upper_arm", "forearm", "hand"):
            assert gap < 8e-3, name  # one joint does the work of two in the spine


@pytest.mark.parametrize("path", recordings(), ids=lambda p: p.stem)
def test_orientations_are_those_of_the_file(path: Path):
    clip = loaded(path)
    assert clip.recording is not None and clip.placement is not None and clip.source_times is not None
    binding = clip.character.binding
    assert binding is not None
    frames = np.round(clip.source_times / clip.recording.dt).astype(int)
    wanted = binding.body_rotations(clip.recording.forward()[1][frames], clip.placement)
    _, turns = clip.character.forward(clip.q)
    for b, name in enumerate(clip.character.body_names):
        if b and not name.endswith("toes"):
            assert rot.angle_between(turns[:, b], wanted[:, b]).max() < 1e-6, name


@pytest.mark.parametrize(
    "path", [p for p in recordings() if p.stem.split("_f0")[0] in WALKS_FORWARD], ids=lambda p: p.stem
)
def test_people_walk_the_way_they_face(path: Path):
    clip = loaded(path)
    ahead = rot.rotate(clip.q[:, 3:7], [1.0, 0.0, 0.0])[:, :2]
    pace = np.gradient(clip.q[:, :2], clip.dt, axis=0)
    fast = np.linalg.norm(pace, axis=1) > 0.3
    cosine = (
        np.sum(ahead * pace, axis=1)[fast] / np.linalg.norm(ahead[fast], axis=1) / np.linalg.norm(pace[fast], axis=1)
    )
    assert np.median(cosine) > 0.8


@pytest.mark.parametrize("path", recordings()[::3], ids=lambda p: p.stem)
def test_the_zero_pose_stands_straight(path: Path):
    assert_stands(loaded(path).character)


def assert_stands(body: Character) -> None:
    """Legs and arms straight down, toes ahead, left on the left, in the zero pose."""
    places = dict(zip(body.body_names, body.forward(body.zero_pose())[0][0], strict=True))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for upper, lower in (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand")):
            bone = places[f"{side}_{lower}"] - places[f"{side}_{upper}"]
            np.testing.assert_allclose(bone / np.linalg.norm(bone), [0, 0, -1], atol=2e-3)
        assert sign * places[f"{side}_thigh"][1] > 0.04
        assert sign * places[f"{side}_upper_arm"][1] > 0.08
        if f"{side}_toes" in places:
            foot = places[f"{side}_toes"] - places[f"{side}_foot"]
            assert foot[0] > 0.06 and abs(foot[1]) < 1e-3 and -0.12 < foot[2] < 0.01
    assert places["head"][2] > places["chest"][2] > places["pelvis"][2] - 1e-9


def test_a_made_up_walker_stands_straight_and_alone():
    walker = variants.walker()
    clip = clip_from_recording(walker)
    assert_stands(clip.character)
    assert clip.character.height == pytest.approx(1.70, abs=0.05)
    assert len(clip) == len(walker) - 1
    assert_stands(Character.from_skeleton(walker.skeleton))  # the rest pose alone will do
    np.testing.assert_allclose(
        clip.q[-1, :2] - clip.q[0, :2], [1.9 * 4 * np.pi * 119 / 120 * 0.0254 / 0.45, 0], atol=0.02
    )


def test_a_pose_in_front_is_left_out_and_a_real_beginning_is_not():
    walker = variants.walker()
    assert artificial_frames(walker) == 1
    assert artificial_frames(walker.cut(1)) == 0
    smooth = variants.walker(posed=False)
    rest = np.tile(smooth.skeleton.rest, (60, 1, 1))
    share = np.linspace(0, 1, 60)[:, None] ** 2 * np.ones(len(smooth.skeleton))
    begins = replace(
        smooth,
        rotations=np.concatenate([rot.slerp(rest, smooth.rotations[:1], share), smooth.rotations]),
        positions=np.concatenate([np.repeat(smooth.positions[:1], 60, axis=0), smooth.positions]),
    )
    assert artificial_frames(begins) == 0
    held = replace(begins, rotations=np.concatenate([rest[:2], walker.rotations[1:]]),
                   positions=np.concatenate([walker.positions[:1], walker.positions]))  # fmt: skip
    assert artificial_frames(held) == 2
    clip = clip_from_recording(held)
    assert clip.recording is held and clip.source_times is not None
    assert clip.source_times[0] == pytest.approx(2 * held.dt)


def test_roles_can_be_given():
    walker = variants.walker()
    names = list(walker.skeleton.names)
    names[names.index("LeftUpLeg")] = "MyBone"
    odd = variants.with_names(walker, names)
    clip = clip_from_recording(odd, roles={"left_thigh": "MyBone"}, level=False)
    assert clip.character.body("MyBone") == clip.character.body("left_thigh")
    short = clip_from_recording(walker, roles={"left_toes": None, "right_toes": None}, level=False)
    assert "left_toes" not in short.character.roles
    with pytest.raises(UnknownName, match="left_thigh"):
        clip_from_recording(walker, roles={"left_thig": "LeftUpLeg"})
    with pytest.raises(UnknownName, match="LeftUpLeg"):
        clip_from_recording(walker, roles={"left_thigh": "LeftUppLeg"})


def test_options_make_other_bodies():
    walker = variants.walker()
    plain, full = (
        clip_from_recording(walker, level=False),
        clip_from_recording(walker, clavicles=True, neck=True, level=False),
    )
    assert {*full.character.roles} - {*plain.character.roles} == {"neck", "left_clavicle", "right_clavicle"}
    assert "left_toes" not in clip_from_recording(walker, toes=False, level=False).character.roles
    assert clip_from_recording(walker, weight=80.0, level=False).character.mass == pytest.approx(80.0)


def test_a_second_clip_of_the_same_actor_can_use_the_same_character():
    first, second = variants.walker(), variants.walker(frames=61)
    body = clip_from_recording(first, level=False).character
    clip = clip_from_recording(second, character=body, level=False)
    assert clip.character is body
    own = clip_from_recording(second, level=False)
    for role in body.roles:
        a, b = (c.character.forward(c.q)[1][:, c.character.body(role)] for c in (clip, own))
        assert np.degrees(rot.angle_between(a, b)).max() < 0.1


def chain(count: int) -> Skeleton:
    return Skeleton(tuple(f"j{k}" for k in range(count)), np.arange(count) - 1, np.tile([0.0, 1.0, 0.0], (count, 1)))


@pytest.mark.parametrize("count", [1, 2, 7])
def test_what_is_no_body_is_refused_with_its_joints_named(count: int):
    with pytest.raises(NoRoles) as error:
        from_skeleton(chain(count))
    assert "left_thigh" in str(error.value) and "j0" in str(error.value) and "roles=" in str(error.value)


def test_a_skeleton_without_lengths_is_refused():
    walker = variants.walker()
    flat = replace(walker, skeleton=replace(walker.skeleton, offsets=0 * walker.skeleton.offsets, ends=()),
                   positions=0 * walker.positions)  # fmt: skip
    with pytest.raises((NoRoles, BadValue)):
        clip_from_recording(flat)


def test_units_and_axes_are_checked():
    walker = variants.walker()
    for bad in ({"unit": "furlong"}, {"up": "w"}):
        with pytest.raises(UnknownName):
            clip_from_recording(walker, **bad)  # type: ignore[arg-type]
    with pytest.raises(BadValue):
        clip_from_recording(walker, unit=-1.0)


def test_a_body_of_no_known_unit_is_scaled_with_a_word():
    tiny = variants.scaled(variants.walker(), 1e-5)
    clip = clip_from_recording(tiny, level=False)
    assert 1.5 < clip.character.height < 1.9
    assert any("scaled" in note for note in clip.source.notes)


def test_one_frame_is_enough():
    clip = clip_from_recording(variants.walker().cut(30, 31), level=False)
    assert len(clip) == 1
    assert len(clip.character.roles) == 18


def test_the_given_frame_rate_wins(tmp_path: Path):
    from poise.motion.formats import bvh_write

    walker = variants.walker()
    path = tmp_path / "walker.bvh"
    bvh_write.write(path, walker.skeleton, walker.rotations, walker.positions, walker.dt)
    clip = load_clip(path, fps=30, level=False)
    assert clip.fps == pytest.approx(30)
    assert len(read(path)) == len(walker)
    assert any("30" in note for note in clip.source.notes)
    with pytest.raises(BadValue):
        load_clip(path, fps=0)
    with pytest.raises(UnknownName, match="Known"):
        load_clip("no-such-clip")
