"""Joint actuation of the internal modes: plans for the low ones (17)-(21), exact tracking of the high ones (22).

Each low mode is planned by itself: the impulses I_k of all steps of the window that bring it nearest to the reference's
position and velocity at the end, with least effort,

    min  w4 (c + Σ a_k I_k - p)² + w5 (c' + Σ a'_k I_k - p')² + w6 Σ I_k²,

which two multipliers solve. Only the first impulse is applied, then all is planned anew.

Departures: (21) in the printed text compares with the unforced state; the reference is meant.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.solve.dense import solve_one

_ROUNDS = 3  # of making planned forces bearable: what leaves its cone is put back, and may ask for another
_SHARED = 1e-6  # of the mean diagonal: joints that ask for the same change of a force share it


@njit(cache=True)
def contact_impulses(JP, f, usual, n, dt, touching, standing, group, friction, out, pulled, spread):
    """Fill out (K, nv) with the modal impulses Z_k f_k of the planned forces in the first K of n steps of the window.

    pulled (G, nv): those of grips (negative friction (P,)) alone, of all points where `spread`, less the usual forces
    (V, 3), in the first G steps.
    JP (P, 3, nv) maps modal velocities to those of the contact points in their frames. The forces f (V, 3) are walked
    through in the order in which `force_columns` made them.
    """
    out[:] = 0.0
    pulled[:] = 0.0
    points = touching.shape[1]
    v = 0
    for i in range(points):
        k = 0
        while k < n:
            if not touching[k, i]:
                k += 1
                continue
            first = k
            a, b, c = dt * f[v, 0], dt * f[v, 1], dt * f[v, 2]
            while k < n and touching[k, i] and k - first < group and standing[k, i] == standing[first, i]:
                if k < len(pulled) and (friction[i] < 0.0 or spread):
                    x, y, z = a - dt * usual[v, 0], b - dt * usual[v, 1], c - dt * usual[v, 2]
                    for q in range(out.shape[1]):
                        pulled[k, q] += JP[i, 0, q] * x + JP[i, 1, q] * y + JP[i, 2, q] * z
                if k < len(out):
                    for q in range(out.shape[1]):
                        out[k, q] += JP[i, 0, q] * a + JP[i, 1, q] * b + JP[i, 2, q] * c
                k += 1
            v += 1


@njit(cache=True)
def plan_low(step, p, rate, forced, wanted, wanted_rate, n, w4, w5, w6):
    """The first impulse of one low mode.

    step (4,): its transition over dt; p, rate: its state now; forced (n,): impulses of contacts, gravity and springs;
    wanted and wanted_rate: the reference's state at the end of the window.
    """
    c11, c12, c21, c22 = step[0], step[1], step[2], step[3]
    end, end_rate = p, rate
    for k in range(n):  # the unactuated motion
        imp = end_rate + forced[k]
        end, end_rate = c11 * end + c12 * imp, c21 * end + c22 * imp
    a, d = c12, c22  # response at the end to an impulse at step n-1, then n-2, ...
    s00, s01, s11 = w6 / w4, 0.0, w6 / w5
    for k in range(n):
        s00 += a * a
        s01 += a * d
        s11 += d * d
        if k < n - 1:
            a, d = c11 * a + c12 * d, c21 * a + c22 * d
    off, off_rate = end - wanted, end_rate - wanted_rate
    det = s00 * s11 - s01 * s01
    return -(a * (s11 * off - s01 * off_rate) + d * (s00 * off_rate - s01 * off)) / det


@njit(cache=True)
def track_high(step, rate, forced, wanted):
    """The impulse of a mode that arrives at `wanted` after one step: equation (22); the mode is at 0 now."""
    return wanted / step[1] - rate - forced


@njit(cache=True)
def planned_torque(M, shapes, step, imp, actuation, spring, dt, push):
    """Mean joint torques (nv,) [N m] of the planned step.

    imp (nv,): modal velocities at once after all impulses of the plan; spring (nv,) [N m]: torque of the springs at the
    beginning of the step. push (nv,) is working memory.
    """
    for i in range(len(imp)):
        push[i] = (actuation[i] + (step[i, 3] - 1.0) * imp[i]) / dt if i >= 6 else 0.0
    return M @ (shapes @ push) + spring


@njit(cache=True)
def within_limits(torque, shapes, imp, actuation, limit, dt, push):
    """Cut actuation (nv,) in place, so that the planned torques (nv,) stay within limit (nv,) [N m].

    imp (nv,) changes alike. Gives how many joints were cut. push (nv,) is working memory.
    """
    nv = len(imp)
    cut = 0
    for i in range(nv):
        over = 0.0
        if i >= 6:
            over = min(limit[i], max(-limit[i], torque[i])) - torque[i]
        if over != 0.0:
            cut += 1
        push[i] = over
    if cut:
        more = shapes.T @ push
        for i in range(6, nv):
            actuation[i] += dt * more[i]
            imp[i] += dt * more[i]
    return cut


@njit(cache=True)
def beyond(torque, limit, out):
    """Fill out with the joints whose torque (nv,) is beyond its limit (nv,); gives how many."""
    count = 0
    for i in range(6, len(torque)):
        if abs(torque[i]) > limit[i] * (1.0 + 1e-9):
            out[count] = i
            count += 1
    return count


@njit(cache=True)
def bearable(torque, limit, jacobian, JP, inverse, touching, friction, forces):
    """Change planned contact forces (P, 3) [N] in place as little as it takes for the joints to bear them.

    torque (nv,) [N m] is what the planned step asks of the joints and becomes what is left of it. With the forces f it
    changes by -A f, A = J - M P_r P_rᵀ J: a body with less support is also less to bear. The least change of f that
    brings the joints beyond limit (nv,) back to it is A_overᵀ (A_over A_overᵀ)⁻¹ (torque - limit); what then is
    outside its friction cone (friction (P,)) is put on it. Grips (friction negative) stay as planned: a body that hangs
    has nothing else to hang on.

    Cut alone, a torque leaves its neighbours in the leg bearing a force that no longer comes: an ankle that was
    54 N m short spun its own foot, of 0.001 kg m², to 40 rad/s in one step.
    """
    nv, points = len(torque), len(forces)
    over = np.empty(nv, np.int64)
    count = beyond(torque, limit, over)
    A = np.zeros((nv, 3 * points))
    for p in range(points):
        if touching[p] and friction[p] >= 0.0:
            for c in range(3):
                for i in range(6, nv):
                    A[i, 3 * p + c] = jacobian[p, c, i]
                    for r in range(6):
                        A[i, 3 * p + c] -= inverse[r, i] * JP[p, c, r]
    for _ in range(_ROUNDS):
        if count == 0:
            return
        rows, y = np.empty((count, 3 * points)), np.empty(count)
        for a in range(count):
            i = over[a]
            rows[a] = A[i]
            y[a] = torque[i] - min(limit[i], max(-limit[i], torque[i]))
        B = rows @ rows.T
        shared = _SHARED * np.trace(B) / count + 1e-12
        for a in range(count):
            B[a, a] += shared
        solve_one(B, y)
        change = rows.T @ y
        for p in range(points):
            if touching[p] and friction[p] >= 0.0:
                _moved_in_cone(forces[p], change[3 * p : 3 * p + 3], friction[p])
        torque -= A @ change
        count = beyond(torque, limit, over)


@njit(cache=True)
def _moved_in_cone(force, change, friction):
    """Add change (3,) to a force (3,) and put it on its cone if it leaves it; change becomes what was really added."""
    n, a, b = max(force[0] + change[0], 0.0), force[1] + change[1], force[2] + change[2]
    size = np.sqrt(a * a + b * b)
    if size > friction * n:
        a, b = a * friction * n / size, b * friction * n / size
    change[0], change[1], change[2] = n - force[0], a - force[1], b - force[2]
    force[0], force[1], force[2] = n, a, b
