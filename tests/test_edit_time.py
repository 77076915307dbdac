"""Edits in time: warp, resampling and blending into another motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edit_clips import penetration, seam, skating, walk
from manikin import manikin, sway
from poise.errors import BadValue, ClipMismatch
from poise.maths import rotations as rot
from poise.motion import edit
from poise.motion.clip import Cycle
from poise.motion.edit.warp import _rising
from poise.motion.resample import resample, sample


def test_frames_of_the_clip_itself_come_back_bit_for_bit() -> None:
    clip = walk(2)
    assert np.array_equal(sample(clip, clip.times).q, clip.q)
    assert np.array_equal(resample(clip, clip.fps).q, clip.q)


def test_resampling_finer_and_back_keeps_the_motion() -> None:
    for clip in (walk(2), walk(1, loop=True)):
        fine = resample(clip, 480.0)
        back = resample(fine, clip.fps)
        assert len(back) == len(clip) and np.abs(back.q - clip.q).max() < 1e-9
        points = fine.character.points(fine.q)
        assert fine.duration == pytest.approx(clip.duration)
        assert (
            np.abs(np.diff(points, 2, axis=0)).max()
            < 0.3 * np.abs(np.diff(clip.character.points(clip.q), 2, axis=0)).max()
        )


def test_a_loop_is_sampled_beyond_its_ends() -> None:
    clip = walk(1, loop=True)
    far = sample(clip, np.array([-0.3, 0.4, 3 * clip.duration + 0.4]))
    assert clip.cycle is not None
    assert np.allclose(far.q[2], clip.cycle.carry(far.q[1], 3), atol=1e-9)
    assert np.allclose(far.q[0], clip.cycle.carry(sample(clip, np.array([clip.duration - 0.3])).q[0], -1), atol=1e-9)


def test_warp_plays_the_same_poses_faster() -> None:
    clip = replace(walk(2), source_times=walk(2).times + 5.0)
    fast = edit.Warp(speed=2.0).apply(clip)
    assert fast.duration == pytest.approx(clip.duration / 2, abs=clip.dt)
    assert np.abs(fast.q - clip.q[::2][: len(fast)]).max() < 1e-6
    assert fast.source_times is not None and np.allclose(np.diff(fast.source_times), 2 * clip.dt, atol=1e-9)
    assert skating(fast) < 0.02


def test_warp_of_an_interval_leaves_the_rest_at_its_speed() -> None:
    clip = replace(walk(4), source_times=walk(4).times)
    out = edit.Warp(speed=0.5, start=1.5, end=2.5, fade=0.3).apply(clip)
    assert out.source_times is not None
    rate = np.diff(out.source_times) / out.dt
    assert rate[:100] == pytest.approx(1.0, abs=1e-6) and rate[-100:] == pytest.approx(1.0, abs=1e-6)
    assert rate.min() == pytest.approx(0.5, abs=1e-6)
    assert np.abs(np.diff(rate)).max() < 0.05  # eased
    assert out.duration == pytest.approx(clip.duration + 1.0, abs=0.5)


def test_warping_back_gives_the_same_motion() -> None:
    clip = walk(3)
    pairs = ((0.0, 0.0), (1.0, 1.6), (2.0, 2.2), (clip.duration, 3.5))
    there = edit.Warp(times=pairs).apply(clip)
    back = edit.Warp(times=tuple((b, a) for a, b in pairs)).apply(there)
    n = min(len(back), len(clip))
    assert np.abs(back.q[:n] - clip.q[:n]).max() < 0.15  # the two curves through the pairs differ in between
    assert np.abs(sample(there, np.array([1.6])).q - sample(clip, np.array([1.0])).q).max() < 1e-3


def test_a_loop_warped_in_a_part_stays_closed() -> None:
    for change in (edit.Warp(speed=1.4), edit.Warp(speed=0.6, start=0.0, end=0.3, fade=0.2)):
        out = change.apply(walk(1, loop=True))
        here, rate = seam(out)
        assert here < 1e-12 and rate < 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0.05, 3.0), st.floats(0.05, 3.0)), min_size=2, max_size=8))
def test_warps_rise_smoothly_through_their_pairs(steps: list[tuple[float, float]]) -> None:
    pairs = np.concatenate([[[0.0, 0.0]], np.cumsum(np.array(steps), axis=0)])
    x = np.linspace(0.0, pairs[-1, 0], 4001)
    y = _rising(pairs, x, looping=False)
    assert np.all(np.diff(y) > 0)
    assert np.allclose(_rising(pairs, pairs[:, 0], looping=False), pairs[:, 1], atol=1e-9)


def test_blend_goes_from_one_motion_into_the_other() -> None:
    character = manikin(hinges=True)
    slow, quick = walk(3, character=character), edit.Warp(speed=1.5).apply(walk(3, character=character, offset=0.3))
    quick = edit.Turn(70.0, around=True).apply(edit.Move((3.0, -1.0)).apply(quick))
    out = edit.Blend(quick, at=1.5, over=0.4).apply(slow)
    first = round(1.5 / out.dt)
    assert np.abs(out.q[: first - 60] - slow.q[: first - 60]).max() < 0.02
    assert np.ptp(rot.heading(out.q[:, 3:7])) < 0.5  # it goes straight on: turned into the first one's heading
    assert np.linalg.norm(np.diff(out.q[:, :3], axis=0), axis=1).max() < 0.03
    assert skating(out) < 0.02 and penetration(out) < 0.005
    assert np.abs(out.velocity).max() < 2.0 * max(np.abs(slow.velocity).max(), np.abs(quick.velocity).max())
    speed = np.diff(out.q[-80:, 0]).mean() / out.dt
    assert speed == pytest.approx(np.linalg.norm(np.diff(quick.q[-80:, :2], axis=0).mean(axis=0)) / out.dt, rel=0.05)


def test_a_loop_is_left_at_any_time() -> None:
    character = manikin(hinges=True)
    loop = walk(1, loop=True, character=character)
    out = edit.Blend(walk(2, character=character), at=3.0, over=0.3).apply(loop)
    assert out.cycle is None and out.duration > 3.0
    assert skating(out) < 0.02


def test_bad_warps_and_blends_are_refused() -> None:
    clip = walk(2)
    for make in (lambda: edit.Warp(), lambda: edit.Warp(speed=0.0), lambda: edit.Warp(times=((0, 0), (1, -1))),
                 lambda: edit.Warp(speed=1.0, start=2.0, end=1.0), lambda: edit.Blend(clip, over=0.0),
                 lambda: edit.Blend(clip, at=-1.0), lambda: edit.Blend(clip, at=2.1).apply(clip),
                 lambda: edit.Blend(clip.cut(0, 0.1)).apply(clip), lambda: resample(clip, 0.0),
                 lambda: edit.Warp(times=((0.1, 0.0), (0.9, 1.0))).apply(walk(1, loop=True))):  # fmt: skip
        with pytest.raises(BadValue):
            make()
    with pytest.raises(ClipMismatch):
        edit.Blend(sway(manikin(1.1))).apply(clip)


def test_a_cycle_that_turns_is_sampled_in_turn() -> None:
    clip = edit.Turn(40.0).apply(walk(1, loop=True))
    assert isinstance(clip.cycle, Cycle)
    fine = resample(clip, 60.0)
    assert seam(fine)[0] < 1e-12 and fine.cycle is clip.cycle
