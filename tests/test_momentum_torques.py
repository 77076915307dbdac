"""momentum-torques: the plan in the simulator stays up, undisturbed, pushed and struck, and follows its clip."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.ground.platform import Platform, PlatformMotion
from poise.judge import audit
from poise.methods.momentum.clock import NOISY, root_of
from poise.methods.momentum.feet import Feet
from poise.methods.momentum.kept_plans import plan_of
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.timeline import Timeline
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Ball, Push, Stage


@pytest.fixture(scope="module")
def walk():
    return load_clip("walk")


@pytest.mark.parametrize("start", [0.2, 0.7])  # of the clip
def test_a_walk_stays_up_and_follows(walk, start):
    take = perform(walk, "momentum-torques", seconds=8.0, start=start * walk.duration)
    assert take.ended.whole
    assert take.followed()
    report = audit(take)
    assert report.passed
    assert report.unexplained_force_share < 0.001


@pytest.mark.parametrize("name", ["run", "hop", "squat", "turn"])
def test_other_motions_stay_up_and_follow(name):
    take = perform(load_clip(name), "momentum-torques", seconds=4.0)
    assert take.ended.whole
    assert take.followed()


@pytest.mark.parametrize("way", [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)])
def test_a_walk_recovers_from_a_push(walk, way):
    push = Push("chest", (100.0 * way[0], 100.0 * way[1], 0.0), 1.2, 0.1)
    take = perform(walk, "momentum-torques", stage=Stage(events=(push,)), seconds=6.4)
    assert take.recovered(1.3)


def test_a_walk_goes_on_when_a_ball_strikes_it(walk):
    take = perform(walk, "momentum-torques", stage=Stage(events=(Ball(2.0, 1.0, 6.0),)), seconds=5.0)
    assert take.ended.whole
    assert any(event.kind == "ball" and "hits" in event.text for event in take.events)


def test_it_is_pushed_and_thrown_at_while_it_runs(walk):
    show = poise.begin(walk, "momentum-torques")
    show.run(1.0).push("chest", force=(0, 80, 0), duration=0.1)
    show.run(1.5).throw("chest", mass=0.5, speed=6.0)
    take = show.run(2.5).finish()
    assert take.ended.whole
    assert any(event.kind == "ball" and "hits" in event.text for event in take.events)


def test_it_takes_over_from_another_method_where_the_feet_are(walk):
    show = poise.begin(walk, "modal-torques").run(1.0)
    show.switch("momentum-torques")
    take = show.run(3.0).finish()
    assert take.ended.whole


def test_takes_tell_the_clock(walk):
    take = perform(walk, "momentum-torques", seconds=1.0)
    assert {"td", "tc", "rate", "reference_lag", "strain"} <= set(take.traces)
    assert np.nanmax(np.abs(take.traces["reference_lag"])) < 0.05


def test_what_the_ground_holds_is_not_pulled_at(walk):
    """A millimetre of pull at a foot that cannot move was 50 N, and every walk fell."""
    plan = plan_of(walk, Settings(), 1.0)
    line = Timeline(plan)
    feet = Feet(line, walk.ground, 0.0, 0.0)
    places = line.corners(0.0)
    stands = line.touching(0.0)
    feet.pinned(0.0, places, held=True)
    crept = places + np.array([0.003, -0.002, -0.001])
    touch, pins = feet.pinned(1.0, crept, held=True)
    assert np.array_equal(touch, line.touching(1.0))
    assert np.array_equal(pins[touch & stands], crept[touch & stands])
    lifted = crept + np.array([0.0, 0.0, 0.02])
    pins = feet.pinned(1.0, lifted, held=True)[1]
    assert np.array_equal(pins[touch, :2], lifted[touch, :2])
    assert np.allclose(pins[touch, 2], 0.0)


def test_noise_does_not_stop_a_clock_whose_plan_stands_still():
    frames = np.arange(90, 112)
    noise = np.where(frames == 94, 0.0, 1.0) / 120.0  # one frame fits by chance
    assert root_of(frames, noise, 1 / 120, 98.0, NOISY) == 98.0
    steep = (frames - 94.0) / 120.0  # a plan that moves on is found
    assert root_of(frames, steep, 1 / 120, 98.0, NOISY) == 94.0


def test_a_walk_goes_along_with_a_platform(walk):
    motion = PlatformMotion(0.05, 0.5, (0.0, 1.0, 0.0), at=1.0)
    stage = Stage(ground=Platform(size=(40.0, 12.0, 0.1), motion=motion))
    assert perform(walk, "momentum-torques", stage=stage, seconds=5.0).ended.whole
