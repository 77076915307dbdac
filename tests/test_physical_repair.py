"""The repair: its problem's derivatives, and clips that obey physics afterwards, judged by the audit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.errors import BadValue
from poise.judge.audit import audit
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.motion.check.check import penetration, skating
from poise.motion.cleaning import cleaned, without_flips
from poise.motion.clip import Clip, Cycle
from poise.motion.load import load_clip
from poise.physical.repair import repair as room
from poise.physical.repair.labels import believed
from poise.physical.repair.repair import repair
from poise.physical.repair.setup import Plan, Weights


def recorded(mocap: Path, name: str) -> Clip:
    return load_clip(next(iter(mocap.rglob(f"{name}*.bvh"))))


def plan(clip: Clip) -> Plan:
    ready = cleaned(clip)
    return Plan.of(clip, ready, ready, friction=0.8, margin=0.2, keep=(), weights=Weights())


@pytest.mark.parametrize("looping", [False, True])
def test_the_gradient_is_that_of_central_differences(mocap: Path, looping: bool):
    clip = recorded(mocap, "02_01").cut(1.0, 1.15)
    labels = clip.contacts.labels
    if looping:
        cycle, q = Cycle(0.4, np.array([0.2, 0.1, 0.0])), np.array(clip.q)
        q[-1] = cycle.carry(q[0], 1)
        clip = clip.with_q(q, cycle=cycle, labels=np.concatenate([labels[:-1], labels[:1]]))
    problem = plan(clip.with_q(clip.q, dt=0.1)).problem(slice(0, len(clip)))
    assert problem.ring == looping
    rng, step = np.random.default_rng(0), 1e-6
    x, d = (0.05 * rng.normal(size=(problem.motion.frames, clip.character.model.nv)) for _ in range(2))
    normal = problem.normal(x)
    assert normal.cost == pytest.approx(problem.cost(x), rel=1e-9)
    slope = (problem.cost(x + step * d) - problem.cost(x - step * d)) / (2 * step)
    assert float(np.sum(normal.gradient * d)) == pytest.approx(slope, rel=1e-5)


def test_a_walk_becomes_physical_and_stays_so(mocap: Path):
    clip = recorded(mocap, "02_01").cut(0.5, 1.9)
    before = audit(clip)
    fixed, report = repair(clip)
    after, scale = audit(fixed), 686.7 / (9.81 * clip.character.mass)
    assert before.unexplained_force_rms * scale > 100.0
    assert after.unexplained_force_rms * scale < 2.0 and after.unexplained_torque_rms * scale < 1.0
    assert after.unexplained_force_max.value * scale < 15.0
    assert skating(fixed) < 0.01 and penetration(fixed) < 0.002
    assert report.root_rms < 0.06 and report.after.peak < 2.6
    assert fixed.posture_change(clip) == pytest.approx(report.posture_change, rel=0.05) and report.posture_change < 6.0
    again = repair(fixed)
    assert again.report.unchanged and again.clip is fixed
    assert np.array_equal(repair(clip).clip.q, fixed.q)  # the same bits twice


def test_flight_becomes_ballistic(mocap: Path):
    fixed = recorded(mocap, "16_05").cut(0.9, 1.9).make_physical()
    air = fixed.contacts.airborne()
    com = fixed.character.centre_of_mass(fixed.q)
    fall = (com[2:] - 2 * com[1:-1] + com[:-2]) / fixed.dt**2 - [0.0, 0.0, -9.81]
    assert air.sum() > 20
    assert np.linalg.norm(fall[air[1:-1]], axis=1).max() < 0.15


def test_windows_continue_each_other(mocap: Path, monkeypatch: pytest.MonkeyPatch):
    clip = recorded(mocap, "02_01").cut(0.0, 2.0)
    monkeypatch.setattr(room, "WINDOW", 0.8)
    monkeypatch.setattr(room, "OVERLAP", 0.4)
    fixed = clip.make_physical()
    scale = 686.7 / (9.81 * clip.character.mass)
    found = audit(fixed)
    assert found.unexplained_force_rms * scale < 2.0 and found.unexplained_force_max.value * scale < 15.0


def test_a_loop_is_repaired_without_a_seam(mocap: Path):
    loop = recorded(mocap, "02_01").loop()
    fixed = loop.make_physical()
    assert fixed.cycle is not None
    np.testing.assert_allclose(fixed.q[-1], fixed.cycle.carry(fixed.q[0], 1), atol=1e-9)
    found = audit(fixed)
    assert found.unexplained_force_max.value < 15.0


def test_what_is_kept_stays(mocap: Path):
    clip = recorded(mocap, "02_01").cut(0.5, 1.2)
    fixed = clip.make_physical(keep=("left_hand",))
    hand = clip.character.body("left_hand")
    moved = np.linalg.norm(
        fixed.character.forward(fixed.q)[0][:, hand] - clip.character.forward(clip.q)[0][:, hand], axis=1
    )
    assert moved.max() < 0.01


def test_flips_are_taken_out(mocap: Path):
    clip = recorded(mocap, "02_01").cut(0.5, 1.0)
    q, at = np.array(clip.q), int(clip.character.layout.qadr[3])
    good = q.copy()
    q[20:24, at : at + 4] = rot.multiply(q[20:24, at : at + 4], rot.exp(np.array([1.2, 0.0, 0.0])))
    mended = without_flips(clip.character.layout, q, clip.dt)
    assert np.abs(conf.difference(clip.character.layout, good, mended)).max() < np.radians(3.0)
    assert np.array_equal(without_flips(clip.character.layout, good, clip.dt), good)


def test_what_cannot_be_repaired_is_refused(mocap: Path):
    clip = recorded(mocap, "02_01").cut(0.5, 1.5)
    with pytest.raises(BadValue, match="at least 8 frames"):
        clip.cut(0.0, clip.dt).make_physical()
    with pytest.raises(BadValue, match="No foot ever touches"):
        q = np.array(clip.q)
        q[:, 2] += 1.0
        clip.with_q(q).make_physical()
    with pytest.raises(BadValue, match="friction"):
        clip.make_physical(friction=-1.0)


def test_wrong_labels_are_doubted(mocap: Path):
    clip = recorded(mocap, "02_01").cut(0.0, 2.2)
    labels, own = np.array(clip.contacts.labels), clip.contacts.points.of("left")
    assert not [d for d in repair(clip).report.doubtful if "left" in d.reason]
    labels[15:, own] = labels[:-15, own]
    report = repair(replace(clip, labels=labels)).report
    ends = np.flatnonzero(np.diff(labels[:, own].any(axis=1).astype(int)) == -1)
    end = int(ends[-1])  # its last stance ends too late
    assert any(d.first <= end and d.last >= end - 10 and "left" in d.reason for d in report.doubtful)
    assert "recorded elsewhere" in report.text() or "corrected" in report.text()


def test_a_raised_heel_is_not_pinned(mocap: Path):
    clip = recorded(mocap, "02_01").cut(0.0, 1.0)
    everything = replace(clip, labels=np.ones(clip.contacts.labels.shape, bool))
    labels = believed(everything)
    places = clip.character.points(clip.q)[..., 2]
    for side in ("left", "right"):
        own = clip.contacts.points.of(side)
        assert labels[:, own].any(axis=1).all()  # the lowest part of each foot keeps its contact
        lifted = places[:, own] - places[:, own].min(axis=1, keepdims=True) > 0.05
        assert lifted.any() and not np.any(labels[:, own] & lifted)
