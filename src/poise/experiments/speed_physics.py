"""How fast the physics underneath is, each number beside a yardstick of the same run, in CPU time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.experiments import loop_speed
from poise.experiments.speed import Measure, cpu
from poise.maths.rotations import Array


def measures() -> Iterator[Measure]:
    """Every measurement, one by one."""
    yield from loop_speed.measures()
    yield _cones()
    yield _qp()
    yield _lcp()


def _cones() -> Measure:
    from poise.solve.cones import cone_least_squares
    from poise.solve.socp import cone_program

    rng = np.random.default_rng(0)
    A, b, friction, weight = rng.normal(size=(12, 300)), 100 * rng.normal(size=12), np.full(100, 0.8), 1e-3
    ours, theirs = cone_least_squares(A, b, friction, weight), cone_program(A, b, friction, weight)
    cost = [0.5 * np.sum((A @ f - b) ** 2) + 0.5 * weight * f @ f for f in (ours.forces, theirs.forces)]
    ratio = cpu(lambda: cone_program(A, b, friction, weight)) / cpu(lambda: cone_least_squares(A, b, friction, weight))
    good = ratio >= 50 and bool(abs(cost[0] / cost[1] - 1) < 1e-6)
    return Measure("cone least squares, 12 x 300", ratio, "x", ">= 50", good, "Clarabel with an auxiliary residual")


def _qp() -> Measure:
    import daqp

    from poise.solve.qp import QP, solve_qp

    rng = np.random.default_rng(0)
    n, m = 60, 80
    root = rng.normal(size=(n, n))
    H, g, A = root @ root.T + np.eye(n), rng.normal(size=n), rng.normal(size=(m, n))
    low, high = np.full(m, -0.5), np.full(m, 0.5)
    sense = np.zeros(m, np.int32)
    problem = QP(H, g, A, low, high)
    ratio = cpu(lambda: solve_qp(problem)) / cpu(lambda: daqp.solve(H, g, A, high, low, sense))
    return Measure("QP, 60 unknowns", ratio, "x", "<= 1.2", ratio <= 1.2, "a bare DAQP call")


def _lcp() -> Measure:
    from poise.solve.lcp import solve_lcp

    rng = np.random.default_rng(0)
    root = rng.normal(size=(30, 30))
    M, q = root @ root.T + 0.1 * np.eye(30), rng.normal(size=30)
    assert np.allclose(lemke_in_numpy(M, q), solve_lcp(M, q).z, atol=1e-6)
    ratio = cpu(lambda: lemke_in_numpy(M, q)) / cpu(lambda: solve_lcp(M, q))
    return Measure("LCP, 30 unknowns", ratio, "x", ">= 10", ratio >= 10, "the same Lemke in numpy")


def lemke_in_numpy(M: Array, q: Array) -> Array:
    """Lemke's method with numpy's row operations, for problems without ties: the yardstick of `solve_lcp`."""
    n = len(q)
    T = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None]])
    basis = list(range(n))
    row, entering = int(np.argmin(q)), 2 * n
    for _ in range(50 * n):
        leaving = basis[row]
        T[row] /= T[row, entering]
        others = np.arange(n) != row
        T[others] -= np.outer(T[others, entering], T[row])
        basis[row] = entering
        if leaving == 2 * n:
            break
        entering = leaving + n if leaving < n else leaving - n
        ratios = np.full(n, np.inf)
        up = T[:, entering] > 1e-11
        ratios[up] = T[up, -1] / T[up, entering]
        row = int(np.argmin(ratios))
    z = np.zeros(n)
    for i, b in enumerate(basis):
        if n <= b < 2 * n:
            z[b - n] = T[i, -1]
    return z
