"""Two-bone limbs in closed form, and orientations turned into joint coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from manikin import manikin, sway
from poise.character.character import Character, ContactPoints
from poise.maths import rotations as rot
from poise.motion.ik.limb import limb, reach, set_turn


@pytest.mark.parametrize("hinges", [True, False])
@pytest.mark.parametrize("end", ["left_foot", "right_hand"])
def test_the_end_is_where_it_shall_be(hinges: bool, end: str) -> None:
    character = manikin(hinges=hinges)
    clip = sway(character, size=0.3)
    chain = limb(character, end)
    assert chain is not None
    pos, quat = character.forward(clip.q)
    root, tip = pos[:, chain.upper], pos[:, chain.end]
    goal = root + 0.8 * (tip - root) + np.array([0.03, 0.02, 0.01])
    turn = rot.multiply(rot.about_z(0.3), quat[:, chain.end])
    q = reach(character, clip.q, chain, goal, turn)
    after, turned = character.forward(q)
    assert np.abs(after[:, chain.end] - goal).max() < 1e-9
    assert rot.angle_between(turned[:, chain.end], turn).max() < 1e-7
    untouched = [b for b in range(character.model.nbody) if b not in (chain.upper, chain.middle, chain.end)]
    below = [b for b in untouched if "toes" not in character.body_names[b]]
    assert np.abs(after[:, below] - pos[:, below]).max() < 1e-12


def test_a_limb_that_is_there_already_does_not_move() -> None:
    for hinges in (True, False):
        character = manikin(hinges=hinges)
        clip = sway(character, size=0.3)
        for end in ("left_foot", "right_foot", "left_hand"):
            chain = limb(character, end)
            assert chain is not None
            pos, quat = character.forward(clip.q)
            q = reach(character, clip.q, chain, pos[:, chain.end], quat[:, chain.end])
            after, _ = character.forward(q)
            assert np.abs(after - pos).max() < 1e-7


def test_the_wrist_is_kept_when_a_point_of_the_hand_is_reached() -> None:
    character = manikin(hinges=True)
    clip = sway(character, size=0.2)
    chain = limb(character, "left_hand")
    assert chain is not None
    local = np.array([0.0, 0.0, -0.1])
    pos, quat = character.forward(clip.q)
    point = pos[:, chain.end] + rot.rotate(quat[:, chain.end], local)
    goal = pos[:, chain.upper] + 0.85 * (point - pos[:, chain.upper])
    q = reach(character, clip.q, chain, goal, local=local)
    after, turned = character.forward(q)
    assert np.abs(after[:, chain.end] + rot.rotate(turned[:, chain.end], local) - goal).max() < 1e-9
    a = int(character.tree.qadr[character.tree.jntadr[chain.end]])
    assert np.array_equal(q[:, a : a + 4], clip.q[:, a : a + 4])


def test_knees_bend_forward_from_straight_and_from_overstretched() -> None:
    character = manikin(hinges=False)
    chain = limb(character, "left_foot")
    assert chain is not None
    q = np.tile(character.standing_pose(), (5, 1))
    knee = int(character.tree.qadr[character.tree.jntadr[chain.middle]])
    angles = np.radians([-6.0, -3.0, 0.0, 1.0, 5.0])  # backward to forward
    q[:, knee : knee + 4] = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), angles)
    pos, quat = character.forward(q)
    goal = pos[:, chain.end] + np.array([0.0, 0.0, 0.1])
    bent = reach(character, q, chain, goal, quat[:, chain.end])
    about_y = rot.log(bent[:, knee : knee + 4])
    assert np.all(about_y[:, 1] > 0.5)
    assert np.ptp(about_y[:, 1]) < 0.2  # and all about as much: nothing flips where the straight leg is crossed


def test_a_goal_out_of_reach_is_approached() -> None:
    character = manikin(hinges=True)
    chain = limb(character, "right_foot")
    assert chain is not None
    q = character.standing_pose()[None]
    pos, quat = character.forward(q)
    way = np.array([1.0, 0.0, -1.0]) / np.sqrt(2)
    after, _ = character.forward(reach(character, q, chain, pos[:, chain.upper] + 5.0 * way, quat[:, chain.end]))
    arm = after[0, chain.end] - after[0, chain.upper]
    assert arm @ way / np.linalg.norm(arm) == pytest.approx(1.0, abs=1e-6)


def test_three_hinges_take_any_orientation_and_one_the_nearest() -> None:
    xml = """<mujoco><worldbody><body name="pelvis"><freejoint/><geom size="0.1" mass="1"/>
    <body name="three" quat="0.9 0.1 0.3 0.2"><joint name="a" axis="0 0 1"/><joint name="b" axis="1 0 0"/>
    <joint name="c" axis="0 1 0"/><geom size="0.1" mass="1"/></body>
    <body name="one"><joint name="d" axis="0 1 0" ref="0.2"/><geom size="0.1" mass="1"/></body>
    </body></worldbody></mujoco>"""
    none = ContactPoints((), np.zeros(0, int), np.zeros((0, 3)))
    character = Character("links", xml, {}, none, np.zeros(10), np.zeros(10))
    rng = np.random.default_rng(1)
    q = np.tile(character.zero_pose(), (40, 1))
    three, one = character.body("three"), character.body("one")
    turn = rot.multiply(character.tree.quat[three], rot.exp(0.6 * rng.normal(size=(40, 3)).clip(-1, 1)))
    set_turn(character, q, three, turn)
    assert rot.angle_between(character.forward(q)[1][:, three], turn).max() < 1e-8
    set_turn(character, q, one, rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.linspace(-2, 2, 40)))
    assert np.allclose(rot.log(character.forward(q)[1][:, one])[:, 1], np.linspace(-2, 2, 40), atol=1e-9)
