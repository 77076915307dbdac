"""DART as the second black box: the same equations of motion, and the same controller walks in it."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.errors import BadValue, UnknownName
from poise.maths import configuration as conf
from poise.methods.mcsim import McSim

pytest.importorskip("dartpy")

from poise.simulate.dart import DartSimulator
from poise.simulate.mujoco import MujocoSimulator


@pytest.fixture(scope="module")
def walk():
    return poise.load_clip("walk")


@pytest.mark.parametrize("name", ["human42", "human57", "biped18"])
def test_a_body_in_the_air_moves_as_in_mujoco(name):
    character = poise.load_character(name)
    rng = np.random.default_rng(1)
    v = 0.3 * rng.standard_normal(character.model.nv)
    bent = np.zeros(len(v))
    for side in ("left", "right"):  # away from the joint limits, which DART does not have here
        for part, angle in (("thigh", -0.4), ("shin", 0.8), ("foot", -0.1), ("forearm", -0.6)):
            dofs = character.dofs(f"{side}_{part}")
            bent[dofs[1 if len(dofs) == 3 else 0]] = angle
    q = conf.integrate(character.layout, character.standing_pose(), bent)
    q[2] += 1.0
    torque = np.concatenate([np.zeros(6), 0.3 * rng.standard_normal(character.model.nv - 6)])
    after = []
    for simulator in (DartSimulator(character), MujocoSimulator(character)):
        simulator.reset(q, v)
        assert np.allclose(simulator.state().q, q) and np.allclose(simulator.state().v, v)
        for _ in range(10):
            simulator.step(torque)
        after.append(simulator.state())
    # an armature turns with its joint, not with the body, so small limbs move a little differently
    assert np.allclose(after[0].v[:6], after[1].v[:6], atol=0.05)
    assert np.allclose(after[0].q, after[1].q, atol=0.01)


def test_somebody_standing_is_carried_with_their_weight():
    clip = poise.load_clip("stand")
    take = poise.perform(clip, McSim(), seconds=0.8, simulator="dart")
    rows = take.contacts
    last = rows.frame >= len(take) // 2
    weight = rows.force[last, 2].sum() / (len(take) - 1 - len(take) // 2)
    assert take.fell is None
    assert weight == pytest.approx(9.81 * clip.character.mass, rel=0.05)


def test_the_same_controller_walks_in_dart(walk):
    for start, seed in ((0.0, 0), (0.7, 5)):
        take = poise.perform(walk, McSim(), seconds=2.0, start=start, noise=0.1, seed=seed, simulator="dart")
        assert take.fell is None and take.tracking_error().joints < 0.06


def test_a_push_in_dart_is_recorded(walk):
    stage = poise.Stage(events=[poise.Push("chest", force=(0, 80, 0), at=0.1, duration=0.1)])
    take = poise.perform(poise.load_clip("stand"), McSim(), seconds=0.4, stage=stage, simulator="dart")
    assert np.allclose(take.external.total(len(take.time))[0].sum(axis=0) / 120, (0, 8, 0), atol=1e-6)


def test_what_dart_cannot_do_is_refused(walk):
    with pytest.raises(BadValue, match="level and sloping"):
        DartSimulator(walk.character, poise.Stage(ground=poise.Stairs(0.1, 0.3)))
    with pytest.raises(BadValue, match="pushes"):
        DartSimulator(walk.character, poise.Stage(events=[poise.Ball(mass=1, at=1, speed=9)]))
    with pytest.raises(UnknownName, match="simulator"):
        poise.perform(walk, McSim(), seconds=0.1, simulator="bullet")
