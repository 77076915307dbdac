"""Contacts from all the evidence: the path is the cheapest, force finds what height cannot, and plates agree."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.cli.edits import contact_frames
from poise.errors import BadValue
from poise.experiments.truth.measured import Plates
from poise.experiments.truth.plates import compared, moments
from poise.motion.check.check import check
from poise.motion.contact.evidence import evidence
from poise.motion.contact.missing_props import missing_props, with_boxes
from poise.motion.treadmill import belt_velocity
from poise.physical.repair.invented import inventions
from poise.physical.repair.recorded_force import tremble
from poise.physical.repair.repair import repair
from poise.physical.repair.standing import firmly
from poise.solve.cheapest_path import cheapest_path

PLATES = Path(os.environ.get("POISE_PLATES", Path(__file__).resolve().parents[2] / "shared" / "plates"))


@pytest.fixture(scope="module")
def plates() -> Path:
    if not PLATES.is_dir():
        pytest.skip("no recordings with force plates here: set POISE_PLATES to a folder of them")
    return PLATES


def test_the_path_is_the_cheapest_of_all_and_margins_are_exact():
    rng = np.random.default_rng(5)
    cost, switch = rng.random((6, 3)), rng.random((3, 3))
    ways = {s: sum(cost[n, k] for n, k in enumerate(s)) + sum(switch[a, b] for a, b in pairwise(s))
            for s in product(range(3), repeat=6)}  # fmt: skip
    found = cheapest_path(cost, switch)
    assert ways[tuple(int(k) for k in found.states)] == pytest.approx(min(ways.values()))
    for n, k in product(range(6), range(3)):
        through = min(v for s, v in ways.items() if s[n] == k)
        assert found.margin[n, k] == pytest.approx(through - min(ways.values()))


def test_feet_that_float_while_the_body_is_carried_touch():
    clip = replace(poise.load_clip("squat"), labels=None, cycle=None)
    q = np.array(clip.q)
    q[:, 2] += 0.05 * np.sin(np.linspace(0.0, np.pi, len(q))) ** 2  # recorded too high in the middle
    seen = evidence(clip.with_q(q))
    feet = [clip.character.contact_points.of(side) for side in ("left", "right")]
    assert all(np.any(seen.labels[:, own], axis=1).all() for own in feet)
    assert not seen.labels[:, [i for i, n in enumerate(clip.character.contact_points.names) if "hand" in n]].any()


def test_nothing_touches_where_the_body_falls():
    clip = replace(poise.load_clip("jump"), labels=None)
    seen, told = evidence(clip), poise.load_clip("jump").contacts.airborne()
    air = ~seen.labels.any(axis=1)
    assert np.mean(air == told) > 0.95 and not missing_props(seen)
    assert seen.sure.shape == (len(clip), len(seen.limbs)) and seen.sure.min() >= 0.5


def test_a_clip_can_be_told_what_touches():
    clip = poise.load_clip("stand")
    told = clip.with_contact("left_hand", 3, 5)
    assert np.flatnonzero(told.contacts.touching("left_hand")).tolist() == [3, 4, 5]
    assert contact_frames("no:left:10-20") == ("left", 10, 20, False)
    for bad in ("left_hand", "left:5", ":1-2", "left:a-b"):
        with pytest.raises(BadValue, match="--contact"):
            contact_frames(bad)
    with pytest.raises(BadValue, match="not within"):
        clip.with_contact("left", 5, len(clip))


@pytest.mark.parametrize(
    "name", ["opencap4_walkingTI1", "opencapU_walking3", "opencapU_DJ4", "opencap4_DJAsym1", "hamner_run200"]
)
def test_contact_times_and_forces_agree_with_plates(plates: Path, name: str):
    clip, measured = poise.load_clip(plates / f"{name}.bvh"), Plates.read(plates / f"{name}.npz")
    found = moments(replace(clip, labels=evidence(clip).labels), measured)
    assert found.near >= 0.95 * found.count and found.missed == 0 and found.invented == 0
    row = compared(clip, clip.make_physical(), measured)
    assert not {"up", "level", "ends", "mass centre", "moments", "missed", "invented"} & set(row.beyond), row


def test_the_box_of_a_drop_jump_and_a_seat_are_found(plates: Path):
    clip = poise.load_clip(plates / "opencapU_DJ4.bvh")
    ground = with_boxes(clip, evidence(clip)).ground
    feet = clip.character.points(clip.q[:1])[0, clip.character.contact_points.feet]
    assert float(ground.height(feet[:, 0], feet[:, 1]).min()) == pytest.approx(float(feet[:, 2].min()), abs=0.03)
    seats = missing_props(evidence(poise.load_clip(plates / "opencap4_STS1.bvh")))
    assert len(seats) >= 3 and all(0.2 < s.force < 1.2 for s in seats)


def test_a_treadmill_is_found_and_put_over_ground(plates: Path):
    clip = poise.load_clip(plates / "hamner_run200.bvh")
    belt = float(np.load(plates / "hamner_run200.npz")["belt"])
    q = np.array(clip.q)
    q[:, 0] += clip.times * belt
    assert belt_velocity(clip) is None
    found = belt_velocity(clip.with_q(q))
    assert found is not None and np.linalg.norm(found - [belt, 0.0]) < 0.1
    fixed, report = repair(clip.with_q(q))
    assert any("put over ground" in d.reason for d in report.doubtful)
    assert (fixed.q[-1, 0] - fixed.q[0, 0]) / fixed.duration == pytest.approx(-belt, abs=0.1)
    kept, report = repair(clip.with_q(q), belt=True)
    assert any("kept on its belt" in d.reason for d in report.doubtful)
    assert np.allclose(kept.q[:, 0] - fixed.q[:, 0], fixed.times * found[0]) and np.array_equal(
        kept.q[:, 2:], fixed.q[:, 2:]
    )


def test_a_short_walk_on_the_spot_is_found_where_no_foot_rests():
    clip = replace(poise.load_clip("walk").repeat(1).cut(0.0, 0.8), labels=None, holds=())
    speed = (clip.q[-1, :2] - clip.q[0, :2]) / clip.duration
    q = np.array(clip.q)
    q[:, :2] -= clip.times[:, None] * speed
    on_spot = clip.with_q(q)
    assert belt_velocity(clip) is None and not on_spot.contacts.labels.any()
    found = belt_velocity(on_spot)
    assert found is not None and np.linalg.norm(found + speed) < 0.1


def test_what_is_told_by_hand_rests_on_the_evidence_and_is_remembered(tmp_path: Path):
    clip = replace(poise.load_clip("squat"), labels=None, cycle=None)
    q = np.array(clip.q)
    q[:, 2] += 0.05 * np.sin(np.linspace(0.0, np.pi, len(q))) ** 2
    told = clip.with_q(q).with_contact("left_hand", 3, 5)
    assert told.contacts.feet().all()  # by height they float
    told.save(tmp_path / "told.npz")
    assert np.array_equal(poise.load_clip(tmp_path / "told.npz").contacts.labels, told.contacts.labels)


def test_what_was_invented_is_told_with_an_alternative():
    clip = poise.load_clip("stand")
    frames, own = np.arange(len(clip)), clip.character.contact_points
    high = np.array(clip.q)
    high[:, 2] += 0.07
    assert "centre of mass" in inventions(clip, clip.with_q(high))[0].what
    air = np.array(clip.contacts.labels) & ((frames < 20) | (frames > 32))[:, None]
    found = inventions(clip, replace(clip, labels=air))
    assert len(found) == 1 and "flight" in found[0].what and ":20-32" in found[0].instead
    moved, on = np.array(clip.q), np.array(clip.contacts.labels)
    moved[30:, 0] += 0.15
    on[20:30, own.of("left")] = False
    assert any("left foot steps 15 cm" in one.what for one in inventions(clip, clip.with_q(moved, labels=on)))
    assert not inventions(clip, clip)


def test_doubts_about_contacts_are_told_by_check(mocap: Path):
    report = check(poise.load_clip(next(mocap.glob("cmu/22_14*.bvh"))))
    assert [(one.limb, one.touches) for one in report.by_force] == [("left", True)]
    assert "by force" in report.text() and "left foot stands 1.01-1.52 s" in report.text()
    assert check(poise.load_clip("walk")).by_force == ()  # its labels are given


def test_labels_that_come_with_a_clip_are_believed():
    clip = poise.load_clip("stand")
    lifted = clip.with_contact("left", 40, 60, touching=False)  # the force says otherwise
    seen = evidence(lifted)
    assert np.array_equal(np.flatnonzero(~seen.labels[:, clip.character.contact_points.of("left")].any(axis=1)),
                          np.arange(40, 61))  # fmt: skip


def test_points_are_held_less_firmly_as_they_land_and_leave():
    labels = np.zeros((30, 2), bool)
    labels[10:20, 0] = labels[:, 1] = True
    firm = firmly(labels, 0.01, 0.03)
    assert np.array_equal(firm > 0.0, labels) and np.all(firm[:, 1] == 1.0)
    assert np.all(np.diff(firm[10:14, 0]) > 0.0) and np.array_equal(firm[10:20, 0], firm[10:20, 0][::-1])
    assert np.array_equal(firmly(labels, 0.01, 0.0), labels)


def test_noise_of_the_centre_of_mass_is_told_where_it_is():
    clip = poise.load_clip("stand")
    q = np.array(clip.q)
    q[60, 2] += 0.01
    told = tremble(clip.with_q(q), clip)
    assert told[60] == pytest.approx(0.01 / np.sqrt(49)) and told[60 + 25] == 0.0 and told[0] == 0.0
