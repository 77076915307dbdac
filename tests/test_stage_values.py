"""Stages as values: what they refuse and in which words, how high their grounds are, how balls are aimed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.character.load import load_character
from poise.errors import BadValue, PoiseError, UnknownBody, UnknownName
from poise.stage import (
    Ball,
    Bar,
    Barbell,
    Blocks,
    Box,
    Flat,
    Grip,
    HeightField,
    Patches,
    Platform,
    PlatformMotion,
    Push,
    Seesaw,
    Sphere,
    Stage,
)
from poise.stage.aiming import aim
from poise.stage.world import build


@pytest.fixture(scope="module")
def human():
    return load_character("human42")


BAD = {
    "negative mass of a box": (lambda: Box(mass=-1.0), "mass of box .* not -1"),
    "a box without size": (lambda: Box(size=(0.1, 0.0, 0.1)), "size of box"),
    "a ball without weight": (lambda: Ball(mass=0.0, at=1.0, speed=10.0), "mass of a ball"),
    "a slow ball": (lambda: Ball(mass=1.0, at=1.0, speed=2.0), "falls short .* m/s"),
    "a ball that flies nowhere": (lambda: Ball(mass=1.0, at=1.0, speed=9.0, direction=(0, 0, 0)), "not be zero"),
    "a push in the past": (lambda: Push("chest", (1, 0, 0), at=-1.0), "time of a push .* -1"),
    "a push of no time": (lambda: Push("chest", (1, 0, 0), at=1.0, duration=0.0), "duration"),
    "a push of two numbers": (lambda: Push("chest", (1, 0), at=1.0), "3 finite numbers in N"),
    "a push that is no number": (lambda: Push("chest", (np.nan, 0, 0), at=1.0), "3 finite numbers"),
    "a seesaw as thick as high": (lambda: Seesaw(above=0.05, thickness=0.05), "to tip"),
    "a block of six numbers": (lambda: Blocks([(0, 0, 0, 1, 1, 1)]), "Block 0 needs"),
    "a block of negative mass": (lambda: Blocks([(0, 0, 0, 1, 1, 1, -3)]), "mass of block 0"),
    "a patch of negative friction": (lambda: Patches([(0, 0, 1, 1, -0.1)]), "friction of patch 0"),
    "heights that are none": (lambda: HeightField(np.zeros(4)), "table of at least 2 x 2"),
    "a barbell lighter than air": (lambda: Barbell(mass=-30.0), "mass of barbell"),
    "a bar that leans": (lambda: Bar(axis=(0, 1, 1)), "horizontal"),
    "a grip that ends before it begins": (lambda: Grip(start=1.0, end=0.5), "must end after its start"),
    "a grip on nothing": (lambda: Stage(grips=[Grip(to="rope")], props=[Bar()]), "no bar or barbell .*'rope'.* bar"),
    "two props of one name": (lambda: Stage(props=[Box(), Box()]), "Two props are named 'box'"),
    "a prop named as the ground": (lambda: Stage(props=[Box(name="ground")]), "may not be named"),
    "friction below zero": (lambda: Stage(friction=-0.5), "friction of a stage"),
    "a prop among the events": (lambda: Stage(events=[Box()]), "Expected a Push"),
    "a platform motion without a platform": (lambda: Stage(events=[PlatformMotion(0.1)]), "needs a Platform"),
    "a ground that is none": (lambda: Stage(ground="ice"), "height"),
}


@pytest.mark.parametrize("case", BAD, ids=str)
def test_nonsense_is_refused_in_one_sentence(case):
    make, words = BAD[case]
    with pytest.raises(PoiseError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_bodies_that_do_not_exist_are_named_with_those_that_do(human):
    with pytest.raises(UnknownBody, match=r"tail.*chest"):
        Stage(events=[Push("tail", (1, 0, 0), at=0.0)]).check(human)
    with pytest.raises(UnknownBody, match="Did you mean 'head'"):
        Stage(events=[Ball(1.0, 0.0, 10.0, toward="heda")]).check(human)
    with pytest.raises(UnknownBody):
        build(human, Stage(props=[Bar()], grips=[Grip(hand="left_fin")]))
    with pytest.raises(BadValue, match="name of a body"):
        Stage(props=[Box(name="chest")]).check(human)
    with pytest.raises(BadValue, match=r"no contact model 'hard'.*soft"):
        build(human, Stage(), contact="hard")
    with pytest.raises(UnknownName):
        Stage().prop("box")


def test_a_stage_takes_lists_and_single_things():
    stage = Stage(events=Push("chest", (1, 0, 0), at=0.0), props=[Sphere()])
    assert isinstance(stage.events, tuple) and len(stage.events) == 1 and stage.prop("sphere").name == "sphere"


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 0.3), st.floats(1e-4, 0.2), st.sampled_from([1 / 960, 1 / 1920, 0.002]))
def test_a_push_gives_its_impulse_whatever_the_step(at, duration, dt):
    push = Push("chest", (100.0, 0, 0), at=at, duration=duration)
    shares = [push.share(k * dt, dt) for k in range(round(0.6 / dt))]
    assert sum(shares) * dt == pytest.approx(duration, rel=1e-9)
    assert max(shares) <= 1.0 + 1e-9


@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=6, max_size=6), st.floats(6, 30))
def test_an_aimed_ball_meets_its_target(numbers, speed):
    start, gravity = np.array([-2.0, 0.5, 1.0]), np.array([0, 0, -9.81])
    target, velocity = np.array(numbers[:3]) * 0.5, np.array(numbers[3:]) * 0.5
    throw = aim(start, target, velocity, speed, gravity)
    t = throw.flight
    ball = start + throw.velocity * t + 0.5 * gravity * t * t
    assert np.allclose(ball, target + velocity * t, atol=1e-9)
    if throw.reaches:
        assert np.linalg.norm(throw.velocity) == pytest.approx(speed, rel=1e-9)


def test_a_target_out_of_reach_is_thrown_at_as_slowly_as_possible():
    throw = aim(np.zeros(3), np.array([10.0, 0, 0]), np.zeros(3), 3.0, np.array([0, 0, -9.81]))
    assert not throw.reaches
    assert np.linalg.norm(throw.velocity) == pytest.approx(np.sqrt(9.81 * 10.0), rel=1e-3)


def test_platform_motion_begins_and_ends_smoothly():
    motion = PlatformMotion(0.2, 0.7, (0, 1, 0), at=1.0, duration=2.0)
    t = np.arange(0.0, 4.0, 1e-3)
    x = np.array([motion(s) for s in t])
    assert np.all(x[t <= 1.0] == 0) and np.all(x[t >= 3.0] == 0) and np.all(x[:, [0, 2]] == 0)
    assert np.abs(x).max() == pytest.approx(0.2, rel=0.1)
    acceleration = np.diff(x[:, 1], 2) / 1e-6
    assert np.abs(np.diff(acceleration)).max() < 1.0  # no jumps


def test_props_named_in_a_push_may_be_pushed(human):
    stage = Stage(props=[Box()], events=[Push("box", (10, 0, 0), at=0.0)])
    stage.check(human)
    with pytest.raises(BadValue, match="fixed"):
        Stage(props=[Bar()], events=[Push("bar", (10, 0, 0), at=0.0)]).check(human)


def test_platforms_take_any_function_of_time():
    assert callable(Platform(motion=lambda t: np.zeros(3)).motion)
    with pytest.raises(BadValue):
        Platform(motion=3.0)  # type: ignore[arg-type]
    assert Flat().height(np.zeros(2), np.zeros(2)).shape == (2,)
