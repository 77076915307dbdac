"""check tells the truth about clips whose truth is known."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import puppet
from poise.character.character import ContactPoints
from poise.character.skeleton import Skeleton
from poise.maths import rotations as rot
from poise.motion.check.check import check, penetration, skating, table
from poise.motion.check.flaws import free_fall, spikes
from poise.motion.reading.floor import level
from poise.motion.recording import Recording

NEEDED = {"height", "unit", "up", "fps", "frames", "roles", "contacts", "skating", "floor", "warnings", "licence"}


def test_report_is_json_and_text() -> None:
    report = check(puppet.walk(60)[0])
    told = json.loads(json.dumps(report.to_dict()))
    assert set(told) >= NEEDED
    assert told["frames"] == len(puppet.walk(60)[0]) and told["fps"] == pytest.approx(60)
    assert told["roles"]["left_foot"] == "left_foot" and told["contacts"]["left"]
    assert told["free_fall"]["verdict"] == "unknown"
    page = report.text()
    assert "left foot" in page and "licence" in page and max(map(len, page.splitlines())) <= 115
    lines = table([{"file": "a/b.bvh", **told}, {"file": "c.bvh", "error": "c.bvh: is empty."}]).splitlines()
    assert len(lines) == 4 and "c.bvh: is empty." in lines[-1]


@pytest.mark.parametrize("fps", [24, 30, 60, 120, 240])
def test_free_fall_agrees_at_the_right_rate(fps: float) -> None:
    fall = free_fall(puppet.jump(fps)[0])
    assert fall.verdict == "agrees" and fall.g == pytest.approx(9.81, rel=0.02) and len(fall.flights) == 1


@pytest.mark.parametrize(("told", "true"), [(120, 60), (60, 120), (60, 30)])
def test_a_wrong_frame_rate_is_noticed(told: float, true: float) -> None:
    clip = replace(puppet.jump(true)[0], dt=1 / told)
    fall = free_fall(clip)
    assert fall.verdict == "disagrees" and fall.fps == pytest.approx(true, rel=0.03)
    assert fall.g == pytest.approx(9.81 * (told / true) ** 2, rel=0.05)
    assert any(f"probably recorded at {true:.0f}" in w for w in check(clip).warnings)


def test_hanging_is_not_flight() -> None:
    t = np.arange(0, 3, 1 / 120)
    swing = 0.8 * np.sin(2 * np.pi * t / 2.2)
    root = np.stack([1.0 * np.sin(swing), 0 * t, 2.4 - np.cos(swing)], axis=1)
    soles = [root - np.array([0, -y, puppet.HIP]) for y in (0.1, -0.1)]
    clip = puppet.pose(puppet.puppet(), root, soles[0], soles[1], 1 / 120)
    report = check(clip)
    assert report.free_fall.g is None and report.held == pytest.approx(3.0, abs=0.05)
    assert any("hold it" in w for w in report.warnings)


def test_skating_and_penetration_are_measured() -> None:
    t = np.arange(0, 2, 1 / 60)
    root = np.stack([0 * t, 0 * t, puppet.HIP + 0 * t], axis=1)
    left = np.stack([0.05 * t, 0 * t + 0.1, 0 * t - 0.004], axis=1)  # slides at 5 cm/s, 4 mm deep
    right = np.tile([0, -0.1, 0.0], (len(t), 1))
    clip = puppet.pose(puppet.puppet(), root, left, right, 1 / 60)
    assert skating(clip) == pytest.approx(0.025, rel=1e-6)
    assert penetration(clip) == pytest.approx(0.004, abs=1e-9)


@pytest.mark.parametrize("fps", [30, 120])
def test_spikes_are_found_in_the_files_own_joints(fps: float) -> None:
    t = np.arange(0, 2, 1 / fps)
    skeleton = Skeleton(("hips", "LeftToeBase"), np.array([-1, 0]), np.zeros((2, 3)))
    turns = np.tile(rot.IDENTITY, (len(t), 2, 1))
    turns[:, 1] = rot.from_axis_angle(np.array([1.0, 0, 0]), 0.5 * np.sin(4 * t))
    turns[20, 1] = rot.multiply(turns[20, 1], rot.from_axis_angle(np.array([0, 1.0, 0]), np.array(2.0)))
    turns[12] *= -1  # the same rotation
    recording = Recording(skeleton, turns, np.zeros((len(t), 2, 3)), 1 / fps)
    clip = replace(puppet.jump(fps)[0], recording=recording)
    (spike,) = spikes(clip)
    assert spike.joint == "LeftToeBase" and spike.frame in (19, 20) and spike.count == 2
    assert spike.degrees == pytest.approx(np.degrees(2.0), abs=5)
    assert spikes(puppet.jump(fps)[0]) == ()


def test_any_clip_can_be_checked() -> None:
    clip = puppet.walk(30)[0]
    for short in (1, 2, 4):
        json.dumps(check(clip.with_q(clip.q[:short])).to_dict())
    none = ContactPoints((), np.zeros(0, int), np.zeros((0, 3)))
    bare = replace(clip, character=replace(clip.character, contact_points=none))
    report = check(bare)
    assert report.skating == report.penetration == 0.0 and not report.floor.known and report.text()
    assert level(bare).source.notes and bare.contacts.labels.shape == (len(clip), 0)
