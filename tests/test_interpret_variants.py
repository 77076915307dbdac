"""The same motion in other names, axes, units, frames and with other joints around it gives the same clip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import recordings_variants as variants
from conftest import mocap_folder
from poise.character.skeletons.find_roles import find_roles
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.formats import read
from poise.motion.reading.interpret import clip_from_recording
from poise.motion.recording import Recording

Z_UP = rot.from_axis_angle(np.array([1.0, 0.0, 0.0]), 0.5 * np.pi)
SAMPLES = ["walker", "02_01", "09_01", "90_02_f0240-0600", "43_02_f0000-0660", "26_10_f0060-0520"]
_made: dict[str, tuple[Recording, Clip]] = {}


def sample(name: str) -> tuple[Recording, Clip]:
    """A recording and its clip; real ones skip where they are not there."""
    if name not in _made:
        folder = mocap_folder()
        if name != "walker" and folder is None:
            pytest.skip("no real recordings here: set POISE_MOCAP to a folder with cmu/ and deepmimic/")
        recording = variants.walker() if folder is None or name == "walker" else read(folder / "cmu" / f"{name}.bvh")
        _made[name] = recording, clip_from_recording(recording, level=False)
    return _made[name]


def joint_map(clip: Clip) -> dict[str, int]:
    binding = clip.character.binding
    assert binding is not None
    return {role: int(binding.joints[clip.character.body(role)]) for role in clip.character.roles}


def assert_same(clip: Clip, other: Clip, degrees: float = 1.0, but: tuple[str, ...] = ()) -> None:
    """Same bodies, same height within 1 %, same orientations of all bodies and the same way of the root."""
    a, b = clip.character, other.character
    assert set(a.roles) == set(b.roles)
    assert b.height == pytest.approx(a.height, rel=0.01)
    assert b.mass == pytest.approx(a.mass, rel=0.02)
    assert len(clip) == len(other)
    places, turns = a.forward(clip.q)
    new_places, new_turns = b.forward(other.q)
    for role in set(a.roles) - set(but):
        apart = np.degrees(rot.angle_between(turns[:, a.body(role)], new_turns[:, b.body(role)]))
        assert apart.max() < degrees, role
    walked, new_walked = (p[:, 1] - p[0, 1] for p in (places, new_places))
    np.testing.assert_allclose(new_walked, walked, atol=2e-3)


@pytest.mark.parametrize("scheme", variants.SIDED)
def test_other_names(scheme: str):
    recording, clip = sample("walker")
    other = clip_from_recording(variants.renamed(recording, scheme), level=False)
    assert joint_map(other) == joint_map(clip)
    assert_same(clip, other, 1e-6)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_names_at_all(name: str):
    recording, clip = sample(name)
    for changed in (variants.nameless(recording), variants.nameless(variants.with_fingers(recording))):
        other = clip_from_recording(changed, level=False)
        assert joint_map(other) == joint_map(clip)
        assert_same(clip, other)
        assert any("by shape" in note for note in other.source.notes)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("unit", "metres"), [("cm", 0.01), ("m", 1.0), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048)])
def test_other_units(name: str, unit: str, metres: float):
    recording, clip = sample(name)
    own = clip.placement.unit if clip.placement else 1.0
    changed = variants.scaled(recording, own / metres)
    assert_same(clip, clip_from_recording(changed, level=False))
    assert_same(clip, clip_from_recording(changed, unit=unit, up="y", level=False))


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("quarters", [0, 1, 3])
def test_z_up(name: str, quarters: int):
    recording, clip = sample(name)
    turn = rot.multiply(rot.about_z(quarters * 0.5 * np.pi), Z_UP)
    assert_same(clip, clip_from_recording(variants.turned(recording, turn), level=False))


@pytest.mark.parametrize("name", [s for s in SAMPLES if not s.startswith("43")])  # feet on the ground
def test_z_up_by_turning_the_root_alone(name: str):
    recording, clip = sample(name)
    assert_same(clip, clip_from_recording(variants.root_turned(recording, Z_UP), level=False))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_scene_root_above_the_hips(name: str):
    recording, clip = sample(name)
    for title in ("joint_Root", "Armature", "Reference"):
        assert_same(clip, clip_from_recording(variants.with_scene_root(recording, title), level=False))


@pytest.mark.parametrize("name", SAMPLES)
def test_fingers_twists_eyes_and_handles_are_left_out(name: str):
    recording, clip = sample(name)
    other = clip_from_recording(variants.with_fingers(recording), level=False)
    assert joint_map(other) == joint_map(clip)
    assert_same(clip, other)


@pytest.mark.parametrize("name", SAMPLES)
def test_position_channels_on_every_joint(name: str):
    recording, clip = sample(name)
    assert_same(clip, clip_from_recording(variants.with_position_channels(recording), level=False))
    assert_same(clip, clip_from_recording(variants.with_position_channels(recording, noise=0.002), level=False))


@pytest.mark.parametrize("name", SAMPLES)
def test_joint_frames_of_any_kind_with_a_rest_pose(name: str):
    recording, clip = sample(name)
    assert_same(clip, clip_from_recording(variants.reframed(recording, rest=True), level=False), 1e-3)


@pytest.mark.parametrize("name", SAMPLES)
def test_joint_frames_of_any_kind_with_a_t_pose_in_front(name: str):
    """The rest pose is nonsense, the first frame tells it (to its own accuracy: CMU bends the neck there by 16°)."""
    recording, clip = sample(name)
    other = clip_from_recording(variants.reframed(recording), level=False)
    assert_same(clip, other, 1.5, but=("head",))


@pytest.mark.parametrize("name", ["walker", "02_01", "16_17_f0000-0460", "09_01"])
def test_joint_frames_of_any_kind_with_the_motion_alone(name: str):
    """Bones keep their directions; what only a pose could tell (how far the trunk leans) comes out roughly."""
    recording, _ = sample(name)
    moving = recording.cut(1)
    clip = clip_from_recording(moving, level=False)
    other = clip_from_recording(variants.nameless(variants.reframed(moving)), level=False)
    a, b = clip.character, other.character
    assert b.height == pytest.approx(a.height, rel=0.03)
    (places, turns), (new_places, new_turns) = a.forward(clip.q), b.forward(other.q)
    for side in ("left", "right"):
        for upper, lower in (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand")):
            one, two = (p[:, c.body(f"{side}_{lower}")] - p[:, c.body(f"{side}_{upper}")]
                        for p, c in ((places, a), (new_places, b)))  # fmt: skip
            cosine = np.sum(one * two, axis=-1) / np.linalg.norm(one, axis=-1) / np.linalg.norm(two, axis=-1)
            assert cosine.min() > np.cos(np.radians(0.5)), (side, upper)
    for role, limit in {"pelvis": 12, "chest": 12, "left_thigh": 12, "right_shin": 12, "left_foot": 15}.items():
        apart = np.degrees(rot.angle_between(turns[:, a.body(role)], new_turns[:, b.body(role)]))
        assert apart.max() < limit, role


@pytest.mark.parametrize("name", ["walker", "02_01", "90_02_f0240-0600"])
def test_exchanged_side_names_are_noticed(name: str):
    recording, clip = sample(name)
    swap = {"Left": "Right", "Right": "Left", "LHip": "RHip", "RHip": "LHip", "LThumb": "RThumb", "RThumb": "LThumb"}
    names = []
    for joint in recording.skeleton.names:
        start = next((s for s in swap if joint.startswith(s)), None)
        names.append(joint if start is None else swap[start] + joint[len(start) :])
    other = clip_from_recording(variants.with_names(recording, names), level=False)
    assert joint_map(other) == joint_map(clip)
    assert any("exchanged" in note for note in other.source.notes)


def test_a_mirrored_motion_gives_the_mirrored_roles_by_shape():
    recording, _ = sample("walker")
    flip = np.array([-1.0, 1.0, 1.0])
    places, _ = recording.forward()
    skeleton = variants.nameless(recording).skeleton
    roles, _ = find_roles(skeleton, places, recording.rotations)
    mirrored, _ = find_roles(skeleton, places * flip, recording.rotations)
    for role, joint in roles.items():
        other = role.replace("left", "?").replace("right", "left").replace("?", "right")
        assert mirrored[other] == joint


@pytest.mark.parametrize(("axis", "height"), [("x", 2.5), ("z", 4.5)])
@pytest.mark.parametrize("travel", [0.0, 1.0])
def test_a_body_that_lies_or_crawls_does_not_change_the_up_axis(axis: str, height: float, travel: float):
    """On its back or on its side, on a floor at zero, little limb motion, over the whole recording."""
    recording, _ = sample("walker")
    moving = recording.cut(1)
    calm = replace(
        moving, rotations=rot.slerp(moving.rotations[:1], moving.rotations, np.full(moving.rotations.shape[:2], 0.1))
    )
    lying = variants.root_turned(calm, rot.from_axis_angle(np.eye(3)["xyz".index(axis)], -0.5 * np.pi))
    positions = lying.positions.copy()
    positions[:, 0] = [2.0, height, 0.0]
    positions[:, 0, 2] += travel * np.arange(len(lying)) * lying.dt * 10.0
    other = clip_from_recording(replace(lying, positions=positions), level=False)
    assert other.placement is not None
    np.testing.assert_allclose(rot.rotate(other.placement.turn, [0.0, 1.0, 0.0]), [0, 0, 1], atol=1e-9)
