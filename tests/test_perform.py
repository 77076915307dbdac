"""The one verb: both plain methods perform clips; servos alone fall, which is the problem of this project."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import methods
from poise.errors import BadValue, UnknownBody, UnknownName
from poise.maths import configuration as conf


@pytest.fixture(scope="module")
def walk():
    return poise.load_clip("walk")


def test_kinematic_plays_the_clip_from_any_start(walk):
    take = poise.perform(walk, "kinematic", seconds=1.5, start=0.4)
    reference = poise.Reference(walk, start=0.4)
    assert take.fell is None and take.method == "kinematic"
    for k in (0, 60, 180):
        assert np.allclose(
            conf.difference(walk.character.layout, take.q[k], reference.sample(take.time[k]).q), 0, atol=1e-9
        )
    assert take.tracking_error().joints < 1e-9


def test_servos_alone_stand_but_fall_when_they_walk(walk):
    standing = poise.perform(poise.load_clip("stand"), "pd", seconds=2.0)
    assert standing.fell is None
    for seed in range(3):
        walking = poise.perform(walk, "pd", seconds=3.0, start=0.2 * seed, noise=0.1, seed=seed)
        assert walking.fell is not None and walking.fell < 3.0


def test_the_same_seed_gives_the_same_bits(walk):
    a, b = (poise.perform(walk, "pd", seconds=0.5, noise=0.1, seed=4) for _ in range(2))
    c = poise.perform(walk, "pd", seconds=0.5, noise=0.1, seed=5)
    assert (
        np.array_equal(a.q, b.q)
        and np.array_equal(a.torque, b.torque)
        and np.array_equal(a.contacts.force, b.contacts.force)
    )
    assert not np.array_equal(a.q, c.q)


def test_the_audit_accepts_what_was_performed_and_the_push_is_in_it(walk):
    stage = poise.Stage(events=[poise.Push("chest", force=(0, 150, 0), at=0.2, duration=0.1)])
    take = poise.perform(poise.load_clip("stand"), "pd", seconds=1.0, stage=stage)
    assert poise.audit(take).unexplained_force_share < 1e-3
    pushed = take.external.total(len(take.time))[0]
    assert np.allclose(pushed.sum(axis=0) / 120, (0, 15, 0), atol=1e-6)


def test_torques_stay_within_the_limits_and_off_the_root(walk):
    take = poise.perform(walk, "pd", seconds=0.5)
    assert np.all(np.abs(take.torque) <= walk.character.torque_limit + 1e-9) and not take.torque[:, :6].any()


def test_springs_are_another_contact_model(walk):
    soft, springs = (poise.perform(walk, "pd", seconds=0.4, contact=c) for c in ("soft", "springs"))
    assert not np.array_equal(soft.q, springs.q)


def test_a_clip_that_sinks_into_its_ground_starts_above_it(walk):
    sunk = walk.with_q(walk.q - 0.06 * (np.arange(walk.q.shape[1]) == 2))
    take = poise.perform(sunk, "pd", seconds=0.1)
    assert take.q[0, 2] == pytest.approx(walk.q[0, 2], abs=1e-3)
    assert any("inside its own ground" in e.text for e in take.events)
    with pytest.raises(BadValue, match="inside the ground"):
        poise.perform(walk, "pd", seconds=0.1, stage=poise.Stage(ground=poise.Flat(0.1)))


def test_bad_wishes_get_one_sentence(walk):
    with pytest.raises(UnknownName, match=r"no method 'pdd'\. Did you mean 'pd'"):
        poise.perform(walk, "pdd")
    with pytest.raises(UnknownName, match="setting of pd"):
        methods.method("pd", gain=3)
    with pytest.raises(UnknownBody, match="no body"):
        poise.perform(walk, "pd", stage=poise.Stage(events=[poise.Push("tail", force=(1, 0, 0), at=0, duration=1)]))
    with pytest.raises(BadValue, match="at least one frame"):
        poise.perform(walk, "pd", seconds=0.0)


def test_a_reference_begins_where_it_says(walk):
    with pytest.raises(BadValue, match="its own `start`"):
        poise.perform(poise.Reference(walk), start=0.2)


def test_servos_of_a_body_whose_inertia_is_lost_in_rounding():
    """The equations that can still be told apart are solved; a sound body's are solved as ever."""
    from poise.methods.pd import _solved

    sound, force = np.diag([1.0, 4.0, 1e-6]) + 1e-9, np.array([1.0, 2.0, 3e-6])
    assert np.allclose(_solved(sound, force), np.linalg.solve(sound, force), rtol=1e-9)
    far = np.array([1e10, 0.0, 1.0])
    lost = 1e-3 * np.eye(3) + 1e3 * np.outer(far, far)
    lost[0, 2] = lost[2, 0] = lost[2, 0] * (1.0 + 1e-9)
    found = _solved(lost, lost @ np.array([0.0, 2.0, 0.0]))
    assert np.all(np.isfinite(found)) and np.isclose(found[1], 2.0)
