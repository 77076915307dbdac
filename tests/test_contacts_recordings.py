"""Contacts, floor and free fall of real recordings are what anybody sees in them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from poise.ground.treads import Treads
from poise.maths.intervals import runs
from poise.motion.check.check import check
from poise.motion.check.flaws import free_fall
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reading.floor import level

WALKS = ["02_01", "12_01", "16_17", "09_12", "136_20", "136_25", "91_16", "16_33"]
GROUNDED = [*WALKS, "22_14", "26_10", "02_05", "144_05", "120_08", "91_19", "113_19", "135_06"]


@lru_cache
def load(path: Path) -> Clip:
    return load_clip(path)


def clip_of(mocap: Path, name: str) -> Clip:
    return load(next(p for p in sorted(mocap.glob("*/*")) if p.stem == name or p.stem.startswith(name + "_f")))


@pytest.mark.parametrize("name", WALKS)
def test_walks_alternate_with_double_support(mocap: Path, name: str) -> None:
    clip = clip_of(mocap, name)
    feet = clip.contacts.feet()
    assert feet.any(axis=1).all()
    starts = sorted((first, side) for side in (0, 1) for first, _ in runs(feet[:, side])[1:])
    sides = [side for _, side in starts]
    assert len(sides) >= 3 and all(a != b for a, b in pairwise(sides))
    walking = slice(starts[0][0], starts[-1][0])  # whole steps, without standing before or after
    speed = np.linalg.norm(np.diff(clip.q[walking, :2], axis=0), axis=1).mean() / clip.dt
    assert 0.05 < feet[walking].all(axis=1).mean() < (0.36 if speed > 0.8 else 0.5)  # slow walkers stand longer on both


@pytest.mark.parametrize("name", GROUNDED)
def test_no_flight_where_there_is_none(mocap: Path, name: str) -> None:
    clip = clip_of(mocap, name)
    assert clip.contacts.airborne().mean() < 0.01 and free_fall(clip).g is None


@pytest.mark.parametrize("name", ["16_03", "16_05", "humanoid3d_jump"])
def test_a_jump_is_one_flight_in_free_fall(mocap: Path, name: str) -> None:
    clip = clip_of(mocap, name)
    assert len(runs(clip.contacts.airborne())) == 1
    fall = free_fall(clip)
    assert fall.g == pytest.approx(9.81, rel=0.10) and fall.verdict == "agrees"
    wrong = free_fall(replace(clip, dt=clip.dt / 2))
    assert wrong.verdict == "disagrees" and wrong.fps == pytest.approx(clip.fps, rel=0.06)


@pytest.mark.parametrize("name", ["09_01", "02_03", "132_23"])
def test_runs_and_hops_fly(mocap: Path, name: str) -> None:
    clip = clip_of(mocap, name)
    assert 0.1 < clip.contacts.airborne().mean() < 0.5
    assert free_fall(clip).g == pytest.approx(9.81, rel=0.18)


def test_hanging_and_cartwheel_are_held_by_hands(mocap: Path) -> None:
    swing, wheel = check(clip_of(mocap, "43_02")), check(clip_of(mocap, "90_02"))
    assert swing.flight > 0.9 and not swing.floor.known and swing.free_fall.g is None
    assert len(swing.holds) == 2 and swing.held == 0.0
    assert wheel.flight < 0.05 and wheel.contacts.touching("left_hand").any() and not wheel.holds


def test_stairs_have_two_treads(mocap: Path) -> None:
    clip = clip_of(mocap, "113_19")
    assert isinstance(clip.ground, Treads)
    low, high = sorted(t.top for t in clip.ground.treads)
    assert low == pytest.approx(0.13, abs=0.02) and high == pytest.approx(0.27, abs=0.02)
    points = clip.character.points(clip.q)
    over = points[..., 2] - clip.ground.height(points[..., 0], points[..., 1])
    labelled = np.where(clip.contacts.labels, over, np.nan)
    assert np.nanmax(np.abs(np.nanmedian(labelled, axis=0))) < 0.03


@pytest.mark.parametrize("name", ["02_01", "16_03", "113_19", "120_05", "humanoid3d_walk"])
def test_levelling_is_idempotent(mocap: Path, name: str) -> None:
    clip = clip_of(mocap, name)
    again = level(clip)
    assert np.abs(clip.character.points(again.q) - clip.character.points(clip.q)).max() < 0.001
    assert clip.placement is not None and clip.source.notes == again.source.notes


@pytest.mark.parametrize("name", ["02_01", "12_01", "16_05"])
def test_a_quarter_of_the_frames_has_the_same_contacts(mocap: Path, name: str) -> None:
    clip = clip_of(mocap, name)
    coarse = replace(clip, q=clip.q[::4].copy(), dt=4 * clip.dt, source_times=None)
    for side in ("left", "right"):
        fine, rough = (np.array([s for s in c.contacts.intervals(side) if s[1] - s[0] > 0.1]) for c in (clip, coarse))
        assert fine.shape == rough.shape and np.abs(fine - rough).max() <= 2 * coarse.dt + 1e-9


def test_known_spikes_are_found(mocap: Path) -> None:
    joints = {s.joint for s in check(clip_of(mocap, "90_02")).spikes}
    assert {"LeftFoot", "LeftUpLeg"} <= joints
    assert check(clip_of(mocap, "02_01")).spikes == ()
