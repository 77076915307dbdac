"""Dense quadratic programs by DAQP, with a certificate: how exactly the optimality conditions hold.

min ½ xᵀ H x + gᵀ x    with  lower <= x <= upper  and  low <= A x <= high
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import daqp
import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array

_EQUALITY, _FREE = 5, 0  # DAQP's marks of a constraint


class Status(Enum):
    """How a solve ended, in words."""

    SOLVED = "solved"
    SOFT = "solved with soft constraints violated"
    INFEASIBLE = "no point meets all constraints"
    UNBOUNDED = "the cost has no lower bound"
    UNFINISHED = "too many iterations, or cycling"


_STATUS = {1: Status.SOLVED, 2: Status.SOFT, -1: Status.INFEASIBLE, -3: Status.UNBOUNDED}


@dataclass(frozen=True, eq=False)
class QP:
    """A problem, not yet solved, to be looked at or handed to another solver.

    min ½ xᵀ H x + gᵀ x  with  low <= A x <= high,  lower <= x <= upper;  equal bounds are equalities.
    """

    H: Array  # (n, n) positive definite (semidefinite works, more slowly)
    g: Array  # (n,)
    A: Array = field(default=None)  # type: ignore[assignment]  # (m, n)
    low: Array = field(default=None)  # type: ignore[assignment]  # (m,), -inf where there is none
    high: Array = field(default=None)  # type: ignore[assignment]  # (m,)
    lower: Array | None = None  # (n,) bounds on x
    upper: Array | None = None  # (n,)

    def __post_init__(self) -> None:
        n = len(self.g)
        if self.A is None:
            for name, value in (("A", np.zeros((0, n))), ("low", np.zeros(0)), ("high", np.zeros(0))):
                object.__setattr__(self, name, value)
        m = len(self.A)
        shapes = {"H": (self.H, (n, n)), "A": (self.A, (m, n)), "low": (self.low, (m,)), "high": (self.high, (m,))}
        for name, (value, shape) in shapes.items():
            if np.shape(value) != shape:
                raise BadValue(f"A QP of {n} unknowns and {m} constraints needs {name} of shape {shape}.")

    def stacked(self) -> tuple[Array, Array, Array]:
        """Bounds and constraints as DAQP wants them: A, and bounds (n + m,) whose first n are those on x."""
        if self.lower is None and self.upper is None:
            return self.A, self.low, self.high
        n = len(self.g)
        lower = np.full(n, -1e30) if self.lower is None else self.lower
        upper = np.full(n, 1e30) if self.upper is None else self.upper
        return self.A, np.concatenate([lower, self.low]), np.concatenate([upper, self.high])


@dataclass(frozen=True, eq=False)
class QPSolution:
    """The minimiser, its multipliers and what is left of each optimality condition."""

    x: Array  # (n,)
    dual: Array  # bounds first (if any), then constraints; positive: the upper side is active
    status: Status
    iterations: int
    problem: QP

    @property
    def solved(self) -> bool:
        """Is it a minimiser?"""
        return self.status is Status.SOLVED

    def residuals(self) -> dict[str, float]:
        """Largest violation of: the constraints, stationarity, and complementarity (a multiplier on a slack side)."""
        p = self.problem
        A, low, high = p.stacked()
        rows = np.vstack([np.eye(len(p.g)), A]) if len(low) > len(A) else A
        value = rows @ self.x
        slack = np.where(self.dual > 0, high - value, value - low)
        active = self.dual != 0
        return {
            "primal": float(np.maximum(np.maximum(low - value, value - high), 0).max(initial=0.0)),
            "stationarity": float(np.abs(p.H @ self.x + p.g + rows.T @ self.dual).max(initial=0.0)),
            "complementarity": float(np.abs(slack[active] * self.dual[active]).max(initial=0.0)),
        }


def solve_qp(problem: QP) -> QPSolution:
    """The minimiser x (n,) of ½ xᵀ H x + gᵀ x within the bounds of a `QP`, by DAQP's dual active set.

    A problem without solution gives a status, never an exception. `dual` holds the multipliers y of
    H x + g + [1; A]ᵀ y = 0, and `residuals()` what is left of each condition of optimality.
    """
    A, low, high = problem.stacked()
    sense = np.where(low == high, _EQUALITY, _FREE).astype(np.int32)
    H, g = np.ascontiguousarray(problem.H, float), np.ascontiguousarray(problem.g, float)
    x, _, flag, info = daqp.solve(
        H, g, np.ascontiguousarray(A, float), np.minimum(high, 1e30), np.maximum(low, -1e30), sense
    )
    return QPSolution(x, info["lam"], _STATUS.get(flag, Status.UNFINISHED), int(info["iterations"]), problem)
