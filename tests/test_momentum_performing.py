"""momentum, performed: Newton's law, pushes, stairs, ice, both ways to advance, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character.load import load_character
from poise.errors import BadValue
from poise.experiments.momentum.clips import slip
from poise.experiments.momentum.on_hands import on_all_fours, share
from poise.experiments.momentum.trial import frames_of_segments
from poise.ground.stairs import Stairs
from poise.judge import audit
from poise.methods.momentum import DEPARTURES, Momentum
from poise.methods.momentum.second_look import Ranges
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
    assert report.position_torque_rms < 1.0
    assert report.cone_violation < 1e-6
    assert np.degrees(calm.tracking_error().joints) < 5.0


@pytest.mark.parametrize("way", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
def test_a_push_is_recovered(calm, way):
    stage = Stage(events=(Push("chest", (80.0 * way[0], 80.0 * way[1], 0.0), 1.2, 0.2),))
    take = perform(load_clip("walk"), "momentum", stage=stage, seconds=6.5)
    assert take.recovered(1.4, calm)
    assert audit(take).unexplained_force_rms < 1.0


@pytest.mark.parametrize("at", [1.2, 1.37, 1.75])
def test_a_push_from_ahead_slows_the_clock_and_one_from_behind_speeds_it_up(at):
    """A large push moves it by hundredths of a second, a small one the same way."""
    lags = {}
    for force in (-100.0, -60.0, 60.0, 100.0):
        stage = Stage(events=(Push("chest", (force, 0.0, 0.0), at, 0.2),))
        take = perform(load_clip("walk"), "momentum", stage=stage, seconds=3.2)
        lags[force] = float(take.traces["reference_lag"][-2])
    assert lags[-100.0] < -0.02 < 0.02 < lags[100.0]
    assert lags[-60.0] < -0.003 < 0.002 < lags[60.0]


def test_a_calm_body_keeps_the_time_of_its_clip(calm):
    assert np.nanmax(np.abs(calm.traces["reference_lag"])) < 0.005


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


def test_no_friction_at_all_is_told_and_gives_no_force_along_the_ground():
    take = perform(load_clip("walk"), "momentum", stage=Stage(events=(Slippery(0.0, 1.0, 1.0),)), seconds=2.5)
    assert np.isfinite(take.q).all()
    assert next(e.text for e in take.events if e.kind == "no friction").startswith("from 1.00 s on for 1.00 s")
    rows, time = take.contacts, take.time[take.contacts.frame]
    assert np.abs(rows.force[(time > 1.01) & (time < 1.99), :2]).max() < 1e-6
    assert take.ended.whole or take.ended.reason or take.fell is not None


def test_what_hands_hold_is_said_to_be_left_out():
    take = perform(load_clip("lift"), "momentum", seconds=0.1)
    assert any(e.kind == "empty hands" and "barbell" in e.text for e in take.events)


def test_a_clip_that_never_stands_is_refused_in_words():
    with pytest.raises(BadValue, match="never touches the ground"):
        perform(load_clip("chin-up"), "momentum", seconds=0.1)


def test_strain_tells_how_near_torques_are_to_their_limits(calm):
    strain = calm.traces["strain"][:-1]
    limit = np.where(np.isfinite(calm.character.torque_limit), calm.character.torque_limit, np.inf)[6:]
    assert np.allclose(strain, (np.abs(calm.torque[:-1, 6:]) / limit).max(axis=1))
    assert np.nanmax(strain) < 1.0


@pytest.mark.parametrize("name", ["walk", "run"])
def test_corners_that_push_stay_where_they_came_down(name):
    assert slip(perform(load_clip(name), "momentum", seconds=4.0)) < 1.2


def test_steps_are_as_much_longer_as_asked_for():
    clip = load_clip("walk")
    take = perform(clip, Momentum(stride=(0.15, 0.0, 0.0)), seconds=6.0)
    x, frames = take.q[:-1, 0], take.traces["td"][:-1]
    step = (x[-2] - x[240]) / (frames[-2] - frames[240]) * round(120 * clip.duration) / 2
    assert abs(step - clip.cycle.shift[0] / 2 - 0.15) < 0.03


def test_printed_has_no_departure():
    made = Momentum.printed()
    assert made.departures == ()
    assert (made.spin, made.feet, made.pushed) == (500.0, 5.0, 0.01)


def test_torques_walk_in_the_simulator():
    take = perform(load_clip("walk"), "momentum-torques", seconds=2.5)
    assert take.ended.whole


def test_torques_survive_a_ball():
    take = perform(load_clip("walk"), "momentum-torques", stage=Stage(events=(Ball(0.5, 1.0, 6.0),)), seconds=3.0)
    assert take.ended.whole


def test_what_only_a_simulator_knows_is_refused():
    with pytest.raises(BadValue, match="momentum-torques"):
        perform(load_clip("walk"), "momentum", stage=Stage(events=(Ball(2.0, 1.0, 10.0),)), seconds=1.0)
    with pytest.raises(BadValue, match="known to the method momentum"):
        perform(load_clip("walk"), "modal", stage=Stage(events=(Slippery(0.1, 0.1),)), seconds=0.1)


@pytest.mark.parametrize("name", ["run", "hop"])
def test_clips_that_fly_go_on(name):
    assert perform(load_clip(name), "momentum", seconds=3.0).ended.whole


def test_a_hop_keeps_time_with_its_clip():
    take = perform(load_clip("hop"), "momentum", seconds=4.0)
    assert take.followed()
    assert np.nanmax(np.abs(take.traces["reference_lag"])) < 0.06  # t_c that jumps into flight gains 0.15 s


def test_muscles_keep_nearer_to_their_limits_than_without():
    clip = load_clip("run")
    without = tuple(d for d in DEPARTURES if d != "strength")
    with_limits, plain = (np.nanmax(perform(clip, method, seconds=1.5).traces["strain"][:-1])
                          for method in (Momentum(), Momentum(departures=without)))  # fmt: skip
    assert with_limits < 0.8 * plain


def test_joints_stop_at_the_ends_of_their_ranges():
    character = load_clip("walk").character
    ranges, q = Ranges(character), character.standing_pose()
    knee, chest = character.body("left_shin"), character.body("chest")
    model = character.model
    q[model.jnt_qposadr[model.body_jntadr[knee]]] = -0.05
    at = model.jnt_qposadr[model.body_jntadr[chest]]
    q[at : at + 4] = np.cos(0.6), np.sin(0.6), 0.0, 0.0
    angles = ranges.angles(q)
    beyond = (angles < ranges.low) | (angles > ranges.high)
    assert set(ranges.joints[beyond]) == {int(model.body_jntadr[knee]), int(model.body_jntadr[chest])}
    assert np.isclose(angles[ranges.joints == model.body_jntadr[chest]], 1.2)


def test_hands_carry_as_feet_do():
    take = perform(on_all_fours(load_character("human42")), "momentum", seconds=2.0)
    assert take.ended.whole
    assert take.followed()
    assert 20.0 < share(take) < 35.0
    assert slip(take) < 0.5


def test_shorter_steps_take_less_time():
    clip = load_clip("walk")
    take = perform(clip, Momentum(stride=(-0.05, 0.0, 0.0)), seconds=4.0)
    assert frames_of_segments(take).mean() < 0.5 * 120 * clip.duration - 2.0


@pytest.mark.parametrize("side", [0.0, 90.0, 180.0])
def test_a_run_that_is_pushed_goes_on(side):
    way = np.radians(side)
    push = Push("chest", (50.0 * np.cos(way), 50.0 * np.sin(way), 0.0), 1.2, 0.2)
    assert perform(load_clip("run"), "momentum", stage=Stage(events=(push,)), seconds=4.0).ended.whole


def test_a_punch_and_a_kick_are_followed_and_turn_as_the_clip_does():
    for name in ("punch", "kick"):
        assert perform(load_clip(name), "momentum", seconds=load_clip(name).duration).followed(), name
