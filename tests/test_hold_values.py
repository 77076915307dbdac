"""Holds as values: times, places and mirror images stay what they are through every change of a clip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from hold_clips import BAR, carrying, swing
from poise.errors import BadValue, UnknownBody
from poise.motion.clip import Cycle
from poise.motion.formats import npz
from poise.motion.hold import EASE, Hold
from poise.motion.resample import resample, sample


def test_a_hold_refuses_what_cannot_be() -> None:
    for wrong in ({"start": 1.0, "end": 0.5}, {"mass": -1.0}, {"place": (0.0, 1.0)}, {"axis": (0.0, 0.0, 0.0)},
                  {"place": (np.nan, 0.0, 0.0)}):  # fmt: skip
        with pytest.raises(BadValue):
            Hold("left_hand", **wrong)
    with pytest.raises(UnknownBody):
        replace(swing(seconds=0.2), holds=(Hold("third_hand"),))


def test_a_load_is_taken_up_and_put_down_smoothly() -> None:
    times = np.linspace(0.0, 2.0, 2001)
    share = Hold("left_hand", 0.5, 1.5, mass=3.0).share(times)
    assert share[times < 0.5].max() == 0.0 and share[(times > 0.5 + EASE) & (times < 1.5 - EASE)].min() == 1.0
    assert np.abs(np.diff(share, 2)).max() < 6.0 * (1e-3 / EASE) ** 2  # no step in its slope
    assert np.all(Hold("left_hand", mass=3.0).share(times) == 1.0)  # held before the clip begins and after it ends


def test_cut_repeat_and_resample_move_times() -> None:
    clip = replace(swing(seconds=1.6), holds=(Hold("left_hand", 0.4, 1.2, place=(0.0, 0.0, 2.0)),
                                              Hold("right_hand", 0.5, mass=2.0)))  # fmt: skip
    left, right = clip.cut(0.6, 1.4).grips
    assert (left.start, left.end) == (0.0, pytest.approx(0.6)) and (right.start, right.end) == (0.0, None)
    assert not clip.cut(0.0, 0.3).grips
    for other in (resample(clip, 90.0), sample(clip, clip.times)):
        for a, b in zip(clip.grips, other.grips, strict=True):
            assert b.start == pytest.approx(a.start, abs=other.dt) and (a.end is None) == (b.end is None)
            assert a.end is None or b.end == pytest.approx(a.end, abs=other.dt)
    fast = clip.edit(poise.edit.Warp(speed=2.0))
    assert fast.grips[0].start == pytest.approx(0.2, abs=0.01) and fast.grips[0].end == pytest.approx(0.6, abs=0.01)


def test_a_loop_carries_its_bars_along() -> None:
    bars = (Hold("left_hand", 0.2, 0.6, place=(0.1, 0.0, 2.0)), Hold("right_hand", mass=1.0))
    clip = replace(swing(seconds=1.0), cycle=Cycle(0.5 * np.pi, np.array([1.0, 0.0, 0.0])), holds=bars)
    again = clip.repeat(3).grips
    lefts = [h for h in again if h.hand == "left_hand"]
    assert [h.start for h in lefts] == pytest.approx([0.2, 1.2, 2.2]) and len(again) == 4  # the load stays one hold
    assert lefts[1].place == pytest.approx((1.0, 0.1, 2.0)) and abs(lefts[1].axis[0]) == pytest.approx(1.0)
    assert clip.cycle is not None
    for k, hold in enumerate(lefts):  # the bar is where the hand is, seen from its own period
        q = clip.cycle.carry(np.array([0.1, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0]), k)
        assert hold.place == pytest.approx(tuple(q[:3]))
    assert len(replace(clip, cycle=Cycle(), holds=(Hold("left_hand", place=(0, 0, 2)),)).repeat(3).grips) == 1


def test_mirrored_holds_are_held_by_the_other_hand() -> None:
    clip = swing(seconds=0.3)
    there = clip.mirror()
    for hold in there.grips:
        assert np.abs(hold.path(there) - np.asarray(hold.place)).max() < 1e-6
    for a, b in zip(clip.grips, there.mirror().grips, strict=True):
        assert a.hand == b.hand and a.place == pytest.approx(b.place)


def test_npz_gives_the_same_holds_back(tmp_path) -> None:
    for clip in (swing(seconds=0.3), carrying(12.0), replace(swing(seconds=0.3), holds=None)):
        npz.save(clip, tmp_path / "clip.npz")
        assert npz.load(tmp_path / "clip.npz").holds == clip.holds


def test_a_turned_clip_takes_its_bar_with_it() -> None:
    clip = swing(seconds=0.3)
    moved = clip.edit(poise.edit.Turn(degrees=90.0, around=True)).edit(poise.edit.Move((1.0, -2.0)))
    for hold in moved.grips:
        assert np.abs(hold.path(moved) - np.asarray(hold.place)).max() < 1e-3


@pytest.mark.parametrize("name", ["human57", "human45", "runner"])
def test_retargeted_hands_are_on_their_bar(name: str) -> None:
    clip = swing(seconds=0.6, fps=120.0)
    other = clip.retarget(poise.load_character(name))
    assert len(other.grips) == 2
    for hold in other.grips:
        assert np.abs(hold.path(other) - np.asarray(hold.place)).max() < 0.005
    heights = [h.place[2] for h in other.grips if h.place is not None]
    assert np.ptp(heights) < 1e-6


def test_detection_finds_the_bar() -> None:
    clip = replace(swing(seconds=1.6, fps=120.0), holds=None, labels=None)
    assert [h.hand for h in clip.grips] == ["left_hand", "right_hand"]
    for hold in clip.grips:
        assert hold.place is not None and (hold.start, hold.end) == (0.0, None)
        assert np.hypot(hold.place[0] - BAR[0], hold.place[2] - BAR[2]) < 0.01
        assert abs(hold.axis[1]) > 0.99
    assert not poise.load_clip("walk").grips and not poise.load_clip("stand").grips
