"""The contact correction: forces with which nothing sinks in, pulls or slides against Coulomb's law.

Section 5.4 and the appendix of Jain & Liu 2011. The step that the plan would take moves each contact point by
dx = c + W f, with f the contact forces in the frame (normal, tangent, tangent). Wanted are forces with, point by point,

    0 <= dx_n  ⊥  f_n >= 0,    |f_t| <= friction · f_n, with f_t opposite to dx_t and on the edge where dx_t ≠ 0.

That is problem (30)-(34) with round cones: a complementarity problem over second-order cones. A few sweeps of block
Gauss-Seidel from the planned forces find who sticks, slides or leaves; a semismooth Newton method on

    F(f) = f - P(f - dx / W_ii) = 0      (Alart & Curnier 1991)

then solves it to rounding. The largest |F| [N] is the certificate: it is zero exactly where the conditions hold.

Departures: round cones for the hexagons of (15); the paper's LCP is in `contact_lcp`, for comparison. The first A^l in
(25) should be A^r.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.solve.dense import solve_one

_SWEEPS = 12  # of Gauss-Seidel before each attempt of Newton's method
# Points of one rigid foot share their forces, so W alone is singular, and gaps that are not quite in one plane have no
# solution but a foot that balances on three corners, or is squeezed by its own friction. So contacts give a
# little, and more where that is not enough.
_GIVE = np.array([1e-5, 2e-4, 2e-4])  # on the diagonal of W, of its mean: some 2e-9 m/N normal, 4e-8 m/N tangential


def preference_share(response: Array, weight: float) -> Array:
    """How much of a corrective contact force the joints cancel in each low mode: equations (25)-(27).

    With P = a² and Q = a² Z of a mode whose response to an impulse is a, X_f = -(PᵀP + W_a)⁻¹ PᵀQ = -share · Z with
    share = a⁴ / (a⁴ + W_a). The paper's W_a = 1e-3 makes it 5e-6 at 120 steps a second: none at all.
    """
    fourth = np.asarray(response, float) ** 4
    return fourth / (fourth + weight)


@njit(cache=True)
def _natural(W, c, f, friction, F):
    """F = f - P(f - dx / W_ii) (3K,) [N]; gives its largest component."""
    worst = 0.0
    for k in range(len(friction)):
        i, mu = 3 * k, friction[k]
        dn, da, db = c[i], c[i + 1], c[i + 2]
        for j in range(len(f)):
            dn += W[i, j] * f[j]
            da += W[i + 1, j] * f[j]
            db += W[i + 2, j] * f[j]
        rho = 1.0 / W[i, i]
        tau = 2.0 / (W[i + 1, i + 1] + W[i + 2, i + 2])
        n, a, b = f[i] - rho * dn, f[i + 1] - tau * da, f[i + 2] - tau * db
        if mu >= 0.0:
            n = max(n, 0.0)
            s = np.sqrt(a * a + b * b)
            if s > mu * n:
                a, b = (a * mu * n / s, b * mu * n / s) if s > 0.0 else (0.0, 0.0)
        F[i], F[i + 1], F[i + 2] = f[i] - n, f[i + 1] - a, f[i + 2] - b
        worst = max(worst, abs(F[i]), abs(F[i + 1]), abs(F[i + 2]))
    return worst


@njit(cache=True)
def _sweep(W, c, f, friction):
    """One sweep of block Gauss-Seidel; gives the largest change [N]."""
    change = 0.0
    for k in range(len(friction)):
        i, mu = 3 * k, friction[k]
        dn = c[i]
        for j in range(len(f)):
            dn += W[i, j] * f[j]
        n = f[i] - dn / W[i, i]
        if mu >= 0.0 and n < 0.0:
            n = 0.0
        change = max(change, abs(n - f[i]))
        f[i] = n
        da, db = c[i + 1], c[i + 2]
        for j in range(len(f)):
            da += W[i + 1, j] * f[j]
            db += W[i + 2, j] * f[j]
        p, q, r = W[i + 1, i + 1], W[i + 2, i + 2], W[i + 1, i + 2]
        det = p * q - r * r
        a, b = f[i + 1] - (q * da - r * db) / det, f[i + 2] - (p * db - r * da) / det
        if mu >= 0.0 and a * a + b * b > (mu * n) ** 2:
            step = 1.0 / (max(p, q) + abs(r))
            a, b = f[i + 1] - step * da, f[i + 2] - step * db
            s = np.sqrt(a * a + b * b)
            if s > mu * n:
                a, b = (a * mu * n / s, b * mu * n / s) if s > 0.0 else (0.0, 0.0)
        change = max(change, abs(a - f[i + 1]), abs(b - f[i + 2]))
        f[i + 1], f[i + 2] = a, b
    return change


@njit(cache=True)
def _slope(W, c, f, friction, J):
    """The generalised Jacobian J (3K, 3K) of F at f."""
    size = len(f)
    dn_row, da_row, db_row = np.empty(size), np.empty(size), np.empty(size)
    for k in range(len(friction)):
        i, mu = 3 * k, friction[k]
        dn, da, db = c[i], c[i + 1], c[i + 2]
        for j in range(size):
            dn += W[i, j] * f[j]
            da += W[i + 1, j] * f[j]
            db += W[i + 2, j] * f[j]
        rho = 1.0 / W[i, i]
        tau = 2.0 / (W[i + 1, i + 1] + W[i + 2, i + 2])
        n, a, b = f[i] - rho * dn, f[i + 1] - tau * da, f[i + 2] - tau * db
        for j in range(size):
            dn_row[j], da_row[j], db_row[j] = -rho * W[i, j], -tau * W[i + 1, j], -tau * W[i + 2, j]
        dn_row[i] += 1.0
        da_row[i + 1] += 1.0
        db_row[i + 2] += 1.0
        if mu >= 0.0 and n <= 0.0:
            dn_row[:] = 0.0
            n = 0.0
        s = np.sqrt(a * a + b * b)
        if mu >= 0.0 and s > mu * n:
            x, y = a / s, b / s
            ratio = mu * n / s
            for j in range(size):
                across = ratio * (x * db_row[j] - y * da_row[j])
                along = mu * dn_row[j]
                da_row[j] = along * x - across * y
                db_row[j] = along * y + across * x
        for j in range(size):
            J[i, j], J[i + 1, j], J[i + 2, j] = -dn_row[j], -da_row[j], -db_row[j]
        J[i, i] += 1.0
        J[i + 1, i + 1] += 1.0
        J[i + 2, i + 2] += 1.0


@njit(cache=True)
def _into_cones(f, friction):
    for k in range(len(friction)):
        i, mu = 3 * k, friction[k]
        if mu < 0.0:
            continue
        f[i] = max(f[i], 0.0)
        s = np.sqrt(f[i + 1] ** 2 + f[i + 2] ** 2)
        if s > mu * f[i]:
            scale = mu * f[i] / s * (1.0 - 1e-15)
            f[i + 1] *= scale
            f[i + 2] *= scale


@njit(cache=True)
def correct(W, c, f, friction, tolerance, rounds=6):
    """Make f (3K,) [N] the contact forces; W (3K, 3K) [m/N], c (3K,) [m], friction (K,), negative for grips.

    f holds the first guess. Gives the largest |F| [N], with contacts that give (see `_GIVE`), and how many sweeps and
    Newton steps were made.
    """
    size = len(f)
    W = W.copy()
    mean = np.trace(W) / size
    for i in range(size):
        W[i, i] += _GIVE[i % 3] * mean
    F, J = np.empty(size), np.empty((size, size))
    best, kept = np.inf, f.copy()
    work = 0
    for attempt in range(rounds):
        if attempt > 1:  # a foot squeezed by its own friction: let it give more
            best = np.inf
            for i in range(size):
                W[i, i] += 4.0 ** (attempt - 1) * _GIVE[i % 3] * mean
        for _ in range(_SWEEPS * (1 + attempt)):
            work += 1
            if _sweep(W, c, f, friction) <= 0.1 * tolerance:
                break
        error = _natural(W, c, f, friction, F)
        if error < best:
            best = error
            kept[:] = f
        if best <= tolerance:
            break
        for _ in range(8):
            _slope(W, c, f, friction, J)
            f -= solve_one(J, F)
            work += 1
            error = _natural(W, c, f, friction, F)
            if error < best:
                best = error
                kept[:] = f
            if error <= tolerance or not error < 1e9:
                break
        f[:] = kept
        if best <= tolerance:
            break
    _into_cones(f, friction)
    return _natural(W, c, f, friction, F), work


def contact_lcp(W: Array, c: Array, friction: Array, sides: int = 6) -> tuple[Array, Array, Array]:
    """The paper's LCP (34): matrix C, vector h and the map N (3K, size) with forces f = N z.

    Each contact has the unknowns normal force, `sides` forces along the edges of its cone, and the slip that (31), (32)
    add. A hexagon at first touches the round cone from inside.
    """
    count, width = len(friction), sides + 2
    angles = 2.0 * np.pi * np.arange(sides) / sides
    directions = np.stack([np.cos(angles), np.sin(angles)])
    N = np.zeros((3 * count, width * count))
    C = np.zeros((width * count, width * count))
    for k in range(count):
        at = width * k
        N[3 * k, at] = 1.0
        N[3 * k + 1 : 3 * k + 3, at + 1 : at + 1 + sides] = directions
        C[at + 1 : at + 1 + sides, at + width - 1] = 1.0
        C[at + width - 1, at] = friction[k]
        C[at + width - 1, at + 1 : at + 1 + sides] = -1.0
    return C + N.T @ W @ N, N.T @ c, N
