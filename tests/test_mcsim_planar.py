"""The paper's 2D character: projections that can be performed, contacts that do not flicker, a run and a jump."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.dynamics import engine
from poise.experiments.mcsim.planar import sagittal, steadied, way_of
from poise.experiments.mcsim.runs import length, run_seeds
from poise.methods.mcsim import contacts


@pytest.fixture(scope="module")
def jump():
    return sagittal(poise.load_clip("jump"))


def mass_centre(clip, reference, times):
    """Places (N, 3) of the centre of mass of a reference."""
    model = clip.character.model
    data = engine.data_of(model)
    out = []
    for t in times:
        sample = reference.sample(t)
        engine.place(model, data, sample.q, sample.v)
        out.append(data.subtree_com[1].copy())
    return np.array(out)


def test_a_projected_jump_falls_freely_between_its_frames_too(jump):
    reference, h = poise.Reference(jump), 1 / 480
    times = np.arange(0.0, jump.duration, h)
    flying = np.array([not reference.contacts(t).any() for t in times])
    inside = np.flatnonzero(flying)[12:-12]
    assert len(inside) > 50
    place = mass_centre(jump, reference, times)
    fall = (place[inside + 4] - 2.0 * place[inside] + place[inside - 4]) / (4 * h) ** 2
    assert np.abs(fall - [0.0, 0.0, -9.81]).max() < 0.3


def test_legs_are_as_strong_as_those_of_a_person_with_such_legs():
    body, human = poise.load_character("biped18"), poise.load_character("human42")
    leg = 7.0 + 5.0 + 4.0
    for joint, share in (("left_thigh_y", 0.240), ("right_shin_y", 0.245), ("left_foot_y", 0.175)):
        limit = body.torque_limit[int(body.model.joint(joint).dofadr[0])]
        assert limit == pytest.approx(share * leg / 0.161 * 9.81 * body.height, rel=0.02)
    assert body.torque_limit.max() < 400.0 and human.mass > body.mass


def test_points_in_the_skin_of_the_ground_count_as_touching():
    points = np.array([[0.0, 0.0, -1e-4], [0.2, 0.0, 1.5e-3], [0.0, 0.2, 1.5e-3], [0.2, 0.2, 3e-3]])
    bodies, known = np.array([1, 1, 2, 2]), contacts.nothing_known(4)
    level = known.level

    def touching():
        on = np.array([True, False, False, False])
        contacts.within(points, bodies, 0.002, 1e-4, known, on)
        return on.tolist()

    assert touching() == [True, True, False, False]  # the other foot has never touched anything
    level[2:] = 0.0
    assert touching() == [True, True, True, False]
    assert level == pytest.approx([-1e-4, -1e-4, 0.0, 0.0])
    points[1:3, 2] += 3e-4  # rising: a corner of the standing foot stays, the other foot leaves
    assert touching() == [True, True, False, False]


def test_it_jumps_and_stands_again(jump):
    (outcome,) = run_seeds(jump, steadied("jump"), 1, length(jump, 10.0), first=300)
    take = outcome.take
    low = take.character.points(take.q)[..., 2].min(axis=1)
    assert outcome.ok and outcome.joints < 0.06
    assert low.max() > 0.05 and abs(low[-1]) < 2e-3
    assert np.abs(take.v[-1, :3]).max() < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["walk", "run"])
def test_gaits_go_on_in_the_plane(name):
    clip = sagittal(poise.load_clip(name))
    outcomes = run_seeds(clip, steadied(name), 4, 10.0, first=300)
    assert all(o.ok for o in outcomes)
    assert max(o.joints for o in outcomes) < 0.06 and min(o.distance for o in outcomes) > 0.8


def test_the_documents_form_in_the_plane_has_no_departure_and_ours_names_its_own():
    for motion in ("walk", "run", "jump"):
        assert way_of(motion).departures == () and way_of(motion).grip_damping == 0.0
        assert steadied(motion).departures == ("relative", "flight")
