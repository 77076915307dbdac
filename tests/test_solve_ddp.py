"""DDP: against exact solutions of linear-quadratic problems, a generic solver, and neighbours solved anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from poise.solve.ddp import Expansion, Guess, Status, neighbouring, roll, solve_ddp, sweep
from poise.solve.qp import QP, solve_qp


@dataclass
class Linear:
    """x' = A x + B u + x-dependent turn of u (bilinear where `twist` is set), quadratic cost, Ψ = x_N - goal."""

    steps: int
    A: np.ndarray
    B: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    goal: np.ndarray
    twist: float = 0.0
    G: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    b: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def _effect(self, x):
        """B(x): the last row turns with the first state."""
        B = self.B.copy()
        B[-1] += self.twist * x[0]
        return B

    def step(self, k, x, u):
        return self.A @ x + self._effect(x) @ u

    def cost(self, states, controls):
        return float(sum(x @ self.Q @ x for x in states[:-1]) + sum(u @ self.R @ u for u in controls))

    def expand(self, states, controls):
        out = []
        for x, u in zip(states[:-1], controls, strict=True):
            A = self.A.copy()
            A[-1, 0] += self.twist * u.sum()
            out.append(Expansion(A, self._effect(x), 2 * self.Q @ x, 2 * self.R @ u, 2 * self.Q, 2 * self.R,
                                 np.zeros((len(u), len(x)))))  # fmt: skip
        return out

    def bend(self, k, x, u, costate):
        out = np.zeros((len(u), len(x)))
        out[:, 0] = self.twist * costate[-1]
        return out

    def end(self, x):
        return x - self.goal, np.eye(len(x))

    def limits(self, k):
        m = self.B.shape[1]
        return (self.G, self.b) if len(self.b) else (np.zeros((0, m)), np.zeros(0))


def problem(seed: int, twist: float = 0.0, limited: bool = False, steps: int = 12) -> tuple[Linear, np.ndarray]:
    rng = np.random.default_rng(seed)
    A = np.eye(4) + 0.1 * rng.normal(size=(4, 4))
    given = Linear(steps, A, rng.normal(size=(4, 3)), np.eye(4), np.diag(rng.uniform(0.5, 2.0, 3)),
                   0.3 * rng.normal(size=4), twist)  # fmt: skip
    if limited:  # a pyramid about the third control, which must push
        mu = 0.6
        given.G = np.array([[1, 0, mu], [-1, 0, mu], [0, 1, mu], [0, -1, mu], [0, 0, 1.0]])
        given.b = np.array([0, 0, 0, 0, 0.05])
    return given, 0.5 * rng.normal(size=4)


def first(given: Linear) -> list[np.ndarray]:
    return [np.array([0.0, 0.0, 0.1])] * given.steps


def exact(given: Linear, start: np.ndarray) -> np.ndarray:
    """Controls (N, m) of the linear-quadratic problem without limits, from its optimality conditions as one system."""
    N, (n, m) = given.steps, given.B.shape
    size = N * n + N * m
    H, C, d = np.zeros((size, size)), np.zeros((N * n + n, size)), np.zeros(N * n + n)
    X, U = (lambda k: slice((k - 1) * n, k * n)), (lambda k: slice(N * n + k * m, N * n + (k + 1) * m))
    for k in range(N):
        H[U(k), U(k)] = 2 * given.R
        C[k * n : (k + 1) * n, X(k + 1)] = np.eye(n)
        C[k * n : (k + 1) * n, U(k)] = -given.B
        if k == 0:
            d[:n] = given.A @ start
        else:
            H[X(k), X(k)] = 2 * given.Q
            C[k * n : (k + 1) * n, X(k)] = -given.A
    C[N * n :, X(N)], d[N * n :] = np.eye(n), given.goal
    K = np.block([[H, C.T], [C, np.zeros((len(d), len(d)))]])
    return np.linalg.solve(K, np.concatenate([np.zeros(size), d]))[N * n : size].reshape(N, m)


@pytest.mark.parametrize("seed", range(5))
def test_a_linear_quadratic_problem_is_solved_exactly(seed):
    given, start = problem(seed)
    found = solve_ddp(given, start, first(given), np.full(4, 10.0), 1.0)
    assert found.solved and found.end_error < 1e-6
    np.testing.assert_allclose(np.array(found.controls), exact(given, start), atol=1e-6)


def test_without_a_last_state_the_gains_are_those_of_riccati():
    given, start = problem(7)
    penalty = np.full(4, 3.0)  # V_N = ½ Σ penalty (x - goal)²
    at = Guess(roll(given, start, first(given)), first(given), np.zeros(4), [np.zeros(0)] * given.steps)
    got = sweep(given, at, penalty, 0.0)
    P = np.diag(penalty)
    for k in range(given.steps - 1, -1, -1):
        S = 2 * given.R + given.B.T @ P @ given.B
        K = -np.linalg.solve(S, given.B.T @ P @ given.A)
        np.testing.assert_allclose(got.Kx[k], K, atol=1e-9)
        P = 2 * given.Q + given.A.T @ P @ (given.A + given.B @ K)


@pytest.mark.parametrize(("seed", "twist"), [(0, 0.0), (2, 0.2), (3, 0.2), (4, -0.2)])
def test_limits_and_bent_motions_agree_with_a_generic_solver(seed, twist):
    given, start = problem(seed, twist, limited=True, steps=8)
    rng = np.random.default_rng(seed)
    inside = [np.array([*rng.uniform(-0.1, 0.1, 2), rng.uniform(0.3, 0.6)]) for _ in range(given.steps)]
    given.goal = roll(given, start, inside)[-1]  # one that can be reached
    found = solve_ddp(given, start, first(given), np.full(4, 10.0), 1.0, most=200, tolerance=1e-5)
    m = 3

    def split(z):
        return list(z.reshape(-1, m))

    def total(z):
        return given.cost(roll(given, start, split(z)), split(z))

    oracle = minimize(
        total,
        np.concatenate(first(given)),
        method="SLSQP",
        jac="3-point",  # one-sided differences end in "no further descent" before the optimum
        constraints=[
            {"type": "eq", "fun": lambda z: given.end(roll(given, start, split(z))[-1])[0]},
            {"type": "ineq", "fun": lambda z: np.concatenate([given.G @ u - given.b for u in split(z)])},
        ],
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert oracle.success and found.solved, (oracle.message, found.status)
    assert all(np.all(given.G @ u >= given.b) for u in found.controls)
    assert found.cost == pytest.approx(oracle.fun, rel=1e-5)
    active = np.concatenate([given.G @ u - given.b for u in found.controls]) < 1e-4
    assert active.any(), "the limits matter in this problem"


@pytest.mark.parametrize("seed", range(4))
def test_limits_of_a_linear_motion_agree_with_a_quadratic_program(seed):
    """All controls as the unknowns of one dense program, by DAQP."""
    given, start = problem(seed, limited=True, steps=8)
    given.goal = roll(given, start, [np.array([0.0, 0.0, 0.4])] * given.steps)[-1]
    found = solve_ddp(given, start, first(given), np.full(4, 10.0), 1.0, most=200, tolerance=1e-9)
    size = 3 * given.steps
    free = roll(given, start, [np.zeros(3)] * given.steps)
    M = np.array([roll(given, start, list(row.reshape(-1, 3))) - free for row in np.eye(size)])  # (3N, N + 1, 4)
    H = 2.0 * np.einsum("ikx,jkx->ij", M[:, :-1], M[:, :-1]) + 2.0 * np.kron(np.eye(given.steps), given.R)
    g = 2.0 * np.einsum("ikx,kx->i", M[:, :-1], free[:-1])
    rows = np.vstack([np.kron(np.eye(given.steps), given.G), M[:, -1].T])
    goal = given.goal - free[-1]
    low, high = (np.concatenate([np.tile(b, given.steps), goal]) for b in (given.b, np.full(len(given.b), np.inf)))
    oracle = solve_qp(QP(H, g, rows, low, high))
    assert oracle.solved and found.solved
    np.testing.assert_allclose(np.concatenate(found.controls), oracle.x, atol=2e-4)


@pytest.mark.parametrize("twist", [0.0, 0.2])
@pytest.mark.parametrize("limited", [False, True])
def test_gains_say_how_the_optimum_changes(twist, limited):
    """δu = K^x δx + K^μ δμ with V_xμᵀ δx + V_μμ δμ = δΨ, against problems solved anew."""
    given, start = problem(1, twist, limited, steps=8)
    given.goal = roll(given, start, first(given))[-1] + 0.1
    found = solve_ddp(given, start, first(given), np.full(4, 10.0), 1.0, most=200, tolerance=1e-10)
    assert found.solved
    gains = neighbouring(given, found, np.zeros(4), np.zeros(4))
    rng = np.random.default_rng(5)
    dx, dpsi = 1e-6 * rng.normal(size=4), 1e-6 * rng.normal(size=4)
    dmu = np.linalg.solve(gains.Vmumu[0], dpsi - gains.Vxmu[0].T @ dx)
    given.goal = given.goal + dpsi
    near = solve_ddp(given, start + dx, found.controls, np.full(4, 10.0), found.barrier, found.multipliers,
                     tolerance=1e-11)  # fmt: skip
    moved = near.states - found.states
    wanted = [Kx @ moved[k] + Kmu @ dmu for k, (Kx, Kmu) in enumerate(zip(gains.Kx, gains.Kmu, strict=True))]
    got = np.array(near.controls) - np.array(found.controls)
    np.testing.assert_allclose(got, wanted, atol=2e-3 * np.abs(wanted).max())


def test_what_cannot_be_reached_ends_in_words():
    given, start = problem(2, limited=True, steps=3)
    given.goal = np.full(4, 1e3)
    found = solve_ddp(given, start, first(given), np.full(4, 1.0), 1.0, most=30)
    assert not found.solved and isinstance(found.status, Status) and found.end_error > 1.0


def test_steps_without_controls_pass_the_state_on():
    """A flight: no control at some steps."""

    class Flight(Linear):
        def _effect(self, x):
            return self.B

        def step(self, k, x, u):
            return self.A @ x + (self.B @ u if len(u) else 0.0)

        def expand(self, states, controls):
            full = super().expand(states, [u if len(u) else np.zeros(3) for u in controls])
            none = {"B": np.zeros((4, 0)), "lu": np.zeros(0), "luu": np.zeros((0, 0)), "lux": np.zeros((0, 4))}
            return [e if len(u) else e._replace(**none) for e, u in zip(full, controls, strict=True)]

        def cost(self, states, controls):
            return super().cost(states, [u for u in controls if len(u)])

        def bend(self, k, x, u, costate):
            return np.zeros((len(u), 4))

        def limits(self, k):
            return (np.zeros((0, 0)), np.zeros(0)) if k in (4, 5) else (np.zeros((0, 3)), np.zeros(0))

    given, start = problem(3)
    flight = Flight(given.steps, given.A, given.B, given.Q, given.R, given.goal)
    begin = [np.zeros(0 if k in (4, 5) else 3) for k in range(given.steps)]
    found = solve_ddp(flight, start, begin, np.full(4, 10.0), 1.0)
    assert found.solved and found.end_error < 1e-6
    for k, (a, b) in enumerate(pairwise(found.states)):
        if k in (4, 5):
            np.testing.assert_allclose(b, given.A @ a)
