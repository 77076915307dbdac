"""Clips that cannot be repaired are refused in clear words; odd ones that can be are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise.errors import BadValue, ClipMismatch, PoiseError
from poise.experiments.physical.speed import of_length, rough_walk
from poise.judge import audit
from poise.maths import rotations as rot
from poise.motion.check.check import penetration
from poise.motion.clip import Clip
from poise.motion.resample import resample
from poise.physical.repair.repair import repair


@pytest.fixture(scope="module")
def rough() -> Clip:
    return of_length(rough_walk(), 0.7)


def test_a_clip_that_floats_is_refused_with_its_height(rough):
    q = np.array(rough.q)
    q[:, 2] += 0.6
    with pytest.raises(BadValue, match=r"No foot ever touches.* (59|60|61) cm or more above"):
        repair(rough.with_q(q))


def test_a_clip_upside_down_is_refused_as_such(rough):
    q, flip = np.array(rough.q), np.array([0.0, 1.0, 0.0, 0.0])
    q[:, :3] = rot.rotate(flip, q[:, :3]) + np.array([0.0, 0.0, 2.0])
    q[:, 3:7] = rot.multiply(flip, q[:, 3:7])
    with pytest.raises(BadValue, match=r"upside down|no foot touches"):
        repair(rough.with_q(q))


def test_a_body_that_hangs_under_the_ground_by_its_feet_is_refused_as_upside_down(rough):
    """What a file with its up axis the wrong way round gives: the floor is found at the feet, the body below it."""
    q, flip = np.array(rough.q), np.array([0.0, 1.0, 0.0, 0.0])
    q[:, :3] = rot.rotate(flip, q[:, :3])
    q[:, 3:7] = rot.multiply(flip, q[:, 3:7])
    with pytest.raises(BadValue, match=r"The hips are \d+ cm below the ground.*upside down"):
        repair(rough.with_q(q))


def test_a_body_that_is_suddenly_elsewhere_is_refused(rough):
    q = np.array(rough.q)
    q[40:, 0] += 3.0
    with pytest.raises(BadValue, match=r"frame (39|40).*suddenly elsewhere.*cut the clip there"):
        repair(rough.with_q(q))


def test_a_body_that_is_elsewhere_for_a_moment_is_brought_back(rough):
    q = np.array(rough.q)
    q[40:44, :3] += [2.0, 1.0, 0.5]
    spoiled, plain = repair(rough.with_q(q)), repair(rough)
    assert "root" in spoiled.report.flips and spoiled.report.complete
    assert np.abs(spoiled.clip.q[:, :3] - plain.clip.q[:, :3]).max() < 0.05


@pytest.mark.parametrize("lifted", [0.05, 0.3, 1.5])
def test_a_clip_that_floats_is_refused_though_its_contacts_are_given(lifted):
    walk = poise.load_clip("walk")
    q = np.array(walk.q)
    q[:, 2] += lifted
    with pytest.raises(BadValue, match=f"left foot is said to touch the ground, but is always {100 * lifted:.0f} cm"):
        repair(walk.with_q(q))


def test_hands_that_are_said_to_touch_the_ground_must_be_near_it():
    walk = poise.load_clip("walk")
    with pytest.raises(BadValue, match="left hand is said to touch the ground"):
        repair(replace(walk, labels=np.ones_like(walk.contacts.labels)))


@pytest.mark.parametrize("lowered", [0.02, 0.3])
def test_a_clip_under_the_ground_is_brought_onto_it(rough, lowered):
    q = np.array(rough.q)
    q[:, 2] -= lowered
    out = repair(rough.with_q(q)).clip
    assert penetration(out) < 0.002 and audit(out).unexplained_force_rms < 2.0


def test_a_body_that_stands_still_with_spread_arms_is_left_alone():
    human = poise.load_character("human42")
    clip = Clip(human, np.tile(human.standing_pose(), (120, 1)), 1 / 120)
    out, report = repair(clip)
    assert out is clip and report.unchanged


@pytest.mark.parametrize("fps", [10.0, 1000.0])
def test_few_and_many_frames_a_second_are_repaired(fps):
    out = repair(resample(of_length(rough_walk(), 1.1 if fps < 100.0 else 0.4), fps)).clip
    assert out.fps >= 0.9 * 100.0 and audit(out).unexplained_force_rms < 2.0


@pytest.mark.parametrize("dt", [1000.0, 1e-9])
def test_times_between_frames_without_a_meaning_are_refused(rough, dt):
    with pytest.raises(BadValue, match="The time between frames must be from 1e-06 to 10 s"):
        repair(replace(rough, dt=dt))


@pytest.mark.parametrize("count", [1, 2, 7])
def test_too_few_frames_are_refused(rough, count):
    with pytest.raises(BadValue, match=f"at least 8 frames, and this clip has {count}"):
        repair(rough.with_q(rough.q[:count]))


def test_the_fewest_frames_are_repaired(rough):
    out = repair(rough.with_q(rough.q[:8])).clip
    assert len(out) == 8 and np.all(np.isfinite(out.q))


def test_one_foot_alone_can_stand(rough):
    """Labels of one foot only: the other one hangs in the air all the time."""
    stand = poise.load_clip("stand").cut(0.0, 0.5)
    labels = np.array(stand.contacts.labels)
    labels[:, stand.character.contact_points.of("right")] = False
    out, report = repair(replace(stand, labels=labels))
    assert np.all(np.isfinite(out.q))
    assert audit(out).unexplained_force_rms < 5.0 or report.doubtful


def test_a_body_without_contact_points_is_refused(rough):
    bare = replace(
        rough.character, contact_points=type(rough.character.contact_points)((), np.zeros(0, int), np.zeros((0, 3)))
    )
    with pytest.raises(ClipMismatch, match="no feet"):
        repair(Clip(bare, np.array(rough.q), rough.dt))


def test_a_body_without_weight_is_refused(rough):
    light = replace(rough.character)
    model = light.model
    kept = model.body_mass.copy()
    try:
        model.body_mass[:] = 1e-6
        vars(light).pop("mass", None)
        if light.mass < 0.5:
            with pytest.raises(ClipMismatch, match="weigh"):
                repair(Clip(light, np.array(rough.q), rough.dt))
    finally:
        model.body_mass[:] = kept


def test_a_hanging_body_is_refused_unless_its_hold_is_told(rough):
    stand = poise.load_clip("stand").cut(0.0, 1.0)
    stand = replace(stand.with_q(np.repeat(stand.q[:1], 240, axis=0)), labels=None, dt=1 / 120)
    labels = np.zeros((240, len(stand.character.contact_points)), bool)
    labels[:40, stand.character.contact_points.feet] = True
    with pytest.raises(BadValue, match="something that is not in the clip"):
        repair(replace(stand, labels=labels))


@pytest.mark.parametrize("options", [{"change": 0.0}, {"change": float("nan")}, {"friction": float("inf")},
                                     {"friction": -0.1}, {"margin": float("nan")}, {"margin": -0.1},
                                     {"keep": ["no such body"]}, {"keep": "nothing"}, {"keep": 3},
                                     {"change": "a lot"}, {"friction": None}, {"margin": "none"}])  # fmt: skip
def test_options_without_a_meaning_are_refused(rough, options):
    with pytest.raises(PoiseError) as error:
        repair(rough, **options)
    assert str(error.value).count("\n") == 0


def test_one_body_may_be_named_without_a_list(rough):
    out = repair(rough, keep="head").clip
    head = rough.character.body("head")
    gap = out.character.forward(out.q)[0][:, head] - rough.character.forward(rough.q)[0][:, head]
    assert np.linalg.norm(gap, axis=1).max() < 0.01


def test_a_loop_stays_a_loop():
    loop = rough_walk()
    out = repair(loop).clip
    assert out.cycle is not None and np.allclose(out.q[-1], out.cycle.carry(out.q[0], 1), atol=1e-9)
    assert audit(out).unexplained_force_rms < 1.0


@pytest.mark.slow
def test_a_long_clip_takes_time_and_memory_in_proportion():
    import time
    import tracemalloc

    loop = rough_walk()
    repair(of_length(loop, 2.0))
    per_frame, memory = [], []
    for seconds in (9.0, 45.0):
        clip = of_length(loop, seconds)
        begun = time.process_time()
        repair(clip)
        per_frame.append((time.process_time() - begun) / len(clip))
        tracemalloc.start()
        repair(clip)
        memory.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert per_frame[1] < 1.4 * per_frame[0]
    assert memory[1] < 2.5 * memory[0]  # five times as long
