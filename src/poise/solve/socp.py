"""Friction-cone programs by Clarabel: the general and slower sibling of `cones`, with constraints besides the cones.

min ½ |A f - b|² + ½ w |f|²   with  every force in its cone  and  C f = d
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from poise.errors import BadValue, MissingExtra
from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class ConeProgramSolution:
    """Forces, what they leave over, and how exactly the conditions hold."""

    forces: Array  # (3K,) normal, tangent, tangent for each
    residual: Array  # (m,) b - A f
    cone_violation: float  # largest |tangent| - friction · normal
    equality_violation: float  # largest |C f - d|
    status: str
    solved: bool


def cone_program(A: Array, b: Array, friction: Array, weight: float = 1e-6, C: Array | None = None,
                 d: Array | None = None) -> ConeProgramSolution:  # fmt: skip
    """The forces f (3K,) [N] that minimise ½ |A f - b|² + ½ weight |f|² in their friction cones, with C f = d.

    |(f_t1, f_t2)| <= friction f_n for every force. A (m, 3K) has the columns normal, tangent, tangent of each force, b
    (m,), friction (K,), C (p, 3K), d (p,). The residual is an unknown of its own, so that all stays sparse.
    """
    try:
        import clarabel
    except ImportError:
        raise MissingExtra("Cone programs", "cones") from None
    A, b, friction = np.asarray(A, float), np.asarray(b, float), np.asarray(friction, float)
    m, n = A.shape
    if n != 3 * len(friction) or len(b) != m:
        raise BadValue(f"A must be ({len(b)}, {3 * len(friction)}) for {len(friction)} forces, not {A.shape}.")
    C = np.zeros((0, n)) if C is None else np.asarray(C, float)
    d = np.zeros(0) if d is None else np.asarray(d, float)
    P = sparse.diags(np.concatenate([np.full(n, weight), np.ones(m)])).tocsc()
    equalities = sparse.bmat([[sparse.csc_matrix(A), -sparse.eye(m)], [sparse.csc_matrix(C), None]]) if len(d) else (
        sparse.hstack([sparse.csc_matrix(A), -sparse.eye(m)]))  # fmt: skip
    scale = np.ones(n)
    scale[0::3] = friction  # (mu n, t, t) lies in the second-order cone
    cones = sparse.hstack([-sparse.diags(scale), sparse.csc_matrix((n, m))])
    rows = sparse.vstack([equalities, cones]).tocsc()
    right = np.concatenate([b, d, np.zeros(n)])
    kinds = [clarabel.ZeroConeT(m + len(d)), *[clarabel.SecondOrderConeT(3)] * len(friction)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    solution = clarabel.DefaultSolver(P, np.zeros(n + m), rows, right, kinds, settings).solve()
    f = np.asarray(solution.x)[:n]
    outside = np.hypot(f[1::3], f[2::3]) - friction * f[0::3]
    status = str(solution.status)
    return ConeProgramSolution(
        f,
        b - A @ f,
        float(outside.max(initial=0.0)),
        float(np.abs(C @ f - d).max(initial=0.0)),
        status,
        status == "Solved",
    )
