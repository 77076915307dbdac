"""Contacts are found where a synthetic body was put on the ground, at any frame rate and under noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import puppet
from poise.character.roles import mirrored
from poise.errors import BadValue, UnknownName
from poise.maths.intervals import close_gaps, drop_short, hysteresis, runs, widened
from poise.motion.clip import Cycle
from poise.motion.contact.contacts import Contacts


def agree(found: list[tuple[float, float]], known: list[tuple[float, float]], within: float) -> bool:
    return len(found) == len(known) and bool(np.all(np.abs(np.array(found) - np.array(known)) <= within))


@pytest.mark.parametrize("fps", [24, 30, 60, 120, 240])
def test_walk_alternates_at_any_frame_rate(fps: float) -> None:
    clip, stances = puppet.walk(fps)
    for side in ("left", "right"):
        known = [s for s in stances[side] if s[1] - s[0] > 0.1]
        found = [s for s in clip.contacts.intervals(side) if s[1] - s[0] > 0.1]
        assert agree(found, known, max(2 / fps, 0.055)), (found, known)
    both = clip.contacts.feet().all(axis=1).mean()
    assert 0.2 < both < 0.5 and not clip.contacts.airborne().any()


def test_noise_does_not_change_the_stances() -> None:
    clip, stances = puppet.walk(120)
    rng = np.random.default_rng(3)
    q = clip.q.copy()
    q[:, [2, 7, 8, 9, 14, 15, 16]] += 0.002 * rng.standard_normal((len(q), 7))
    q[200, 9] += 0.3  # one frame in which the left foot jumps
    noisy = clip.with_q(q)
    for side in ("left", "right"):
        known = [s for s in stances[side] if s[1] - s[0] > 0.1]
        assert agree([s for s in noisy.contacts.intervals(side) if s[1] - s[0] > 0.1], known, 0.06)


def test_resampling_keeps_the_intervals() -> None:
    fine, coarse = puppet.walk(120)[0], puppet.walk(30)[0]
    for side in ("left", "right"):
        a, b = ([s for s in c.contacts.intervals(side) if s[1] - s[0] > 0.1] for c in (fine, coarse))
        assert agree(a, b, 2 / 30)


def test_mirrored_motion_has_mirrored_contacts() -> None:
    clip, _ = puppet.walk(120)
    q = clip.q.copy()
    q[:, 1] *= -1
    q[:, 7:14], q[:, 14:21] = clip.q[:, 14:21], clip.q[:, 7:14]
    q[:, [8, 15]] *= -1
    names = clip.character.contact_points.names
    swap = [names.index(mirrored(n)) for n in names]
    assert np.array_equal(clip.with_q(q).contacts.labels, clip.contacts.labels[:, swap])


def test_jump_has_one_flight() -> None:
    for fps in (30, 120):
        clip, (start, end) = puppet.jump(fps)
        air = runs(clip.contacts.airborne())
        assert len(air) == 1
        assert abs(air[0, 0] / fps - start) < 2.5 / fps and abs(air[0, 1] / fps - end) < 2.5 / fps


def test_heel_and_ball_are_told_apart() -> None:
    t = np.arange(0, 2, 1 / 120)
    root = np.stack([0 * t, 0 * t, puppet.HIP + 0 * t], axis=1)
    pitch = 0.5 * puppet.smooth((t - 0.8) / 0.4)  # the left heel rises while the ball stays where it is
    ball = np.array([puppet.CORNERS["ball"], 0.0, -puppet.ANKLE])
    turned = np.stack([ball[0] * np.cos(pitch) + ball[2] * np.sin(pitch), 0 * t,
                       -ball[0] * np.sin(pitch) + ball[2] * np.cos(pitch)], axis=1)  # fmt: skip
    left = np.array([0, 0.1, 0.0]) + ball - turned
    right = np.tile([0, -0.1, 0.0], (len(t), 1))
    clip = puppet.pose(puppet.puppet(), root, left, right, 1 / 120, (pitch, 0.0))
    assert clip.contacts.touching("left_ball").all() and clip.contacts.touching("right_heel").all()
    (span,) = clip.contacts.intervals("left_heel")
    assert span[0] == 0 and 0.85 < span[1] < 1.1


def test_feet_recorded_floating_in_a_squat_stay_on_the_ground() -> None:
    t = np.arange(0, 3, 1 / 120)
    deep = np.sin(np.pi * np.clip((t - 0.5) / 2, 0, 1)) ** 2
    root = np.stack([0 * t, 0 * t, puppet.HIP - 0.5 * deep], axis=1)
    up = 0.08 * np.sin(np.pi * np.clip((t - 1.1) / 0.8, 0, 1)) ** 2
    soles = [np.stack([0.01 * up, y + 0 * t, up], axis=1) for y in (0.1, -0.1)]
    clip = puppet.pose(puppet.puppet(), root, soles[0], soles[1], 1 / 120)
    assert not clip.contacts.airborne().any()


def test_a_body_hanging_on_a_bar_has_no_contacts() -> None:
    t = np.arange(0, 3, 1 / 120)
    swing = 0.8 * np.sin(2 * np.pi * t / 2.2)
    root = np.stack([1.0 * np.sin(swing), 0 * t, 2.4 - np.cos(swing)], axis=1)
    soles = [root - np.array([0, -y, puppet.HIP]) for y in (0.1, -0.1)]
    clip = puppet.pose(puppet.puppet(), root, soles[0], soles[1], 1 / 120)
    assert clip.contacts.airborne().all()


def test_a_loop_has_no_seam() -> None:
    clip, _ = puppet.walk(120, steps=12)
    period = 132
    loop = replace(clip.with_q(clip.q[60 : 60 + period + 1]), cycle=Cycle(0.0, np.array([1.4, 0, 0])))
    assert np.array_equal(loop.contacts.labels, clip.contacts.labels[60 : 60 + period + 1])


def test_override_and_names() -> None:
    contacts = puppet.walk(120)[0].contacts
    free = contacts.override("left", 0.0, 0.5, False)
    assert not free.touching("left")[:61].any() and free.touching("left")[61]
    assert np.array_equal(free.touching("right"), contacts.touching("right"))
    on = free.override("left_heel_inner", 0.1, 0.2, True)
    assert on.intervals("left_heel")[0] == pytest.approx((0.1, 0.2))
    assert set(on.to_dict()) == {"left", "right", "left_heel", "left_ball", "right_heel", "right_ball"}
    with pytest.raises(UnknownName, match="left_heel_inner"):
        contacts.intervals("left_knee")
    with pytest.raises(BadValue):
        contacts.override("left", 2.0, 1.0, True)
    with pytest.raises(BadValue):
        Contacts(contacts.points, contacts.labels[:, 1:], contacts.dt)
    clip = replace(puppet.walk(120)[0], labels=on.labels)
    assert np.array_equal(clip.contacts.labels, on.labels)


def test_runs() -> None:
    flags = np.array([1, 0, 1, 1, 0, 0, 1, 0], bool)
    assert runs(flags).tolist() == [[0, 1], [2, 4], [6, 7]]
    assert close_gaps(flags, 1).tolist() == [1, 1, 1, 1, 0, 0, 1, 0]
    assert drop_short(flags, 2).tolist() == [1, 0, 1, 1, 0, 0, 0, 0]
    assert hysteresis(np.array([0, 0, 1, 0, 0, 0], bool), np.array([0, 1, 1, 1, 0, 1], bool)).tolist() == [
        0,
        1,
        1,
        1,
        0,
        0,
    ]
    assert runs(np.zeros(3, bool)).shape == (0, 2)


def test_short_clips() -> None:
    clip, _ = puppet.walk(120)
    for n in (1, 2, 3, 5):
        assert clip.with_q(clip.q[:n]).contacts.labels.shape == (n, 8)


def test_widening_reaches_both_ways_and_stops_at_the_ends():
    flags = np.array([0, 0, 1, 0, 0, 0, 0, 1, 1, 0], bool)
    assert np.array_equal(widened(flags, 1), np.array([0, 1, 1, 1, 0, 0, 1, 1, 1, 1], bool))
    assert widened(flags, 3).all() and not widened(np.zeros(4, bool), 2).any()
    assert np.array_equal(widened(flags, 0), flags)
