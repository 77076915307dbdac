"""Gauss-Newton with Levenberg-Marquardt damping for least squares over a chain of frames (block-banded Hessian).

Minimises f(x) = ½ Σ r_i(x)² over x (N, d). A problem gives its value, its gradient Jᵀr and the bands of JᵀJ (as in
`poise.solve.banded`); what the residuals mean is its own affair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

import numpy as np

from poise.maths.rotations import Array
from poise.solve import banded
from poise.threads import on_one_thread


class Normal(NamedTuple):
    """A problem linearised at x: f, its gradient (N, d) and the bands (B+1, N, d, d) of the Gauss-Newton Hessian."""

    cost: float
    gradient: Array
    bands: Array


class Problem(Protocol):
    """What the solver asks of a least-squares problem over a chain."""

    def cost(self, x: Array) -> float:
        """f(x)."""
        ...

    def normal(self, x: Array) -> Normal:
        """The problem linearised at x."""
        ...


class Status(Enum):
    """How a minimisation ended; the value is the message."""

    CONVERGED = "the step or the expected gain fell below its tolerance"
    LIMIT = "the limit of iterations was reached; the last point is the best one found"
    STALLED = "no step made the cost smaller, however short"
    NOT_FINITE = "the cost at the starting point is not a finite number"


@dataclass(frozen=True)
class Settings:
    """When to stop, and how to damp."""

    iterations: int = 30
    step: float = 1e-8  # largest entry of a step below which x counts as found [units of x]
    gain: float = 1e-12  # expected decrease, relative to the cost, below which x counts as found
    damping: float = 0.0  # first multiple of diag(H) added to H; zero: undamped until a step fails
    attempts: int = 12  # dampings tried in one iteration
    longest: float = np.inf  # largest entry of a step; a longer one is shortened [units of x]


@dataclass(frozen=True, eq=False)
class Result:
    """Where the minimisation ended, with its certificate: the gradient norm there (of the last linearisation)."""

    x: Array
    cost: float
    gradient: float  # largest entry of Jᵀr at the last linearisation
    costs: tuple[float, ...]  # cost at the start and after every accepted step
    steps: tuple[float, ...]  # largest entry of every accepted step
    status: Status

    @property
    def converged(self) -> bool:
        """Did it end at a minimum?"""
        return self.status is Status.CONVERGED


DEFAULT = Settings()
SHORTER = (0.5, 0.25, 0.1)  # shares of a step tried before it is damped


@on_one_thread
def minimise(problem: Problem, x: Array, *, ring: bool = False, settings: Settings = DEFAULT,
             watch: Callable[[int, float], None] | None = None) -> Result:  # fmt: skip
    """The x (N, d) that minimises f(x) = ½ Σ r_i(x)², from a first guess x (N, d), over a chain of N frames.

    (JᵀJ + damping diag JᵀJ) step = -Jᵀr. `ring` closes the chain; `watch(iteration, cost)` is called after every step.
    The gain ratio of Levenberg-Marquardt decides: a step that does better than a quarter of what the linearisation
    promised frees the damping, one that does not raises it. A step that makes the cost larger is first shortened, which
    needs no new factorisation, and where that does not help, damped.
    """
    x, damping = np.array(x, float), settings.damping
    now = problem.cost(x)
    costs, steps, slope = [now], [], np.inf
    status = Status.LIMIT if np.isfinite(now) else Status.NOT_FINITE
    for iteration in range(settings.iterations if np.isfinite(now) else 0):
        normal = problem.normal(x)
        slope = float(np.abs(normal.gradient).max(initial=0.0))
        taken = _advance(problem, normal, x, damping, ring, settings)
        if taken is None:
            status = Status.STALLED
            break
        if taken.cost < now:
            x, now = x + taken.step, taken.cost
            costs.append(now)
            steps.append(float(np.abs(taken.step).max(initial=0.0)))
        damping = taken.damping
        if taken.last:
            status = Status.CONVERGED
            break
        if watch is not None:
            watch(iteration, now)
    return Result(x, now, slope, tuple(costs), tuple(steps), status)


class _Taken(NamedTuple):
    """A step, the cost after it, the damping to go on with, and whether it is the last."""

    step: Array
    cost: float
    damping: float
    last: bool


def _advance(
    problem: Problem, normal: Normal, x: Array, damping: float, ring: bool, settings: Settings
) -> _Taken | None:
    """One iteration: the step to take from x; None if no step makes the cost smaller."""
    now = normal.cost
    for _ in range(settings.attempts):
        trial = _damped_step(normal, damping, ring)
        if trial is not None:
            step, promise = _no_longer(*trial, settings.longest, normal.gradient)
            new = problem.cost(x + step)
            if float(np.abs(step).max(initial=0.0)) < settings.step or promise <= settings.gain * now:
                return _Taken(step, new, damping, True)
            ratio = (now - new) / promise if np.isfinite(new) else -1.0
            if ratio > 1e-4:
                return _Taken(step, new, _next_damping(damping, ratio), False)
            fall = -float(np.sum(normal.gradient * step))
            for share in SHORTER:
                new = problem.cost(x + share * step)
                if now - new > 0.1 * share * fall:
                    return _Taken(share * step, new, damping, False)
        damping = max(10.0 * damping, 1e-4)
    return None


def _damped_step(normal: Normal, damping: float, ring: bool) -> tuple[Array, float] | None:
    """The step of (H + damping diag H) step = -gradient and the decrease it promises; None if H is not definite."""
    bands = normal.bands.copy()
    d = bands.shape[2]
    diagonal = bands[0][:, range(d), range(d)]
    bands[0][:, range(d), range(d)] = diagonal * (1.0 + damping) + (1e-12 if damping > 0 else 0.0)
    step, definite = banded.solve(bands, -normal.gradient, ring=ring)
    if not definite:
        return None
    # With A = H + damping D and A s = -g:  f(0) - m(s) = -gᵀs - ½ sᵀH s = ½ (damping sᵀD s - gᵀs)
    promise = 0.5 * (damping * float(np.sum(diagonal * step**2)) - float(np.sum(normal.gradient * step)))
    return step, promise


def _no_longer(step: Array, promise: float, longest: float, gradient: Array) -> tuple[Array, float]:
    """The step shortened to its largest allowed entry, and what the linearisation promises of it.

    Along s the model falls by a s - b s² with a the slope at 0 and a - b the promise of the whole step.
    """
    largest = float(np.abs(step).max(initial=0.0))
    if largest <= longest:
        return step, promise
    share, fall = longest / largest, -float(np.sum(gradient * step))
    return share * step, share * fall - share**2 * (fall - promise)


def _next_damping(damping: float, ratio: float) -> float:
    """Less damping after a step that kept its promise, more after one that hardly did."""
    if ratio > 0.75:
        return 0.1 * damping if damping > 1e-7 else 0.0
    return damping if ratio > 0.25 else max(4.0 * damping, 1e-4)
