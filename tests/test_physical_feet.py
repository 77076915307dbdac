"""What carries a repaired body: prints of feet that turn, moments of contact, and no flight that is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.experiments.physical.labels import measure, shifted
from poise.experiments.physical.speed import there_and_back
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.motion.cleaning import without_flips
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical.repair.footprints import SLIDE, found_prints, laid, soles
from poise.physical.repair.repair import Repaired, repair
from poise.physical.repair.standing import enduring, standing_places, supported

DT = 1 / 120


@pytest.fixture(scope="module")
def stand() -> Clip:
    return poise.load_clip("stand").cut(0.0, 1.0)


@pytest.fixture(scope="module")
def walk(mocap: Path) -> Clip:
    return load_clip(mocap / "cmu" / "02_01.bvh").cut(0.3, 1.9)


@pytest.fixture(scope="module")
def repaired(walk: Clip) -> Repaired:
    return repair(walk)


def sole_path(clip: Clip, heading: np.ndarray, way: np.ndarray):
    """Places (n, K, 3) and turns (n, 4) of the left sole of a standing clip, turned to headings and moved by (n, 2)."""
    sole = soles(clip.character)[0]
    flat = np.column_stack([sole.flat, np.zeros(len(sole.flat))])
    places = rot.rotate(rot.about_z(heading)[:, None], flat) + np.column_stack([way, np.zeros(len(way))])[:, None]
    return sole, places, rot.multiply(rot.about_z(heading), np.broadcast_to(sole.zero, (len(heading), 4)))


def test_a_foot_that_turns_slowly_on_its_toes_has_two_prints(stand: Clip) -> None:
    turn = np.radians(60.0) * np.clip((np.arange(160) - 50) / 60.0, 0.0, 1.0)
    sole, places, _ = sole_path(stand, turn, np.zeros((160, 2)))
    front = sole.flat[:, 0] > 0.5 * sole.flat[:, 0].max()
    pivot = sole.flat[front].mean(axis=0)
    c, s = np.cos(turn), np.sin(turn)
    back = np.stack([c * pivot[0] - s * pivot[1], s * pivot[0] + c * pivot[1]], axis=1) - pivot
    seen = places[..., :2] - back[:, None]  # about the toes
    on = np.ones(seen.shape[:2], bool)
    on[50:110, ~front] = False  # the heel is up meanwhile
    found = found_prints(turn, seen, on.astype(float), np.zeros(160, bool), sole.flat, DT)
    assert len(found) == 2 and found[0][0] == 0 and 50 < found[1][0] < 110 and found[1][-1] == 159
    still = found_prints(np.zeros(160), np.repeat(seen[:1], 160, axis=0), on.astype(float), np.zeros(160, bool),
                         sole.flat, DT)  # fmt: skip
    assert len(still) == 1 and len(still[0]) == 160


@pytest.mark.parametrize("alone", [True, False])
def test_a_foot_that_alone_carries_the_body_does_not_slide(stand: Clip, alone: bool) -> None:
    step = np.clip((np.arange(100) - 40) / 15.0, 0.0, 1.0)
    way = 0.1 * np.stack([step, np.zeros(100)], axis=1)
    sole, places, turn = sole_path(stand, np.zeros(100), way)
    on = np.ones(places.shape[:2], bool)
    out = laid(places, turn, on, np.full(100, alone), sole, stand.ground, DT)
    speed = np.linalg.norm(np.diff(out, axis=0), axis=-1).max() / DT
    assert (speed < 1.2 * SLIDE) == alone
    assert np.linalg.norm(out - places, axis=-1).max() < 0.1


def test_a_short_gap_in_which_the_body_does_not_fall_is_none(stand: Clip) -> None:
    labels = np.array(stand.contacts.labels)
    goals = standing_places(stand)
    labels[50:56] = False
    filled = supported(stand, goals, labels)[1]
    assert filled.any(axis=1).all() and np.array_equal(filled[:50], labels[:50])
    labels[30:80] = False  # not a short one: something else must be wrong
    assert not supported(stand, goals, labels)[1][40].any()


def test_what_touches_does_so_for_a_moment(stand: Clip) -> None:
    goals, labels = standing_places(stand), np.array(stand.contacts.labels)
    point = int(stand.character.contact_points.of("left")[0])
    labels[:, point] = False
    labels[60:62, point] = True
    longer = enduring(stand, goals, labels)[1]
    assert [e - a for a, e in runs(longer[:, point])] == [5]
    own = stand.character.contact_points.of("right")
    labels[:, own] = False
    labels[30:32, own] = True
    assert not enduring(stand, goals, labels)[1][:, own].any()


@pytest.mark.parametrize("name", ["113_19", "22_14", "humanoid3d_cartwheel"])
def test_no_flight_where_the_recorded_body_does_not_fall(mocap: Path, name: str) -> None:
    from poise.motion.cleaning import cleaned
    from poise.motion.contact.foot_motion import foot_motion
    from poise.physical.repair.labels import believed
    from poise.physical.repair.repair import fine_enough, with_hands
    from poise.physical.repair.setup import Plan, Weights

    clip = fine_enough(load_clip(next(iter(mocap.rglob(f"{name}*")))))
    recorded = cleaned(clip)
    recorded = with_hands(replace(recorded, labels=believed(recorded)))
    plan = Plan.of(clip, recorded, None, friction=0.8, margin=0.2, keep=(), weights=Weights())
    seen = foot_motion(clip)
    lift = seen.trimmed(seen.lift)
    assert all(lift[a:e].mean() < -5.0 for a, e in runs(np.asarray(~plan.labels.any(axis=1))))
    assert all(lift[a:e].mean() < -5.0 for a, e in runs(np.asarray(~plan.pushed.any(axis=1))))


def test_joints_that_tremble_all_the_time_are_not_bridged(stand: Clip) -> None:
    layout = stand.character.layout
    at = int(layout.qadr[3])
    q = np.repeat(stand.q[:1], 240, axis=0)
    q[::3, at : at + (4 if layout.kind[3] == 1 else 1)] = q[0, at : at + (4 if layout.kind[3] == 1 else 1)]
    bent = q.copy()
    noise = 0.6 * (np.arange(240) % 2)
    if layout.kind[3] == 1:
        bent[:, at : at + 4] = rot.multiply(q[:, at : at + 4], rot.exp(noise[:, None] * np.array([1.0, 0.0, 0.0])))
    else:
        bent[:, at] += noise
    assert np.array_equal(without_flips(layout, bent, DT), bent)
    once = q.copy()
    once[100:103] = bent[101:104]
    assert np.allclose(without_flips(layout, once, DT), q, atol=1e-9)


@pytest.mark.parametrize("by", [15, -15])
def test_shifted_labels_are_corrected_or_told(walk: Clip, repaired: Repaired, by: int) -> None:
    row = measure(walk, repaired, "left", by)
    assert row.wrong >= 2 and row.missed == 0
    own = walk.character.contact_points.of("left")
    assert not np.array_equal(shifted(np.array(walk.contacts.labels), own, by), walk.contacts.labels)


def test_a_repaired_recording_comes_back_from_a_bvh_as_it_was(repaired: Repaired, tmp_path: Path) -> None:
    repaired.clip.save(tmp_path / "a.bvh")
    back = load_clip(tmp_path / "a.bvh")
    assert repair(back).clip.posture_change(back) < 0.1


def test_a_recording_is_continued_forwards_and_backwards(walk: Clip) -> None:
    long = there_and_back(walk, 4.0)
    assert long.duration == pytest.approx(4.0, abs=walk.dt)
    assert np.abs(np.diff(long.q, axis=0)).max() <= np.abs(np.diff(walk.q, axis=0)).max() + 1e-12
