"""Rigs: an unedited clip comes back exactly, an edit moves only what it should, units and axes convert."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conftest import recordings
from export_samples import clip_of_character, clip_of_file
from poise.export.rig import rig_of
from poise.maths import rotations as rot


def positions(rig) -> np.ndarray:
    return rig.forward()[0] * rig.unit


def test_unedited_clip_comes_back_exactly():
    clip = clip_of_file()
    rig = rig_of(clip)
    points, turns = clip.recording.forward()
    assert np.abs(positions(rig) - points * rig.unit).max() < 1e-9
    assert rot.angle_between(rig.forward()[1], turns).max() < 1e-7
    assert (rig.unit, rig.up, rig.names) == (0.02, "y", clip.recording.skeleton.names)


def test_edited_body_turns_its_joint_and_nothing_above():
    clip = clip_of_file()
    arm = clip.character.body("left_upper_arm")
    adr = clip.character.tree.qadr[clip.character.tree.jntadr[arm]]
    q = clip.q.copy()
    q[:, adr : adr + 4] = rot.multiply(q[:, adr : adr + 4], rot.exp(np.array([0.0, 0.5, 0.0])))
    before, after = rig_of(clip), rig_of(clip.with_q(q))
    changed = rot.angle_between(before.rotations, after.rotations).max(axis=0) > 1e-9
    assert [n for n, c in zip(before.names, changed, strict=True) if c] == ["LArm"]
    hand = after.names.index("LHand")
    moved = np.linalg.norm(positions(after) - positions(before), axis=-1)
    assert moved[:, hand].min() > 0.05 and moved[:, after.names.index("RHand")].max() < 1e-9
    # the joint stands where the character's own arm stands, up to the clavicle that the character does not have
    _, quat = clip.character.forward(q)
    _, old = clip.character.forward(clip.q)
    spin = rot.angle_between(old[:, arm], quat[:, arm])
    joint = after.names.index("LArm")
    assert np.allclose(rot.angle_between(before.forward()[1][:, joint], after.forward()[1][:, joint]), spin, atol=1e-9)


def test_moved_root_moves_the_pelvis_under_an_unmoved_scene_root():
    clip = clip_of_file()
    q = clip.q.copy()
    q[:, :3] += (0.3, 0.1, 0.2)
    before, after = rig_of(clip), rig_of(clip.with_q(q))
    shift = positions(after) - positions(before)
    assert np.abs(shift[:, 0]).max() < 1e-12
    assert np.allclose(np.linalg.norm(shift[:, 1:], axis=-1), np.linalg.norm([0.3, 0.1, 0.2]), atol=1e-9)


def test_level_keeps_the_floor_of_the_world():
    clip = clip_of_file()
    rig = rig_of(clip, level=True)
    pos, _ = clip.character.forward(clip.q)
    world = clip.character.binding.placement.points(rig.forward()[0])
    for name, body in (("Hips", "pelvis"), ("LFoot", "left_foot"), ("RToe", "right_toes")):
        assert np.abs(world[:, rig.names.index(name)] - pos[:, clip.character.body(body)]).max() < 1e-9


def test_clip_longer_than_its_recording_wraps_or_holds():
    clip = clip_of_file(frames=31)
    longer = replace(clip, q=np.concatenate([clip.q, clip.q[1:]]), source_times=np.arange(61) / 60)
    held = rig_of(longer)
    finger = held.names.index("LIndex1")
    assert rot.angle_between(held.rotations[31:, finger], clip.recording.rotations[-1, finger]).max() < 1e-7
    wrapped = rig_of(replace(longer, recording=replace(clip.recording, wraps=True)))
    assert rot.angle_between(wrapped.rotations[31:60, finger], clip.recording.rotations[1:30, finger]).max() < 1e-6


def test_motion_from_elsewhere_goes_onto_a_file_skeleton():
    clip = replace(clip_of_file(), recording=None, source_times=None)
    rig = rig_of(clip)
    pos, _ = clip.character.forward(clip.q)
    world = clip.character.binding.placement.points(rig.forward()[0])
    assert np.abs(world[:, rig.names.index("RToe")] - pos[:, clip.character.body("right_toes")]).max() < 1e-9
    assert np.ptp(rig.rotations[:, rig.names.index("LIndex1")], axis=0).max() == 0


def test_character_without_file_has_one_joint_a_body():
    clip = clip_of_character()
    rig = rig_of(clip)
    pos, _ = clip.character.forward(clip.q)
    assert rig.names == clip.character.body_names[1:] and (rig.unit, rig.up) == (0.01, "y")
    out = positions(rig)
    assert np.abs(out[..., [2, 0, 1]] - pos[:, 1:]).max() < 1e-9  # file Z is X, file X is Y, file Y is Z
    assert np.allclose(rig.skeleton.rest, rot.IDENTITY) and list(np.flatnonzero(rig.moving())) == [0]
    leaves = {"head", *(f"{s}_{p}" for s in ("left", "right") for p in ("hand", "toes"))}
    assert {rig.names[e.joint] for e in rig.skeleton.ends} == leaves


@pytest.mark.parametrize("up", ["x", "y", "z", "-y"])
def test_conversion_of_units_and_axes_is_rigid(up: str):
    rig = rig_of(clip_of_file())
    other = rig.converted(unit=0.5, up=up)
    a, b = positions(rig), positions(other)
    apart = lambda x: np.linalg.norm(x[:, :, None] - x[:, None], axis=-1)  # noqa: E731
    assert np.abs(apart(a) - apart(b)).max() < 1e-9
    axis, sign = "xyz".index(up[-1]), -1.0 if up[0] == "-" else 1.0
    assert np.abs(a[..., 1] - sign * b[..., axis]).max() < 1e-9
    back = other.converted(rig.unit, rig.up)
    assert np.abs(positions(back) - a).max() < 1e-9 or up == "-y"


def test_straightened_keeps_positions_and_has_no_rest_turns():
    rig = rig_of(clip_of_file())
    flat = rig.straightened()
    assert np.abs(positions(rig) - positions(flat)).max() < 1e-9
    assert np.allclose(flat.skeleton.rest, rot.IDENTITY)
    assert np.abs(rig.skeleton.rest_pose()[0] - flat.skeleton.rest_pose()[0]).max() < 1e-9


@pytest.mark.parametrize("path", recordings(), ids=lambda p: p.stem)
def test_real_recording_comes_back_exactly(path):
    load_clip = pytest.importorskip("poise.motion.load").load_clip
    clip = load_clip(path)
    rig = rig_of(clip)
    recorded, moved = clip.recording.at(clip.source_times)
    points, _ = clip.recording.skeleton.forward(recorded, moved)
    assert rig.names == clip.recording.skeleton.names
    assert np.abs(positions(rig) - points * rig.unit).max() < 1e-6
