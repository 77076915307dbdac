"""Mirroring: an exact involution that exchanges sides, for every kind of joint, and for the recording behind a clip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conftest import mocap_folder
from edit_clips import penetration, skating, walk
from manikin import manikin, sway
from poise.character.character import Character, ContactPoints
from poise.character.roles import mirrored
from poise.errors import ClipMismatch
from poise.ground.slope import Slope
from poise.ground.stairs import Stairs
from poise.ground.treads import Tread, Treads
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.mirror import _renamed, mirror, mirror_q

FLIP = np.array([1.0, -1.0, 1.0])


@pytest.mark.parametrize("hinges", [True, False])
def test_every_body_is_where_its_counterpart_was_on_the_other_side(hinges: bool) -> None:
    clip = sway(manikin(hinges=hinges), size=0.4)
    out = mirror(clip)
    before, turn = clip.character.forward(clip.q)
    after, turned = out.character.forward(out.q)
    for role in clip.character.roles:
        a, b = clip.character.body(role), clip.character.body(mirrored(role))
        assert np.abs(after[:, b] - before[:, a] * FLIP).max() < 1e-9
        reflection = np.diag(FLIP)
        want = reflection @ rot.to_matrix(turn[:, a]) @ reflection
        assert np.abs(rot.to_matrix(turned[:, b]) - want).max() < 1e-9


def test_twice_is_the_same_motion() -> None:
    for clip in (sway(manikin(), size=0.5), walk(1, loop=True), edit.Turn(30.0).apply(walk(1, loop=True))):
        back = mirror(mirror(clip))
        assert np.abs(back.q - clip.q).max() < 1e-12
        assert np.array_equal(back.contacts.labels, clip.contacts.labels)
        if clip.cycle is not None:
            assert back.cycle is not None
            assert back.cycle.turn == clip.cycle.turn and np.array_equal(back.cycle.shift, clip.cycle.shift)


def test_contacts_and_ground_change_sides() -> None:
    clip = walk(2)
    out = mirror(clip)
    points = clip.character.contact_points
    assert np.array_equal(
        out.contacts.labels[:, points.of("left")].any(1), clip.contacts.labels[:, points.of("right")].any(1)
    )
    assert skating(out) < 1e-9 and penetration(out) < 1e-9
    hill = mirror(edit.Slope(7.0, heading=30.0).apply(clip))
    assert hill.ground == Slope(7.0, -30.0) and penetration(hill) < 1e-6
    assert mirror(replace(clip, ground=Stairs(heading=20.0))).ground == Stairs(heading=-20.0)
    box = mirror(replace(clip, ground=Treads((Tread(1.0, 2.0, 0.3, 0.3, 0.2, 15.0),)))).ground
    assert box == Treads((Tread(1.0, -2.0, 0.3, 0.3, 0.2, -15.0),))


def test_frames_that_are_not_along_the_axes_are_mirrored_too() -> None:
    lump = '<geom size="0.1" mass="1"/>'
    limb = '<body name="{s}_thigh" pos="0 {y} 0" quat="{q}"><joint name="{s}" type="{t}" {axis}/>' + lump + "</body>"
    rng = np.random.default_rng(2)
    for kind in ("ball", "hinge", "slide"):
        bodies = ""
        for s, y in (("left", 0.1), ("right", -0.1)):
            own = rng.normal(size=4)
            axis = rot.rotate(
                rot.conjugate(rot.normalise(own)), np.array([0.2, 1.0, 0.1]) * (FLIP if s == "right" else 1.0)
            )
            told = "" if kind == "ball" else f'axis="{axis[0]} {axis[1]} {axis[2]}"'
            bodies += limb.format(s=s, y=y, q=" ".join(map(str, own)), t=kind, axis=told)
        root = f'<body name="pelvis"><freejoint/>{lump}{bodies}</body>'
        xml = f"<mujoco><worldbody>{root}</worldbody></mujoco>"
        nv = 6 + 2 * (3 if kind == "ball" else 1)
        roles = {r: r for r in ("pelvis", "left_thigh", "right_thigh")}
        none = ContactPoints((), np.zeros(0, int), np.zeros((0, 3)))
        character = Character("odd", xml, roles, none, np.zeros(nv), np.zeros(nv))
        q = conf.integrate(character.layout, character.zero_pose(), 0.5 * rng.normal(size=(20, nv)))
        out = mirror_q(character, q)
        assert np.abs(rot.angle_between(mirror_q(character, out)[:, 3:7], q[:, 3:7])).max() < 1e-7
        zero = character.forward(character.zero_pose())[1][0]
        a, b = character.body("left_thigh"), character.body("right_thigh")
        before, after = character.forward(q), character.forward(out)
        moved = rot.multiply(before[1][:, a], rot.conjugate(zero[a]))
        want = rot.multiply(moved * np.array([1.0, -1.0, 1.0, -1.0]), zero[b])
        assert rot.angle_between(after[1][:, b], want).max() < 1e-6
        assert np.abs(after[0][:, b] - before[0][:, a] * FLIP).max() < 1e-9


def test_a_body_whose_sides_have_other_joints_is_refused() -> None:
    xml = """<mujoco><worldbody><body name="pelvis"><freejoint/><geom size="0.1" mass="1"/>
    <body name="left_thigh"><joint type="ball"/><geom size="0.1" mass="1"/></body>
    <body name="right_thigh"><joint axis="0 1 0"/><geom size="0.1" mass="1"/></body></body></worldbody></mujoco>"""
    none = ContactPoints((), np.zeros(0, int), np.zeros((0, 3)))
    odd = Character(
        "odd", xml, {r: r for r in ("pelvis", "left_thigh", "right_thigh")}, none, np.zeros(10), np.zeros(10)
    )
    with pytest.raises(ClipMismatch, match="left_thigh"):
        mirror(Clip(odd, odd.zero_pose()[None], 0.01))


def test_names_of_counterparts() -> None:
    for name, other in (("LeftHandIndex1", "RightHandIndex1"), ("mixamorig:LeftToeBase", "mixamorig:RightToeBase"),
                        ("thigh_l", "thigh_r"), ("LThigh", "RThigh"), ("lfemur", "rfemur"),
                        ("Bip01 L Hand", "Bip01 R Hand"), ("hand.L", "hand.R"), ("RIGHT_FOOT", "LEFT_FOOT"),
                        ("f_index.01.R", "f_index.01.L")):  # fmt: skip
        assert other in _renamed(name), name


@pytest.mark.parametrize("name", ["cmu/02_01.bvh", "deepmimic/humanoid3d_walk.txt"])
def test_the_recording_is_mirrored_with_the_clip(name: str) -> None:
    folder = mocap_folder()
    if folder is None:
        pytest.skip("no real recordings here: set POISE_MOCAP to a folder with cmu/ and deepmimic/")
    from poise.motion.load import load_clip

    clip = load_clip(folder / name)
    out = mirror(clip)
    assert out.recording is not None and clip.recording is not None and out.source_times is not None
    binding, placement = clip.character.binding, clip.placement
    assert binding is not None and placement is not None
    rotations, positions = out.recording.at(out.source_times)
    points, turns = out.recording.skeleton.forward(rotations, positions)
    bodies = binding.body_rotations(turns, placement)
    _, quat = out.character.forward(out.q)
    for role in ("pelvis", "chest", "head", "left_thigh", "right_shin", "left_foot", "right_upper_arm", "left_forearm"):
        b = clip.character.body(role)
        if clip.character.tree.kind[clip.character.tree.jntadr[b]] in (FREE, BALL):  # a hinge takes what it can
            assert rot.angle_between(bodies[:, b], quat[:, b]).max() < 1e-6, role
    root = placement.points(points[:, int(binding.joints[clip.character.body("pelvis")])])
    before, _ = clip.recording.skeleton.forward(*clip.recording.at(clip.source_times))
    was = placement.points(before[:, int(binding.joints[clip.character.body("pelvis")])])
    assert np.abs(root - was * FLIP).max() < 1e-9
    back = mirror(out)
    assert back.recording is not None
    assert np.abs(back.recording.rotations - clip.recording.rotations).max() < 1e-9
    assert np.abs(back.recording.positions - clip.recording.positions).max() < 1e-9


def test_the_edit_is_the_same_as_the_function() -> None:
    clip = walk(1)
    assert np.array_equal(edit.Mirror().apply(clip).q, clip.mirror().q)
