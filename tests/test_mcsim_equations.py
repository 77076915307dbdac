"""mcsim's equations: (4), (7)-(11), and the errors in print that are corrected."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.dynamics.compiled import Compiled
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.methods.mcsim import contacts, feedback, program, reduced, servo, tasks
from poise.methods.mcsim.forces import forces
from poise.motion.reference import Sample
from poise.simulate import servo as law
from poise.solve.qp import solve_qp


@pytest.fixture(scope="module", params=["human42", "biped18"])
def moving(request):
    """The dynamics at a random instant, and random accelerations."""
    character = poise.load_character(request.param)
    rng = np.random.default_rng(3)
    nv = character.model.nv
    q = conf.integrate(character.layout, character.standing_pose(), 0.2 * rng.standard_normal(nv))
    v = rng.standard_normal(nv)
    rig = Compiled(character)
    return rig, rig.at(q, v), rng.standard_normal(nv)


def test_the_correction_of_equation_4_leads_to_the_reference_for_pins_and_balls(moving):
    """As printed, d = vec(q_r⁻¹ q) has the other sign for ball joints and leads away."""
    rig, now, _ = moving
    layout = rig.character.layout
    wanted = rig.character.standing_pose()
    off = tasks.difference(layout, wanted, now.q)
    nearer = conf.integrate(layout, now.q, 0.1 * off)
    before, after = (np.abs(tasks.difference(layout, wanted, q)[3:]) for q in (now.q, nearer))
    assert np.all(after <= before + 1e-12) and not off[:3].any()
    away = conf.integrate(layout, now.q, -0.1 * off)
    assert np.linalg.norm(tasks.difference(layout, wanted, away)) > np.linalg.norm(off)


def test_equation_4_has_no_position_gain_on_the_roots_place(moving):
    rig, now, a = moving
    sample = Sample(now.q + 0.5 * (np.arange(len(now.q)) < 3), now.v, a, np.zeros(len(rig.bodies), bool))
    assert np.allclose(tasks.acceleration(rig.character.layout, sample, now.q, now.v, 500.0), a)


def test_composite_inertia_is_equation_9_with_parallel_axes(moving):
    """A joint's block of M is the sum over all that it carries of R I Rᵀ + m (r² 1 - r rᵀ), in the joint's axes."""
    rig, now, _ = moving
    model, character = rig.character.model, rig.character
    body = character.body("left_thigh")
    first, count = int(model.body_dofadr[body]), int(model.body_dofnum[body])
    joint = int(model.body_jntadr[body])
    total = np.zeros((3, 3))
    for b in range(1, model.nbody):
        if now.chain[b, first]:
            R = now.rotations[b] @ rot.to_matrix(model.body_iquat[b])
            r = now.positions[b] + now.rotations[b] @ model.body_ipos[b] - now.positions[body]
            total += R @ np.diag(model.body_inertia[b]) @ R.T
            total += model.body_mass[b] * (r @ r * np.eye(3) - np.outer(r, r))
    local = now.rotations[body].T @ total @ now.rotations[body]
    armature = np.diag(model.dof_armature[first : first + count])
    block = now.mass_matrix[first : first + count, first : first + count] - armature
    axis = model.jnt_axis[joint]
    expected = local if count == 3 else np.array([[axis @ local @ axis]])
    assert np.allclose(block, expected, atol=1e-9)


def test_servos_are_critically_damped_and_spare_the_root(moving):
    rig, now, _ = moving
    nv = len(now.v)
    joints, k, ones = servo.blocks(rig.character), servo.stiffness(rig.character, 0.02), np.ones(nv)
    error, out = np.zeros(nv), np.empty(nv)
    last = joints[-1, 0]  # a leaf: nothing hangs on it, so its block is all of its inertia
    error[last] = 0.1
    law.feedback(now.mass_matrix, joints, k, ones, error, np.zeros(nv), out)
    spring = out[last] / error[last]
    law.feedback(now.mass_matrix, joints, k, ones, np.zeros(nv), error, out)
    damper = out[last] / error[last]
    assert damper == pytest.approx(2.0 * np.sqrt(spring * now.mass_matrix[last, last]))
    assert not out[:6].any()


def test_printed_root_of_every_element_is_no_number():
    """(10) takes element-wise roots of k_s I_c: a thigh's products of inertia are negative somewhere."""
    character = poise.load_character("human57")
    rig = Compiled(character)
    rng = np.random.default_rng(0)
    q = conf.integrate(character.layout, character.standing_pose(), 0.3 * rng.standard_normal(character.model.nv))
    now = rig.at(q, np.zeros(character.model.nv))
    blocks = [now.mass_matrix[a : a + n, a : a + n] for a, n in servo.blocks(character) if n == 3]
    assert any((b < 0).any() for b in blocks)
    assert all(np.linalg.eigvalsh(b).min() > 0 for b in blocks)


def _standing(name: str):
    character = poise.load_character(name)
    rig = Compiled(character)
    now = rig.at(character.standing_pose(), np.zeros(character.model.nv))
    use = np.zeros(len(rig.bodies), bool)
    for side in ("left", "right"):
        use[character.contact_points.of(side)] = True
    up = np.tile([0.0, 0.0, 1.0], (len(use), 1))
    cones = contacts.cones(use, np.zeros(len(use)), now.points, rig.bodies, up, 0.8, 0.0)
    return now, cones, character.torque_limit[6:]


@pytest.mark.parametrize("name", ["human42", "human57"])
def test_the_reduced_program_has_the_printed_ones_solution(name):
    now, cones, limit = _standing(name)
    wish = 2.0 * np.random.default_rng(1).standard_normal(len(now.v))
    whole = solve_qp(program.printed(now, wish, cones, limit))
    assert whole.solved and max(whole.residuals().values()) < 1e-6
    problem = tasks.tracking(now, wish, cones, 1e8, 1e-6)
    plan = reduced.solve(problem, limit)
    assert plan.solved
    assert np.allclose(plan.acceleration, program.parts(whole, len(wish)).acceleration, atol=2e-2)


@pytest.mark.parametrize("count", [1, 4, 8, 32, 44])
def test_forces_of_contacts_meet_the_conditions_of_optimality(count):
    """Of ½ wᵀ K w + kᵀ w + ½ least λᵀ λ with w = G λ and λ >= 0: no slope where λ > 0, none downwards where λ = 0."""
    rng, least = np.random.default_rng(count), 1e-3
    for _ in range(20):
        root = rng.standard_normal((6, 6)) * 10.0 ** rng.uniform(-1, 1.5, 6)
        K, k, G = root.T @ root + 1e-2 * np.eye(6), 10.0 * rng.standard_normal(6), rng.standard_normal((6, count))
        force, found = forces(K, k, G, least)
        slope = G.T @ (K @ (G @ force) + k) + least * force
        scale = 1e-8 * (1.0 + np.abs(K).max() * np.abs(force).max() * count)
        assert found and force.min() >= 0.0
        assert np.abs(slope[force > 0]).max(initial=0.0) < scale and slope.min() > -scale


def test_a_plan_obeys_the_equations_of_motion_its_cones_and_its_bounds():
    now, cones, limit = _standing("human42")
    for strength in (1.0, 0.3):
        wish = 20.0 * np.random.default_rng(2).standard_normal(len(now.v))
        problem = tasks.tracking(now, wish, cones, 1e6, 1e-6)
        plan = reduced.solve(problem, strength * limit)
        left = now.mass_matrix @ plan.acceleration + now.bias - plan.torque - problem.generalised @ plan.force
        assert np.abs(left).max() < 1e-6 * (1.0 + np.abs(plan.torque).max())
        assert plan.force.min() > -1e-6 and np.all(np.abs(plan.torque[6:]) <= strength * limit + 1e-6)
        assert not plan.torque[:6].any()


def test_the_program_can_be_had_unsolved_with_its_bounds():
    now, cones, limit = _standing("human42")
    problem = tasks.tracking(now, np.zeros(len(now.v)), cones, 1e6, 1e-6)
    whole = solve_qp(problem.qp(limit))
    plan = reduced.solve(problem, limit)
    assert whole.solved
    assert np.allclose(whole.x[: len(limit)], plan.acceleration[6:], atol=1e-3)


def test_standing_still_needs_the_weight_and_nothing_more():
    now, cones, limit = _standing("human42")
    problem = tasks.tracking(now, np.zeros(len(now.v)), cones, 1e6, 1e-6)
    plan = reduced.solve(problem, limit)
    assert (problem.generalised @ plan.force)[2] == pytest.approx(now.mass * 9.81, rel=1e-3)
    assert np.abs(plan.acceleration).max() < 0.05


def test_forces_on_the_edges_of_the_pyramid_lie_in_the_cone():
    up = np.array([[0.1, -0.2, 1.0]]) / np.linalg.norm([0.1, -0.2, 1.0])
    basis = contacts.cones(np.array([True]), np.zeros(1), np.zeros((1, 3)), np.array([1]), up, 0.7, 0.0).basis
    for edge in basis[0].T:
        along = edge @ up[0]
        assert np.linalg.norm(edge - along * up[0]) == pytest.approx(0.7 * along)


def test_balance_feedback_swings_the_thigh_towards_the_fall_and_is_quiet_on_the_reference():
    character = poise.load_character("human42")
    rig, other = Compiled(character), Compiled(character)
    q, v = character.standing_pose(), np.zeros(character.model.nv)
    goal, foot = rig.at(q, v), character.body("left_foot")
    assert not feedback.hip_turn(goal, goal, foot, 0.0, 0.5, 0.2).any()
    fast = other.at(q, v + 0.4 * (np.arange(len(v)) == 0))
    turn = feedback.hip_turn(fast, goal, foot, 0.0, 0.5, 0.2)
    moved = feedback.with_hips(q, feedback.hips_of(character, "right"), turn, goal)
    knee = character.body("right_shin")
    assert character.forward(moved)[0][0, knee, 0] > goal.positions[knee, 0] + 0.01
    aside = other.at(q, v - 0.4 * (np.arange(len(v)) == 1))
    turn = feedback.hip_turn(aside, goal, foot, 0.0, 0.5, 0.2)
    moved = feedback.with_hips(q, feedback.hips_of(character, "right"), turn, goal)
    assert character.forward(moved)[0][0, knee, 1] < goal.positions[knee, 1] - 0.01


def test_balance_feedback_as_printed_acts_on_the_body_itself():
    """Equation (11) in its own numbers: c_d d + c_v v of the body, whatever the reference does."""
    character = poise.load_character("human42")
    rig = Compiled(character)
    q, v = character.standing_pose(), np.zeros(character.model.nv)
    v[0] = 1.3
    now, foot = rig.at(q, v), character.body("left_foot")
    turn = feedback.hip_turn(now, now, foot, 0.0, 0.5, 0.2, False)
    d = (now.positions[rig.root] - now.positions[foot])[:2]
    assert turn == pytest.approx([0.5 * d[1], -(0.5 * d[0] + 0.2 * 1.3), 0.0])
    assert not feedback.hip_turn(now, now, foot, 0.0, 0.5, 0.2).any()
