"""Hands on the ground: points on every body with hands, found where they carry the body and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from hold_clips import carrying, handstand
from poise.ground.treads import Tread, Treads
from poise.judge.audit_clip import audit_clip
from poise.maths import rotations as rot
from poise.motion.formats import npz
from poise.motion.ik.hands import handprints, laid
from poise.physical.repair.repair import repair

WHEELS = {"cmu/90_02_f0240-0600.bvh": (1.27, 2.0), "deepmimic/humanoid3d_cartwheel.txt": (1.0, 1.7)}
NEAR_THE_GROUND = ("cmu/22_14_f0060-0420.bvh", "cmu/26_10_f0060-0520.bvh", "cmu/120_05_f0300-0840.bvh",
                   "deepmimic/humanoid3d_stealthy_walk.txt")  # fmt: skip


@pytest.mark.parametrize("name", ["human42", "human45", "human57", "runner", "monster"])
def test_bodies_with_hands_have_points_on_them(name: str) -> None:
    character = poise.load_character(name)
    points = character.contact_points
    assert points.limbs == ("left", "right", "left_hand", "right_hand")
    assert points.names[-8:] == tuple(f"{s}_hand_{p}_{e}" for s in ("left", "right") for p in ("heel", "tip")
                                      for e in ("inner", "outer"))  # fmt: skip
    assert all("hand" not in points.names[i] for i in (*points.feet, *points.of("left"), *points.of("right")))
    place = character.points(character.zero_pose())[0]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        own = points.of(f"{side}_hand")
        assert all(points.names[i].startswith(f"{side}_hand") for i in own) and np.all(sign * place[own, 1] > 0.1)
        palm = place[points.names.index(f"{side}_hand_heel_inner")]
        wrist = character.forward(character.zero_pose())[0][0, character.body(f"{side}_forearm")]
        assert sign * palm[1] < sign * wrist[1]  # palms look at the thighs


def test_bodies_without_hands_have_none() -> None:
    assert poise.load_character("biped18").contact_points.limbs == ("left", "right")


def test_contacts_of_feet_stay_those_of_feet() -> None:
    clip = poise.load_clip("stand")
    points = clip.character.contact_points
    assert clip.contacts.touching("left").all() and not clip.contacts.touching("left_hand").any()
    assert set(clip.contacts.indices("left")) == set(points.of("left"))
    assert not any("hand" in name for name in clip.contacts.to_dict())
    held = clip.contacts.override("left_hand", 0.0, 0.2, True)
    assert held.touching("left_hand")[0] and "left_hand_tip" in held.to_dict() and held.feet().all()


def test_npz_keeps_the_points_of_hands(tmp_path: Path) -> None:
    clip = handstand()
    npz.save(replace(clip, labels=clip.contacts.labels), tmp_path / "hands.npz")
    again = npz.load(tmp_path / "hands.npz")
    assert again.character.contact_points.limbs == clip.character.contact_points.limbs
    assert np.array_equal(again.contacts.labels, clip.contacts.labels)


def test_a_handstand_stands_on_its_hands() -> None:
    clip = handstand()
    assert clip.contacts.touching("left_hand").all() and clip.contacts.touching("right_hand").all()
    assert not clip.contacts.feet().any() and not clip.grips
    mirrored = clip.mirror()
    assert mirrored.contacts.touching("right_hand").all()
    fixed, report = repair(clip)
    after = audit_clip(fixed, friction=0.8)
    assert after.unexplained_force_rms < 2.0 and after.unexplained_torque_rms < 1.0
    assert report.posture_change < 6.0 and report.skating[1] < 0.01 and report.penetration[1] < 0.002
    low = fixed.character.points(fixed.q)[..., 2].min(axis=1)
    assert np.abs(low).max() < 0.002


def test_the_audit_says_which_hand_is_missing() -> None:
    clip = handstand()
    q = np.array(clip.q)
    q[:, 2] += 0.1
    reasons = [s.reason for s in audit_clip(clip.with_q(q)).stretches]
    assert any("hand, 10 cm above the ground, would have to touch it" in r for r in reasons)


def test_hands_on_a_table_carry_nothing_while_the_feet_can() -> None:
    clip = carrying(0.0)
    places = clip.character.points(clip.q)
    table = []
    for side in ("left", "right"):
        own = places[:, clip.character.contact_points.of(f"{side}_hand")]
        x, y, top = (float(c) for c in (*own[..., :2].mean(axis=(0, 1)), own[..., 2].min()))
        table.append(Tread(x, y, 0.15, 0.04, top))
    there = replace(clip, ground=Treads(tuple(table)), labels=None)
    assert there.contacts.feet().all() and not there.contacts.touching("left_hand").any()


def test_hands_stuck_in_the_ground_are_laid_flat() -> None:
    clip = handstand()
    q = np.array(clip.q)
    q[:, 2] -= 0.14  # wrists 5 cm above the ground
    deep = replace(clip, q=q)
    prints = handprints(deep.character, deep.contacts.labels)
    assert len(prints) == 2 and all(p.flat for p in prints)
    flat = laid(deep.character, deep.q, deep.contacts.labels, deep.ground, deep.dt)
    for p in prints:
        assert np.ptp(deep.character.points(flat)[:, p.points, 2]) < 0.03  # heel and tips at about one height
        body = deep.character.body(p.hand)
        palm = np.array([0.0, -1.0 if p.hand.startswith("left") else 1.0, 0.0])
        assert rot.rotate(deep.character.forward(flat)[1][0, body], palm)[2] < -0.95  # the palm looks down


@pytest.mark.parametrize("file", WHEELS)
def test_cartwheels_touch_with_one_hand_after_the_other(mocap: Path, file: str) -> None:
    clip, (first, last) = poise.load_clip(mocap / file), WHEELS[file]
    for hand in ("left_hand", "right_hand"):
        spans = clip.contacts.intervals(hand)
        assert len(spans) == 1 and first <= spans[0][0] < spans[0][1] <= last and 0.25 < np.ptp(spans[0]) < 0.6
    left, right = clip.contacts.intervals("left_hand")[0], clip.contacts.intervals("right_hand")[0]
    assert left[0] < right[0] < left[1] < right[1]  # both are down for a while
    assert clip.contacts.airborne().mean() < 0.05 and not clip.grips


@pytest.mark.parametrize("file", WHEELS)
def test_cartwheels_are_repaired_with_their_hands(mocap: Path, file: str) -> None:
    clip = poise.load_clip(mocap / file)
    fixed, report = repair(clip)
    after = audit_clip(fixed, friction=0.8)
    scale = 70.0 / clip.character.mass
    assert scale * after.unexplained_force_rms < 2.0 and scale * after.unexplained_force_max.value < 15.0
    assert scale * after.unexplained_torque_rms < 1.0
    assert report.root_rms < 0.08 and report.penetration[1] < 0.002 and report.after.peak < 4.0
    labels, points = fixed.contacts.labels, fixed.character.contact_points
    for hand in ("left_hand", "right_hand"):
        own = points.of(hand)
        stays = labels[1:, own] & labels[:-1, own]
        slide = np.linalg.norm(np.diff(fixed.character.points(fixed.q)[:, own], axis=0), axis=-1)[stays] / fixed.dt
        assert len(slide) and slide.mean() < 0.01
    if "deepmimic" in file:  # the other one is recorded with a leg that flips by 60 degrees a frame
        assert fixed.posture_change(clip) < 3.2 and report.root_rms < 0.06 and report.skating[1] < 0.01
    assert fixed.contacts.touching("left_hand").any() and fixed.contacts.touching("right_hand").any()


@pytest.mark.parametrize("file", NEAR_THE_GROUND)
def test_hands_that_only_come_near_the_ground_do_not_touch(mocap: Path, file: str) -> None:
    clip = poise.load_clip(mocap / file)
    assert not clip.contacts.touching("left_hand").any() and not clip.contacts.touching("right_hand").any()


@pytest.mark.slow
def test_no_other_recording_has_hands_on_the_ground_or_on_a_bar(mocap: Path) -> None:
    files = [*sorted((mocap / "cmu").glob("*.bvh")), *sorted((mocap / "deepmimic").glob("humanoid3d_*.txt"))]
    for path in files:
        if any(path.name in w for w in WHEELS) or "character" in path.name:
            continue
        clip = poise.load_clip(path)
        assert not any("hand" in name for name in clip.contacts.to_dict()), path.name
        assert ("43_02" in path.name) == bool(clip.grips), path.name
