"""Certificates of the dynamics: identities, MuJoCo's own numbers, and finite differences."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from poise.character.load import load_character, names
from poise.dynamics import Dynamics, Wrench, modes
from poise.errors import BadValue
from poise.maths import configuration as conf


def random_state(character, seed=0):
    rng = np.random.default_rng(seed)
    q = conf.integrate(character.layout, character.zero_pose(), 0.6 * rng.normal(size=character.model.nv))
    return q, rng.normal(size=character.model.nv)


@pytest.fixture(scope="module", params=["human42", "human57", "biped18"])
def body(request):
    return Dynamics(load_character(request.param))


def test_inverse_after_forward_dynamics_is_the_identity(body):
    for seed in range(4):
        x = body.at(*random_state(body.character, seed))
        torque = np.random.default_rng(seed).normal(size=body.model.nv)
        push = [Wrench(3, x.point(3, [0.1, 0, 0]), np.array([10.0, -5, 3]), np.array([1.0, 2, 3]))]
        a = x.forward_dynamics(torque, push)
        assert np.allclose(x.inverse_dynamics(a, push), torque, atol=1e-8)


def test_mass_matrix_and_bias_are_those_of_a_full_step_of_mujoco(body):
    q, v = random_state(body.character)
    data = mujoco.MjData(body.model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(body.model, data)
    x = body.at(q, v)
    assert np.allclose(x.bias, data.qfrc_bias, atol=1e-9)
    assert np.allclose(x.mass_matrix, x.mass_matrix.T) and np.all(np.linalg.eigvalsh(x.mass_matrix) > 0)
    free = x.forward_dynamics(data.qfrc_passive + data.qfrc_constraint)
    assert np.allclose(free, data.qacc, atol=1e-5 * max(1.0, np.abs(data.qacc).max()))


def test_momentum_is_that_of_mujoco_and_of_the_sum_over_bodies(body):
    q, v = random_state(body.character)
    data = mujoco.MjData(body.model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(body.model, data)
    mujoco.mj_subtreeVel(body.model, data)
    x = body.at(q, v)
    assert np.allclose(x.momentum[:3], body.character.mass * data.subtree_linvel[0], atol=1e-9)
    assert np.allclose(x.momentum[3:], data.subtree_angmom[0], atol=1e-9)
    linear = sum(body.model.body_mass[b] * (x.jacobian(b, data.xipos[b]) @ v) for b in range(1, body.model.nbody))
    assert np.allclose(linear, x.momentum[:3], atol=1e-9)


def test_the_derivative_of_momentum_is_the_external_wrench(body):
    q, v = random_state(body.character, 1)
    x = body.at(q, v)
    push = Wrench(4, x.point(4, [0.05, 0.1, -0.1]), np.array([40.0, -30, 20]), np.array([3.0, 1, -2]))
    torque = np.concatenate([np.zeros(6), np.random.default_rng(0).normal(size=body.model.nv - 6)])
    a = x.forward_dynamics(torque, [push])
    rate = x.momentum_matrix @ a + x.momentum_bias
    weight = body.character.mass * body.model.opt.gravity
    arm = push.point - x.centre_of_mass
    assert np.allclose(rate[:3], weight + push.force, atol=1e-8)
    assert np.allclose(rate[3:], np.cross(arm, push.force) + push.moment, atol=1e-8)


def test_rates_agree_with_finite_differences(body):
    q, v = random_state(body.character, 2)
    h, layout = 1e-6, body.character.layout
    x = body.at(q, v)
    ahead, back = (body.at(conf.integrate(layout, q, s * h * v), v) for s in (1, -1))
    assert np.allclose((ahead.momentum - back.momentum) / (2 * h), x.momentum_bias, atol=1e-4)
    for b in (1, 4, body.model.nbody - 1):
        local = np.array([0.1, -0.2, 0.05])
        slope = (ahead.jacobian(b, ahead.point(b, local)) - back.jacobian(b, back.point(b, local))) @ v / (2 * h)
        assert np.allclose(slope, x.jacobian_bias(b, x.point(b, local)), atol=1e-5)
        turning = (ahead.turning_jacobian(b) - back.turning_jacobian(b)) @ v / (2 * h)
        assert np.allclose(turning, x.turning_bias(b), atol=1e-5)
    com = (ahead.centre_of_mass - back.centre_of_mass) / (2 * h)
    assert np.allclose(com, x.centre_of_mass_jacobian @ v, atol=1e-7)
    points = (ahead.contact_positions - back.contact_positions) / (2 * h)
    assert np.allclose(points, x.contact_jacobian @ v, atol=1e-7)


def test_gravity_is_the_bias_at_rest(body):
    q, _ = random_state(body.character, 3)
    x = body.at(q)
    assert np.allclose(x.gravity, x.bias, atol=1e-9)
    assert np.allclose(x.momentum_bias, 0, atol=1e-9)


def test_older_instants_stay_right_when_newer_ones_were_used(body):
    first = body.at(*random_state(body.character, 0))
    second = body.at(*random_state(body.character, 1))
    expected = body.at(*random_state(body.character, 0)).bias.copy()
    assert second.mass_matrix.shape == first.mass_matrix.shape
    assert np.array_equal(first.bias, expected)
    with pytest.raises(ValueError, match="read-only"):
        first.bias[0] = 1.0
    with pytest.raises(BadValue, match="needs q"):
        body.at(np.zeros(3))


@pytest.mark.parametrize("name", names())
def test_modes_diagonalise_mass_and_stiffness(name):
    character = load_character(name)
    x = Dynamics(character).at(random_state(character)[0])
    springs = np.where(np.arange(character.model.nv) < 6, 0.0, np.maximum(character.stiffness, 1.0))
    found = modes(x.mass_matrix, springs)
    scale = found.squares[-1]
    assert np.allclose(found.shapes.T @ x.mass_matrix @ found.shapes, np.eye(len(springs)), atol=1e-10)
    stiff = found.shapes.T @ np.diag(springs) @ found.shapes
    assert np.allclose(stiff / scale, np.diag(found.squares) / scale, atol=1e-10)
    assert found.rigid == 6
    toe = x.jacobian(int(character.contact_points.bodies[-1]), x.contact_positions[-1])
    pinned = modes(x.mass_matrix, springs, [toe])
    assert pinned.rigid == 3 and len(pinned.squares) == len(springs) - 3
    assert np.allclose(toe @ pinned.shapes, 0, atol=1e-10)
    unit = pinned.shapes.T @ x.mass_matrix @ pinned.shapes
    assert np.allclose(unit, np.eye(len(pinned.squares)), atol=1e-10)
