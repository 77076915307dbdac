"""The built-in actions: physical by the audit, without seams, limbs apart, and doing what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.character.load import load_character
from poise.errors import BadValue, NoSolution
from poise.experiments.library.table import measure, seam
from poise.judge.overlap import overlap
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.ik import limb
from poise.motion.load import load_clip
from poise.physical import library
from poise.physical.library import acting, swing
from poise.physical.library.finish import must_be_physical as must_be_physical_clip
from poise.physical.library.hanging import bar_height
from poise.physical.library.stand import narrowest

ACTIONS = ("squat", "jump", "hop", "punch", "wave", "kick", "lift", "swing", "chin-up")
LOOPS = ("squat", "hop", "swing", "chin-up")
FLYING = ("jump", "hop")
HUMAN = load_character("human42")


def made(name: str, body: str = "human42", **parameters: float) -> Clip:
    return library.make(name, HUMAN if body == "human42" else load_character(body), **parameters)


def centre(clip: Clip) -> np.ndarray:
    return clip.character.centre_of_mass(clip.q)


def part(clip: Clip, role: str) -> np.ndarray:
    return clip.character.forward(clip.q)[0][:, clip.character.body(role)]


def must_be_physical(clip: Clip) -> None:
    row, flies = measure(clip), clip.name in FLYING
    assert row.force < 2.0 and row.worst < 15.0 and row.torque < 1.0
    assert row.fine < (12.0 if flies else 5.0)
    assert row.skating < 0.01 and row.depth < 0.002 and row.flight < 0.1
    assert row.peak < (4.0 if flies else 2.0)
    assert np.degrees(row.limit) < 3.0
    assert row.overlap < 0.005


@pytest.mark.parametrize("name", ACTIONS)
def test_actions_are_physical(name: str):
    clip = made(name)
    assert clip.name == name and clip.labels is not None
    must_be_physical(clip)
    assert (clip.cycle is not None) == (name in LOOPS)
    if clip.cycle is not None:
        np.testing.assert_allclose(clip.q[-1], clip.cycle.carry(clip.q[0], 1), atol=1e-9)
    else:  # begins and ends at rest
        assert np.abs(clip.velocity[[1, -2]]).max() < 0.3


@pytest.mark.parametrize(("name", "body"), [("squat", "human57"), ("hop", "runner"), ("lift", "human45")])
def test_actions_on_other_bodies(name: str, body: str):
    must_be_physical(made(name, body))


@pytest.mark.parametrize("name", ["punch", "swing"])
def test_actions_on_a_recorded_body(mocap: Path, name: str):
    must_be_physical(library.make(name, load_clip(next(iter(mocap.rglob("02_01*.bvh")))).character))


@pytest.mark.slow
@pytest.mark.parametrize("body", ["human42", "human45", "human57", "runner"])
@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_on_every_body(name: str, body: str):
    must_be_physical(made(name, body))


def test_a_squat_goes_as_deep_as_it_should():
    for depth in (60.0, 105.0):
        clip = made("squat", depth=depth)
        knee = np.degrees(clip.q[:, clip.character.model.joint("left_shin_y").qposadr[0]])
        assert knee.max() == pytest.approx(depth, abs=8.0)
        assert knee[0] < 25.0


def test_a_jump_goes_as_far_and_as_high_as_it_should():
    clip = made("jump")
    feet, com, air = part(clip, "left_foot"), centre(clip), clip.contacts.airborne()
    assert feet[-1, 0] - feet[0, 0] == pytest.approx(0.6, abs=0.02)
    first = int(np.argmax(air))
    assert com[air, 2].max() - com[first, 2] == pytest.approx(0.15, abs=0.03)
    assert 0.25 < air.sum() * clip.dt < 0.6


def test_a_jump_is_wound_up_and_thrown_by_knees_and_arms():
    clip = made("jump")
    knee = np.degrees(clip.q[:, clip.character.model.joint("left_shin_y").qposadr[0]])
    hand, shoulder = part(clip, "left_hand"), part(clip, "left_upper_arm")
    air = clip.contacts.airborne()
    off = int(np.argmax(air))
    low = int(np.argmin(centre(clip)[:off, 2]))
    assert knee[low] > 55.0 and knee[off] < 25.0  # a crouch, then stretched legs
    assert np.min((hand - shoulder)[:low, 0]) < -0.3  # hands far behind
    assert hand[off, 2] > shoulder[off, 2] - 0.15 and hand[air, 2].max() > shoulder[air, 2].max() + 0.1  # then above
    ball = clip.contacts.labels[:, list(clip.character.contact_points.names).index("left_heel_inner")]
    assert not ball[off - 3] and clip.contacts.labels[off - 3].any()  # the heel leaves first


def test_a_stand_sways_by_millimetres_and_is_no_narrower_than_its_feet():
    clip = made("stand")
    sway = np.ptp(centre(clip), axis=0)
    assert 0.003 < sway[0] < 0.01 and 0.001 < sway[1] < sway[0] and measure(clip).worst < 0.1
    least = narrowest(HUMAN)
    assert overlap(made("stand", width=least + 0.005)).depth < 0.005
    with pytest.raises(BadValue, match="wide"):
        made("stand", width=least - 0.02)


@pytest.mark.parametrize("name", LOOPS)
def test_loops_close_in_place_speed_and_acceleration(name: str):
    assert seam(made(name)) < 1.05


def test_what_the_optimisation_cannot_make_physical_is_not_given():
    clip = made("wave")
    assert must_be_physical_clip(clip) is clip
    q = np.array(clip.q)
    q[:, 0] += 0.2 * np.sin(8.0 * clip.times)
    with pytest.raises(NoSolution, match="No wave with these parameters"):
        must_be_physical_clip(clip.with_q(q))


def test_a_hop_is_a_bounce():
    clip = made("hop", height=0.05)
    air, com = clip.contacts.airborne(), centre(clip)
    assert air.mean() * clip.duration == pytest.approx(2 * np.sqrt(2 * 0.05 / 9.81), abs=0.03)
    assert np.abs(com[-1] - com[0]).max() < 1e-9
    one = made("hop", feet=1)
    assert not one.contacts.touching("right").any() and one.contacts.touching("left").any()
    assert measure(one).force < 2.0


def test_a_punch_is_fast_straight_and_led_by_the_pelvis():
    clip = made("punch")
    fist, pelvis = part(clip, "right_hand"), clip.character.forward(clip.q)[1][:, 1]
    speed = np.linalg.norm(np.diff(fist, axis=0), axis=1) / clip.dt
    fastest = int(np.argmax(speed))
    assert 4.0 < speed[fastest] < 9.0
    turning = np.diff(np.unwrap(rot.heading(pelvis)))
    assert int(np.argmax(turning)) < fastest
    assert fist[:, 0].max() - fist[0, 0] > 0.4
    assert np.linalg.norm(fist[-1] - fist[0]) < 0.03


def test_a_kick_reaches_its_height_on_one_foot():
    for clip, height in ((made("kick"), 0.928), (made("kick", height=0.6), 0.6)):
        foot = part(clip, "right_foot")
        assert foot[:, 2].max() == pytest.approx(height, abs=0.12)
        up = int(np.argmax(foot[:, 0]))
        assert clip.contacts.touching("left")[up] and not clip.contacts.touching("right")[up]


def test_a_load_is_lifted_and_weighs():
    light, heavy = made("lift", mass=2.0), made("lift")
    for clip, mass in ((light, 2.0), (heavy, 20.0)):
        assert sum(h.mass for h in clip.grips) == pytest.approx(mass)
        path, on = clip.grips[0].path(clip), clip.grips[0].covers(clip.times)
        assert path[on][0, 2] == pytest.approx(0.225, abs=0.03) and path[-1, 2] > 0.6
        both = clip.grips[1].path(clip)
        assert np.ptp(np.linalg.norm(path[on] - both[on], axis=1)) < 0.02  # a bar does not stretch
    assert centre(heavy)[-1, 0] < centre(light)[-1, 0] - 0.01  # the body leans back against the load


@pytest.mark.parametrize("name", ["swing", "chin-up"])
def test_hands_stay_on_the_bar(name: str):
    clip = made(name)
    for hold in clip.grips:
        away = np.linalg.norm(hold.path(clip) - np.asarray(hold.place), axis=1)
        assert hold.place is not None and away.max() < 0.005
        assert hold.place[2] == pytest.approx(bar_height(clip.character))
    assert not clip.contacts.labels.any()
    assert clip.character.points(clip.q)[..., 2].min() > 0.0


def test_a_swing_swings_and_a_chin_up_brings_the_chin_to_the_bar():
    clip = made("swing", amplitude=30.0)
    arm = centre(clip) - np.asarray(clip.grips[0].place) * [1.0, 0.0, 1.0]
    angle = np.degrees(np.arctan2(arm[:, 0], -arm[:, 2]))
    assert angle.max() == pytest.approx(30.0, abs=4.0) and angle.min() == pytest.approx(-30.0, abs=4.0)
    up = made("chin-up")
    assert part(up, "head")[:, 2].max() > np.asarray(up.grips[0].place)[2] - 0.02
    assert part(made("chin-up", height=0.5), "head")[:, 2].max() < part(up, "head")[:, 2].max() - 0.1


def test_the_period_of_a_swing_is_that_of_a_pendulum():
    """A stiff body at a small angle swings in 2 pi sqrt(I / m g d)."""
    character, phase = HUMAN, 2 * np.pi * np.linspace(0.0, 1.0, 241)
    q = np.tile(character.standing_pose(), (len(phase), 1))
    tilt = 0.02 * np.sin(phase)
    bar = 2.2
    turned = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), tilt)
    hook = np.array([0.0, 0.0, bar])
    q[:, :3] = rot.rotate(turned, q[0, :3] - hook) + hook
    q[:, 3:7] = turned
    model = character.model
    pos, quat = character.forward(q[:1])
    places = character.place(pos, quat, np.arange(model.nbody), model.body_ipos)[0] - [0, 0, bar]
    own = np.einsum("bi,bi->b", rot.to_matrix(model.body_iquat)[:, 1] ** 2, model.body_inertia)
    inertia = float(model.body_mass @ (places[:, 0] ** 2 + places[:, 2] ** 2) + own.sum())
    down = bar - float(character.centre_of_mass(q[:1])[0, 2])
    stiff = 2 * np.pi * np.sqrt(inertia / (character.mass * 9.81 * down))
    assert swing.natural_period(character, q, bar) == pytest.approx(stiff, rel=2e-3)


@pytest.mark.parametrize(("name", "parameters"), [
    ("squat", {"depth": 150.0}), ("jump", {"distance": 9.0}), ("jump", {"height": 2.0}), ("hop", {"feet": 3}),
    ("punch", {"speed": 40.0}), ("wave", {"times": 0}), ("kick", {"height": 3.0}), ("lift", {"mass": 900.0}),
    ("swing", {"amplitude": 120.0}), ("chin-up", {"height": 2.0}), ("wave", {"rate": float("nan")}),
])  # fmt: skip
def test_what_nobody_can_do_is_refused_in_words(name: str, parameters: dict[str, float]):
    with pytest.raises(BadValue, match=r"\d"):
        library.make(name, HUMAN, **parameters)


def test_channels_pass_their_keys_without_swinging_beyond_them():
    times = np.linspace(0.0, 2.0, 2001)
    y = acting.curve([(0.2, 0.0), (0.8, 10.0), (1.2, 10.0), (1.8, -4.0)], times)
    assert y.max() <= 10.0 + 1e-9 and y.min() >= -4.0 - 1e-9
    np.testing.assert_allclose(y[[200, 800, 1000, 1800]], [0.0, 10.0, 10.0, -4.0], atol=1e-9)
    rest = acting.curve([(0.0, 0.0), (2.0, 1.0)], times)  # minimum jerk from rest to rest
    s = times / 2.0
    np.testing.assert_allclose(rest, s**3 * (10 - 15 * s + 6 * s * s), atol=1e-12)
    ring = acting.curve([(0.1, 0.0), (0.6, 1.0)], np.array([0.0, 1.0, 2.0]), 1.0)
    np.testing.assert_allclose(ring, ring[0])


def test_limbs_reach_their_goals():
    rng = np.random.default_rng(0)
    upper, lower = np.array([0.01, 0.02, -0.43]), np.array([-0.01, 0.0, -0.42])
    goal = rng.normal(size=(50, 3))
    goal *= (rng.uniform(0.3, 0.8, 50) / np.linalg.norm(goal, axis=1))[:, None]
    for way in (1.0, -1.0):
        first, second = limb.two_bones(goal, upper, lower, np.tile([0.3, 1.0, 0.1], (50, 1)), way)
        np.testing.assert_allclose(rot.rotate(first, upper) + rot.rotate(second, lower), goal, atol=1e-9)
        bend = rot.log(rot.multiply(rot.conjugate(first), second))
        assert np.all(way * bend[:, 1] > 0) and np.abs(bend[:, [0, 2]]).max() < 1e-9


def test_overlap_is_seen():
    clip = made("wave")
    assert overlap(clip).depth == 0.0
    q = np.array(clip.q)
    leg = int(clip.character.layout.qadr[clip.character.joint_names.index("left_thigh")])
    q[:, leg : leg + 4] = rot.multiply(q[:, leg : leg + 4], rot.exp(np.array([-0.3, 0.0, 0.0])))
    found = overlap(clip.with_q(q))
    assert found.depth > 0.02 and "left" in found.what and "right" in found.what
