"""Joint actuation of the internal modes: plans for the low ones (17)-(21), exact tracking of the high ones (22).

Each low mode is planned by itself: the impulses I_k of all steps of the window that bring it nearest to the reference's
position and velocity at the end, with least effort,

    min  w4 (c + Σ a_k I_k - p)² + w5 (c' + Σ a'_k I_k - p')² + w6 Σ I_k²,

which two multipliers solve. Only the first impulse is applied, then all is planned anew.

Departures: (21) in the printed text compares with the unforced state; the reference is meant.
"""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def contact_impulses(JP, f, usual, n, dt, touching, standing, group, friction, out, pulled):
    """Fill out (K, nv) with the modal impulses Z_k f_k of the planned forces in the first K of n steps of the window.

    pulled (G, nv): those of grips (negative friction (P,)) alone, less the usual forces (V, 3), in the first G steps.
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
                if k < len(pulled) and friction[i] < 0.0:
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
def within_limits(M, shapes, step, imp, actuation, spring, limit, dt, push):
    """Cut actuation (nv,) in place, so that the mean joint torques of the planned step stay within limit (nv,) [N m].

    imp (nv,): modal velocities at once after all impulses of the plan; spring (nv,) [N m]: torque of the springs at the
    beginning of the step. Gives how many joints were cut. push (nv,) is working memory.
    """
    nv = len(imp)
    for i in range(nv):
        push[i] = (actuation[i] + (step[i, 3] - 1.0) * imp[i]) / dt if i >= 6 else 0.0
    torque = M @ (shapes @ push) + spring
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
