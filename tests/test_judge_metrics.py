"""Measures of takes against cases whose numbers are known."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from played_takes import bend, played, with_touch
from poise.errors import BadValue
from poise.judge import metrics
from poise.judge.recovery import Bands, in_step, recovered
from poise.maths import rotations as rot
from poise.motion.clip import Cycle
from poise.take import Recorder


@pytest.fixture(scope="module")
def walk():
    clip = poise.load_clip("walk")
    return clip if clip.cycle is not None else clip.with_q(clip.q, cycle=Cycle())


def test_the_reference_itself_has_no_error(walk):
    take = played(walk, 1.0)
    error = take.tracking_error()
    assert error.joints < 1e-7 and error.root_position == 0 and error.points < 1e-12 and take.fell is None
    assert abs(take.realtime_factor - 4.0) < 1e-9


def test_tracking_error_is_geodesic_and_equally_weighted(walk):
    character = walk.character
    joints = sum(1 for b in range(2, character.model.nbody) if character.model.body_jntnum[b])
    take = played(walk, 0.2, lambda t, q: bend(character, q, "left_thigh", 0.3))
    assert np.isclose(take.tracking_error().joints, 0.3 / np.sqrt(joints), rtol=1e-6)
    assert "joints" in take.tracking_error().text() and float(take.tracking_error()) > 0
    shifted = played(walk, 0.2, lambda t, q: q + np.r_[0.03, 0.04, np.zeros(len(q) - 2)])
    error = shifted.tracking_error()
    assert np.isclose(error.root_position, 0.05) and np.isclose(error.points, 0.05) and error.joints < 1e-7
    turned = np.array([0.0, 0.0, 0.2])
    spun = played(walk, 0.2, lambda t, q: np.r_[q[:3], rot.multiply(rot.exp(turned), q[3:7]), q[7:]])
    error = spun.tracking_error()
    assert np.isclose(error.root_orientation, 0.2) and np.abs(error.series["root_tilt"]).max() < 1e-6


def test_a_hand_on_the_ground_is_a_fall_unless_it_is_meant(walk):
    take = played(walk, 0.5)
    assert with_touch(take, "left_hand", 30).fell == take.time[30]
    assert with_touch(take, "left_foot", 30).fell is None
    assert with_touch(take, "left_hand", 30, other=1).fell is None  # a box is not the ground
    low = take.q_ref.copy()
    low[:, 2] -= np.min(take.character.forward(take.q_ref)[0][30, take.character.body("left_hand"), 2]) - 0.02
    meant = with_touch(take, "left_hand", 30).with_(q_ref=low, q=low.copy())
    assert meant.fell is None


def test_a_sunken_pelvis_is_a_fall_after_a_while(walk):
    def sink(length):
        return lambda t, q: q - np.r_[0, 0, 0.45 * q[2] * (0.3 <= t <= 0.3 + length), np.zeros(len(q) - 3)]

    assert played(walk, 1.0, sink(0.1)).fell is None
    fell = played(walk, 1.0, sink(0.4)).fell
    assert fell is not None and abs(fell - 0.3) < 0.02


def test_penetration_and_skating(walk):
    stand = poise.load_clip("stand")
    deep = played(stand, 0.3, lambda t, q: q - np.r_[0, 0, 0.02, np.zeros(len(q) - 3)])
    assert np.isclose(deep.penetration(), 0.02, atol=2e-3)
    sliding = played(stand, 0.5, lambda t, q: q + np.r_[0.2 * t, np.zeros(len(q) - 1)])
    assert np.isclose(sliding.skating(), 0.2, atol=1e-3) and played(stand, 0.5).skating() < 1e-3


def test_effort_of_a_known_torque():
    clip = poise.load_clip("stand")
    model, recorder = clip.character.model, Recorder(clip)
    torque, v = np.zeros(model.nv), np.zeros(model.nv)
    torque[8], v[8] = 10.0, -2.0
    for k in range(61):
        recorder.frame(k / 120, clip.q[0], v, torque if k < 60 else 0 * torque)
    effort = recorder.finish().effort()
    assert np.isclose(effort.work, 10 * 2 * 0.5) and np.isclose(effort.mean_power, 20.0)
    assert np.isclose(effort.mean_square_torque, 100.0) and effort.to_dict()["cost_of_transport"] is None
    assert metrics.summary(recorder.take())["fell"] is None


def test_recovery_means_back_in_the_band_and_in_step(walk):
    assert recovered(played(walk, 4.0), 1.0)
    character = walk.character
    fine = played(walk, 7.0, lambda t, q: bend(character, q, "chest", 1.2 * np.exp(-max(t - 1.0, 0.0))))
    report = fine.recovered(1.0)
    assert report and report.at == 6.0 and report.reasons == () and "recovered at 6.00 s" in report.text()
    # the same, judged too early: it is still off
    assert not fine.recovered(1.0, within=1.1)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda t, q: np.r_[q[:3], rot.multiply(rot.exp(np.array([0.35, 0, 0])), q[3:7]), q[7:]], "leans 20 degrees"),
        (lambda t, q: q - np.r_[0, 0, 0.1, np.zeros(len(q) - 3)], "10 cm off in height"),
        (lambda t, q: q - np.r_[0, 0, 0.6 * q[2] * (t > 2.0), np.zeros(len(q) - 3)], "fell at"),
    ],
)
def test_what_is_not_back_is_told(walk, change, word):
    report = recovered(played(walk, 4.0, change), 1.0)
    assert not report and any(word in r for r in report.reasons), report.reasons
    assert report.to_dict()["recovered"] is False and word in report.text()


def test_feet_out_of_step_are_no_recovery(walk):
    period = round(walk.duration * 120)
    late = played(walk, 4.0, late=period // 3)
    assert not recovered(late, 1.0) and any("schedule" in r for r in recovered(late, 1.0).reasons)
    assert recovered(played(walk, 4.0, late=4), 1.0)  # a thirtieth of a second is in step
    assert in_step(played(walk, 2.0), np.arange(50, 200)) > 0.97


def test_bands_come_from_the_undisturbed_run(walk):
    character = walk.character
    sloppy = played(walk, 4.0, lambda t, q: bend(character, q, "chest", 0.9))
    assert sloppy.tracking_error().joints > 0.2
    calm = played(walk, 4.0, lambda t, q: bend(character, q, "chest", 0.05))
    bands = Bands.around(calm, 1.0)
    assert bands.joints < 0.1
    assert recovered(calm, 1.0, calm) and not recovered(sloppy, 1.0, calm) and recovered(sloppy, 1.0, sloppy)


def test_recovery_needs_time(walk):
    take = played(walk, 1.0)
    with pytest.raises(BadValue, match="cannot be judged"):
        recovered(take, 2.0)
    assert any("only 0.20 s" in r for r in recovered(take, 0.8).reasons)
