"""The modal method at work: a walk is followed, its physics are true, its contacts complementary."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.errors import PoiseError
from poise.methods.modal import Modal, ModalTorques
from poise.stage import Ball, Push, Stage


@pytest.fixture(scope="module")
def walk() -> poise.Clip:
    return poise.load_clip("walk")


@pytest.fixture(scope="module")
def take(walk):
    return poise.perform(walk, "modal", seconds=5.0)


def test_follows_the_walk(take):
    off = take.tracking_error()
    assert take.fell is None
    assert np.degrees(off.joints) < 2.0 and off.root_position < 0.015


def test_physics_are_true(take):
    report = poise.audit(take)
    share = np.median(np.linalg.norm(report.series["force"], axis=1)) / report.weight
    assert share < 1e-6 and report.cone_violation <= 1e-9 and report.penetration < 0.001
    assert report.passed, report.problems
    assert report.assist_force_rms == 0.0


def test_contacts_are_complementary(take):
    assert np.nanmax(take.traces["complementarity"]) < 1e-3


def test_pressure_is_under_the_feet(take):
    """The centre of pressure of each foot lies in the hull of its corners: forces act at these and only push."""
    rows = take.contacts
    normal = np.einsum("ki,ki->k", rows.force, rows.normal)
    assert np.all(normal >= -1e-9)
    corners = take.character.points(take.q)
    own = take.character.contact_points.bodies
    for k in range(0, len(rows), 37):
        near = np.linalg.norm(corners[rows.frame[k]][own == rows.body[k]] - rows.point[k], axis=1).min()
        assert near < 1e-9


def test_same_seed_same_bits(walk):
    a = poise.perform(walk, "modal", seconds=0.5, noise=0.02, seed=3)
    b = poise.perform(walk, "modal", seconds=0.5, noise=0.02, seed=3)
    assert np.array_equal(a.q, b.q) and np.array_equal(a.torque, b.torque)


def test_torques_in_the_simulator(walk):
    take = poise.perform(walk, "modal-torques", seconds=3.0)
    off = take.tracking_error()
    assert take.fell is None and off.root_position < 0.03 and np.degrees(off.joints) < 2.0


def test_a_push_is_recorded_and_survived(walk):
    stage = Stage(events=[Push("chest", (60.0, 0.0, 0.0), at=0.5, duration=10 / 120)])
    take = poise.perform(walk, "modal", seconds=3.0, stage=stage)
    impulse = take.external.force.sum(axis=0) / 120
    assert np.allclose(impulse, (5.0, 0.0, 0.0), atol=1e-9)
    report = poise.audit(take)
    assert take.fell is None and report.unexplained_force_share < 1e-6


def test_latency_is_a_plan_without_knowledge(walk):
    """For 0.2 s the plan believes in the reference: the body goes on as the push sent it, then reacts."""
    stage = Stage(events=[Push("chest", (0.0, 60.0, 0.0), at=0.3, duration=10 / 120)])
    quick = poise.perform(walk, Modal(), seconds=0.6, stage=stage)
    late = poise.perform(walk, Modal(latency=0.2), seconds=0.6, stage=stage)
    assert np.array_equal(quick.q[:36], late.q[:36])
    aside = [float(np.abs(t.q[-1, 1] - t.q_ref[-1, 1])) for t in (quick, late)]
    assert aside[1] > aside[0]


def test_grouped_forces_and_damping(walk):
    for settings in ({"group": 4}, {"damping_mass": 1.0, "damping_stiffness": 0.01}, {"damping_mass": 60.0}):
        take = poise.perform(walk, Modal(**settings), seconds=1.5)
        assert take.fell is None and take.tracking_error().root_position < 0.04, settings


def test_what_the_update_does_not_know_is_refused(walk):
    with pytest.raises(PoiseError, match="modal-torques"):
        poise.perform(walk, Modal(), seconds=0.2, stage=Stage(events=[Ball(mass=1.0, at=0.1, speed=8.0)]))
    with pytest.raises(PoiseError):
        poise.perform(walk, ModalTorques(window=-3), seconds=0.2)


@pytest.mark.slow
def test_a_minute_of_walking(walk):
    for way in ("modal", "modal-torques"):
        take = poise.perform(walk, way, seconds=60.0)
        assert take.fell is None and take.tracking_error().root_position < 0.03, way
