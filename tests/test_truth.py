"""How true contacts are: hand labels of six recordings, spoilt recordings, and flights that are flights."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.character.skin import skin
from poise.errors import BadValue
from poise.experiments.reproduce import Options
from poise.experiments.truth import flights, labels, performed
from poise.experiments.truth.hand_labels import HAND_LABELS
from poise.ground.treads import Treads
from poise.maths import configuration as conf
from poise.motion.contact.evidence import evidence
from poise.motion.contact.missing_props import MissingProp, missing_props
from poise.motion.contact.resting_parts import resting
from poise.motion.contact.seats import hips, with_seats
from poise.physical.repair.repair import repair
from poise.physical.repair.report import residual

PLATES = Path(os.environ.get("POISE_PLATES", Path(__file__).resolve().parents[2] / "shared" / "plates"))


def recording(mocap: Path, name: str) -> Path:
    return next(p for p in sorted(mocap.glob("cmu/*.bvh")) if p.stem.split("_f")[0] == name)


def test_balanced_accuracy_is_the_mean_of_both_kinds():
    found, right, judged = (np.array(x, bool) for x in ([1, 1, 0, 0, 1], [1, 0, 0, 0, 1], [1, 1, 1, 1, 0]))
    assert labels.balanced(found, right, judged) == pytest.approx(100.0 * (1.0 + 2.0 / 3.0) / 2.0)
    assert labels.balanced(right, right, judged) == 100.0


def test_feet_are_moved_up_by_what_is_asked_and_their_turns_are_kept():
    clip = poise.load_clip("walk")
    up = np.stack([np.full(len(clip), 0.02), np.linspace(0.0, 0.03, len(clip))], axis=1)
    moved = labels.feet_moved(clip, up)
    for k, side in enumerate(("left", "right")):
        body = clip.character.body(f"{side}_foot")
        (was, turn), (now, new) = clip.character.forward(clip.q), clip.character.forward(moved.q)
        assert np.allclose(now[:, body] - was[:, body], up[:, k, None] * [0.0, 0.0, 1.0], atol=1e-6)
        assert np.allclose(np.abs(np.sum(turn[:, body] * new[:, body], axis=1)), 1.0, atol=1e-9)


@pytest.mark.parametrize("name", ["02_03", "22_14"])
def test_contacts_agree_with_what_eyes_see(mocap: Path, name: str):
    clip = poise.load_clip(recording(mocap, name))
    found = labels.accuracy(clip, HAND_LABELS[name])
    assert min(found.values()) > 95.0, found
    assert min(labels.accuracy(labels.SPOILT["low"](clip), HAND_LABELS[name]).values()) > 95.0


@pytest.mark.slow
def test_contacts_of_all_six_and_of_spoilt_ones(mocap: Path):
    found = labels.run(Options(recordings=mocap))
    mean = dict(zip(found.columns[2:], found.rows[-1][2:], strict=True))
    assert {row[0].split("_f")[0] for row in found.rows[:-1]} == set(HAND_LABELS)
    assert mean["as it is"] > 95.5 and min(mean.values()) > mean["as it is"] - labels.LOSS, mean


def test_flights_fall_and_falls_are_flights(mocap: Path):
    clip = poise.load_clip(recording(mocap, "02_03"))
    row = flights.judged(clip, replace(clip, labels=evidence(clip).labels))
    assert len(row.flights) == 4 and row.beyond == "-"
    nothing = np.zeros((len(clip), len(clip.character.contact_points)), bool)
    assert "slow" in flights.judged(clip, replace(clip, labels=nothing)).beyond
    assert "stance" in flights.judged(clip, replace(clip, labels=~nothing)).beyond


def test_free_fall_is_told_from_places_alone():
    clip = poise.load_clip("jump")
    air = clip.contacts.airborne()
    middle = np.flatnonzero(air)[len(np.flatnonzero(air)) // 2]
    assert flights.fall_of(clip)[middle] == pytest.approx(-9.81, abs=0.3)


def test_a_seat_that_was_found_once_is_known_from_the_first_frame_to_the_last():
    if not PLATES.is_dir():
        pytest.skip("no recordings with force plates here: set POISE_PLATES to a folder of them")
    clip = poise.load_clip(PLATES / "opencap4_STS1.bvh")
    seats = missing_props(evidence(clip))
    assert seats[0].first == 0 and seats[-1].last == len(clip) - 1 and len(seats) == 6


def posed(pitch: float = 0.0, **bent: float) -> poise.Clip:
    """One second of a body at rest with both its thighs, shins or feet bent, its lowest place on the ground."""
    body = poise.load_character("human42")
    turns, balls = np.zeros(body.model.nv), skin(body)
    turns[4] = pitch
    for side in ("left", "right"):
        for part, angle in bent.items():
            turns[body.dofs(f"{side}_{part}")[1 if part == "thigh" else 0]] = angle
    q = conf.integrate(body.layout, body.zero_pose()[None], turns[None])
    own = ~np.isin(balls.body, [body.body("left_hand"), body.body("right_hand")])
    q[0, 2] -= (balls.centres(body, q)[0, :, 2] - balls.radius)[own].min()
    return poise.Clip(body, np.repeat(q, 121, axis=0), 1 / 120)


def test_knees_that_float_and_carry_are_put_on_the_ground():
    kneels = posed(shin=1.57, foot=0.9)
    assert not poise.audit(kneels).passed  # the knees are 3 cm up
    fixed, report = repair(kneels)
    assert poise.audit(fixed).passed and not report.inventions
    assert kneels.posture_change(fixed) < 2.0
    off = fixed.character.centre_of_mass(fixed.q) - kneels.character.centre_of_mass(kneels.q)
    assert np.abs(off).max() < 0.05


def test_a_body_that_lies_on_the_ground_is_left_as_it_is():
    assert repair(posed(pitch=-1.57)).report.unchanged


def test_what_a_body_sits_on_is_put_under_it():
    sits = posed(thigh=-1.5, shin=1.5)
    body = sits.character
    low = float(resting(sits).places[0, hips(body), 2].min())
    fixed, report = repair(sits)
    assert isinstance(fixed.ground, Treads) and len(fixed.ground.treads) == 1
    assert fixed.ground.treads[0].top == pytest.approx(low, abs=0.02) and 0.3 < low < 0.6
    assert poise.audit(fixed).passed and residual(fixed, 0.8).force_rms < 1.0
    assert any("was put there to sit on" in d.reason for d in report.doubtful)
    assert repair(fixed).report.unchanged
    feet = fixed.character.points(fixed.q)[..., :2]
    assert not fixed.ground.treads[0].covers(feet[..., 0], feet[..., 1]).any()


def test_a_body_that_sits_on_its_heels_gets_no_box_through_its_feet():
    prop = MissingProp(0, 9, 0.5, (0.0, 0.0, 0.2))
    body = poise.load_character("human42")
    q = np.repeat(body.standing_pose()[None], 10, axis=0)  # its feet are below its pelvis
    clip, heights = with_seats(poise.Clip(body, q, 1 / 120), [prop])
    assert heights == [] and not isinstance(clip.ground, Treads)


def test_repaired_clips_are_performed_as_they_are(tmp_path: Path):
    with pytest.raises(BadValue, match="--recordings"):
        performed.run(Options(recordings=tmp_path))
    poise.load_clip("stand").cut(0.0, 0.3).save(tmp_path / "short.npz")
    table = performed.run(Options(recordings=tmp_path, seeds=1))
    assert table.rows[0] == ("short", 1, 1, 1) and table.rows[-1] == ("all", 1, 1, 1)
