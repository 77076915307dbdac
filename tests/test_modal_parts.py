"""Parts of the modal method: modes, the analytic update, plans, contact correction. Certificates throughout."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import poise
from poise.dynamics import Dynamics
from poise.errors import PoiseError
from poise.experiments.modal.planning import collect
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.modal import Modal
from poise.methods.modal.actuation import plan_low
from poise.methods.modal.correction import contact_lcp, correct, preference_share
from poise.methods.modal.eigen import eigen_from
from poise.methods.modal.linearise import Watched, momentum, momentum_about_origin, momentum_lacking, with_more_momentum
from poise.methods.modal.problem import force_plan
from poise.methods.modal.schedule import expect
from poise.methods.modal.spectrum import check_stiffness, find_modes, subtree_stiffness, tracked_share
from poise.methods.modal.update import transition
from poise.methods.modal.window import automatic
from poise.solve.dense import solve_small
from poise.solve.lcp import solve_lcp


@pytest.fixture(scope="module")
def decisions():
    return collect(poise.load_clip("walk"), 12, 0.8)


def _modes(character: poise.Character, q: Array, v: Array):
    pose = Watched(character, np.zeros(0, int), np.zeros((0, 3))).pose(q)
    stiffness = subtree_stiffness(character)
    return pose, stiffness, find_modes(pose.M, stiffness, pose.R, pose.root, pose.centre, character.mass)


@pytest.mark.parametrize("name", ["human42", "human45", "human57", "runner"])
def test_modes_diagonalise(name):
    character = poise.load_character(name)
    rng = np.random.default_rng(1)
    clip = poise.load_clip("walk", character=character) if name == "human42" else None
    q = clip.q[20] if clip is not None else character.standing_pose()
    pose, stiffness, (shapes, squares, spin) = _modes(character, q, rng.standard_normal(character.model.nv))
    assert np.allclose(shapes.T @ pose.M @ shapes, np.eye(len(squares)), atol=1e-8)
    K = shapes.T @ (stiffness[:, None] * shapes)
    assert np.allclose(K, np.diag(squares), atol=1e-7 * squares.max())
    assert np.all(squares[:6] == 0.0) and np.all(squares[6:] > 0.0) and np.all(np.diff(squares[6:]) >= 0.0)
    # a rigid mode is the momentum: rows of the inverse give velocity of the centre of mass and angular momentum
    v = rng.standard_normal(character.model.nv)
    moving, instant = momentum(pose, v), Dynamics(character).at(q, v)
    assert np.allclose(moving[:3] * character.mass, instant.momentum[:3], atol=1e-9)
    assert np.allclose(moving[3:], instant.momentum[3:], atol=1e-9)
    rates = shapes.T @ pose.M @ v
    assert np.allclose(rates[:3], np.sqrt(character.mass) * moving[:3]) and np.allclose(rates[3:6], spin @ moving[3:])


def test_split_of_human42():
    """Stiffness is the mass of the subtree; below 100 rad²/s² are 14 modes, above 22 (section 7)."""
    character = poise.load_character("human42")
    assert np.allclose(subtree_stiffness(character), character.stiffness, rtol=1e-3)
    _, _, (_, squares, _) = _modes(character, character.standing_pose(), np.zeros(42))
    assert (int(np.sum(squares == 0)), int(np.sum((squares > 0) & (squares < 100))), int(np.sum(squares >= 100))) == (
        6,
        14,
        22,
    )
    share = np.empty(42)
    tracked_share(squares, 100.0, 0, 0, share)
    assert np.all(share[:6] == 0) and share[6] == 0 and share[-1] == 1 and np.all(np.diff(share[6:]) >= 0)


@pytest.mark.parametrize(
    ("square", "damping"), [(0, 0), (4, 0), (900, 0), (900, 6), (25, 10), (25, 40), (0, 3), (25, 9.9999999)]
)
def test_transition_is_the_matrix_exponential(square, damping):
    out = np.empty((1, 4))
    transition(np.array([float(square)]), np.array([float(damping)]), 1 / 120, out)
    exact = expm(np.array([[0.0, 1.0], [-square, -damping]]) / 120)
    assert np.allclose(out[0].reshape(2, 2), exact, atol=1e-10)


def test_low_plan_is_the_least_squares_solution():
    rng, n = np.random.default_rng(0), 12
    for square, damping in ((30.0, 0.0), (60.0, 25.0)):
        step = np.empty((1, 4))
        transition(np.array([square]), np.array([damping]), 1 / 120, step)
        forced, (p, rate, wanted, wanted_rate) = 0.01 * rng.standard_normal(n), rng.standard_normal(4)
        E, w4, w5, w6 = step[0].reshape(2, 2), 0.5, 2.0, 1e-3
        kicks = np.array([np.linalg.matrix_power(E, n - k) @ [0.0, 1.0] for k in range(n)]).T
        free = np.linalg.matrix_power(E, n) @ [p, rate] + kicks @ forced
        W = np.diag([w4, w5])
        best = np.linalg.solve(kicks.T @ W @ kicks + w6 * np.eye(n), kicks.T @ W @ ([wanted, wanted_rate] - free))
        assert np.isclose(plan_low(step[0], p, rate, forced, wanted, wanted_rate, n, w4, w5, w6), best[0], rtol=1e-7)


def test_preference_is_the_papers_matrix():
    """(25)-(27) with P, Q written out: X_f = -(PᵀP + W_a)⁻¹ PᵀQ."""
    a, Z = np.array([0.3, 0.8, 1.0 / 120]), np.random.default_rng(2).standard_normal((3, 6))
    P, Q, W = np.diag(a**2), (a**2)[:, None] * Z, 1e-3 * np.eye(3)
    X = -np.linalg.solve(P.T @ P + W, P.T @ Q)
    assert np.allclose(X, -preference_share(a, 1e-3)[:, None] * Z, atol=1e-12)


def test_force_plan_is_optimal(decisions):
    """No force is better than the one found: the gradient points out of every cone (KKT)."""
    for seen in decisions[::12]:
        plan = force_plan(*seen[:4])
        f = plan.solve()
        end = (plan.z + plan.B @ f.ravel()) / plan.slack
        g = (plan.B.T @ end).reshape(-1, 3) + plan.weight[:, None] * (f - plan.usual)
        size = np.abs(plan.weight[:, None] * f).max() + 1e-12
        assert np.all(np.hypot(f[:, 1], f[:, 2]) <= plan.friction * f[:, 0] * (1 + 1e-12) + 1e-9)
        assert np.abs(np.einsum("vi,vi->v", f, g)).max() < 1e-6 * size * np.abs(f).max()
        dual = plan.friction * g[:, 0] - 0  # g lies in the dual cone |g_t| <= g_n / friction
        assert np.all(np.hypot(g[:, 1], g[:, 2]) * plan.friction <= g[:, 0] + 1e-7 * size), dual


def test_force_plan_equals_clarabel(decisions):
    pytest.importorskip("clarabel")
    from poise.experiments.modal.planning import compare

    assert max(abs(compare(force_plan(*s[:4], feedforward=False))[0]) for s in decisions[::24]) < 1e-6


def _contacts(rng: np.random.Generator, count: int) -> tuple[Array, Array, Array]:
    J = rng.standard_normal((3 * count, 20))
    W = J @ np.diag(rng.uniform(0.2, 2.0, 20)) @ J.T * 1e-5
    return W, rng.standard_normal(3 * count) * 1e-3, np.full(count, 0.8)


def test_correction_is_complementary():
    """Nothing sinks in, pulls, or slides but against its friction on the edge of its cone."""
    rng = np.random.default_rng(3)
    for count in (1, 2, 3, 4):
        for _ in range(20):
            W, c, friction = _contacts(rng, count)
            f = np.zeros(3 * count)
            error, _ = correct(W, c, f, friction, 1e-8)
            assert error < 1e-6
            dx = (c + W @ f).reshape(-1, 3)
            n, t = f[0::3], f.reshape(-1, 3)[:, 1:]
            give = 3e-4 * np.trace(W) / len(f) * np.abs(f).max() + 1e-12  # contacts are that soft
            assert np.all(n >= 0) and np.all(dx[:, 0] >= -give) and np.all(n * np.maximum(dx[:, 0] - give, 0) < 1e-9)
            size = np.linalg.norm(t, axis=1)
            assert np.all(size <= 0.8 * n + 1e-12)
            slides = np.linalg.norm(dx[:, 1:], axis=1) > 3 * give
            pressing = slides & (n > 1e-6)
            assert np.allclose(size[pressing], 0.8 * n[pressing], rtol=1e-6)
            assert np.all(np.einsum("ki,ki->k", t, dx[:, 1:])[pressing] < 0)


def test_correction_agrees_with_the_papers_lcp():
    """Without friction round cones and hexagons are one problem, and Lemke's method solves it exactly."""
    rng = np.random.default_rng(4)
    for _ in range(10):
        W, c, _ = _contacts(rng, 3)
        f = np.zeros(9)
        correct(W, c, f, np.zeros(3), 1e-9)
        C, h, N = contact_lcp(W, c, np.zeros(3))
        z = solve_lcp(C, h).z
        assert np.allclose((N @ z)[0::3], f[0::3], rtol=1e-3, atol=1e-3 * np.abs(f).max() + 1e-9)


def test_momentum_is_set():
    character = poise.load_character("human42")
    rng = np.random.default_rng(5)
    pose = Watched(character, np.zeros(0, int), np.zeros((0, 3))).pose(character.standing_pose())
    v, wanted = rng.standard_normal(42), rng.standard_normal(6)
    new = with_more_momentum(pose, v, momentum_lacking(pose, v, wanted))
    assert np.allclose(momentum_about_origin(pose, new), wanted) and np.allclose(new[6:], v[6:])


def test_eigenvectors_follow_a_matrix_that_changes():
    """From the last step's vectors to those of a matrix a little different, as exactly as the modes need them."""
    rng = np.random.default_rng(6)
    B = rng.standard_normal((36, 60)) * np.logspace(0, -1, 36)[:, None]
    A = B @ B.T
    U = np.ascontiguousarray(np.linalg.eigh(A)[1])
    turn = expm(0.003 * (lambda K: K - K.T)(rng.standard_normal((36, 36)) / 6))
    changed = turn @ A @ turn.T
    values, fine = eigen_from(changed, U)
    T = U.T @ changed @ U
    assert fine and np.allclose(U.T @ U, np.eye(36), atol=1e-7)
    assert np.allclose(np.sort(values), np.linalg.eigvalsh(changed), rtol=1e-6)
    assert np.abs(T - np.diag(np.diag(T))).max() < 2e-5 * values.max()


def test_small_systems_are_solved():
    rng = np.random.default_rng(7)
    A, B = rng.standard_normal((12, 12)), rng.standard_normal((12, 5))
    X = B.copy()
    solve_small(A.copy(), X)
    assert np.allclose(A @ X, B, atol=1e-10)


def test_legs_keep_the_feet_in_the_world():
    """Under a root that is tilted and shifted, the shape that is followed has its feet where the reference has them."""
    clip = poise.load_clip("squat")
    character = clip.character
    mind = Modal(window=4, repair=False).start(character, poise.Reference(clip), poise.Stage())
    frames, first = mind.preview.frames(poise.Reference(clip), 0.5)
    q = frames.q[first].copy()
    q[:3] += (0.02, -0.01, -0.01)
    q[3:7] = rot.multiply(rot.exp([0.05, 0.04, 0.0]), q[3:7])
    bent, _, _ = mind.aims.of(frames, first, mind.watched.pose(q), frames.v[first])
    shape = bent.copy()
    shape[:7] = q[:7]
    feet = np.concatenate([character.contact_points.of(s) for s in ("left", "right")])
    off = character.points(shape)[0][feet] - character.points(frames.q[first])[0][feet]
    assert np.abs(off).max() < 0.006  # unmoved, by the tilt and shift, some 5 cm
    here = mind.watched.pose(frames.q[first].copy())
    same = mind.aims.of(frames, first, here, frames.v[first])[0]
    assert np.array_equal(same, frames.q[first])


def test_contacts_are_expected_when_they_can_be_there():
    """A raised corner cannot push until it is down; a foot that landed early stays."""
    clip = poise.load_clip("squat")
    mind = Modal(window=12, repair=False).start(clip.character, poise.Reference(clip), poise.Stage())
    frames, first = mind.preview.frames(poise.Reference(clip), 0.5)
    gap = np.where(frames.touching[first, : mind.points.feet], 0.0, 0.5)
    usual = frames.touching[first : first + 12].copy()
    touching = usual.copy()
    expect(touching, gap, 1 / 120)
    assert np.array_equal(touching, usual)
    point = int(np.flatnonzero(usual[0])[0])
    gap[point] = 0.02
    expect(touching, gap, 1 / 120)
    assert not touching[:4, point].any() and touching[6:, point].all()
    early = usual.copy()
    early[:5, point], gap[point] = False, 0.0
    expect(early, gap, 1 / 120)
    assert np.array_equal(early, usual)


def test_windows_and_clips_that_make_no_sense_are_refused():
    clip = poise.load_clip("jump")
    with pytest.raises(PoiseError, match="longer than the clip"):
        poise.perform(clip.cut(0.0, 0.3), Modal(window=60, repair=False), seconds=0.1)
    with pytest.raises(PoiseError, match="never touches"):
        high = clip.q + 3.0 * (np.arange(clip.q.shape[1]) == 2)
        aloft = clip.with_q(high, labels=np.zeros_like(clip.contacts.labels))
        poise.perform(aloft, Modal(repair=False), seconds=0.1, stage=poise.Stage())
    assert 8 <= automatic(poise.Reference(clip), 1 / 120) <= 24


def test_bad_settings_and_bodies():
    for bad in (
        {"window": -1},
        {"window": 0},
        {"window": "long"},
        {"high_decay": 1.0},
        {"window": 2.5},
        {"group": 0},
        {"force": 0.0},
        {"latency": -0.1},
        {"modes": (3, 9)},
    ):
        with pytest.raises(PoiseError):
            Modal(**bad)
    character = poise.load_character("human42")
    loose = subtree_stiffness(character)
    loose[20] = 0.0
    with pytest.raises(PoiseError, match="spring"):
        check_stiffness(character, loose)
