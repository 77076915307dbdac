"""Suggestions for animators: which frames no ground force explains, for how long, and why, in words."""

from __future__ import annotations

import json

import numpy as np
import pytest

import poise
import puppet
from poise.cli.main import main
from poise.judge import audit
from poise.maths.intervals import runs
from poise.motion.ik import ik
from poise.motion.resample import resample


@pytest.fixture(scope="module")
def stand():
    return poise.load_clip("stand").cut(0.0, 1.0)


def slow_jump(pace: float):
    clip, air = puppet.jump()
    return poise.Clip(clip.character, np.array(clip.q), clip.dt * pace), pace * np.array(air)


@pytest.mark.parametrize("pace", [1.2, 1.4])
def test_a_jump_that_floats_is_told_frame_by_frame(pace):
    clip, (start, end) = slow_jump(pace)
    report = audit(clip)
    found = next(s for s in report.suggestions if "flight" in s.reason or "gravity" in s.reason)
    assert abs(found.start - start) < 0.08 and abs(found.end - end) < 0.08
    assert found.reason.startswith(f"frames {found.first}-{found.last} (") and "rises in flight" in found.reason
    assert str(round(report.weight * (1 - 1 / pace**2)))[:1] in found.reason.split("(")[-1]


def test_a_fall_that_is_too_slow_is_told():
    clip, (start, end) = slow_jump(1.3)
    report = audit(clip.cut(0.5 * (start + end) + 0.05, end - 0.02))
    assert "falls more slowly than gravity pulls it" in report.suggestions[0].reason


def test_feet_that_slide_are_told(stand):
    q = np.array(stand.q)
    q[:, 0] += 0.5 * stand.times
    report = audit(stand.with_q(q))
    assert "slides over the ground at 50 cm/s" in report.suggestions[0].reason
    assert report.longest_run == len(stand)


def test_a_sudden_move_is_told_at_its_frames_only(stand):
    lean = np.where((stand.times > 0.4) & (stand.times < 0.6), 0.15, 0.0)
    lean = np.convolve(lean, np.hanning(25) / np.hanning(25).sum(), mode="same")
    q = np.array(stand.q)
    q[:, 0] += lean
    upper = audit(stand.with_q(q))
    assert all(s.start > 0.3 and s.end < 0.75 for s in upper.suggestions)


@pytest.mark.parametrize("fps", [30, 60, 120, 240])
def test_how_long_a_run_may_be_goes_with_the_frame_rate(stand, fps):
    clip = resample(stand, fps)
    q = np.array(clip.q)
    q[:, 2] += 0.03  # floats
    report = audit(clip.with_q(q))
    assert report.longest_run == len(clip)
    safe, most = report.runs_allowed
    assert safe / fps == pytest.approx(10 / 120, abs=0.5 / fps) and most / fps == pytest.approx(15 / 120, abs=0.5 / fps)
    assert "not met" in report.text() and "floats 3.0 cm" in report.text() and "--physical" in report.text()


def test_a_short_run_will_do(stand):
    q = np.array(stand.q)
    for k, high in enumerate(np.hanning(9)[1:-1]):
        q[50 + k, 2] += 0.012 * high
    report = audit(stand.with_q(q), cutoff=59.0)
    assert (0 < report.longest_run < 15 and ": met" in report.text()) or "just met" in report.text()


def test_noise_is_no_reason_to_change_anything_by_hand(stand):
    rng, q = np.random.default_rng(0), np.array(stand.q)
    q[:, 2] += 2e-4 * rng.normal(size=len(q))
    report = audit(stand.with_q(q))
    assert not report.passed and report.stretches and not report.suggestions and report.told_above == 10.0
    assert "Nothing to change by hand" in report.text()


def test_what_obeys_physics_needs_no_suggestion(stand):
    report = audit(stand)
    assert report.suggestions == () and report.longest_run == 0 and "--physical" not in report.text()


def test_the_command_tells_them(stand, tmp_path, capsys):
    q = np.array(stand.q)
    q[30:, 2] += 0.03
    stand.with_q(q, labels=None).save(tmp_path / "a.npz")
    assert main(["audit", str(tmp_path / "a.npz")]) == 1  # it does not pass
    words = capsys.readouterr().out
    assert "floats 3" in words and "A controller wants fewer than 10 to 15" in words and "--physical" in words
    assert main(["audit", str(tmp_path / "a.npz"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["longest_run"] > 15 and told["runs_allowed"] == [10, 15] and told["suggestions"][0]["reason"]


@pytest.mark.parametrize("name", ["02_01", "16_05", "22_14", "120_08", "08_07", "132_23", "144_05", "09_01"])
def test_recordings_get_reasons_that_fit(mocap, name):
    clip = poise.load_clip(next(iter(mocap.rglob(f"{name}*.bvh")))).cut(0.5, 1.5)
    report = audit(clip)
    known = ("leaning", "slide", "floats", "float ", "flight", "gravity", "friction", "pull", "held up", "cannot give",
             "would have to")  # fmt: skip
    assert report.suggestions and all(any(word in s.reason for word in known) for s in report.suggestions if s.reason)
    count = [sum(s.last - s.first + 1 for s in found) for found in (report.suggestions, report.stretches)]
    assert count[0] <= count[1]


def leant(clip, beyond: float, first: int, last: int):
    """The clip leaning forward over its feet until its centre of mass is so far [m] past their tips, and back."""
    human, points, place = clip.character, clip.character.contact_points, clip.character.points(clip.q)
    ease = np.clip((np.arange(len(clip)) - first) / 60, 0, 1) * np.clip((last - np.arange(len(clip))) / 60, 0, 1)
    ease = ease**2 * (3 - 2 * ease)
    start, tips = human.centre_of_mass(clip.q)[:, 0], place[:, points.feet, 0].max()
    feet = [ik.PointTarget(int(points.bodies[i]), points.positions[i], place[:, i], 30.0) for i in points.feet]
    posture = ik.default_posture(human)
    posture[:6] *= 100.0
    q, moved = np.array(clip.q), np.zeros(len(clip))
    for _ in range(5):
        moved += start + ease * (tips + beyond - start) - human.centre_of_mass(q)[:, 0]
        there = np.array(clip.q)
        there[:, 0] += moved
        q = ik.solve(human, there, feet, posture=posture)
    return clip.with_q(q, labels=None)


@pytest.mark.parametrize("name", ["human42", "human57"])
def test_a_body_that_leans_six_centimetres_beyond_its_toes_is_told_so(name):
    report = audit(leant(poise.load_clip("stand", character=name), 0.06, 100, 300))
    found = report.suggestions[0]
    assert found.reason.endswith("leaning 6 cm beyond the toes") and 120 < found.first < 170 and 230 < found.last < 290
    assert all("suddenly" in s.reason for s in report.suggestions[1:])


def test_a_centre_of_mass_that_is_raised_in_flight_is_told():
    """Six centimetres on top of the middle of a flight: it rises too long, and has to come down too fast."""
    jump = poise.load_clip("jump")
    assert audit(jump).suggestions == ()
    first, last = runs(jump.contacts.airborne())[0]
    share, q = np.linspace(0.0, 1.0, last - first), np.array(jump.q)
    q[first:last, 2] += 0.06 * 16 * share**2 * (1 - share) ** 2
    told = sorted(audit(jump.with_q(q)).suggestions, key=lambda s: s.first)
    assert "the centre of mass rises in flight" in told[0].reason and abs(told[0].first - first) < 5
    assert "falls faster than gravity" in told[1].reason
    assert "falls more slowly than gravity" in told[2].reason and abs(told[2].last - last) < 5
