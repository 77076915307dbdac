"""Certificates of the compiled dynamics: the numbers of `Instant` and of MuJoCo, in memory that stays where it is."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from poise.character.load import load_character
from poise.dynamics import Dynamics, compiled, engine
from poise.maths import configuration as conf

LOCAL = np.array([0.1, -0.2, 0.05])


@pytest.fixture(scope="module", params=["human42", "human45", "human57", "biped18"])
def body(request):
    character = load_character(request.param)
    return compiled.Compiled(character), Dynamics(character)


def states(character, count=3):
    for seed in range(count):
        rng = np.random.default_rng(seed)
        q = conf.integrate(character.layout, character.zero_pose(), 0.6 * rng.normal(size=character.model.nv))
        yield q, rng.normal(size=character.model.nv), rng.normal(size=character.model.nv)


def test_terms_are_those_of_the_instant_in_memory_that_stays(body):
    own, dynamics = body
    before = [x.ctypes.data for x in own.terms if isinstance(x, np.ndarray)]
    for q, v, _ in states(own.character):
        x, same = own.at(q, v), dynamics.at(q, v)
        assert x is own.terms
        assert np.array_equal(x.mass_matrix, same.mass_matrix) and np.array_equal(x.bias, same.bias)
        assert np.array_equal(x.positions, same.positions) and np.array_equal(x.rotations, same.rotations)
        assert np.array_equal(x.centre_of_mass, same.centre_of_mass)
        assert np.allclose(x.points, same.contact_positions, atol=1e-14)
    assert [x.ctypes.data for x in own.terms if isinstance(x, np.ndarray)] == before


def test_a_state_leaves_no_trace_in_the_next(body):
    own, dynamics = body
    (q, v, _), (q2, v2, _) = states(own.character, 2)
    own.at(q, v)
    assert np.array_equal(own.at(q2, v2).bias, dynamics.at(q2, v2).bias)


def test_jacobians_and_motion_of_points(body):
    own, dynamics = body
    nv = own.model.nv
    linear, angular, turned, alone = (np.full((3, nv), np.nan) for _ in range(4))
    frame = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    m = compiled.no_motion()
    for q, v, _ in states(own.character):
        x, same = own.at(q, v), dynamics.at(q, v)
        for b in range(1, own.model.nbody):
            point = same.point(b, LOCAL)
            compiled.jacobian(x, b, point, linear, angular)
            compiled.point_jacobian(own.pose, b, point, frame, turned)
            compiled.turning_jacobian(x, b, alone)
            compiled.motion(x, b, point, m)
            assert np.allclose(linear, same.jacobian(b, point), atol=1e-12)
            assert np.allclose(angular, same.turning_jacobian(b), atol=1e-12) and np.array_equal(alone, angular)
            assert np.allclose(turned, frame @ linear, atol=1e-12)
            assert np.allclose(m.velocity, linear @ v, atol=1e-11) and np.allclose(m.spin, angular @ v, atol=1e-11)
            assert np.allclose(m.bias, same.jacobian_bias(b, point), atol=1e-9)
            assert np.allclose(m.spin_bias, same.turning_bias(b), atol=1e-9)


def test_momentum_its_matrix_and_its_bias(body):
    own, dynamics = body
    nv, mass = own.model.nv, own.mass
    A, J, p, bias, whole = np.empty((6, nv)), np.empty((3, nv)), np.empty(6), np.empty(6), compiled.no_whole_body()
    for q, v, a in states(own.character):
        x, same = own.at(q, v), dynamics.at(q, v)
        compiled.momentum_matrix(x, A)
        compiled.centre_jacobian(x, J)
        compiled.momentum(x, p)
        compiled.momentum_bias(x, bias)
        compiled.whole_body(x, a, whole)
        assert np.allclose(A, same.momentum_matrix, atol=1e-11)
        assert np.allclose(J, same.centre_of_mass_jacobian, atol=1e-12)
        assert np.allclose(p, same.momentum, atol=1e-10) and np.allclose(p, A @ v, atol=1e-10)
        assert np.allclose(bias, same.momentum_bias, atol=1e-9)
        assert np.allclose(np.concatenate([mass * whole.velocity, whole.spin]), p, atol=1e-10)
        rate = np.concatenate([mass * whole.acceleration, whole.torque])
        assert np.allclose(rate, A @ a + bias, atol=1e-9)


def test_momentum_is_mujocos_and_its_bias_the_finite_difference(body):
    own, _ = body
    q, v, _ = next(states(own.character))
    data = engine.data_of(own.model)
    compiled.place_momentum(own.pose, q, v)
    engine.place(own.model, data, q, v)
    mujoco.mj_subtreeVel(own.model, data)
    assert np.array_equal(own.pose.centre_velocity, data.subtree_linvel[0])
    assert np.array_equal(own.pose.angular_momentum, data.subtree_angmom[0])
    h, sides, bias = 1e-6, np.empty((2, 6)), np.empty(6)
    for k, s in enumerate((-1.0, 1.0)):
        compiled.momentum(own.at(conf.integrate(own.character.layout, q, s * h * v), v), sides[k])
    compiled.momentum_bias(own.at(q, v), bias)
    assert np.allclose((sides[1] - sides[0]) / (2 * h), bias, atol=2e-4)
