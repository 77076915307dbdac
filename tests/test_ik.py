"""Inverse kinematics over whole clips: derivatives, exactness, smoothness, seams, and targets out of reach."""

from __future__ import annotations

import numpy as np
import pytest

from manikin import manikin, sway
from poise.errors import BadValue, ClipMismatch
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.motion.clip import Cycle
from poise.motion.ik import ik
from poise.motion.ik.terms import right_jacobian
from poise.solve import banded
from poise.solve.gauss_newton import Settings

EXACT = Settings(iterations=60, step=1e-11, gain=1e-14)


@pytest.fixture(scope="module")
def body():
    return manikin(hinges=True)


def test_right_jacobian_near_zero_and_near_pi() -> None:
    rng, out = np.random.default_rng(0), np.empty((3, 3))
    for size in (0.0, 1e-6, 1e-3, 0.5, 2.0, np.pi - 1e-3, 4.0):
        r = rng.normal(size=3)
        r *= size / np.linalg.norm(r)
        right_jacobian(r, out)
        for i, e in enumerate(1e-6 * np.eye(3)):
            there = rot.difference(rot.exp(r), rot.exp(r + e)) - rot.difference(rot.exp(r), rot.exp(r - e))
            assert np.allclose(out[:, i], there / 2e-6, atol=1e-7)


@pytest.mark.parametrize("cycle", [None, Cycle(0.7, np.array([1.0, 0.2, 0.0]))])
def test_gradient_is_that_of_the_cost(body, cycle: Cycle | None) -> None:
    q = np.array(sway(body, 8).q)
    rng = np.random.default_rng(2)
    points = [
        ik.PointTarget(body.body("left_hand"), rng.normal(size=3) * 0.1, rng.normal(size=(8, 3))),
        ik.PointTarget(body.body("right_toes"), np.zeros(3), rng.normal(size=3), rng.uniform(size=8)),
        ik.FloorTarget(body.body("left_foot"), np.zeros(3), 0.4, rot.rotate(rot.exp([0.3, 0.2, 0]), [0, 0, 1.0])),
    ]
    turns = [ik.TurnTarget(body.body("head"), rot.exp(rng.normal(size=3)), 3.0)]
    problem = ik.build(body, q, points, turns, smooth=2.0, limits=4.0, cycle=cycle)
    x = 0.4 * rng.normal(size=(problem.frames, len(problem.active)))
    normal = problem.normal(x)
    assert normal.cost == pytest.approx(problem.cost(x), rel=1e-12)
    for _ in range(40):
        step = 1e-6 * rng.normal(size=x.shape)
        slope = 0.5 * (problem.cost(x + step) - problem.cost(x - step))
        assert slope == pytest.approx(float(np.sum(normal.gradient * step)), rel=1e-5, abs=1e-6)
    matrix = banded.dense(normal.bands, ring=problem.ring)
    assert np.linalg.eigvalsh(matrix).min() > 0.5  # the posture weights alone give 1


def test_nothing_to_do_changes_nothing(body) -> None:
    q = sway(body, 30).q
    pos, _ = body.forward(q)
    hand = body.body("left_hand")
    out = ik.solve(body, q, [ik.PointTarget(hand, np.zeros(3), pos[:, hand])])
    assert np.abs(conf.difference(body.layout, q, out)).max() < 1e-9
    assert np.array_equal(ik.solve(body, q, []), q)


def test_targets_are_met_and_joints_that_no_target_moves_keep_their_bits(body) -> None:
    q = sway(body, 100).q
    pos, _ = body.forward(q)
    foot = body.body("left_foot")
    goal = pos[:, foot] + np.array([0.05, 0.03, 0.08])
    out = ik.solve(body, q, [ik.PointTarget(foot, np.zeros(3), goal)])
    assert np.abs(body.forward(out)[0][:, foot] - goal).max() < 1e-3
    arm = body.tree.qadr[body.joint_names.index("left_upper_arm")]
    assert np.array_equal(out[:, arm : arm + 4], q[:, arm : arm + 4])


def test_it_is_a_minimum_and_the_coarse_start_does_not_matter(body) -> None:
    q = sway(body, 60).q
    goal = body.forward(q)[0][:, body.body("left_hand")] + 0.1
    problem = ik.build(body, q, [ik.PointTarget(body.body("left_hand"), np.zeros(3), goal)], smooth=8.0)
    from poise.solve.gauss_newton import minimise

    with_start = problem.solve(EXACT)
    without = minimise(problem, np.zeros((60, len(problem.active))), settings=EXACT)
    assert np.abs(problem.normal(without.x).gradient).max() < 1e-5
    assert with_start.result.cost == pytest.approx(without.cost, rel=1e-9)
    assert np.allclose(with_start.result.x, without.x, atol=1e-5)


def test_orientations_are_met(body) -> None:
    q = sway(body, 40).q
    hand = body.body("right_hand")
    want = rot.multiply(body.forward(q)[1][:, hand], rot.exp([0.3, -0.2, 0.4]))
    out = ik.solve(body, q, [], [ik.TurnTarget(hand, want, 10.0)])
    assert rot.angle_between(body.forward(out)[1][:, hand], want).max() < 0.01


def test_only_the_correction_is_smoothed(body) -> None:
    """A tremble of the recording stays although corrections spread over a third of a second."""
    q = np.array(sway(body, 120).q)
    elbow = int(body.tree.qadr[body.joint_names.index("left_forearm")])
    q[:, elbow] -= 0.5 + 0.02 * (-1.0) ** np.arange(120)
    hand = body.body("left_hand")
    goal = body.forward(q)[0][:, hand] + np.array([0.0, 0.0, 0.08])
    out = ik.solve(body, q, [ik.PointTarget(hand, np.zeros(3), goal, np.hanning(120))], smooth=40.0)
    shake = np.diff(out[:, elbow], n=2) - np.diff(q[:, elbow], n=2)
    assert np.abs(shake).max() < 0.01 * np.abs(np.diff(q[:, elbow], n=2)).max()


def test_a_cycle_stays_closed_and_knows_no_seam(body) -> None:
    """Turning the period by some frames turns the answer by as many: the seam is nowhere."""
    cycle = Cycle(0.5, np.array([0.9, 0.1, 0.0]))
    loop = np.array(sway(body, 61).q)
    share = (np.arange(61) / 60)[:, None]
    turn = rot.about_z(0.5 * share[:, 0])  # a smooth screw with the cycle's turn and shift, under the swaying
    loop[:, :3] = rot.rotate(turn, loop[:, :3]) + share * cycle.shift
    loop[:, 3:7] = rot.multiply(turn, loop[:, 3:7])
    loop[-1] = cycle.carry(loop[0], 1)
    hand = body.body("left_hand")
    bump = 0.1 * np.exp(-(((np.arange(61) - 3) / 6.0) ** 2))[:, None] * np.array([0, 0, 1.0])

    def lifted(q: np.ndarray, lift: np.ndarray) -> np.ndarray:
        goal = body.forward(q)[0][:, hand] + lift
        return ik.build(body, q, [ik.PointTarget(hand, np.zeros(3), goal)], smooth=6.0, cycle=cycle).solve(EXACT).q

    out = lifted(loop, bump)
    assert np.abs(conf.difference(body.layout, cycle.carry(out[0], 1), out[-1])).max() < 1e-12
    shifted = np.concatenate([loop[25:60], cycle.carry(loop[:26], 1)])
    moved = np.concatenate([bump[25:60], bump[:26]])
    again = lifted(shifted, moved)
    joints = np.abs(conf.difference(body.layout, out[25:60], again[:35]))[:, 6:]
    # the root's translation is counted in axes that turn with the phase, so the two agree up to that small difference
    assert joints.max() < 2e-3


def test_floors_push_one_way_only(body) -> None:
    q = np.array(sway(body, 50).q)
    foot = body.body("left_foot")
    height = body.forward(q)[0][:, foot, 2]
    above = ik.solve(body, q, [ik.FloorTarget(foot, np.zeros(3), height - 0.01)])
    assert np.abs(conf.difference(body.layout, q, above)).max() < 1e-9
    lifted = ik.solve(body, q, [ik.FloorTarget(foot, np.zeros(3), height.mean(), weight=5.0)])
    assert body.forward(lifted)[0][:, foot, 2].min() > height.mean() - 1e-3


def test_limits_hold_back(body) -> None:
    """Pulling a foot forward and up would bend a straight knee backwards; its limit keeps it from that."""
    q = np.tile(body.standing_pose(), (20, 1))
    foot, knee = body.body("left_foot"), int(body.tree.qadr[body.joint_names.index("left_shin")])
    goal = body.forward(q)[0][:, foot] + np.array([0.35, 0.0, 0.1])
    free = ik.solve(body, q, [ik.PointTarget(foot, np.zeros(3), goal)])
    held = ik.solve(body, q, [ik.PointTarget(foot, np.zeros(3), goal)], limits=50.0)
    assert free[:, knee].min() < -0.05
    assert held[:, knee].min() > -0.02


def test_out_of_reach_is_smooth_and_finite(body) -> None:
    """A foot is asked away beyond its reach and back: the leg stretches, the knee never pops, nothing is lost."""
    q = np.tile(body.standing_pose(), (240, 1))
    knee = int(body.tree.qadr[body.joint_names.index("left_shin")])
    hip = int(body.tree.qadr[body.joint_names.index("left_thigh")])
    q[:, knee], q[:, hip], q[:, hip + 2] = 0.4, np.cos(-0.1), np.sin(-0.1)
    foot = body.body("left_foot")
    away = np.sin(np.linspace(0, np.pi, 240))[:, None] ** 2 * np.array([0.9, 0.0, -0.3])
    goal = body.forward(q)[0][:, foot] + away
    solution = ik.build(body, q, [ik.PointTarget(foot, np.zeros(3), goal)], limits=10.0).solve()
    assert np.all(np.isfinite(solution.q))
    pops = np.abs(np.diff(solution.q[:, knee], n=2)) * 120**2
    assert pops.max() < 150.0  # [rad/s²]; a knee that snaps straight in two frames gives thousands
    assert np.abs(conf.rates(body.layout, solution.q, 1 / 120)[0]).max() < 10.0


def test_one_frame_and_few_frames(body) -> None:
    q = body.standing_pose()
    hand = body.body("right_hand")
    goal = body.forward(q)[0][0, hand] + np.array([0.2, 0.0, 0.2])
    for count in (1, 2, 3, 4):
        out = ik.solve(body, np.tile(q, (count, 1)), [ik.PointTarget(hand, np.zeros(3), goal)])
        assert np.abs(body.forward(out)[0][:, hand] - goal).max() < 2e-3


def test_bad_input_is_refused(body) -> None:
    q = np.tile(body.standing_pose(), (5, 1))
    with pytest.raises(ClipMismatch, match="needs q of shape"):
        ik.solve(body, q[:, 1:], [])
    with pytest.raises(BadValue, match="shape"):
        ik.solve(body, q, [ik.PointTarget(2, np.zeros(3), np.zeros((4, 3)))])
    with pytest.raises(BadValue, match="no body"):
        ik.solve(body, q, [ik.PointTarget(200, np.zeros(3), np.zeros(3))])
    with pytest.raises(BadValue, match="finite"):
        ik.solve(body, q, [ik.PointTarget(2, np.zeros(3), np.full(3, np.nan))])
    with pytest.raises(BadValue, match="positive"):
        ik.solve(body, q, [], posture=0.0)
