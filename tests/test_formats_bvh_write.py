"""Writing BVH: what is read again has the same joints in the same places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bvh_text
from conftest import recordings
from poise.character.skeleton import EndSite, Skeleton
from poise.errors import BadFile, BadValue
from poise.maths import rotations as rot
from poise.motion import formats
from poise.motion.formats import bvh_write
from poise.motion.recording import Recording


def again(folder: Path, r: Recording) -> Recording:
    bvh_write.write(folder / "again.bvh", r.skeleton, r.rotations, r.positions, r.dt)
    return formats.read(folder / "again.bvh")


def wander(count: int, joints: int, seed: int = 0, step: float = 0.1) -> np.ndarray:
    """Smooth random rotations (N, J, 4) that go all the way round."""
    rng = np.random.default_rng(seed)
    q = [rot.exp(rng.normal(size=(joints, 3)))]
    rate = rng.normal(size=(joints, 3)) * step
    for _ in range(count - 1):
        q.append(rot.multiply(q[-1], rot.exp(rate)))
    return np.array(q)


@pytest.mark.parametrize("path", recordings()[:26:5], ids=lambda p: p.stem)
def test_recordings_come_back(tmp_path: Path, path: Path) -> None:
    r = formats.read(path)
    s = again(tmp_path, r)
    assert s.skeleton.names == r.skeleton.names and s.skeleton.channels == r.skeleton.channels and s.dt == r.dt
    assert np.array_equal(s.skeleton.offsets, r.skeleton.offsets) and len(s.skeleton.ends) == len(r.skeleton.ends)
    assert np.abs(s.forward()[0] - r.forward()[0]).max() < 1e-9  # the file has six decimals or fewer


@pytest.mark.parametrize("order", [*bvh_text.ORDERS, "ZYZ", "XYX", "YXY"])
def test_any_order_any_angle(tmp_path: Path, order: str) -> None:
    listed = " ".join(f"{a}rotation" for a in order)
    header = bvh_text.PLAIN.replace("CHANNELS 3 Yrotation Zrotation Xrotation", f"CHANNELS 3 {listed}")
    table = bvh_text.numbers(header, 50)
    (tmp_path / "a.bvh").write_text(header + bvh_text.motion(table))
    r = formats.read(tmp_path / "a.bvh")
    turned = Recording(r.skeleton, wander(300, len(r.skeleton)), np.repeat(r.positions[:1], 300, 0), r.dt)
    for recording in (r, turned):
        s = again(tmp_path, recording)
        assert s.skeleton.channels == r.skeleton.channels
        assert np.abs(s.forward()[0] - recording.forward()[0]).max() < 2e-6


def test_gimbal_lock_is_harmless(tmp_path: Path) -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 10, 0]]),
                        (EndSite(1, np.array([3.0, 4.0, 5.0])),))  # fmt: skip
    middle = np.radians(np.r_[np.linspace(80, 100, 41), 90.0 + 1e-7, 90.0 - 1e-9])
    turns = np.stack([rot.from_euler("zyx", [0.3, b, -0.7]) for b in middle])
    r = Recording(skeleton, np.stack([turns, turns], 1), np.tile(skeleton.offsets, (len(turns), 1, 1)), 0.01)
    s = again(tmp_path, r)
    assert np.max(rot.angle_between(s.rotations, r.rotations)) < 1e-7


def test_angles_do_not_jump(tmp_path: Path) -> None:
    skeleton = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)))
    turns = wander(1500, 1, seed=3, step=0.02)  # several whole turns
    bvh_write.write(tmp_path / "a.bvh", skeleton, turns, np.zeros((1500, 1, 3)), 0.01)
    rows = np.loadtxt((tmp_path / "a.bvh").read_text().split("\n")[-1501:-1])
    assert np.abs(np.diff(rows[:, 3:], axis=0)).max() < 20.0  # degrees; a jump would be about 180 or 360


def test_channels_grow_only_where_the_motion_needs_them(tmp_path: Path) -> None:
    header = bvh_text.PLAIN.replace("CHANNELS 3 Yrotation Zrotation Xrotation", "CHANNELS 1 Xrotation").replace(
        "CHANNELS 3 Zrotation Yrotation Xrotation", "CHANNELS 2 Zrotation Xrotation"
    )
    (tmp_path / "a.bvh").write_text(header + bvh_text.motion(bvh_text.numbers(header, 20)))
    r = formats.read(tmp_path / "a.bvh")
    s = again(tmp_path, r)
    assert s.skeleton.channels == r.skeleton.channels
    assert np.abs(s.forward()[0] - r.forward()[0]).max() < 1e-6
    moved = r.positions.copy()
    moved[:, 3, 1] += np.linspace(0, 1, 20)
    s = again(tmp_path, Recording(r.skeleton, wander(20, 4), moved, r.dt))
    assert s.skeleton.channels[1] == ("Xrotation", "Zrotation", "Yrotation")
    assert s.skeleton.channels[2] == ("Zrotation", "Xrotation", "Yrotation")
    assert s.skeleton.channels[3][:3] == ("Xposition", "Yposition", "Zposition")
    assert np.abs(s.forward()[0] - r.skeleton.forward(wander(20, 4), moved)[0]).max() < 1e-6


def test_a_skeleton_with_rest_turns_keeps_its_places_at_rest_and_in_motion(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    parents = np.array([-1, 0, 1, 1, 0, 4])
    end, rest = EndSite(3, np.array([1.0, 2.0, 3.0]), "tip"), rot.exp(rng.normal(size=(6, 3)) * 2)
    skeleton = Skeleton(tuple("abcdef"), parents, rng.normal(size=(6, 3)) * 10, (end,), rest)
    places = np.tile(skeleton.offsets, (30, 1, 1))
    places[:, 0] += rng.normal(size=(30, 3))
    places[:, 4] += rng.normal(size=(30, 3))
    r = Recording(skeleton, wander(30, 6), places, 1 / 30)
    s = again(tmp_path, r)
    assert np.abs(s.forward()[0] - r.forward()[0]).max() < 1e-5
    assert np.abs(s.skeleton.rest_pose()[0] - skeleton.rest_pose()[0]).max() < 1e-8

    def tip(x: Recording) -> np.ndarray:
        point, turn = x.forward()
        return point[:, 3] + rot.rotate(turn[:, 3], x.skeleton.ends[0].offset)

    assert np.abs(tip(s) - tip(r)).max() < 1e-5 and s.skeleton.ends[0].name == "tip"
    assert len(s.skeleton.channels[4]) == 6 and len(s.skeleton.channels[5]) == 3


def test_joints_are_nested_whatever_their_order(tmp_path: Path, mocap: Path) -> None:
    r = formats.read(mocap / "deepmimic" / "humanoid3d_walk.txt")
    s = again(tmp_path, r)
    place = [s.skeleton.index(n) for n in r.skeleton.names]
    assert sorted(s.skeleton.names) == sorted(r.skeleton.names)
    assert np.abs(s.forward()[0][:, place] - r.forward()[0]).max() < 1e-5


def test_names_with_braces_and_line_ends_and_a_deep_chain(tmp_path: Path) -> None:
    count = 2000
    skeleton = Skeleton(tuple(f"j{{{i}}}\n x" for i in range(count)), np.arange(count) - 1, np.ones((count, 3)) * 0.01)
    r = Recording(skeleton, np.tile(rot.IDENTITY, (2, count, 1)), np.tile(skeleton.offsets, (2, 1, 1)), 0.01)
    s = again(tmp_path, r)
    assert s.skeleton.names[7] == "j(7) x" and np.abs(s.forward()[0] - r.forward()[0]).max() < 1e-5


def test_what_cannot_be_written(tmp_path: Path) -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, -1]), np.zeros((2, 3)))
    turns, places = np.tile(rot.IDENTITY, (3, 2, 1)), np.zeros((3, 2, 3))
    with pytest.raises(BadValue, match="roots a, b"):
        bvh_write.write(tmp_path / "a.bvh", skeleton, turns, places, 0.01)
    one = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)))
    with pytest.raises(BadValue, match="finite"):
        bvh_write.write(tmp_path / "a.bvh", one, turns * np.nan, places, 0.01)
    with pytest.raises(BadValue, match="N at least 1"):
        bvh_write.write(tmp_path / "a.bvh", one, turns[:0], places[:0], 0.01)
    with pytest.raises(BadFile, match="folder"):
        bvh_write.write(tmp_path, one, turns, places, 0.01)
    assert list(tmp_path.iterdir()) == []
