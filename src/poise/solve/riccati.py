"""Optimal feedback of a linear system that repeats itself: the periodic Riccati recursion.

x_{k+1} = A_k x_k + B_k u_k with k counted round a cycle of K stages; u_k = -G_k x_k makes Σ xᵀQx + uᵀRu least.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poise.errors import NoSolution
from poise.maths.rotations import Array


class Feedback(NamedTuple):
    """Gains of each stage, and what certifies them."""

    gains: tuple[Array, ...]  # K of (inputs, n)
    cost: Array  # (n, n) P: xᵀPx is the cost from the first stage on
    residual: float  # relative change of P in the last round
    radius: float  # largest |eigenvalue| of the closed loop over a cycle: below 1 it is stable


def periodic_feedback(A: Sequence[Array], B: Sequence[Array], Q: Array, R: Array, rounds: int = 400,
                      tolerance: float = 1e-10) -> Feedback:  # fmt: skip
    """Gains for A_k (n, n), B_k (n, m), Q (n, n), R (m, m): backward recursion round the cycle until P stays.

    G_k = (R + BᵀPB)⁻¹ BᵀPA;  P ← Q + AᵀP(A - B G).
    """
    gains: list[Array] = [np.zeros((len(R), len(Q)))] * len(A)
    P, change = np.array(Q, float), np.inf
    for _ in range(rounds):
        before = P
        for k in range(len(A) - 1, -1, -1):
            a, b = A[k], B[k]
            try:
                gains[k] = np.linalg.solve(R + b.T @ P @ b, b.T @ P @ a)
            except np.linalg.LinAlgError:
                raise NoSolution("The feedback of this cycle cannot be found: its inputs have no weight.") from None
            P = Q + a.T @ P @ (a - b @ gains[k])
            P = 0.5 * (P + P.T)
        if not np.all(np.isfinite(P)):
            raise NoSolution("The feedback of this cycle does not converge: its inputs cannot hold what is unstable.")
        change = float(np.abs(P - before).max() / np.abs(P).max())
        if change < tolerance:
            break
    whole = np.eye(len(Q))
    for a, b, g in zip(A, B, gains, strict=True):
        whole = (a - b @ g) @ whole
    return Feedback(tuple(gains), P, change, float(np.abs(np.linalg.eigvals(whole)).max()))
