"""Loops: the right period, a closed seam, the displacement kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conftest import mocap_folder
from edit_clips import PERIOD, STRIDE, penetration, seam, skating, walk
from manikin import manikin, sway
from poise.errors import BadValue, NoSolution
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.loop import find


def disturbed(clip: Clip, size: float = 0.03, seed: int = 0) -> Clip:
    """The clip with slow drifts, so that no two periods are alike."""
    rng = np.random.default_rng(seed)
    v = np.zeros((len(clip), clip.character.model.nv))
    for k in (0.31, 0.53, 0.79):
        v += size * rng.normal(size=v.shape[1]) * np.sin(2 * np.pi * k * clip.times + rng.uniform(0, 6))[:, None]
    v[:, :3] *= 0.1
    return clip.with_q(conf.integrate(clip.character.layout, clip.q, v), labels=clip.contacts.labels)


def test_the_period_of_a_walk_is_found() -> None:
    for clip in (walk(3), disturbed(walk(3))):
        found = find(clip)
        assert (found.last - found.first) * clip.dt == pytest.approx(PERIOD, abs=0.06)
        assert found.repeats < 0.4


def test_the_seam_is_closed_and_smooth() -> None:
    clip = disturbed(walk(3))
    out = clip.loop()
    here, rate = seam(out)
    assert here < 1e-12
    steps = conf.difference(out.character.layout, out.q[:-1], out.q[1:]) / out.dt
    assert rate < 1.5 * np.abs(np.diff(steps, axis=0)).max() + 0.05  # no more of a corner than anywhere else
    assert out.cycle is not None and out.cycle.turn == 0.0 and out.cycle.shift[2] == 0.0
    assert out.cycle.shift[0] == pytest.approx(STRIDE, abs=0.06)
    assert skating(out) < 0.02 and penetration(out) < 0.005
    assert out.posture_change(clip.cut(0, out.duration)) < 30.0
    again = out.repeat(3)
    assert np.abs(again.velocity).max() < 1.2 * np.abs(out.velocity).max() + 0.1


def test_an_exact_walk_loops_exactly() -> None:
    clip = replace(walk(3), source_times=walk(3).times)
    out = clip.loop()
    assert out.source_times is not None and np.all(np.diff(out.source_times) > 0)
    first = round(out.source_times[0] / clip.dt)
    assert np.abs(out.q[:-1] - clip.q[first : first + len(out) - 1]).max() < 1e-6
    assert out.loop() is out


def test_a_walk_in_a_circle_keeps_its_turn() -> None:
    out = edit.Turn(200.0).apply(walk(6)).loop()
    assert out.cycle is not None
    assert np.degrees(out.cycle.turn) == pytest.approx(200.0 / 6.0, abs=3.0)
    assert seam(out)[0] < 1e-12


def test_a_motion_that_starts_and_stops_is_cut_where_it_repeats() -> None:
    clip = disturbed(walk(3))
    hold = lambda x: np.concatenate([np.repeat(x[:1], 150, axis=0), x, np.repeat(x[-1:], 150, axis=0)])  # noqa: E731
    q, labels = hold(clip.q), hold(clip.contacts.labels)
    out = clip.with_q(q, labels=labels).loop()
    assert out.duration == pytest.approx(PERIOD, abs=0.1)
    assert out.cycle is not None and out.cycle.shift[0] == pytest.approx(STRIDE, abs=0.1)


def test_a_standing_body_is_faded_into_itself() -> None:
    clip = walk(1)
    pose = clip.character.standing_pose()
    rng = np.random.default_rng(3)
    t = np.arange(360) / 120
    v = np.zeros((360, clip.character.model.nv))
    chest = clip.character.dofs("chest")
    v[:, chest] = 0.03 * np.cumsum(rng.normal(size=(360, 3)), axis=0) / 20 + 0.02 * np.sin(1.3 * t)[:, None]
    stand = clip.with_q(conf.integrate(clip.character.layout, pose, v), labels=np.ones((360, 12), bool))
    out = stand.loop()
    assert out.cycle is not None and np.all(out.cycle.shift == 0)
    assert out.duration > 2.0 and seam(out)[0] < 1e-12 and seam(out)[1] < 1.0


def test_what_does_not_repeat_is_refused_with_what_was_measured() -> None:
    character = manikin()
    once = sway(character, frames=240, size=0.3)
    leap = once.q.copy()
    leap[:, 2] += 0.3 * np.exp(-(((once.times - 1.0) / 0.15) ** 2))
    leap[:, 0] += 0.8 / (1 + np.exp(-(once.times - 1.0) * 8))
    half = once.with_q(leap).cut(0.3, 1.6)
    with pytest.raises(NoSolution, match=r"most alike after|at no time"):
        half.loop()
    with pytest.raises(BadValue):
        once.cut(0, 0.1).loop()


def test_loops_come_in_any_heading() -> None:
    clip = disturbed(walk(3))
    turned = edit.Turn(130.0, around=True).apply(clip).loop()
    straight = clip.loop()
    assert turned.cycle is not None and straight.cycle is not None
    want = rot.rotate(rot.about_z(np.radians(130.0)), straight.cycle.shift)
    assert np.allclose(turned.cycle.shift, want, atol=1e-6)


GAITS = [("cmu/02_01.bvh", 1.1), ("cmu/12_01.bvh", 1.27), ("cmu/09_01.bvh", 0.73), ("cmu/91_19_f0240-0780.bvh", 1.22),
         ("deepmimic/humanoid3d_walk.txt", 1.27)]  # fmt: skip


@pytest.mark.parametrize(("name", "period"), GAITS)
def test_recorded_gaits_loop(name: str, period: float) -> None:
    folder = mocap_folder()
    if folder is None:
        pytest.skip("no real recordings here: set POISE_MOCAP to a folder with cmu/ and deepmimic/")
    from poise.motion.check import check
    from poise.motion.load import load_clip

    clip = load_clip(folder / name)
    out = clip.loop()
    assert out.duration == pytest.approx(period, abs=0.05)
    assert seam(out)[0] < 1e-12
    assert check.skating(out) < 0.02 and check.penetration(out) < 0.005
    assert out.posture_change(clip) < 15.0


def test_a_recorded_jump_has_no_cycle() -> None:
    folder = mocap_folder()
    if folder is None:
        pytest.skip("no real recordings here: set POISE_MOCAP to a folder with cmu/ and deepmimic/")
    from poise.motion.load import load_clip

    with pytest.raises(NoSolution, match="most alike after"):
        load_clip(folder / "cmu" / "16_05.bvh").loop()
