"""Edits of single joints and points: offsets and pins; settled feet; how much a posture changes."""

from __future__ import annotations

import numpy as np
import pytest

from edit_clips import penetration, seam, skating, walk
from manikin import manikin, sway
from poise.errors import BadValue, NoSolution, UnknownBody
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.motion import edit
from poise.motion.resample import resample


@pytest.mark.parametrize("frame", ["parent", "own", "world"])
def test_offset_turns_a_joint_by_what_is_asked(frame: str) -> None:
    clip = walk(1)
    vector = np.array([10.0, -20.0, 30.0])
    out = edit.Offset("chest", tuple(vector), frame=frame).apply(clip)
    _, before = clip.character.forward(clip.q)
    _, after = out.character.forward(out.q)
    body, above = clip.character.body("chest"), clip.character.tree.parent[clip.character.body("chest")]
    turn = rot.exp(np.radians(vector))
    own = rot.multiply(rot.conjugate(before[:, above]), before[:, body])
    want = {
        "own": rot.multiply(before[:, body], turn),
        "world": rot.multiply(turn, before[:, body]),
        "parent": rot.multiply(before[:, above], rot.multiply(turn, own)),
    }
    assert rot.angle_between(after[:, body], want[frame]).max() < 1e-7
    legs = [clip.character.body(f"left_{p}") for p in ("thigh", "shin", "foot")]
    assert np.array_equal(after[:, legs], before[:, legs])


def test_offset_fades_in_and_out() -> None:
    clip = walk(3)
    out = edit.Offset("head", (0.0, 30.0, 0.0), start=1.0, end=1.5, fade=0.4).apply(clip)
    assert np.array_equal(out.q[: round(0.6 * 120)], clip.q[: round(0.6 * 120)])
    assert np.array_equal(out.q[round(1.91 * 120) :], clip.q[round(1.91 * 120) :])
    extra = np.abs(out.acceleration - clip.acceleration).max()
    assert extra < np.radians(30.0) * 6.5 / 0.4**2  # no more than the fade itself asks for


def test_offset_of_a_hinge_takes_the_part_about_its_axis() -> None:
    clip = walk(1, character=manikin(hinges=True))
    out = edit.Offset("left_forearm", (50.0, -25.0, 0.0)).apply(clip)
    a = int(clip.character.tree.qadr[clip.character.tree.jntadr[clip.character.body("left_forearm")]])
    assert np.degrees(out.q[:, a] - clip.q[:, a]) == pytest.approx(-25.0, abs=6.0)


def test_offset_on_a_loop_keeps_it_closed() -> None:
    out = edit.Offset("head", (0.0, 0.0, 40.0), start=0.9, end=1.0, fade=0.3).apply(walk(1, loop=True))
    here, rate = seam(out)
    assert here < 1e-12 and rate < 1.0


def test_a_hand_is_held_at_a_place() -> None:
    clip = walk(2)
    hand = clip.character.body("left_hand")
    pos, _ = clip.character.forward(clip.q)
    place = pos[130, hand] + np.array([0.15, 0.05, 0.2])
    local = (0.0, 0.0, -0.08)
    out = edit.Pin("left_hand", tuple(place), local=local, start=1.0, end=1.2, fade=0.3).apply(clip)
    after, quat = out.character.forward(out.q)
    point = after[:, hand] + rot.rotate(quat[:, hand], np.array(local))
    held = (clip.times >= 1.0) & (clip.times <= 1.2)
    assert np.abs(point[held] - place).max() < 1e-4
    assert np.array_equal(out.q[clip.times < 0.69], clip.q[clip.times < 0.69])
    assert np.abs(out.velocity).max() < np.abs(clip.velocity).max() + 15.0
    others = [clip.character.body(b) for b in ("head", "right_hand", "left_foot")]
    assert np.abs(after[:, others] - pos[:, others]).max() < 1e-9


def test_the_whole_body_helps_where_an_arm_is_too_short() -> None:
    clip = walk(2)
    still = clip.with_q(np.tile(clip.q[40], (120, 1)), labels=np.tile(clip.contacts.labels[40], (120, 1)))
    pos, _ = still.character.forward(still.q)
    shoulder, hand = (pos[0, still.character.body(b)] for b in ("left_upper_arm", "left_hand"))
    place = shoulder + np.array([1.15 * np.linalg.norm(hand - shoulder), 0.0, 0.0])
    out = edit.Pin("left_hand", tuple(place), start=0.4, end=0.6, fade=0.3).apply(still)
    after, _ = out.character.forward(out.q)
    assert np.abs(after[60, still.character.body("left_hand")] - place).max() < 0.02
    assert skating(out) < 0.02
    with pytest.raises(NoSolution):
        edit.Pin("left_hand", tuple(place + np.array([3.0, 0.0, 0.0])), start=0.4, end=0.6).apply(still)


def test_a_foot_keeps_its_orientation_when_it_is_pinned() -> None:
    clip = walk(2)
    out = edit.Pin("right_foot", offset=(0.0, -0.05, 0.06), start=0.8, end=1.2).apply(clip)
    foot = clip.character.body("right_foot")
    (before, turn), (after, turned) = clip.character.forward(clip.q), out.character.forward(out.q)
    held = (clip.times >= 0.8) & (clip.times <= 1.2)
    assert np.abs(after[held, foot] - before[held, foot] - np.array([0.0, -0.05, 0.06])).max() < 1e-6
    assert rot.angle_between(turn[:, foot], turned[:, foot]).max() < 1e-6


def test_bad_offsets_and_pins_are_refused() -> None:
    clip = walk(1)
    for make in (lambda: edit.Pin("head"), lambda: edit.Pin("head", (0, 0, 0), (0, 0, 0)),
                 lambda: edit.Pin("head", (0, np.inf, 0)),
                 lambda: edit.Offset("head", (0, 0, np.nan)), lambda: edit.Offset("head", (0, 0, 1), frame="up"),
                 lambda: edit.Pin("head", (0, 0, 1), start=9.0, end=10.0).apply(clip)):  # fmt: skip
        with pytest.raises(BadValue):
            make()
    for change in (edit.Offset("tail", (0, 0, 1)), edit.Pin("left_wing", (0, 0, 0))):
        with pytest.raises(UnknownBody, match="left_hand"):
            change.apply(clip)


def test_settled_feet_neither_slide_nor_sink() -> None:
    clip = walk(2)
    rng = np.random.default_rng(0)
    shake = np.zeros((len(clip), clip.character.model.nv))
    for k in range(1, 9):
        shake += (
            0.01
            / k
            * rng.normal(size=shake.shape[1])
            * np.sin(2 * np.pi * k * clip.times / 2.0 + rng.uniform(0, 6))[:, None]
        )
    rough = clip.with_q(conf.integrate(clip.character.layout, clip.q, shake))
    out = edit.Settle().apply(rough)
    assert skating(rough) > 0.03 and skating(out) < 0.01
    assert penetration(rough) > 0.005 and penetration(out) < 0.003
    assert rough.posture_change(out) < 4.0
    assert edit.Settle().apply(out) is out and edit.Settle().apply(clip) is clip


def test_posture_change_is_the_rms_angle_of_the_joints() -> None:
    clip = walk(1, character=manikin(hinges=False))
    joints = clip.character.model.njnt - 1
    turned = edit.Offset("head", (0.0, 30.0, 0.0)).apply(clip)
    assert clip.posture_change(turned) == pytest.approx(30.0 / np.sqrt(joints), rel=1e-6)
    assert clip.posture_change(edit.Move((3.0, 1.0)).apply(clip)) == pytest.approx(0.0, abs=1e-5)
    assert clip.posture_change(edit.Turn(90.0, around=True).apply(clip)) == pytest.approx(0.0, abs=1e-5)
    assert clip.posture_change(resample(clip, 60.0)) < 0.02
    other = sway(manikin(1.2))
    assert clip.posture_change(other) > 1.0
