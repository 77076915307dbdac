"""posture, equation by equation: torques, spaces, the constrained response, the root, the legs."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from poise.dynamics import Dynamics
from poise.dynamics.compiled import Compiled
from poise.dynamics.response_space import ResponseSpace, space_of
from poise.errors import BadFile, BadValue
from poise.maths import configuration as conf
from poise.methods.posture import response_space
from poise.methods.posture.body import Parts
from poise.methods.posture.legs import plant
from poise.methods.posture.root import pushed_root
from poise.methods.posture.solve import Tracking, own_torques, respond
from poise.methods.posture.space import sampled, upper_torques
from poise.motion.load import load_clip

H = 1 / 120


@pytest.fixture(scope="module")
def walk():
    return load_clip("walk")


@pytest.fixture(scope="module")
def parts(walk):
    return Parts.of(walk.character)


def test_human42_is_the_documents_body(parts):
    assert (len(parts.upper), len(parts.lower)) == (24, 12)
    assert len(set(parts.names)) == 24 and parts.spine.sum() == 3


def test_torques_are_those_of_inverse_dynamics_whatever_the_legs_and_the_ground_do(walk, parts):
    q = sampled(walk, 1 / 60)
    U = upper_torques(walk.character, parts, q, 1 / 60)
    steps = conf.difference(walk.character.layout, q[:-1], q[1:]) * 60
    model, data = walk.character.model, mujoco.MjData(walk.character.model)
    for t in (0, 7):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[t + 1], steps[t], (steps[t + 1] - steps[t]) * 60
        data.qacc[parts.lower] += 3.0  # legs do not matter to the upper body
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_comVel(model, data)
        out = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 1, out)
        assert np.allclose(out[parts.upper], U[:, t], atol=1e-8)


def test_the_space_is_that_of_a_singular_value_decomposition(walk, parts):
    U = upper_torques(walk.character, parts, sampled(walk, 1 / 60), 1 / 60)
    space = response_space(walk)
    left, s, _ = np.linalg.svd(U)
    assert np.allclose(space.values, s**2 / U.shape[1], rtol=1e-6, atol=1e-9)
    assert np.allclose(np.abs(np.sum(space.vectors * left, axis=0))[:12], 1.0, atol=1e-6)
    assert np.allclose(space.unactuated(10).T @ space.actuated(10), 0.0, atol=1e-12)
    off = U - U.mean(axis=1, keepdims=True)
    assert np.allclose(response_space(walk, "mean").values.sum(), (off**2).sum() / U.shape[1])
    assert np.allclose(response_space(walk, "mean").mean, U.mean(axis=1))
    assert space.dominant(0.95) <= 5


def test_a_mirrored_clip_has_the_mirrored_space(walk, parts):
    one, other = response_space(walk), response_space(walk.mirror())
    assert np.allclose(one.values[:14], other.values[:14], rtol=0.1)
    swap = [
        parts.names.index(n.replace("left", "#").replace("right", "left").replace("#", "right")) for n in parts.names
    ]
    weight = lambda s: (s.unactuated(10) ** 2).sum(axis=1)  # noqa: E731
    assert np.allclose(weight(one), weight(other)[swap], atol=0.1)


def test_a_space_is_saved_and_applied_to_another_order_of_joints(walk, tmp_path):
    space = response_space(walk)
    space.save(tmp_path / "style.npz")
    back = ResponseSpace.load(tmp_path / "style.npz")
    assert back.names == space.names and back.kind == "torques" and back.source == space.source
    assert np.array_equal(back.vectors, space.vectors) and np.array_equal(back.values, space.values)
    turned = space.applied_to(tuple(reversed(space.names)))
    assert np.array_equal(turned.vectors[::-1], space.vectors) and turned.angle(space, 10) < 1e-4
    with pytest.raises(BadValue, match="retarget one clip"):
        space.applied_to(("tail.x", *space.names[1:]))
    with pytest.raises(BadValue, match="24 degrees of freedom: give k from 0 to 24"):
        space.unactuated(25)
    (tmp_path / "no.npz").write_bytes(b"nothing")
    with pytest.raises(BadFile, match="no response space"):
        ResponseSpace.load(tmp_path / "no.npz")


def test_dominant_directions_of_made_up_torques():
    rng = np.random.default_rng(0)
    E = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    space = space_of(E @ np.diag([9.0, 3.0, 1e-3, 1e-4, 1e-5]) @ rng.standard_normal((5, 400)), tuple("abcde"))
    assert space.dominant(0.99) == 2
    assert np.linalg.norm(space.actuated(3).T @ E[:, 2:]) < 1e-3
    assert space.only(np.array([0])).unactuated(1) == pytest.approx(space.vectors[:, :1])


def _problem(walk, parts, seed, k=10, tone=True, latency=1e-6):
    rng = np.random.default_rng(seed)
    compiled, n, nv = Compiled(walk.character), len(parts.upper), walk.character.layout.nv
    q, v = walk.q[30], walk.velocity[30] + 0.3 * rng.standard_normal(nv)
    terms = compiled.at(q, v)
    inertia = np.diagonal(terms.mass_matrix)[parts.upper]
    S, D = (5.0 + 16.0 * inertia, 0.2 + 8.0 * inertia) if tone else (np.zeros(n), np.zeros(n))
    tracking = Tracking(
        off=0.1 * rng.standard_normal(n), rate=rng.standard_normal(n), wanted=rng.standard_normal(n),
        before=rng.standard_normal(n), pose=np.full(n, 400.0), damping=np.full(n, 1.0), latency=latency,
        by_inertia=tone, vectors=np.ascontiguousarray(response_space(walk).vectors), k=k, springs=S, dampers=D,
        rows=rng.standard_normal((2, n)), goals=rng.standard_normal(2), prices=np.array([0.5, 2.0]))  # fmt: skip
    return compiled, q, v, tracking, rng.standard_normal(6), rng.standard_normal(nv), rng


def _cost(t, x, u, M):
    metric = M if t.by_inertia else np.eye(len(x))
    gp, gv = t.off + H * x, x - t.rate
    gu = t.vectors[:, : len(x) - t.k].T @ (u - t.before) / H
    more = t.prices @ (t.rows @ x - t.goals) ** 2
    return t.pose[0] * gp @ metric @ gp + t.damping[0] * gv @ metric @ gv + t.latency * gu @ gu + more


@pytest.mark.parametrize(
    ("k", "tone", "latency"), [(10, True, 1e-6), (10, False, 1 / 30), (0, True, 0.0), (24, True, 1e-6)]
)
def test_the_response_keeps_its_constraint_and_no_neighbour_is_better(walk, parts, k, tone, latency):
    compiled, q, v, t, root, loads, rng = _problem(walk, parts, 3, k, tone, latency)
    n = len(parts.upper)
    x, u = np.empty(n), np.empty(n)
    assert respond(compiled.at(q, v), parts.upper, root, loads, t, H, x, u)
    a = (compiled.terms.v * 0.0).copy()
    a[:6], a[parts.upper] = (root - v[:6]) / H, (x - v[parts.upper]) / H
    instant = Dynamics(walk.character).at(q, v)
    assert np.allclose((instant.inverse_dynamics(a) - loads)[parts.upper], u, atol=1e-7)  # (1)
    E = t.vectors[:, n - k :]
    kept = E.T @ (u + t.dampers * (x - t.rate) + t.springs * (t.off + H * x) - t.wanted)
    assert np.abs(kept).max(initial=0.0) < 1e-7  # (6), (11)
    if k == n:
        return
    M = np.array(instant.mass_matrix)[np.ix_(parts.upper, parts.upper)]
    C = E.T @ (M / H + np.diag(t.dampers + H * t.springs))
    free = np.linalg.svd(C)[2][k:] if k else np.eye(n)
    best = _cost(t, x, u, M)
    for _ in range(20):  # (10): central differences along the constraint
        d = free.T @ rng.standard_normal(len(free))
        there, here = (_cost(t, x + s * 1e-4 * d, u + s * 1e-4 * M @ d / H, M) for s in (1.0, -1.0))
        assert there > best and here > best
        assert abs(there - here) < 1e-5 * max(there - best, here - best) + 1e-7 * best


def test_without_a_push_the_reference_is_the_minimiser(walk, parts):
    compiled, q, v, t, root, _, _ = _problem(walk, parts, 5, latency=1e-6)
    n, own = len(parts.upper), np.empty(len(parts.upper))
    rate = v[parts.upper] + 0.1
    own_torques(compiled.at(q, v), parts.upper, root, rate, H, own)
    t = t._replace(off=-H * rate, rate=rate, wanted=own, before=own, goals=t.rows @ rate)
    x, u = np.empty(n), np.empty(n)
    assert respond(compiled.at(q, v), parts.upper, root, np.zeros(len(v)), t, H, x, u)
    assert np.allclose(x, rate, atol=1e-9) and np.allclose(u, own, atol=1e-6)


def test_a_pushed_root_gets_the_momentum_of_the_push_and_comes_back(walk):
    instant = Dynamics(walk.character).at(walk.q[0])
    force, point = np.array([50.0, 20.0, -10.0]), instant.centre_of_mass
    root = int(walk.character.model.jnt_bodyid[0])
    loads = instant.jacobian(root, point).T @ force
    out = np.empty(6)
    M = np.array(instant.mass_matrix)
    pushed_root(M, loads, np.zeros(6), np.zeros(6), 0.0, H, out)
    assert np.allclose(out[3:], 0.0, atol=1e-9)  # through the centre of mass: no turn, and all of the mass moves
    assert np.allclose(out[:3], H * force / walk.character.mass, atol=1e-9)
    off, speed = np.zeros(6), np.ones(6)
    for _ in range(300):
        pushed_root(M, np.zeros_like(loads), off, speed, 4.0, H, speed)
        off = off + H * speed
    assert np.abs(off).max() < 0.01 and np.abs(speed).max() < 0.01


def test_legs_follow_their_feet(walk, parts):
    character = walk.character
    terms, layout = Compiled(character).terms, character.layout
    q = walk.q[20].copy()
    pos, quat = character.forward(q)
    places, turns = pos[0, parts.feet].copy(), quat[0, parts.feet].copy()
    q[:3] += (0.02, -0.015, -0.03)
    legs = q[parts.leg_q].copy()
    missed = plant(terms, layout.kind, layout.qadr, layout.vadr, parts.legs, parts.feet, places, turns, q)
    now, turned = character.forward(q)
    assert missed < 1e-6 and np.allclose(now[0, parts.feet], places, atol=1e-5)
    assert np.all(np.abs(np.sum(turned[0, parts.feet] * turns, axis=1)) > 1 - 1e-8)
    assert not np.array_equal(legs, q[parts.leg_q])
