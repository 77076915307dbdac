"""Clips with closed hands on a stage: bars and loads where the hands are, performances that hang on them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from hold_clips import BAR, carrying, swing
from poise.cli.main import main
from poise.judge.audit_clip import audit_clip
from poise.motion.check.check import check
from poise.motion.clip import Cycle
from poise.motion.formats import npz
from poise.motion.hold import Hold
from poise.physical.repair.repair import repair
from poise.stage import Bar, Barbell

SWING = "cmu/43_02_f0000-0660.bvh"


def test_two_hands_hold_one_bar() -> None:
    stage = swing(seconds=0.3).stage()
    (bar,), (left, right) = stage.props, stage.grips
    assert isinstance(bar, Bar) and bar.position == pytest.approx(tuple(BAR), abs=1e-3)
    assert {left.hand, right.hand} == {"left_hand", "right_hand"} and left.to == right.to == bar.name


def test_holds_on_other_lines_are_other_bars() -> None:
    clip = swing(seconds=0.3)
    high = replace(clip.grips[0], place=(0.0, 0.5, 3.0))
    assert len(replace(clip, holds=(high, clip.grips[1])).stage().props) == 2


def test_a_performance_hangs_on_the_bar() -> None:
    take = poise.perform(swing(seconds=1.0, fps=120.0), "pd")
    assert take.fell is None and poise.audit(take).passed
    assert np.linalg.norm(take.q[-1, :3] - take.q_ref[-1, :3]) < 0.15  # it swings as the clip does
    dropped = poise.perform(swing(seconds=1.0, fps=120.0), "pd", stage=poise.Stage())
    assert dropped.q[-1, 2] < take.q[-1, 2] - 0.5


def test_loads_become_a_barbell_across_the_hands() -> None:
    clip = carrying(20.0)
    (bell,), grips = clip.stage().props, clip.stage().grips
    assert isinstance(bell, Barbell) and bell.mass == pytest.approx(20.0) and len(grips) == 2
    hands = np.array([h.path(clip)[0] for h in clip.grips])
    assert np.allclose(bell.position, hands.mean(axis=0), atol=1e-6) and abs(bell.yaw) < 5.0
    turned = clip.edit(poise.edit.Turn(degrees=40.0, around=True))
    assert turned.stage().props[0].yaw == pytest.approx(40.0 + bell.yaw, abs=1.0)  # type: ignore[union-attr]
    one = replace(clip, holds=clip.grips[:1]).stage().props[0]
    assert isinstance(one, Barbell) and one.length < 0.5 and one.mass == pytest.approx(10.0)


def test_grips_follow_the_time_of_the_performance() -> None:
    clip = replace(swing(seconds=1.0), holds=(Hold("left_hand", 0.2, 0.6, place=tuple(BAR)),))
    later = clip.stage(start=0.5).grips[0]
    assert later.start == 0.0 and later.end == pytest.approx(0.1)
    assert not clip.stage(start=0.8).grips
    ring = replace(clip, cycle=Cycle())
    assert [g.start for g in ring.stage(seconds=3.0).grips] == pytest.approx([0.2, 1.2, 2.2])


def test_commands_tell_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "swing.npz"
    npz.save(swing(seconds=0.6, fps=120.0), path)
    assert main(["check", str(path)]) == 0
    assert "left hand holds a bar at (0.20" in " ".join(capsys.readouterr().out.split())
    assert main(["check", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [h["hand"] for h in told["holds"]] == ["left_hand", "right_hand"]
    assert main(["audit", str(path)]) == 0
    assert "right hand holds a bar" in capsys.readouterr().out


def test_the_recorded_bar_swing(mocap: Path) -> None:
    clip = poise.load_clip(mocap / SWING)
    report = check(clip)
    assert len(report.holds) == 2 and report.held == 0.0 and not any("not fall" in w for w in report.warnings)
    for hold in clip.grips:  # the index of the recordings: a pivot at x = -0.41, y = 1.95 in the file, along its z
        assert hold.place is not None and hold.place[2] == pytest.approx(1.95, abs=0.05)
        assert (hold.start, hold.end) == (0.0, None) and hold.point is not None
        assert np.linalg.norm(hold.point) == pytest.approx(0.40, abs=0.06)
    fixed, told = repair(clip)
    after, scale = audit_clip(fixed, friction=0.8), 70.0 / clip.character.mass
    assert scale * after.unexplained_force_rms < 2.0 and scale * after.unexplained_force_max.value < 15.0
    assert scale * after.unexplained_torque_rms < 1.0 and told.root_rms < 0.06 and told.after.peak < 4.0
    body = [n for n in told.turned if "toes" not in n]  # the file's toes jump by up to 93 degrees a frame
    assert np.sqrt(np.mean([told.turned[n] ** 2 for n in body])) < 3.0
    take = poise.perform(fixed, "pd", seconds=1.0)
    assert take.fell is None and poise.audit(take).passed
