"""The floor of a recording is found and levelled, and only where the feet tell it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import puppet
from poise.character.skeleton import Placement
from poise.ground.treads import Treads
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.reading.floor import carried, estimate, level


def leaning(clip: Clip, x: float, y: float, height: float) -> Clip:
    """The clip on a floor that rises by x and y a metre along the axes and lies at a height."""
    turn = rot.between(np.array([0.0, 0.0, 1.0]), np.array([-x, -y, 1.0]))
    return carried(clip, turn, np.array([0.3, -0.2, height]))


def points_apart(a: Clip, b: Clip) -> float:
    """Greatest difference of height of contact points [m]."""
    return float(np.abs(a.character.points(a.q)[..., 2] - b.character.points(b.q)[..., 2]).max())


@pytest.mark.parametrize("fps", [24, 60, 120])
@pytest.mark.parametrize(("rise", "height"), [(0.01, 0.06), (-0.007, -0.05), (0.0, 0.09)])
def test_height_and_tilt_along_a_walk_are_recovered(fps: float, rise: float, height: float) -> None:
    clip, _ = puppet.walk(fps)
    found = estimate(leaning(clip, rise, 0.0, height))
    assert found.slope[0] == pytest.approx(rise, abs=5e-4) and abs(found.slope[1]) < 5e-4
    again = level(leaning(clip, rise, 0.0, height))
    assert points_apart(again, clip) < 0.001


def test_levelling_twice_changes_nothing() -> None:
    clip, _ = puppet.walk(60)
    rng = np.random.default_rng(5)
    q = clip.q.copy()
    q[:, [9, 16]] += 0.003 * rng.standard_normal((len(q), 2))
    once = level(leaning(clip.with_q(q), 0.01, 0.0, 0.05))
    assert points_apart(level(once), once) < 0.001
    assert level(once).source.notes == once.source.notes


def test_sideways_lean_of_a_straight_walk_is_not_invented() -> None:
    clip, _ = puppet.walk(120)
    q = clip.q.copy()
    q[:, 9] += 0.008  # one sole fits worse than the other
    found = estimate(clip.with_q(q))
    assert np.all(np.abs(found.slope) < 1e-4) and 0.0 <= found.height <= 0.008


def test_feet_in_place_tell_the_height_only() -> None:
    clip, _ = puppet.jump(120)
    found = estimate(leaning(clip, 0.02, 0.01, 0.04))
    assert found.count > 0 and not np.any(found.slope)
    assert points_apart(level(carried(clip, rot.IDENTITY, np.array([0, 0, 0.04]))), clip) < 1e-6


def test_placement_moves_along() -> None:
    clip, _ = puppet.walk(60)
    placed = replace(
        leaning(clip, 0.01, 0.0, 0.06), placement=Placement(0.01, rot.about_z(0.4), np.array([1.0, 2.0, 3.0]))
    )
    done = level(placed)
    assert placed.placement is not None and done.placement is not None
    file = placed.placement.points_back(placed.q[:, :3])
    assert np.abs(done.placement.points(file) - done.q[:, :3]).max() < 1e-12
    turn = rot.multiply(done.placement.turn, rot.conjugate(placed.placement.turn))
    assert rot.angle_between(rot.multiply(turn, placed.q[:, 3:7]), done.q[:, 3:7]).max() < 1e-7
    assert any("levelled" in note for note in done.source.notes)


def test_a_raised_foot_is_not_a_tread() -> None:
    t = np.arange(0, 4, 1 / 60)
    root = np.stack([0 * t, 0 * t, puppet.HIP + 0 * t], axis=1)
    up = 0.3 * (puppet.smooth((t - 0.5) / 0.5) - puppet.smooth((t - 3.0) / 0.5))  # held up for two seconds
    left, right = np.stack([0 * t, 0 * t + 0.1, up], axis=1), np.tile([0, -0.1, 0.0], (len(t), 1))
    clip = puppet.pose(puppet.puppet(), root, left, right, 1 / 60)
    assert estimate(clip).levels == () and estimate(clip).height == pytest.approx(0.0, abs=1e-6)
    assert not isinstance(level(clip).ground, Treads)


def test_without_standing_feet_the_floor_stays() -> None:
    t = np.arange(0, 2, 1 / 60)
    root = np.stack([3 * t, 0 * t, puppet.HIP + 1 + 0 * t], axis=1)
    soles = [np.stack([3 * t, 0 * t + y, 1 + 0 * t], axis=1) for y in (0.1, -0.1)]
    clip = puppet.pose(puppet.puppet(), root, soles[0], soles[1], 1 / 60)
    done = level(clip)
    assert np.array_equal(done.q, clip.q) and "No foot stands" in done.source.notes[-1]


@pytest.mark.parametrize("fps", [30, 120])
def test_stairs_become_treads(fps: float) -> None:
    heights = (0.0, 0.0, 0.13, 0.27, 0.27, 0.13, 0.0, 0.0, 0.0)
    clip, stances = puppet.walk(fps, heights=heights, stride=0.8)
    done = level(carried(clip, rot.IDENTITY, np.array([0.5, 0.5, -0.04])))
    assert isinstance(done.ground, Treads)
    assert sorted({round(t.top, 3) for t in done.ground.treads}) == [0.13, 0.27]
    for side in ("left", "right"):
        known = [s for s in stances[side] if s[1] - s[0] > 0.1]
        found = [s for s in done.contacts.intervals(side) if s[1] - s[0] > 0.1]
        assert len(known) == len(found)
        assert np.abs(np.array(known) - np.array(found)).max() < 0.08
    points = done.character.points(done.q)
    depth = done.ground.height(points[..., 0], points[..., 1]) - points[..., 2]
    assert depth[done.contacts.labels].max() < 0.005  # no foot that stands lower lies under a tread
