"""momentum, performed: Newton's law, pushes, stairs, ice, both ways to advance, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import BadValue
from poise.ground.stairs import Stairs
from poise.judge import audit
from poise.methods.momentum import Momentum
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Ball, Push, Slippery, Stage


@pytest.fixture(scope="module")
def calm():
    return perform(load_clip("walk"), "momentum", seconds=7.0)


def test_a_walk_obeys_newton_and_follows(calm):
    report = audit(calm)
    assert calm.ended.whole
    assert calm.followed()
    assert report.position_force_rms < 0.01 * report.weight
    assert report.position_torque_rms < 5.0
    assert report.cone_violation < 1e-6
    assert np.degrees(calm.tracking_error().joints) < 5.0


@pytest.mark.parametrize("way", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
def test_a_push_is_recovered(calm, way):
    stage = Stage(events=(Push("chest", (80.0 * way[0], 80.0 * way[1], 0.0), 1.2, 0.2),))
    take = perform(load_clip("walk"), "momentum", stage=stage, seconds=6.5)
    assert take.recovered(1.4, calm)
    assert audit(take).unexplained_force_rms < 1.0


def test_a_push_from_ahead_slows_the_clock_and_one_from_behind_speeds_it_up(calm):
    lags = []
    for force in (-100.0, 100.0):
        stage = Stage(events=(Push("chest", (force, 0.0, 0.0), 1.2, 0.2),))
        take = perform(load_clip("walk"), "momentum", stage=stage, seconds=3.0)
        lags.append(float(take.traces["reference_lag"][-2]))
    assert lags[0] < -0.03 < 0.03 < lags[1]


def test_stairs_are_climbed():
    take = perform(load_clip("walk"), "momentum", stage=Stage(ground=Stairs(rise=0.1, run=0.72, start=2.0, count=3)),
                   seconds=6.0)  # fmt: skip
    assert take.ended.whole
    assert take.q[-1, 2] > take.q[0, 2] + 0.25


def test_ice_keeps_forces_in_smaller_cones():
    take = perform(load_clip("walk"), "momentum", stage=Stage(events=(Slippery(0.15, 1.0, 0.5),)), seconds=2.5)
    assert take.ended.whole
    rows, time = take.contacts, take.time[take.contacts.frame]
    icy = (time >= 1.0) & (time < 1.5)
    side = np.linalg.norm(rows.force[icy, :2], axis=1)
    assert np.all(side <= 0.15 * rows.force[icy, 2] + 1e-6)


def test_no_friction_at_all_ends_in_words_or_goes_on():
    take = perform(load_clip("walk"), "momentum", stage=Stage(events=(Slippery(0.0, 1.0, 1.0),)), seconds=3.0)
    assert np.isfinite(take.q).all()
    assert take.ended.whole or take.ended.reason or take.fell is not None


def test_printed_has_no_departure():
    made = Momentum.printed()
    assert made.departures == ()
    assert (made.spin, made.feet, made.pushed) == (500.0, 5.0, 0.01)


def test_torques_walk_in_the_simulator():
    take = perform(load_clip("walk"), "momentum-torques", seconds=2.5)
    assert take.ended.whole


def test_what_only_a_simulator_knows_is_refused():
    with pytest.raises(BadValue, match="momentum-torques"):
        perform(load_clip("walk"), "momentum", stage=Stage(events=(Ball(2.0, 1.0, 10.0),)), seconds=1.0)
    with pytest.raises(BadValue, match="known to the method momentum"):
        perform(load_clip("walk"), "modal", stage=Stage(events=(Slippery(0.1, 0.1),)), seconds=0.1)


@pytest.mark.parametrize("name", ["run", "hop"])
def test_clips_that_fly_go_on(name):
    assert perform(load_clip(name), "momentum", seconds=3.0).ended.whole
