"""The program (7) of da Silva, Abe & Popović 2008 as printed, for inspection and for comparison.

min ½ ‖q̈ - q̈_d‖²  with  λ >= 0 (7b),  u in U (7c),  M q̈ + h = u + Σ Jᵀ V λ (7d),  J q̈ + J' v = 0 (7e).

Unknowns are q̈ (nv), u (nv, zero on the root) and λ (4 a contact), as the paper counts them in its table 4 ("dummy
variables for the acceleration of each degree of freedom"): 36 for the free 2D body, 158 in 3D with 11 contacts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr

from poise.dynamics.compiled import Terms
from poise.maths.rotations import Array
from poise.methods.mcsim.contacts import Cones
from poise.methods.mcsim.tasks import grip_rows
from poise.solve.qp import QP, QPSolution

_TINY = 1e-8  # weight of u² and λ², which make the problem strictly convex


class Parts(NamedTuple):
    """What a solution of the program consists of."""

    acceleration: Array  # (nv,)
    torque: Array  # (nv,) [N m]
    force: Array  # (nl,) λ [N]


def printed(now: Terms, desired: Array, cones: Cones, limit: Array) -> QP:
    """The program at an instant, unsolved; `desired` is q̈_d (nv,), `limit` (nj,) [N m] bounds the torques."""
    nv = len(now.v)
    generalised, rows, wish = grip_rows(now, cones, 0.0)
    rows, wish = _independent(rows, wish)
    nl = generalised.shape[1]
    n = 2 * nv + nl
    H = _TINY * np.eye(n)
    H[:nv, :nv] += np.eye(nv)
    g = np.zeros(n)
    g[:nv] = -desired
    motion = np.hstack([now.mass_matrix, -np.eye(nv), -generalised])
    still = np.hstack([rows, np.zeros((len(rows), nv + nl))])
    A, b = np.vstack([motion, still]), np.concatenate([-now.bias, wish])
    bound = np.concatenate([np.full(nv, 1e30), np.zeros(6), limit, np.full(nl, 1e30)])
    lower = -bound
    lower[2 * nv :] = 0.0
    return QP(H, g, A, b, b, lower, bound)


def _independent(rows: Array, wish: Array) -> tuple[Array, Array]:
    """Rows without those that follow from others: twelve rows of four corners hold the six freedoms of one foot."""
    if not len(rows):
        return rows, wish
    found: Any = qr(rows.T, mode="economic", pivoting=True)
    _, triangle, order = found
    size = np.abs(np.diag(triangle))
    kept = np.sort(order[: int(np.sum(size > 1e-9 * size[0]))])
    return rows[kept], wish[kept]


def parts(solution: QPSolution, nv: int) -> Parts:
    """The solution taken apart."""
    x = solution.x
    return Parts(x[:nv], x[nv : 2 * nv], x[2 * nv :])
