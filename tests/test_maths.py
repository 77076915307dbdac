"""Certificates of the rotations, the tangent space, kinematic trees and splines."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths import tree as kin
from poise.maths.splines import Spline

ANGLES = (1e-12, 1e-9, 1e-4, 0.049, 0.051, 1.0, 3.0, np.pi - 1e-6)
XML = """<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/>
<body name="b" pos=".1 .2 .3" quat=".9 .1 .2 .3"><joint type="hinge" axis="1 1 0" pos="0 .3 0"/>
<joint type="hinge" axis="1 0 0" pos="0 .3 0"/><geom size=".1"/>
<body name="c" pos="0 0 1"><joint type="slide" axis="0 1 1"/><joint type="hinge" axis="0 1 0" ref=".3"/>
<geom size=".1"/>
<body name="d" pos=".1 .2 .3"><joint type="ball" pos=".1 0 .2"/><geom size=".1"/>
<body name="e" pos=".1 0 0"><geom size=".1"/></body></body></body></body></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(XML)


def tree_of(m: mujoco.MjModel) -> kin.Tree:
    i = lambda a: np.ascontiguousarray(a, np.int64)  # noqa: E731
    return kin.Tree(i(m.body_parentid), m.body_pos, m.body_quat, i(m.body_jntadr), i(m.body_jntnum), i(m.jnt_type),
                    i(m.jnt_qposadr), i(m.jnt_dofadr), m.jnt_axis, m.jnt_pos, m.qpos0, int(m.nv))  # fmt: skip


def layout_of(m: mujoco.MjModel) -> conf.Layout:
    t = tree_of(m)
    return conf.Layout(t.kind, t.qadr, t.vadr, int(m.nq), int(m.nv))


def random_q(m: mujoco.MjModel, count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return conf.integrate(layout_of(m), np.tile(m.qpos0, (count, 1)), rng.normal(size=(count, m.nv)))


def random_turns(count: int, seed: int = 0) -> np.ndarray:
    return rot.normalise(np.random.default_rng(seed).normal(size=(count, 4)))


@pytest.mark.parametrize("angle", ANGLES)
def test_log_undoes_exp_from_the_identity_to_half_a_turn(angle):
    axis = rot.normalise(np.random.default_rng(1).normal(size=(50, 4)))[:, 1:]
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    r = angle * axis
    assert np.allclose(rot.log(rot.exp(r)), r, rtol=1e-9, atol=1e-15)
    assert np.allclose(rot.to_matrix(rot.exp(r)), Rotation.from_rotvec(r).as_matrix(), atol=1e-14)
    assert np.allclose(rot.angle_between(rot.exp(r), rot.IDENTITY), angle, rtol=1e-9)


def test_quaternions_and_matrices_agree():
    q = random_turns(200)
    p = random_turns(200, 1)
    assert np.allclose(rot.to_matrix(rot.multiply(q, p)), rot.to_matrix(q) @ rot.to_matrix(p), atol=1e-13)
    back = rot.from_matrix(rot.to_matrix(q))
    assert np.allclose(rot.angle_between(back, q), 0, atol=1e-7)
    v = np.random.default_rng(2).normal(size=(200, 3))
    assert np.allclose(rot.rotate(q, v), np.einsum("nij,nj->ni", rot.to_matrix(q), v), atol=1e-13)


@pytest.mark.parametrize("order", ["".join(p) for p in itertools.product("xyz", repeat=3) if p[0] != p[1] != p[2]])
def test_euler_angles_come_back_in_every_order_and_at_gimbal_lock(order):
    q = random_turns(100)
    middle = 0.0 if order[0] == order[2] else np.pi / 2
    lock = rot.from_euler(order, np.array([[0.3, middle, 0.4], [0.3, middle, -2.0]]))
    for turns in (q, lock):
        again = rot.from_euler(order, rot.to_euler(order, turns))
        assert np.allclose(rot.angle_between(again, turns), 0, atol=1e-6)
    angles = np.random.default_rng(0).uniform(-3, 3, (20, 3))
    expected = Rotation.from_euler(order.upper(), angles).as_matrix()
    assert np.allclose(rot.to_matrix(rot.from_euler(order, angles)), expected, atol=1e-13)


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=6))
def test_between_turns_one_direction_into_the_other(x):
    a, b = np.array(x[:3]), np.array(x[3:])
    if min(np.linalg.norm(a), np.linalg.norm(b)) < 1e-3:
        return
    turned = rot.rotate(rot.between(a, b), a / np.linalg.norm(a))
    assert np.allclose(turned, b / np.linalg.norm(b), atol=1e-6)


def test_opposite_directions_have_a_turn_between_them():
    for tiny in (1e-3, 1e-5, 1e-8, 1e-11, 1e-15):
        a, b = np.array([-1.0, 0.0, tiny]), np.array([1.0, 0.0, 0.0])
        assert np.allclose(rot.rotate(rot.between(a, b), a), b, atol=1e-6 if tiny == 1e-3 else 1e-9)
    for a in np.eye(3):
        assert np.allclose(rot.rotate(rot.between(a, -a), a), -a, atol=1e-9)


def test_slerp_continuity_mean_and_twist():
    q = random_turns(2)
    half = rot.slerp(q[0], q[1], np.array(0.5))
    assert np.isclose(rot.angle_between(q[0], half), rot.angle_between(half, q[1]))
    path = rot.exp(np.linspace(0, 8, 100)[:, None] * np.array([0.3, 0.5, 0.2]))
    assert np.all(np.sum(rot.continuous(rot.from_matrix(rot.to_matrix(path)))[1:] * path[1:], -1) > 0.99)
    spread = rot.multiply(q[0], rot.exp(0.1 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])))
    assert rot.angle_between(rot.mean(spread * [[1], [-1], [1], [-1]]), q[0]) < 1e-9
    assert np.isclose(rot.twist_angle(rot.exp([0, 0, 2.5]), [0, 0, 1]), 2.5)


def test_integration_and_difference_are_those_of_mujoco(model):
    layout, q = layout_of(model), random_q(model, 20)
    v = 0.7 * np.random.default_rng(3).normal(size=(20, model.nv))
    new = conf.integrate(layout, q, v)
    assert np.allclose(conf.difference(layout, q, new), v, atol=1e-12)
    for k in range(20):
        expected = q[k].copy()
        mujoco.mj_integratePos(model, expected, v[k], 1.0)
        assert np.allclose(expected, new[k], atol=1e-13)


def test_forward_kinematics_and_axes_are_those_of_mujoco(model):
    tree, q = tree_of(model), random_q(model, 10)
    data = mujoco.MjData(model)
    pos, quat, axis, anchor = kin.forward_with_axes(tree, q)
    plain = kin.forward(tree, q)
    assert np.array_equal(pos, plain[0]) and np.array_equal(quat, plain[1])
    moved = kin.moved_by(tree)
    for k in range(10):
        data.qpos[:] = q[k]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        assert np.allclose(data.xpos, pos[k], atol=1e-13) and np.allclose(data.xquat, quat[k], atol=1e-13)
        for b in range(1, model.nbody):
            expected, point = np.zeros((3, model.nv)), pos[k, b] + [0.1, 0.2, 0.3]
            mujoco.mj_jac(model, data, expected, None, point, b)
            arm = np.cross(axis[k], point - np.nan_to_num(anchor[k]))
            jac = np.where(np.isnan(anchor[k]), axis[k], arm) * moved[b][:, None]
            assert np.allclose(jac.T, expected, atol=1e-12)


def test_rates_of_a_screw_motion_are_exact(model):
    layout = layout_of(model)
    rate = np.random.default_rng(0).normal(size=model.nv)
    dt, times = 0.01, np.arange(9)[:, None] * 0.01
    q = conf.integrate(layout, np.tile(model.qpos0, (9, 1)), times * rate)
    v, a = conf.rates(layout, q, dt)
    assert np.allclose(v, rate, atol=1e-10) and np.allclose(a, 0, atol=1e-8)


def smooth_motion(m: mujoco.MjModel, times: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(5)
    size, phase = rng.normal(size=m.nv), rng.uniform(0, 6, m.nv)
    return conf.integrate(layout_of(m), np.tile(m.qpos0, (len(times), 1)), size * np.sin(3 * times[:, None] + phase))


def test_spline_meets_its_knots_and_its_rates_are_the_derivatives_of_its_position(model):
    layout, dt = layout_of(model), 0.02
    spline = Spline.through(layout, smooth_motion(model, np.arange(50) * dt), dt)
    v, a = conf.rates(layout, spline.q, dt)
    for k in (1, 20, 48):
        q, vk, ak = spline.at(k * dt)
        assert np.allclose(conf.difference(layout, spline.q[k], q), 0, atol=1e-12)
        assert np.allclose(vk, v[k], atol=1e-9) and np.allclose(ak, a[k], atol=1e-7)
        for side in (-1e-9, 1e-9):  # continuous up to the acceleration
            assert np.allclose(spline.at(k * dt + side)[2], ak, atol=1e-4)
    h = 1e-5
    for t in np.random.default_rng(0).uniform(dt, 48 * dt, 40):
        q, vt, at = spline.at(t)
        before, after = spline.at(t - h), spline.at(t + h)
        slope = (conf.difference(layout, q, after[0]) - conf.difference(layout, q, before[0])) / (2 * h)
        assert np.allclose(vt, slope, atol=1e-6)
        assert np.allclose(at, (after[1] - before[1]) / (2 * h), atol=1e-4)


def test_spline_of_exact_rates_converges_with_the_sixth_power(model):
    layout = layout_of(model)
    errors = []
    for dt in (0.32, 0.16):
        times = np.arange(0, 2.6, dt)
        h = 1e-3
        stencil = [smooth_motion(model, times + k * h) for k in (-1, 0, 1)]
        ahead, back = (conf.difference(layout, stencil[1], stencil[k]) for k in (2, 0))
        spline = Spline.through(layout, stencil[1], dt, (ahead - back) / (2 * h), (ahead + back) / h**2)
        t = np.linspace(0.1, 2.2, 57)
        got = np.stack([spline.at(x)[0] for x in t])
        errors.append(np.abs(conf.difference(layout, got, smooth_motion(model, t))).max())
    assert errors[1] < errors[0] / 2**4.5


def test_spline_is_held_at_both_ends(model):
    layout = layout_of(model)
    spline = Spline.through(layout, smooth_motion(model, np.arange(5) * 0.1), 0.1)
    for t, row in ((-1.0, 0), (9.0, -1)):
        q, v, a = spline.at(t)
        assert np.array_equal(q, spline.q[row]) and not v.any() and not a.any()
