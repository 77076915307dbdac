"""posture, performed: exact without pushes, soft with them; cups, obstacles, platforms; styles; bad input."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise.errors import BadValue, PoiseError
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.methods.momentum import Momentum
from poise.methods.posture import DEPARTURES, Posture, response_space
from poise.methods.posture.body import Parts
from poise.methods.posture.passive import passive_rows
from poise.methods.upright import Upright
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Ball, Box, Platform, PlatformMotion, Push, Stage
from poise.take import Take


@pytest.fixture(scope="module")
def walk():
    return load_clip("walk")


@pytest.fixture(scope="module")
def calm(walk):
    return perform(walk, "posture", seconds=3.0)


def pushed(walk: Clip, body: str, force: tuple[float, float, float], **settings: Any) -> Take:
    return perform(walk, Posture(**settings), stage=Stage(events=(Push(body, force, 0.8, 0.1),)), seconds=3.0)


def deviation(take: Take, calm: Take) -> np.ndarray:
    off = conf.difference(take.character.layout, calm.q, take.q)
    return np.abs(off[:, Parts.of(take.character).upper]).max(axis=1)


def test_what_nothing_pushes_is_exact(walk, calm):
    assert calm.ended.whole and calm.followed()
    assert np.abs(conf.difference(walk.character.layout, calm.q_ref, calm.q)).max() < 1e-6


@pytest.mark.parametrize(
    ("body", "force"),
    [
        ("left_hand", (-25.0, 0.0, 0.0)),
        ("head", (25.0, 0.0, 0.0)),
        ("chest", (-90.0, 0.0, 0.0)),
        ("right_upper_arm", (0.0, 90.0, 0.0)),
    ],
)
def test_a_push_goes_along_and_comes_back(walk, calm, body, force):
    take = pushed(walk, body, force)
    off = deviation(take, calm)
    assert take.ended.whole and off[:96].max() < 1e-9
    b = walk.character.body(body)
    way = (walk.character.forward(take.q)[0] - walk.character.forward(calm.q)[0])[:, b] @ np.array(force)
    way = way / np.linalg.norm(force)
    against = np.flatnonzero(way < -0.005)
    assert way[: against[0] if len(against) else len(way)].max() > 0.02
    assert off[96 + 12 + 180 :].max() < max(0.1 * off.max(), np.radians(2))


def test_feet_do_not_slide(walk, calm):
    take = pushed(walk, "chest", (-60.0, 80.0, 0.0))
    moves = walk.character.points(take.q) - walk.character.points(calm.q)
    for side in ("left", "right"):
        own = walk.character.contact_points.of(side)
        stays = take.scheduled[:-1][:, own].any(axis=1) & take.scheduled[1:][:, own].any(axis=1)
        assert np.abs(np.diff(moves[:, own], axis=0)[stays]).max() < 1e-5
    assert np.nanmax(take.traces["foot_missed"]) < 1e-5


def test_more_coordinates_give_way_further(walk, calm):
    stiff, soft = (deviation(pushed(walk, "left_hand", (-30.0, 0.0, 0.0), k=k), calm) for k in (2, 16))
    assert soft.max() > 1.3 * stiff.max()


def test_another_space_changes_the_response(walk, calm):
    space = response_space(load_clip("sneak"))
    own, other = (pushed(walk, "chest", (-90.0, 0.0, 0.0), space=s) for s in (None, space))
    assert other.ended.whole
    assert np.linalg.norm(other.q - own.q) > 0.2 * np.linalg.norm(own.q - calm.q)


def test_printed_has_no_departure_and_the_documents_numbers(walk):
    made = Posture.printed()
    assert made.departures == () and made.interval == pytest.approx(1 / 60) and made.frames == 2
    assert (made.k, made.pose, made.damping, made.spine, made.lag) == (10, 200.0, 10.0, 30.0, 0.2)
    assert made.latency == pytest.approx(1 / 30)
    take = perform(walk, made, seconds=1.0)
    off = conf.difference(walk.character.layout, take.q_ref, take.q)
    assert np.abs(off[::2]).max() < 1e-3  # its own frames; those between are half-way
    zero = perform(walk, Posture.printed(zero=True), seconds=1.0)  # (6) to the letter
    assert np.abs(conf.difference(walk.character.layout, zero.q_ref, zero.q)[: len(zero.q) : 2]).max() > 0.02


@pytest.mark.parametrize("departure", DEPARTURES)
def test_every_departure_can_be_left_out(walk, departure):
    way = Posture(departures=tuple(d for d in DEPARTURES if d != departure))
    stage = Stage(events=(Push("chest", (-40.0, 20.0, 0.0), 0.1, 0.1),))
    plain = perform(walk, Posture(), stage=stage, seconds=0.5)
    take = perform(walk, way, stage=stage, seconds=0.5)
    assert np.isfinite(take.q).all()
    if departure not in ("repair", "reach"):
        assert np.abs(take.q[: len(plain.q)] - plain.q[: len(take.q)]).max() > 1e-6


def test_without_the_return_the_root_drifts(walk, calm):
    way = tuple(d for d in DEPARTURES if d != "return")
    take = pushed(walk, "chest", (0.0, 60.0, 0.0), departures=way)
    back = pushed(walk, "chest", (0.0, 60.0, 0.0))
    far, near = (np.abs(conf.difference(walk.character.layout, calm.q[-1], t.q[-1]))[:6].max() for t in (take, back))
    assert far > 0.1 and near < 0.01  # (12) turns it more than it moves it: the push is above the centre of mass


def test_a_cup_stays_upright(walk):
    _, quat = walk.character.forward(walk.q[:1])
    hand = walk.character.body("right_hand")
    up = rot.rotate(rot.conjugate(quat[:, hand]), np.array([0.0, 0.0, 1.0]))[0]
    cup = Upright("right_hand", tuple(up.tolist()))
    tilts = {}
    for kept in ((), (cup,)):
        take = pushed(walk, "right_upper_arm", (-80.0, 0.0, 0.0), uprights=kept)
        _, quat = walk.character.forward(take.q)
        tilts[len(kept)] = float(np.degrees(np.arccos(rot.rotate(quat[:, hand], up)[:, 2].clip(-1, 1))).max())
    assert tilts[1] < 5.0 < tilts[0]


def test_obstacles_are_avoided_or_hit(walk, calm):
    hand = walk.character.forward(calm.q)[0][:, walk.character.body("left_hand")]
    place = (float(hand[200, 0]), float(hand[200, 1]) + 0.1, 1.0)
    stage = Stage(props=(Box("post", (0.15, 0.15, 2.0), 20.0, place),))
    hit, missed = (perform(walk, Posture(repulsion=w), stage=stage, seconds=3.0) for w in (0.0, 1e6))
    assert hit.ended.whole and missed.ended.whole
    assert len(hit.contacts) > 0 and "post" in hit.contacts.others and hit.contacts.force[:, 1].min() < 0.0
    deepest = float(missed.contacts.depth.max()) if len(missed.contacts) else 0.0
    assert deepest < float(hit.contacts.depth.max())


def test_a_platform_leaves_the_upper_body_behind(walk, calm):
    motion = PlatformMotion(0.5, 0.25, direction=(1.0, 0.0, 0.0), at=1.0, ramp=0.02)
    take = perform(walk, "posture", stage=Stage(ground=Platform(size=(14.0, 4.0, 0.1), motion=motion)), seconds=3.0)
    chest = walk.character.body("chest")
    moved = walk.character.forward(take.q)[0] - walk.character.forward(calm.q)[0]
    carried = np.array([motion(t)[0] for t in take.time])
    assert np.allclose(take.q[:, 0] - calm.q[:, 0], carried, atol=1e-9)
    assert (carried - moved[:, chest, 0])[120:160].max() > 0.01
    assert abs(carried - moved[:, chest, 0])[-30:].max() < 0.02


def test_a_mirrored_push_on_a_mirrored_clip_gives_the_mirrored_response(walk):
    space = response_space(walk)
    sign = np.array([-1.0 if n.endswith((".x", ".z", "_x", "_z")) else 1.0 for n in space.names])
    swap = [
        space.names.index(n.replace("left", "#").replace("right", "left").replace("#", "right")) for n in space.names
    ]
    other = replace(space, vectors=sign[:, None] * space.vectors[swap])
    take = pushed(walk, "left_hand", (-20.0, 10.0, 0.0), space=space)
    mirrored = pushed(walk.mirror(), "right_hand", (-20.0, -10.0, 0.0), space=other)
    places, images = (t.character.forward(t.q)[0] for t in (take, mirrored))
    swapped = images[:, walk.character.mirror_bodies] * np.array([1.0, -1.0, 1.0])
    assert np.abs(swapped - places).max() < 1e-3


def test_posture_on_top_of_momentum_is_softer(walk):
    upper = Parts.of(walk.character).upper
    stage = Stage(events=(Push("chest", (-80.0, 0.0, 0.0), 1.0, 0.2),))
    plain, soft = (perform(walk, Momentum(rows=r), stage=stage, seconds=2.5) for r in ((), (passive_rows(walk),)))
    assert plain.ended.whole and soft.ended.whole
    a, b = (np.sqrt(np.mean(t.torque[120:300][:, upper] ** 2)) for t in (plain, soft))
    assert b < 0.85 * a


def test_what_cannot_be_is_told_in_words(walk):
    with pytest.raises(BadValue, match=r"k = 25 .* 24 degrees of freedom"):
        perform(walk, Posture(k=25), seconds=0.1)
    pose = Clip(walk.character, walk.q[:1].copy(), 1 / 120)
    with pytest.raises(BadValue, match="is one pose"):
        perform(pose, "posture", seconds=0.1)
    held = Clip(walk.character, np.repeat(walk.q[:1], 60, axis=0), 1 / 120)
    with pytest.raises(BadValue, match="holds one pose"):
        perform(held, Posture(repair=False), seconds=0.1)
    with pytest.raises(BadValue, match="too few"):
        response_space(walk.cut(0.0, 0.15))
    chest = walk.character.forward(walk.q[0])[0][0, walk.character.body("chest")]
    inside = Stage(props=(Box("crate", (0.4, 0.4, 0.4), 5.0, tuple(chest)),))
    with pytest.raises(BadValue, match=r"crate stands .* cm inside the"):
        perform(walk, "posture", stage=inside, seconds=0.1)
    with pytest.raises(BadValue, match="balls"):
        perform(walk, "posture", stage=Stage(events=(Ball(2.0, 1.0, 10.0),)), seconds=0.1)
    with pytest.raises(PoiseError, match="ResponseSpace"):
        Posture(space=3)  # type: ignore[arg-type]
