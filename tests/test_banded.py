"""Block-banded systems and least squares over chains: every claim against dense algebra or a known answer."""

from __future__ import annotations

import time

import numpy as np
import pytest

from poise.errors import BadValue
from poise.solve import banded
from poise.solve.gauss_newton import Normal, Settings, Status, minimise


def random_bands(reach: int, count: int, d: int, ring: bool, seed: int = 0) -> np.ndarray:
    """Bands of A'A for residuals that each meet `reach` + 1 neighbouring frames: positive definite by construction."""
    rng = np.random.default_rng(seed)
    bands = np.zeros((reach + 1, count, d, d))
    for n in range(count if ring else count - reach):
        jac = rng.normal(size=(reach + 1, d + 1, d))
        for i in range(reach + 1):
            for j in range(i + 1):
                bands[i - j, (n + j) % count] += jac[i].T @ jac[j]
    bands[0] += 0.1 * np.eye(d)
    return bands


@pytest.mark.parametrize("ring", [False, True])
@pytest.mark.parametrize(("reach", "count", "d"), [(0, 4, 3), (1, 3, 2), (1, 9, 4), (2, 5, 3), (2, 12, 5), (3, 11, 2)])
def test_solution_equals_dense(reach: int, count: int, d: int, ring: bool) -> None:
    bands = random_bands(reach, count, d, ring)
    matrix = banded.dense(bands, ring=ring)
    assert np.allclose(matrix, matrix.T)
    right = np.random.default_rng(1).normal(size=(count, d))
    x, definite = banded.solve(bands.copy(), right, ring=ring)
    assert definite
    assert np.allclose(x.ravel(), np.linalg.solve(matrix, right.ravel()), rtol=1e-8, atol=1e-9)
    assert np.allclose(banded.multiply(bands, x, ring=ring), right, atol=1e-8)


def test_what_is_not_definite_is_told() -> None:
    bands = random_bands(1, 6, 3, False)
    bands[0, 4] -= 50.0 * np.eye(3)
    assert not banded.solve(bands, np.ones((6, 3))).definite


def test_a_ring_must_be_long_enough() -> None:
    with pytest.raises(BadValue, match="needs 5 frames"):
        banded.solve(np.zeros((3, 4, 2, 2)), np.zeros((4, 2)), ring=True)


def test_time_is_linear_in_length() -> None:
    def cost(count: int) -> float:
        bands, right = random_bands(2, count, 12, False), np.ones((count, 12))
        best = np.inf
        for _ in range(5):
            own = bands.copy()
            start = time.process_time()
            banded.solve(own, right)
            best = min(best, time.process_time() - start)
        return best

    cost(50)
    assert cost(1600) < 7.0 * cost(400)  # 4 when linear, 16 when quadratic


class Linear:
    """½ |J x - b|² with one residual vector a pair of neighbours."""

    def __init__(self, count: int, d: int, ring: bool, seed: int = 3):
        rng = np.random.default_rng(seed)
        self.ring, self.pairs = ring, count if ring else count - 1
        self.here, self.next = rng.normal(size=(2, self.pairs, d, d))
        self.goal = rng.normal(size=(self.pairs, d))

    def residual(self, x: np.ndarray) -> np.ndarray:
        ahead = np.roll(x, -1, axis=0)[: self.pairs]
        return (
            np.einsum("nij,nj->ni", self.here, x[: self.pairs]) + np.einsum("nij,nj->ni", self.next, ahead) - self.goal
        )

    def cost(self, x: np.ndarray) -> float:
        return 0.5 * float(np.sum(self.residual(x) ** 2)) + 0.5e-2 * float(np.sum(x**2))

    def normal(self, x: np.ndarray) -> Normal:
        r, gradient = self.residual(x), 1e-2 * x
        bands = np.zeros((2, *x.shape, x.shape[1]))
        bands[0] += 1e-2 * np.eye(x.shape[1])
        for n in range(self.pairs):
            after = (n + 1) % len(x)
            gradient[n] += self.here[n].T @ r[n]
            gradient[after] += self.next[n].T @ r[n]
            bands[0, n] += self.here[n].T @ self.here[n]
            bands[0, after] += self.next[n].T @ self.next[n]
            bands[1, n] += self.next[n].T @ self.here[n]
        return Normal(self.cost(x), gradient, bands)


@pytest.mark.parametrize("ring", [False, True])
def test_linear_least_squares_in_one_step(ring: bool) -> None:
    count, d = 8, 3
    problem = Linear(count, d, ring)
    rows = np.zeros((problem.pairs * d, count * d))
    for n in range(problem.pairs):
        after = (n + 1) % count
        rows[n * d : (n + 1) * d, n * d : (n + 1) * d] += problem.here[n]
        rows[n * d : (n + 1) * d, after * d : (after + 1) * d] += problem.next[n]
    stacked = np.concatenate([rows, 0.1 * np.eye(count * d)])
    best = np.linalg.lstsq(stacked, np.concatenate([problem.goal.ravel(), np.zeros(count * d)]), rcond=None)[0]
    result = minimise(problem, np.zeros((count, d)), ring=ring)
    assert result.converged
    assert np.allclose(result.x.ravel(), best, atol=1e-9)
    assert np.abs(problem.normal(result.x).gradient).max() < 1e-9
    assert len(result.costs) <= 3


class Circles:
    """Points of a chain that lie on circles and at given distances from their neighbours: zero residual, nonlinear."""

    def __init__(self, count: int):
        angle = 0.2 + 0.1 * np.arange(count)  # no coordinate is zero: there the cubes would be flat
        self.solution = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self.gap = self.solution[1:] - self.solution[:-1]

    def _parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.sum(x**2, axis=1) - 1.0, x[1:] ** 3 - x[:-1] ** 3 - (self.solution[1:] ** 3 - self.solution[:-1] ** 3)

    def cost(self, x: np.ndarray) -> float:
        radius, gap = self._parts(x)
        return 0.5 * float(np.sum(radius**2) + np.sum(gap**2))

    def normal(self, x: np.ndarray) -> Normal:
        radius, gap = self._parts(x)
        slope = 3 * x**2
        gradient = 2 * x * radius[:, None]
        gradient[1:] += slope[1:] * gap
        gradient[:-1] -= slope[:-1] * gap
        bands = np.zeros((2, *x.shape, 2))
        bands[0] = 4 * x[:, :, None] * x[:, None, :]
        for i in range(2):
            bands[0, 1:, i, i] += slope[1:, i] ** 2
            bands[0, :-1, i, i] += slope[:-1, i] ** 2
            bands[1, :-1, i, i] = -slope[1:, i] * slope[:-1, i]
        return Normal(self.cost(x), gradient, bands)


def test_convergence_is_quadratic_where_residuals_vanish() -> None:
    problem = Circles(12)
    start = problem.solution + 0.02 * np.random.default_rng(0).normal(size=problem.solution.shape)
    result = minimise(problem, start, settings=Settings(step=1e-13, gain=0.0))
    assert result.cost < 1e-25
    sizes = np.log([s for s in result.steps if s > 1e-13])
    slopes = np.diff(sizes)[1:] / np.diff(sizes)[:-1]
    assert np.median(slopes) > 1.7, sizes  # 1 when linear, 2 when quadratic


class Cliff:
    """Rosenbrock's valley, one a frame: undamped steps overshoot, so damping has to work."""

    def cost(self, x: np.ndarray) -> float:
        return 0.5 * float(np.sum((1 - x[:, 0]) ** 2 + 100 * (x[:, 1] - x[:, 0] ** 2) ** 2))

    def normal(self, x: np.ndarray) -> Normal:
        r = np.stack([1 - x[:, 0], 10 * (x[:, 1] - x[:, 0] ** 2)], axis=1)
        jac = np.zeros((len(x), 2, 2))
        jac[:, 0, 0], jac[:, 1, 0], jac[:, 1, 1] = -1.0, -20 * x[:, 0], 10.0
        gradient = np.einsum("nij,ni->nj", jac, r)
        return Normal(self.cost(x), gradient, np.einsum("nij,nik->njk", jac, jac)[None])


def test_damping_finds_the_way_through_a_curved_valley() -> None:
    result = minimise(Cliff(), np.array([[-1.2, 1.0], [2.0, -3.0]]), settings=Settings(iterations=100))
    assert result.converged
    assert np.allclose(result.x, 1.0, atol=1e-6)
    assert np.all(np.diff(result.costs) < 0)


def test_limit_and_not_finite_are_told_not_raised() -> None:
    assert minimise(Cliff(), np.array([[-1.2, 1.0]]), settings=Settings(iterations=1)).status is Status.LIMIT
    assert minimise(Cliff(), np.array([[np.nan, 1.0]])).status is Status.NOT_FINITE


def test_no_step_is_longer_than_allowed() -> None:
    settings = Settings(iterations=200, longest=0.1)
    result = minimise(Cliff(), np.array([[-1.2, 1.0], [2.0, -3.0]]), settings=settings)
    assert result.converged and np.allclose(result.x, 1.0, atol=1e-6)
    assert max(result.steps) <= 0.1 + 1e-12
    assert max(minimise(Cliff(), np.array([[-1.2, 1.0]]), settings=Settings(iterations=100)).steps) > 0.1
