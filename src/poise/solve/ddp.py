"""Differential dynamic programming with a constraint on the last state and linear limits on the controls.

    min over u_0 .. u_{N-1}   Σ ℓ_k(x_k, u_k)
    with  x_{k+1} = φ_k(x_k, u_k),   x_0 given,   G_k u_k >= b_k,   Ψ(x_N) = 0  (Ψ affine)

after Jacobson & Mayne, Differential Dynamic Programming, 1970, chapters 2.3.5 and 2.5. The last state is met by
multipliers μ: at first with a penalty (method of multipliers), near the solution by Newton's step in μ, which the
backward sweep gives for nothing: V_μμ δμ = -V_μ. Limits are kept by a barrier: with c = G u - b and multipliers s of
its rows, s c = τ, and τ goes to zero. It only adds Gᵀ (s/c) G to Q_uu and -Gᵀ τ/c to Q_u; in the end what an active
limit forbids has no gain, as the projection Z = 1 - gᵀ (g Q_uu⁻¹ gᵀ)⁻¹ g Q_uu⁻¹ on the rows g of active limits does.

Around a solution the same sweep gives the optimal controls of all neighbouring problems (`neighbouring`):

    δu = K^x δx + K^μ δμ + K^t δt_f

It knows no characters: whoever has a problem offers what `ControlProblem` lists.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

import numpy as np

from poise.maths.rotations import Array

_SHARES = (1.0, 0.7, 0.45, 0.25, 0.12, 0.05, 0.02, 0.005)  # of a step that are tried
_INSIDE = 0.99  # share of the way to a limit that one step may go
_FLAT = 1e-2  # gain, relative to the merit, below which multipliers and barrier move on
_STRONGER = 5.0  # times the penalty, where the constraint did not come down to a quarter
_WEAKER = 0.15  # times the barrier
_NEAR = 0.3  # share of the first |Ψ| from which on multipliers take Newton's step
_WILD = 100.0  # times the largest control: a step of a V that is indefinite
_LEAST = 0.1  # share of the least curvature of ℓ in u that Q_uu keeps


class Expansion(NamedTuple):
    """A step to second order: φ to first, ℓ to second."""

    A: Array  # (n, n) ∂φ/∂x
    B: Array  # (n, m) ∂φ/∂u
    lx: Array  # (n,)
    lu: Array  # (m,)
    lxx: Array  # (n, n)
    luu: Array  # (m, m), positive definite
    lux: Array  # (m, n)


class ControlProblem(Protocol):
    """What a problem offers: N steps, a state of n numbers, controls of m_k numbers each."""

    @property
    def steps(self) -> int:
        """N."""
        ...

    def step(self, k: int, x: Array, u: Array) -> Array:
        """φ_k(x, u) (n,)."""
        ...

    def cost(self, states: Array, controls: Sequence[Array]) -> float:
        """Σ ℓ_k of a trajectory: states (N + 1, n), controls N of (m_k,)."""
        ...

    def expand(self, states: Array, controls: Sequence[Array]) -> Sequence[Expansion]:
        """All N steps about a trajectory."""
        ...

    def bend(self, k: int, x: Array, u: Array, costate: Array) -> Array:
        """∂²(costate·φ_k)/∂u∂x (m, n): the one second derivative of the motion that is used."""
        ...

    def end(self, x: Array) -> tuple[Array, Array]:
        """Ψ (c,) and ∂Ψ/∂x (c, n)."""
        ...

    def limits(self, k: int) -> tuple[Array, Array]:
        """G_k (g, m_k) and b_k (g,); no rows where there are none."""
        ...


class Status(Enum):
    """How a solve ended, in words."""

    SOLVED = "solved"
    STUCK = "no step along the search direction lowers the cost"
    UNFINISHED = "too many iterations"
    OUTSIDE = "the first controls are not inside their limits"
    BROKEN = "numbers that are not finite"


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What was found, and how exactly the conditions of an optimum hold."""

    states: Array  # (N + 1, n)
    controls: tuple[Array, ...]  # N of (m_k,)
    multipliers: Array  # (c,) of Ψ
    duals: tuple[Array, ...]  # N of (g_k,) of the limits
    barrier: float  # s c of every limit
    status: Status
    iterations: int
    cost: float
    end_error: float  # largest |Ψ|
    step_left: float  # largest change that another sweep would still make, as a share of the largest control

    @property
    def solved(self) -> bool:
        """Is it an optimum?"""
        return self.status is Status.SOLVED


class Sweep(NamedTuple):
    """One backward sweep: the step of every control, and the derivatives of V at every state."""

    push: list[Array]  # (m,) change of u by itself
    Kx: list[Array]  # (m, n)
    Kmu: list[Array]  # (m, c)
    inverse: list[Array]  # (m, m) Q_uu⁻¹ on what the limits leave free
    closed: list[Array]  # (n, n) A + B K^x
    B: list[Array]  # (n, m)
    Vxmu: Array  # (N + 1, n, c)
    Vmumu: Array  # (N + 1, c, c)
    Vmu: Array  # (c,) at the first state: what Ψ becomes after the step


@dataclass(frozen=True, eq=False)
class Neighbouring:
    """Gains about a solution and the derivatives of V by which δμ and δt_f are found; one row a step."""

    Kx: tuple[Array, ...]  # (m, n)
    Kmu: tuple[Array, ...]  # (m, c)
    Kt: tuple[Array, ...]  # (m,)
    Vxmu: Array  # (N, n, c)
    Vmumu: Array  # (N, c, c), negative definite but near the end
    Vxt: Array  # (N, n)
    Vmut: Array  # (N, c)
    Vtt: Array  # (N,)


class Guess(NamedTuple):
    """A trajectory with all its multipliers."""

    states: Array  # (N + 1, n)
    controls: Sequence[Array]  # N of (m_k,)
    mu: Array  # (c,)
    duals: Sequence[Array]  # N of (g_k,)


def sweep(problem: ControlProblem, at: Guess, penalty: Array, barrier: float, damping: float = 0.0,
          bent: bool = True) -> Sweep:  # fmt: skip
    """The backward sweep about a trajectory, with V at its end μ·Ψ + ½ Σ penalty Ψ².

    Q_uu is kept positive definite (`damping`: times ℓ_uu on top of it, for shorter steps). `bent`: with the second
    derivative of φ, which is right near an optimum and far from it makes V indefinite.
    """
    steps, (n, c) = problem.steps, (at.states.shape[1], len(at.mu))
    psi, slope = problem.end(at.states[-1])
    Vx, Vxx, Vmu = slope.T @ (at.mu + penalty * psi), slope.T @ (penalty[:, None] * slope), psi.copy()
    Vxmu, Vmumu = np.empty((steps + 1, n, c)), np.zeros((steps + 1, c, c))
    Vxmu[-1] = slope.T
    expansions = problem.expand(at.states, at.controls)
    out: list[tuple[Array, ...]] = []
    for k in range(steps - 1, -1, -1):
        e, u, (G, b) = expansions[k], at.controls[k], problem.limits(k)
        room = G @ u - b
        Qx, Qu = e.lx + e.A.T @ Vx, e.lu + e.B.T @ Vx - G.T @ (barrier / room)
        Qux, Quu = e.lux + e.B.T @ Vxx @ e.A, e.luu + e.B.T @ Vxx @ e.B + G.T @ ((at.duals[k] / room)[:, None] * G)
        if bent:
            Qux = Qux + problem.bend(k, at.states[k], u, Vx)
        inverse = np.linalg.inv(_positive(Quu, e.luu, damping))
        push, through = -inverse @ Qu, e.B.T @ Vxmu[k + 1]
        Kx, Kmu = -inverse @ Qux, -inverse @ through
        closed = e.A + e.B @ Kx
        Vmu = Vmu + through.T @ push
        Vmumu[k] = Vmumu[k + 1] + through.T @ Kmu
        Vxmu[k] = closed.T @ Vxmu[k + 1]
        Vx = Qx + Qux.T @ push + Kx.T @ (Qu + Quu @ push)
        Vxx = e.lxx + e.A.T @ Vxx @ e.A + Kx.T @ Quu @ Kx + Kx.T @ Qux + Qux.T @ Kx
        Vxx, Vmumu[k] = 0.5 * (Vxx + Vxx.T), 0.5 * (Vmumu[k] + Vmumu[k].T)
        out.append((push, Kx, Kmu, inverse, closed, e.B))
    columns = [list(column) for column in zip(*reversed(out), strict=True)]
    return Sweep(*columns, Vxmu=Vxmu, Vmumu=Vmumu, Vmu=Vmu)


def solve_ddp(problem: ControlProblem, start: Array, controls: Sequence[Array], penalty: Array, barrier: float,
              mu: Array | None = None, most: int = 100, tolerance: float = 1e-6) -> Trajectory:  # fmt: skip
    """The optimal trajectory from `start` (n,), from first controls that lie inside their limits.

    `penalty` (c,): of Ψ², and `barrier`: of the limits, both at the beginning and in the units of the cost; `mu` (c,):
    multipliers to begin with; `tolerance`: of |Ψ|, of the step that is left as a share of the largest control, and of
    the barrier as a share of the cost of a step. A failure gives a status, not an exception.
    """
    search = _Search(problem, start, controls, penalty, barrier, mu, tolerance)
    status, done = Status.UNFINISHED if search.inside() else Status.OUTSIDE, 0
    while status is Status.UNFINISHED and done < most:
        done += 1
        try:
            given, change = search.sweep()
        except np.linalg.LinAlgError:
            status = Status.BROKEN
            break
        if search.converged():
            status = Status.SOLVED
        elif not search.advance(given, change):
            status = Status.STUCK
    return search.told(status, done)


class _Search:
    """The iterations of `solve_ddp`: a trajectory, its multipliers, and how they are improved."""

    def __init__(self, problem: ControlProblem, start: Array, controls: Sequence[Array], penalty: Array,
                 barrier: float, mu: Array | None, tolerance: float) -> None:  # fmt: skip
        self.problem, self.penalty, self.barrier, self.tolerance = problem, np.array(penalty, float), barrier, tolerance
        given = [np.array(u, float) for u in controls]
        states = roll(problem, start, given)
        rooms = [G @ u - b for (G, b), u in zip(map(problem.limits, range(problem.steps)), given, strict=True)]
        first = np.zeros(len(self.penalty)) if mu is None else np.array(mu, float)
        self.rooms = rooms
        self.at = Guess(states, given, first, [barrier / np.maximum(r, 1e-300) for r in rooms])
        self.newton, self.near = mu is not None, max(_NEAR * self.error, 1e-3)
        self.floor = tolerance * max(abs(problem.cost(states, given)) / problem.steps, 1e-12)
        self.damping, self.before, self.left = 0.0, np.inf, np.inf

    def inside(self) -> bool:
        """Do the controls lie inside their limits?"""
        return all(float(r.min(initial=np.inf)) > 0.0 for r in self.rooms)

    @property
    def error(self) -> float:
        """Largest |Ψ|."""
        return float(np.abs(self.problem.end(self.at.states[-1])[0]).max(initial=0.0))

    def converged(self) -> bool:
        """Does everything hold that an optimum has?"""
        return self.error < self.tolerance and self.left < self.tolerance and self.barrier <= self.floor

    def sweep(self) -> tuple[Sweep, Array]:
        """The backward sweep about the present trajectory, and the change of the multipliers that goes with it."""
        if self.newton:
            with contextlib.suppress(np.linalg.LinAlgError):
                found = self._swept(bent=True)
                if self.left < _WILD:
                    return found
        return self._swept(bent=False)

    def _swept(self, bent: bool) -> tuple[Sweep, Array]:
        penalty = np.zeros_like(self.penalty) if self.newton else self.penalty
        given = sweep(self.problem, self.at, penalty, self.barrier, self.damping, bent)
        change = np.zeros_like(self.at.mu)
        if self.newton:  # V_μμ δμ = -V_μ at the first state
            change = -np.linalg.lstsq(given.Vmumu[0], given.Vmu, rcond=1e-12)[0]
        scale = max((float(np.abs(u).max(initial=0.0)) for u in self.at.controls), default=0.0) or 1.0
        steps = (p + K @ change for p, K in zip(given.push, given.Kmu, strict=True))
        self.left = max(float(np.abs(d).max(initial=0.0)) for d in steps) / scale
        return given, change

    def merit(self, change: Array) -> Callable[[Array, Sequence[Array]], float]:
        """What a step must lower: cost, barrier, and Ψ with multipliers and penalty; or its size."""
        mu, penalty, weight = self.at.mu, self.penalty, 1.5 * np.abs(self.at.mu + change) + 1e-6

        def value(states: Array, controls: Sequence[Array]) -> float:
            psi = self.problem.end(states[-1])[0]
            more = weight @ np.abs(psi) if self.newton else mu @ psi + 0.5 * (penalty * psi) @ psi
            for k, u in enumerate(controls):
                G, b = self.problem.limits(k)
                more -= self.barrier * np.log(np.maximum(G @ u - b, 1e-300)).sum()
            return self.problem.cost(states, controls) + float(more)

        return value

    def advance(self, given: Sweep, change: Array) -> bool:
        """The longest step that lowers the merit; where none does, another way to step. False: there is none left."""
        merit = self.merit(change)
        now = merit(self.at.states, self.at.controls)
        for share in _SHARES:
            with np.errstate(over="ignore", invalid="ignore"):  # a step that is far too long
                tried = self._forward(given, share * change, share)
            if tried is None:
                continue
            states, controls, rooms, duals = tried
            value = merit(states, controls)
            if np.isfinite(value) and value <= now + 1e-12 * abs(now):
                self.at, self.rooms = Guess(states, controls, self.at.mu + share * change, duals), rooms
                self.damping = 0.0 if self.damping < 1e-3 or share == 1.0 else 0.1 * self.damping
                if (now - value) / (abs(now) + 1e-300) < _FLAT * share or self.left < 0.1 * np.sqrt(self.tolerance):
                    self._move_on()
                return True
        if self.newton and self.damping > 1.0:  # limits came or went: more of the slow way first
            self.newton, self.near, self.damping = False, 0.1 * min(self.near, self.error), 0.0
        elif self.damping > 1e8:
            return False
        elif self.left < self.tolerance:
            self._move_on()
        else:
            self.damping = max(10.0 * self.damping, 1e-2)
        return True

    def _forward(self, given: Sweep, change: Array, share: float) -> tuple[Array, list, list, list] | None:
        """States, controls, their room to the limits and its multipliers after a share of a step; None: too long."""
        states = np.empty_like(self.at.states)
        states[0] = self.at.states[0]
        controls, rooms, duals = [], [], []
        for k, u in enumerate(self.at.controls):
            (G, b), dual = self.problem.limits(k), self.at.duals[k]
            delta = share * given.push[k] + given.Kx[k] @ (states[k] - self.at.states[k]) + given.Kmu[k] @ change
            room = G @ (u + delta) - b
            if not np.all(room >= (1.0 - _INSIDE) * self.rooms[k]):
                return None
            wanted = self.barrier / self.rooms[k] * share + dual * (1.0 - share) - dual / self.rooms[k] * (G @ delta)
            duals.append(np.clip(wanted, (1.0 - _INSIDE) * dual, 1e8 * (1.0 + dual)))
            controls.append(u + delta)
            rooms.append(room)
            states[k + 1] = self.problem.step(k, states[k], controls[k])
        return (states, controls, rooms, duals) if np.all(np.isfinite(states)) else None

    def _move_on(self) -> None:
        """The barrier's problem is solved as exactly as is worth it: a lower barrier, better multipliers of Ψ."""
        self.barrier = max(_WEAKER * self.barrier, self.floor)
        if self.newton:
            return
        psi, error = self.problem.end(self.at.states[-1])[0], self.error
        self.at = self.at._replace(mu=self.at.mu + self.penalty * psi)
        if error > 0.25 * self.before:
            self.penalty = _STRONGER * self.penalty
        self.before, self.newton = error, error < self.near

    def told(self, status: Status, done: int) -> Trajectory:
        cost = self.problem.cost(self.at.states, self.at.controls)
        return Trajectory(self.at.states, tuple(self.at.controls), self.at.mu, tuple(self.at.duals), self.barrier,
                          status, done, cost, self.error, self.left)  # fmt: skip


def neighbouring(problem: ControlProblem, found: Trajectory, rate: Array, hamiltonian: Array) -> Neighbouring:
    """Gains and derivatives of V about a solution, by the sweep of appendix A of Ye 2012 in discrete time.

    At the end V_xtf = H_x + V_xx f, V_μtf = Ψ_x f and V_tftf = H_x·f + fᵀ V_xx f with V_xx = 0; `rate` (n,) is f, the
    rate of the state at the end [1/s], `hamiltonian` (n,) is H_x there.
    """
    at = Guess(found.states, found.controls, found.multipliers, found.duals)
    given = sweep(problem, at, np.zeros_like(at.mu), found.barrier)
    Vxt, Vmut, Vtt = hamiltonian.copy(), problem.end(found.states[-1])[1] @ rate, float(hamiltonian @ rate)
    rows: list[tuple[Array, Array, Array, float]] = []
    for k in range(problem.steps - 1, -1, -1):
        through = given.B[k].T @ Vxt
        Kt = -given.inverse[k] @ through
        Vmut = Vmut + given.Vxmu[k + 1].T @ (given.B[k] @ Kt)
        Vtt = Vtt + float(through @ Kt)
        Vxt = given.closed[k].T @ Vxt
        rows.append((Kt, Vxt, Vmut, Vtt))
    Kt, all_Vxt, all_Vmut, all_Vtt = zip(*reversed(rows), strict=True)
    return Neighbouring(tuple(given.Kx), tuple(given.Kmu), Kt, given.Vxmu[:-1], given.Vmumu[:-1],
                        np.array(all_Vxt), np.array(all_Vmut), np.array(all_Vtt))  # fmt: skip


def roll(problem: ControlProblem, start: Array, controls: Sequence[Array]) -> Array:
    """States (N + 1, n) from `start` under the controls."""
    states = np.empty((problem.steps + 1, len(start)))
    states[0] = start
    for k, u in enumerate(controls):
        states[k + 1] = problem.step(k, states[k], u)
    return states


def _positive(Quu: Array, luu: Array, damping: float) -> Array:
    """Q_uu, with as much added that its least eigenvalue is a share of that of ℓ_uu."""
    if len(Quu) == 0:
        return Quu
    Quu = 0.5 * (Quu + Quu.T) + damping * luu
    lack = _LEAST * float(np.diag(luu).min()) - float(np.linalg.eigvalsh(Quu)[0])
    return Quu + lack * np.eye(len(Quu)) if lack > 0.0 else Quu
