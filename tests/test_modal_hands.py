"""Certificates of modal's hands: loads that are carried, bars that are held, and squats that bear what is planned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise.dynamics import engine
from poise.errors import BadValue
from poise.experiments.modal.bar import chin_up, leap
from poise.experiments.modal.lifting import lift, stage_for
from poise.methods.modal import Modal
from poise.methods.modal.loads import carrying

HANDS = ("left_hand", "right_hand")


def _dynamics(model: engine.Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, engine.Data]:
    data = engine.data_of(model)
    engine.place(model, data, q, v)
    return engine.mass_matrix(model, data), engine.bias(model, data), data


def test_weights_in_the_hands_are_part_of_the_body() -> None:
    """Inertia and bias of the body that carries are those of the body plus those of the weights."""
    character = poise.load_character("human42")
    generator = np.random.default_rng(3)
    clip = poise.load_clip("lift")
    q, v = clip.q[200], generator.normal(0.0, 1.0, character.model.nv)
    bodies = np.array([character.body(h) for h in HANDS])
    local, masses = generator.normal(0.0, 0.05, (2, 3)), np.array([15.0, 7.0])
    M, b, data = _dynamics(character.model, q, v)
    for body, point, mass in zip(bodies, local, masses, strict=True):
        place = data.xpos[body] + data.xmat[body].reshape(3, 3) @ point
        J = engine.jacobian(character.model, data, int(body), place)[0]
        rate = engine.jacobian_rate(character.model, data, int(body), place)[0]
        M = M + mass * J.T @ J
        b = b + mass * J.T @ (rate @ v - character.model.opt.gravity)
    loaded, bias, _ = _dynamics(carrying(character.model, bodies, local, masses), q, v)
    assert np.abs(loaded - M).max() < 1e-9
    assert np.abs(bias - b).max() < 1e-7
    assert character.model.body_mass[bodies].max() < 2.0  # the shared character is as it was


def test_a_barbell_is_lifted_and_all_forces_are_told() -> None:
    """20 kg from the floor: on its way, within limits, and the audit of the body alone explains everything."""
    clip = poise.load_clip("lift")
    take = poise.perform(clip, Modal(window=16), seconds=clip.duration + 0.5)
    error = take.tracking_error()
    assert take.fell is None and np.degrees(error.joints) < 1.0 and error.root_position < 0.01
    report = poise.audit(take)
    assert report.unexplained_force_share < 1e-9 and report.unexplained_torque_rms < 1e-6
    assert report.cone_violation < 1e-9 and report.penetration < 1e-3
    bell = take.props["barbell"][:, 2]
    assert bell[0] == pytest.approx(0.225, abs=0.01) and bell[-1] - bell[0] > 0.35
    hold = clip.grips[0]
    late = (take.contacts.frame == len(take) - 20) & take.contacts.bilateral
    assert take.contacts.force[late, 2].sum() == pytest.approx(-20.0 * 9.81, rel=0.02)
    early = (take.contacts.frame == round(120 * hold.start) + 5) & take.contacts.bilateral
    assert np.abs(take.contacts.force[early, 2].sum()) < 0.9 * 20.0 * 9.81  # the floor still bears some of it


def test_the_modal_update_must_know_what_it_carries() -> None:
    """A load that comes unexpected is for the simulator."""
    with pytest.raises(BadValue, match="unexpected"):
        poise.perform(poise.load_clip("lift"), Modal(loads=False), seconds=0.1)


def test_hands_stay_on_their_bar() -> None:
    """A chin-up of two key poses, pushed sideways: the hands do not leave the places where they closed."""
    clip = chin_up(poise.load_character("human42"))
    stage = clip.stage(0.0, 2.0)
    pushed = replace(stage, events=(poise.Push("chest", (0.0, 125.0, 0.0), 0.5, 20 / 120),))
    take = poise.perform(clip, Modal(window=24, repair=False), stage=pushed, seconds=2.0)
    for hold in clip.grips:
        place = hold.path(take.clip.with_q(take.q))
        assert np.abs(place - np.asarray(hold.place)).max() < 2e-3
    assert poise.audit(take).unexplained_force_share < 1e-9


@pytest.mark.slow
def test_a_jump_reaches_its_bar_in_the_air() -> None:
    """The reference: both hands are within 5 cm of the bar when they shall close, and the feet have left the ground."""
    made = leap(poise.load_character("human42"))
    sample = made.reference.sample(made.seized)
    character = made.reference.character
    pos, quat = character.forward(sample.q[None])
    bar = made.stage.props[0]
    for grip in made.stage.grips:
        body = character.body(grip.hand)
        hand = pos[0, body] + poise.maths.rotations.rotate(quat[0, body], np.asarray(grip.point))
        assert np.hypot(hand[2] - bar.position[2], hand[0] - bar.position[0]) < 0.05  # half of what a grip reaches
    assert not sample.contacts.any()


def test_an_unloaded_foot_stays_on_the_ground() -> None:
    """A squat pushed sideways shifts its weight to one foot; the other one must not be lifted by its own leg."""
    clip = poise.load_clip("squat")
    at = 1.3
    stage = poise.Stage(events=(poise.Push("chest", (0.0, 175.0, 0.0), at, 20 / 120),))
    take = poise.perform(clip, Modal(window=16), stage=stage, seconds=3.0)
    feet = take.character.contact_points.feet
    assert take.fell is None
    assert take.character.points(take.q)[:, feet, 2].max() < 0.02  # a corner; it was the whole foot, by 4 to 8 cm


def test_the_edited_squat_meets_its_barbell() -> None:
    """The hands of the edited squat are at the bar when they take it, and it ends standing with it."""
    clip = lift(poise.load_character("human42"))
    stage, frame = stage_for(clip), round(clip.grips[0].start / clip.dt)
    bell = np.asarray(stage.props[0].position)
    hands = np.mean([h.path(clip)[frame] for h in clip.grips], axis=0)
    assert np.linalg.norm(hands - bell) < 0.01 and 0.2 < bell[2] < 0.25
    assert clip.grips[0].path(clip)[-1, 2] - bell[2] > 0.4
