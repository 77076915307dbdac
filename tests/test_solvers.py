"""Solvers certify themselves on random, degenerate and badly scaled problems, and on problems with known answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from poise.errors import BadValue
from poise.solve.cones import cone_least_squares, project
from poise.solve.lcp import solve_lcp
from poise.solve.qp import QP, Status, solve_qp


def random_qp(rng, n=18, equalities=4, inequalities=14, scale=1.0):
    root = rng.normal(size=(n, n))
    A = rng.normal(size=(equalities + inequalities, n))
    inside = rng.normal(size=n) * 0.1
    low, high = A @ inside - rng.uniform(0, 1, len(A)), A @ inside + rng.uniform(0, 1, len(A))
    low[:equalities] = high[:equalities] = A[:equalities] @ inside
    H = root @ root.T + 0.1 * np.eye(n)
    return QP(scale * H, scale * rng.normal(size=n), A, low, high, inside - 0.5, inside + 0.5)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e5])
def test_qp_meets_its_optimality_conditions(scale):
    rng = np.random.default_rng(0)
    for _ in range(50):
        problem = random_qp(rng, scale=scale)
        solution = solve_qp(problem)
        assert solution.solved
        left = solution.residuals()
        assert left["primal"] < 1e-8
        assert left["stationarity"] < 1e-8 * max(scale, 1.0) and left["complementarity"] < 1e-7 * max(scale, 1.0)


def test_qp_with_redundant_and_duplicate_constraints():
    rng = np.random.default_rng(1)
    for _ in range(30):
        p = random_qp(rng)
        again = lambda x: np.concatenate([x, x[:6], x[:2] + x[2:4]])  # noqa: E731
        twice = QP(p.H, p.g, again(p.A), again(p.low), again(p.high), p.lower, p.upper)
        a, b = solve_qp(p), solve_qp(twice)
        assert a.solved and b.solved and np.allclose(a.x, b.x, atol=1e-7)


def test_qp_without_a_solution_gives_a_status():
    nowhere = QP(np.eye(2), np.zeros(2), np.array([[1.0, 0], [1.0, 0]]), np.array([1.0, -9]), np.array([2.0, 0.5]))
    assert solve_qp(nowhere).status is Status.INFEASIBLE
    with pytest.raises(BadValue, match="shape"):
        QP(np.eye(3), np.zeros(2))


def test_qp_without_constraints_is_a_linear_solve():
    rng = np.random.default_rng(2)
    root = rng.normal(size=(6, 6))
    H, g = root @ root.T + np.eye(6), rng.normal(size=6)
    assert np.allclose(solve_qp(QP(H, g)).x, np.linalg.solve(H, -g), atol=1e-10)


def in_cones(f, friction, slack=0.0):
    return np.all(np.hypot(f[1::3], f[2::3]) <= friction * f[0::3] + slack)


def cone_conditions(A, b, friction, weight, f):
    """Gradient in the dual cone, and orthogonal to the forces: largest violation, relative."""
    g = A.T @ (A @ f - b) + weight * f
    size = max(np.abs(A.T @ b).max(), 1e-300)
    dual = (friction * np.hypot(g[1::3], g[2::3]) - g[0::3]) / size
    return max(float(dual.max()), abs(f @ g) / (size * max(np.abs(f).max(), 1e-300)))


@pytest.mark.parametrize("count", [1, 4, 30, 100])
@pytest.mark.parametrize("weight", [1e-6, 1e-3, 10.0])
def test_cone_least_squares_meets_its_optimality_conditions(count, weight):
    rng = np.random.default_rng(count)
    for kind in range(4):
        A, b = rng.normal(size=(12, 3 * count)), 100 * rng.normal(size=12)
        friction = rng.uniform(0.05, 1.5, count)
        if kind == 1:
            A[:, 3:] = A[:, :3].repeat(count - 1, axis=1)[:, : 3 * (count - 1)]  # all forces at one place
        if kind == 2:
            A *= 10.0 ** rng.uniform(-2, 2, (12, 1))  # badly scaled rows
        if kind == 3:
            friction[::2] = 0.0  # no friction at all on half of them
        s = cone_least_squares(A, b, friction, weight)
        assert s.solved and in_cones(s.forces, friction, 1e-9 * max(1.0, np.abs(s.forces).max()))
        rounding = 1e-13 * np.sum(A**2) / 12 / weight  # of forces told by Aᵀ y / weight
        assert cone_conditions(A, b, friction, weight, s.forces) < 1e-8 + rounding
        assert np.allclose(s.residual, s.dual, atol=1e-6 * np.abs(b).max())


def test_cone_least_squares_against_clarabel():
    pytest.importorskip("clarabel")
    from poise.solve.socp import cone_program

    rng = np.random.default_rng(3)
    for _ in range(5):
        A, b, friction = rng.normal(size=(12, 90)), 100 * rng.normal(size=12), rng.uniform(0.2, 1.2, 30)
        A[:, 0::3] = np.abs(A[:, 0::3])
        cost = lambda f, A=A, b=b: 0.5 * np.sum((A @ f - b) ** 2) + 0.5e-3 * f @ f  # noqa: E731
        ours, theirs = cone_least_squares(A, b, friction, 1e-3), cone_program(A, b, friction, 1e-3)
        assert theirs.solved and np.isclose(cost(ours.forces), cost(theirs.forces), rtol=1e-6)
        pinned = cone_program(A, b, friction, 1e-3, C=np.eye(90)[[0]], d=np.array([7.0]))
        assert pinned.equality_violation < 1e-6 and cost(pinned.forces) >= cost(ours.forces) - 1e-6


def test_frictionless_cones_are_nonnegative_least_squares():
    rng = np.random.default_rng(4)
    normals, b = rng.normal(size=(8, 20)), rng.normal(size=8)
    A = np.zeros((8, 60))
    A[:, 0::3] = normals
    f = cone_least_squares(A, b, np.zeros(20), 1e-10).forces[0::3]
    best = lsq_linear(normals, b, (0, np.inf), tol=1e-14)
    assert np.isclose(0.5 * np.sum((normals @ f - b) ** 2), best.cost, atol=1e-6)


def test_projection_is_idempotent_and_the_nearest_point():
    rng = np.random.default_rng(5)
    z, friction = 3 * rng.normal(size=300), rng.uniform(0, 2, 100)
    p, again = np.empty(300), np.empty(300)
    project(z, friction, p)
    project(p * (1 - 1e-15), friction, again)
    assert np.allclose(p, again) and in_cones(p, friction, 1e-12)
    for _ in range(50):
        other = np.empty(300)
        project(p + 0.1 * rng.normal(size=300), friction, other)
        assert np.sum((z - other) ** 2) >= np.sum((z - p) ** 2) - 1e-9


def test_cone_problems_of_wrong_shape_are_refused():
    with pytest.raises(BadValue, match="A must be"):
        cone_least_squares(np.zeros((3, 4)), np.zeros(3), np.zeros(1))
    with pytest.raises(BadValue, match="positive"):
        cone_least_squares(np.zeros((3, 3)), np.zeros(3), np.zeros(1), weight=0.0)


def complementary(M, q, s, tolerance=1e-7):
    w = M @ s.z + q
    unit = max(np.abs(q).max(), 1e-300)
    return (
        s.z.min() >= 0
        and w.min() >= -tolerance * unit
        and np.abs(s.z * w).max() <= tolerance * unit * max(1, s.z.max())
    )


def stewart_trinkle(rng, contacts):
    """Velocity-level contact with a friction pyramid of four edges: normal, four tangents and a slack a contact."""
    n = 12
    root = rng.normal(size=(n, n))
    inverse = np.linalg.inv(root @ root.T + np.eye(n))
    normal, tangent = rng.normal(size=(contacts, n)), rng.normal(size=(contacts, 2, n))
    edges = np.concatenate([tangent, -tangent], axis=1).reshape(-1, n)
    J, k = np.vstack([normal, edges]), contacts
    M, friction = np.zeros((6 * k, 6 * k)), rng.uniform(0.1, 1.2, k)
    M[: 5 * k, : 5 * k] = J @ inverse @ J.T
    E = np.kron(np.eye(k), np.ones((4, 1)))
    M[k : 5 * k, 5 * k :], M[5 * k :, k : 5 * k] = E, -E.T
    M[5 * k :, :k] = np.diag(friction)
    return M, np.concatenate([J @ rng.normal(size=n), np.zeros(k)])


def test_lemke_solves_a_thousand_stewart_trinkle_problems():
    rng = np.random.default_rng(0)
    by_lemke = 0
    for _ in range(1000):
        M, q = stewart_trinkle(rng, int(rng.integers(1, 6)))
        s = solve_lcp(M, q)
        assert s.solved and complementary(M, q, s)
        by_lemke += s.method == "lemke"
    assert by_lemke == 1000


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_lcp_degenerate_and_badly_scaled(scale):
    rng = np.random.default_rng(1)
    for _ in range(50):
        root = rng.normal(size=(20, 5))  # rank 5 of 20: many solutions
        M = scale * (root @ root.T)
        q = -M @ np.maximum(rng.normal(size=20), 0) + scale * np.where(rng.uniform(size=20) < 0.5, 0.0, 1.0)
        s = solve_lcp(M, q)
        assert s.solved and complementary(M, q, s, 1e-6)


def test_lcp_without_solution_says_so():
    s = solve_lcp(np.array([[-1.0]]), np.array([-1.0]))
    assert not s.solved and s.pivots < 0
    assert solve_lcp(np.zeros((0, 0)), np.zeros(0)).solved
    with pytest.raises(BadValue, match="needs M"):
        solve_lcp(np.eye(2), np.zeros(3))
