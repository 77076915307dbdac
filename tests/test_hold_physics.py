"""Closed hands in the physics: a pendulum is explained by its bar, a load is found under the feet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from hold_clips import carrying, swing
from poise.dynamics.wrench import masses, root_wrench, root_wrench_derivatives
from poise.judge.audit_clip import audit_clip, needed
from poise.maths import configuration as conf
from poise.motion.contact.grip_forces import loads
from poise.motion.hold import Hold
from poise.physical.repair.repair import repair
from poise.solve.cones import cone_least_squares
from poise.solve.explain import explain


def test_a_swing_is_explained_by_its_bar_and_by_nothing_else() -> None:
    clip = swing()
    report = audit_clip(clip)
    assert report.passed and report.unexplained_force_rms < 0.5 and report.unexplained_torque_rms < 0.2
    bare = audit_clip(replace(clip, holds=()))
    assert bare.unexplained_force_rms > 0.9 * bare.weight
    assert any("hold on to something" in s.reason for s in bare.stretches)
    assert any("holds a bar" in remark for remark in report.remarks)


def test_a_hand_off_its_bar_holds_nothing() -> None:
    clip = swing(seconds=0.4)
    away = replace(clip, holds=tuple(h.moved(shift=(0.1, 0.0, 0.0)) for h in clip.grips))
    report = audit_clip(away)
    assert not report.passed and any("10 cm off" in s.reason for s in report.stretches)


def test_a_swing_that_is_too_slow_is_repaired_on_its_bar() -> None:
    clip = swing(seconds=1.6, fps=120.0, slower=1.15)
    assert audit_clip(clip).unexplained_torque_rms > 10.0  # no fist turns a body like that
    fixed, report = repair(clip)
    after = audit_clip(fixed, friction=0.8)
    assert after.unexplained_force_rms < 2.0 and after.unexplained_torque_rms < 1.0
    assert report.posture_change < 4.0 and fixed.grips == clip.grips
    for hold in fixed.grips:
        assert np.abs(hold.path(fixed) - np.asarray(hold.place)).max() < 0.003
    again = repair(fixed)
    assert again.report.unchanged


def test_the_weight_of_a_load_is_found_under_the_feet() -> None:
    plain, loaded = audit_clip(carrying(0.0)), audit_clip(carrying(20.0))
    push = [float(r.series["ground_force"][:, 2].mean()) for r in (plain, loaded)]
    assert push[1] - push[0] == pytest.approx(20.0 * 9.81, rel=0.02)
    shoulders = [np.abs(r.series["joint_torque"]).max() for r in (plain, loaded)]
    assert shoulders[1] > shoulders[0]
    assert any("carries 10 kg" in remark for remark in loaded.remarks)
    taken = audit_clip(carrying(20.0, 1.0, start=0.5)).series["ground_force"][:, 2]
    assert taken[:50].mean() == pytest.approx(push[0], rel=0.02) and taken[-30:].mean() == pytest.approx(
        push[1], rel=0.02
    )


def test_a_load_far_ahead_is_balanced_by_the_repair() -> None:
    clip = carrying(16.0, 0.8)
    hands = tuple(replace(h, point=(0.25, 0.0, -0.1)) for h in clip.grips)  # a box held before the body
    clip = replace(clip, holds=hands)
    before, (fixed, _) = audit_clip(clip, friction=0.8), repair(clip)
    after = audit_clip(fixed, friction=0.8)
    assert after.unexplained_force_rms < 2.0 and after.unexplained_torque_rms < 1.0
    assert after.unexplained_torque_rms <= max(before.unexplained_torque_rms, 1e-3)


def wild(frames: int = 5) -> tuple[poise.Character, np.ndarray, np.ndarray, np.ndarray]:
    rng, character = np.random.default_rng(3), poise.load_character("human42")
    nv = character.model.nv
    q = conf.integrate(
        character.layout, np.tile(character.standing_pose(), (frames, 1)), rng.normal(0, 0.4, (frames, nv))
    )
    return character, q, rng.normal(0, 2.0, (frames, nv)), rng.normal(0, 10.0, (frames, nv))


def test_loads_in_the_wrench_and_its_derivatives() -> None:
    character, q, v, a = wild()
    times = np.linspace(0.0, 1.0, len(q))
    holds = (Hold("left_hand", 0.2, mass=7.0), Hold("right_hand", mass=4.0, point=(0.1, 0.0, -0.2)))
    body, about = masses(character, loads(character, holds, times)), np.array(q[:, :3])
    w, *by = root_wrench_derivatives(character, body, q, v, a, about)
    assert np.allclose(w, root_wrench(character, body, q, v, a, about))
    step = 1e-6
    for d in range(0, character.model.nv, 5):
        e = np.zeros_like(v)
        e[:, d] = step
        pairs = [(conf.integrate(character.layout, q, s * e), v, a) for s in (1, -1)]
        for grad, (plus, minus) in zip(by, (pairs, [(q, v + s * e, a) for s in (1, -1)],
                                            [(q, v, a + s * e) for s in (1, -1)]), strict=True):  # fmt: skip
            x = [root_wrench(character, body, *args, about) for args in (plus, minus)]
            assert np.allclose(grad[:, d], (x[0] - x[1]) / (2 * step), rtol=1e-4, atol=2e-3)


def test_the_audit_and_the_repair_agree_on_loads() -> None:
    clip = carrying(20.0, 0.4)
    times, character = clip.times, clip.character
    body = masses(character, loads(character, clip.grips, times))
    needs = needed(clip)
    w = root_wrench(character, body, clip.q, clip.velocity, clip.acceleration, needs.centre)
    assert np.allclose(w[:, 3:], needs.wrench[:, :3], atol=1e-6) and np.allclose(
        w[:, :3], needs.wrench[:, 3:], atol=1e-6
    )


def test_infinite_friction_pulls_as_well() -> None:
    rng = np.random.default_rng(0)
    columns, b = rng.normal(size=(4, 2, 3, 6)), rng.normal(size=(4, 6))
    found = explain(b, columns, np.ones((4, 2), bool), np.full(2, np.inf))
    assert found.cost.max() < 1e-3  # six columns give any wrench
    one = explain(b, columns[:, :1], np.ones((4, 1), bool), np.full(1, np.inf))
    for k in range(4):
        A = columns[k, 0].T
        best = b[k] - A @ np.linalg.lstsq(A, b[k], rcond=None)[0]
        assert np.allclose(one.left[k], best, atol=1e-2)
        same = cone_least_squares(A, b[k], np.array([np.inf]), 1e-8)
        assert np.allclose(same.residual, best, atol=1e-5) and same.solved
