"""momentum, the parts: the abstract model and its derivatives, gains against neighbours, clocks, cones, saved plans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.errors import BadFile, BadValue
from poise.methods.momentum.clock import paced, rate_of, root_of
from poise.methods.momentum.course import course_of
from poise.methods.momentum.forces import matched, step_length, wrench_matrix
from poise.methods.momentum.model import SegmentProblem, Weights, pyramid
from poise.methods.momentum.plan import _PENALTY, load_plan, make_plan, save_plan, segment_problem
from poise.methods.momentum.segments import cuts_of
from poise.motion.load import load_clip
from poise.solve.ddp import solve_ddp


@pytest.fixture(scope="module")
def walk():
    return course_of(load_clip("walk"))


def problem(seed: int = 0) -> tuple[SegmentProblem, np.ndarray, np.ndarray]:
    """A step on three corners with random numbers of natural size."""
    rng = np.random.default_rng(seed)
    corners = [rng.normal(size=(3, 3)) * 0.2 for _ in range(2)]
    effort = [rng.normal(size=9) * 100 for _ in corners]
    made = SegmentProblem(rng.normal(size=(3, 12)), corners, effort, rng.normal(size=(3, 3)), 70.0,
                          np.array([0.0, 0.0, -9.81]), 1 / 120, 0.8, Weights(1.0, 500.0, 300.0))  # fmt: skip
    return made, rng.normal(size=12), rng.normal(size=9) * 200


def test_derivatives_of_a_step_are_those_of_central_differences():
    made, x, u = problem()
    e = made.expand(np.stack([x, x, x]), [u, u])[0]
    for j in range(12):
        d = 1e-5 * np.eye(12)[j]
        assert np.allclose(e.A[:, j], (made.step(0, x + d, u) - made.step(0, x - d, u)) / 2e-5, atol=1e-6)
    for j in range(9):
        d = 1e-3 * np.eye(9)[j]
        assert np.allclose(e.B[:, j], (made.step(0, x, u + d) - made.step(0, x, u - d)) / 2e-3, atol=1e-9)


def test_mixed_second_derivative_is_that_of_the_first():
    made, x, u = problem(1)
    costate = np.random.default_rng(2).normal(size=12)
    found = made.bend(0, x, u, costate)
    for j in range(12):
        d = 1e-4 * np.eye(12)[j]
        ahead, behind = (made.expand(np.stack([x + s * d] * 3), [u, u])[0].B.T @ costate for s in (1, -1))
        assert np.allclose(found[:, j], (ahead - behind) / 2e-4, atol=1e-8)


def test_momentum_of_a_step_is_the_impulse():
    """P changes by the impulse of forces and gravity, L by that of the moments about the centre half-way."""
    made, x, u = problem(3)
    after, F = made.step(0, x, u), u.reshape(-1, 3)
    assert np.allclose(after[3:6] - x[3:6], made.h * (F.sum(axis=0) + 70.0 * made.gravity))
    middle = x[:3] + 0.5 * made.h * x[3:6] / 70.0
    assert np.allclose(after[9:] - x[9:], made.h * np.cross(made.corners[0] - middle, F).sum(axis=0))


@pytest.mark.parametrize("friction", [0.3, 0.8, 1.0, 1.7])
def test_the_pyramid_lies_inside_the_cone_and_touches_it(friction):
    """With edges instead of face normals this fails at any friction but 1, where a pyramid is not its own dual."""
    rng = np.random.default_rng(0)
    forces = rng.normal(size=(4000, 3)) * [1, 1, 1.5] + [0, 0, 1]
    inside = (forces @ pyramid(friction).T >= 0).all(axis=1)
    assert inside.any()
    assert np.all(np.linalg.norm(forces[inside, :2], axis=1) <= friction * forces[inside, 2] + 1e-12)
    edge = np.array([friction, friction, np.sqrt(2.0)])
    assert (edge @ pyramid(friction).T >= -1e-12).all()
    assert np.isclose(np.hypot(*edge[:2]), friction * edge[2])


def test_gains_are_those_of_neighbours_solved_anew(walk):
    """G^x and G^Ψ against the change of the first force of a problem solved from another state, or to another goal."""
    weights = Weights(1.0, 500.0, 5000.0)
    course = replace(walk, touching=walk.touching & (walk.touching.sum(axis=1, keepdims=True) > 0))
    made, controls, start = segment_problem(course, 8, 60, weights, 5.0, True, False)  # cones far away
    plan = make_plan(course, weights, 5.0, 0)
    segment = next(s for s in plan.segments if s.first == 8)
    made, controls, start = segment_problem(course, 8, segment.steps, weights, 5.0, True, False)
    rng, mine = np.random.default_rng(0), np.repeat(segment.touching[0], 3)
    d = rng.normal(size=12) * np.repeat([1e-4, 5e-3, 1e-3, 5e-3], 3)
    base = solve_ddp(made, start, controls, _PENALTY, 10.0, tolerance=1e-7)
    moved = solve_ddp(made, start + d, controls, _PENALTY, 10.0, tolerance=1e-7)
    assert base.solved
    assert moved.solved
    change = moved.controls[0] - base.controls[0]
    assert np.linalg.norm(change - (segment.gain[0] @ d)[mine]) < 0.05 * np.linalg.norm(change)
    goal = np.zeros(12)
    goal[2] = 1e-3
    ended = made.reference.copy()
    ended[-1] += goal
    other = solve_ddp(replace(made, reference=ended), start, controls, _PENALTY, 10.0, tolerance=1e-7)
    change = other.controls[0] - base.controls[0]
    assert np.linalg.norm(change - (segment.goal_gain[0] @ goal)[mine]) < 0.05 * np.linalg.norm(change)


def test_figure_13():
    """60 frames; t_c jumps to 25 at frame 20: t_d is at 31.4 ten frames later, and a late t_c slows it down."""
    td, tc = 20.0, 25.0
    for _ in range(10):
        td += rate_of(60.0, td, tc)
        tc += 1.0
    assert abs(td - 31.4) < 0.1
    assert rate_of(60.0, td, 20.0) < 1.0
    assert paced(rate_of(60.0, 30.0, 60.0)) == 2.0  # it goes to infinity as t_c nears t_f


def test_the_nearest_root_is_taken():
    frames = np.arange(10, 20)
    left = 0.01 * (frames - 14.5)
    assert np.isclose(root_of(frames, left, 1 / 120, 14.0), 14.5)
    twice = 0.01 * np.sin(np.pi * (frames - 12) / 6)  # roots at 12 and 18
    assert np.isclose(root_of(frames, twice, 1 / 120, 17.5), 18.0)


def test_matched_forces_keep_their_cones_and_give_what_cones_allow():
    corners = np.array([[0.1, 0.05, 0], [0.1, -0.05, 0], [-0.1, 0.05, 0], [-0.1, -0.05, 0]])
    A, frames = wrench_matrix(corners, np.array([0.0, 0.0, 0.9]), np.tile([0.0, 0.0, 1.0], (4, 1)))
    easy = np.array([20.0, -10.0, 700.0, -9.0, -18.0, 0.0])
    found = matched(A, easy, 0.8, 0.3)
    assert np.abs(found.residual).max() < 0.05
    hard = matched(A, np.array([900.0, 0.0, 700.0, 0.0, 0.0, 0.0]), 0.8, 0.3).forces.reshape(-1, 3)
    assert np.all(np.linalg.norm(hard[:, 1:], axis=1) <= 0.8 * hard[:, 0] + 1e-9)
    assert frames.shape == (4, 3, 3)


def test_step_length_ends_on_the_pyramid():
    forces, change = np.array([[0.0, 0.0, 100.0]]), np.array([[300.0, 0.0, 0.0]])
    share = step_length(forces, change, pyramid(0.8))
    assert np.isclose(share * 300.0, 0.8 / np.sqrt(2.0) * 100.0)
    assert step_length(forces, 0.01 * change, pyramid(0.8)) == 1.0


@pytest.mark.parametrize(("name", "count"), [("walk", 2), ("run", 2), ("hop", 1), ("squat", 4)])
def test_segments_end_in_stance(name, count):
    course = course_of(load_clip(name))
    cuts = cuts_of(course)
    assert len(cuts) == count
    assert course.touching[cuts].any(axis=1).all()


def test_a_plan_is_solved_saved_and_loaded(walk, tmp_path):
    plan = make_plan(walk, Weights(spin=5000.0), 1.0, 20, soften=30.0)
    assert plan.solved
    save_plan(plan, tmp_path / "walk.npz")
    again = load_plan(tmp_path / "walk.npz")
    assert np.array_equal(again.segments[1].gain, plan.segments[1].gain)
    assert again.course.cycle is not None
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    with pytest.raises(BadFile, match="no plan of momentum"):
        load_plan(tmp_path / "bad.npz")


def test_a_clip_that_never_touches_is_refused():
    clip = load_clip("walk")
    flying = clip.with_q(clip.q + 5.0 * np.eye(clip.q.shape[1])[2], labels=np.zeros_like(clip.contacts.labels))
    with pytest.raises(BadValue, match="never touches the ground"):
        course_of(flying)


def test_a_goal_that_cannot_be_reached_is_told(walk):
    with pytest.raises(BadValue, match="no contact forces lead"):
        make_plan(replace(walk, states=walk.states + np.linspace(0, 1, len(walk.states))[:, None] * 50.0), Weights(),
                  0.01, 0)  # fmt: skip
