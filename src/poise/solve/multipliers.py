"""The method of multipliers: a search without constraints, again and again, until the constraints hold (Miele 1972).

W(x, λ, k) = f(x) + λᵀφ(x) + k φ(x)ᵀφ(x) is made least over x; then λ ← λ + 2 k φ(x), and the next search begins where
the last one ended. Equations (4) and section 6.2 of Nunes et al. 2012; k stays what it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class Multipliers:
    """λ (q,) and k of one run; the first run has λ = 0 and k = 0."""

    multiplier: Array  # (q,)
    penalty: float

    def augmented(self, objective: Array, constraint: Array) -> Array:
        """W (m,) of m samples with f (m,) and φ (m, q)."""
        return objective + constraint @ self.multiplier + self.penalty * np.sum(constraint**2, axis=-1)

    def updated(self, constraint: Array, penalty: float) -> Multipliers:
        """For the next run, after one that ended with φ (q,); `penalty` is the k of the runs after the first."""
        multiplier = self.multiplier + 2.0 * self.penalty * constraint
        return replace(self, multiplier=multiplier, penalty=penalty)


def first_run(count: int) -> Multipliers:
    """λ = 0 and k = 0 for φ of so many numbers: the constraints are left out."""
    return Multipliers(np.zeros(count), 0.0)


def met(constraint: Array, tolerance: Array | float) -> bool:
    """|φ_i| < tolerance_i for all i."""
    return bool(np.all(np.abs(constraint) < tolerance))
