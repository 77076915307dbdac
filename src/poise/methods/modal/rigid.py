"""The contact-force plan of the rigid modes: equations (12)-(16) of Jain & Liu 2011.

Six rigid modes, driven by contact forces alone, shall reach the reference's position and velocity at the end of the
window. With z the twelve numbers (positions, velocities) that the window ends with, unforced, less those wanted,

    min over f  ½ |z + B f|²_W + ½ Σ w |f_v - g_v|²,   every f_v in its friction cone (a grip's force is free),

where g are the forces that effort is measured from: none in the paper, those of the reference here.

Twelve rows and hundreds of forces: the dual has twelve unknowns y and is solved by a semismooth Newton method, with
f_v = P(g_v - B_vᵀ y / w), exact round cones and about five steps.

Departures: round cones instead of hexagons. (14), (16) compare with the unforced state in the printed text, whose
optimum is no force at all; the reference's state is meant. The paper's weight 0.1 per N² on forces yields none in SI
units; here it is relative to dt²/mass. Effort is measured from the reference's own forces, unless `feedforward` is
off: with the paper's plan, which would rather push nowhere, an undisturbed walk sags by a centimetre. Lever arms go
from where the centre of mass will be to the feet that stand, or to where the reference will set them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from poise.solve.dense import solve_one


@njit(cache=True)
def force_columns(touching, standing, arms, frames, usual, spin, mass, dt, group, point, alpha, beta, G, out):
    """The columns of B, one group of three for each planned force; gives how many.

    touching (n, P): which points may push at each step of the window. standing (n, P): those that have not left since
    now, whose arms are constant. arms (n, P, 3) [m] from the centre of mass; frames (n, P, 3, 3), rows normal, tangent,
    tangent; usual (n, P, 3) [N] the reference's forces in them, of which out (V, 3) gets the means. `group` steps in a
    row share one force. A force v of contact `point[v]` moves the modes by
    [alpha[v] G[v]; beta[v] G[v]]. beta[v] / dt is the number of steps that it lasts.
    """
    n, points = touching.shape
    count = 0
    light = 1.0 / np.sqrt(mass)
    arm = np.empty(3)
    for i in range(points):
        k = 0
        while k < n:
            if not touching[k, i]:
                k += 1
                continue
            first = k
            reach = 0.0
            arm[:] = 0.0
            out[count] = 0.0
            while k < n and touching[k, i] and k - first < group and standing[k, i] == standing[first, i]:
                reach += (n - k) * dt
                for c in range(3):
                    arm[c] += arms[k, i, c]
                    out[count, c] += usual[k, i, c]
                k += 1
            steps = k - first
            for c in range(3):
                arm[c] /= steps
                out[count, c] /= steps
            point[count] = i
            alpha[count] = reach * dt
            beta[count] = steps * dt
            for c in range(3):
                x, y, z = frames[first, i, c, 0], frames[first, i, c, 1], frames[first, i, c, 2]
                u, v, w = arm[1] * z - arm[2] * y, arm[2] * x - arm[0] * z, arm[0] * y - arm[1] * x
                G[count, 0, c], G[count, 1, c], G[count, 2, c] = light * x, light * y, light * z
                for r in range(3):
                    G[count, 3 + r, c] = spin[r, 0] * u + spin[r, 1] * v + spin[r, 2] * w
            count += 1
    return count


@njit(cache=True, error_model="numpy")
def _force(G, u, weight, friction, usual, f, D):
    """f = P(usual - Gᵀ u / weight) of one force and the derivative D (3, 3) of the projection there."""
    n, a, b = 0.0, 0.0, 0.0
    for j in range(6):
        n -= G[j, 0] * u[j]
        a -= G[j, 1] * u[j]
        b -= G[j, 2] * u[j]
    n, a, b = usual[0] + n / weight, usual[1] + a / weight, usual[2] + b / weight
    s = np.sqrt(a * a + b * b)
    D[:] = 0.0
    if friction < 0.0 or s <= friction * n:
        f[0], f[1], f[2] = n, a, b
        D[0, 0], D[1, 1], D[2, 2] = 1.0, 1.0, 1.0
    elif friction * s <= -n:
        f[0], f[1], f[2] = 0.0, 0.0, 0.0
    else:
        share = 1.0 / (1.0 + friction * friction)
        x, y = a / s, b / s
        size = (n + friction * s) * share
        f[0], f[1], f[2] = size, friction * size * x, friction * size * y
        across = friction * size / s
        D[0, 0] = share
        D[0, 1], D[0, 2] = share * friction * x, share * friction * y
        D[1, 0], D[2, 0] = D[0, 1], D[0, 2]
        along = share * friction * friction - across
        D[1, 1], D[2, 2] = along * x * x + across, along * y * y + across
        D[1, 2] = along * x * y
        D[2, 1] = D[1, 2]


@njit(cache=True, error_model="numpy")
def _dual(z, slack, weight, friction, usual, count, alpha, beta, G, y, f, g, H, bend):
    """The dual's negative at y (12,); fills forces f (V, 3), gradient g (12,) and, with `bend`, Hessian H (12, 12)."""
    value = 0.0
    for r in range(12):
        value += 0.5 * slack[r] * y[r] * y[r] - z[r] * y[r]
        g[r] = slack[r] * y[r] - z[r]
        for c in range(12):
            H[r, c] = slack[r] if r == c and bend else 0.0
    u, push, D, GD = np.empty(6), np.empty(3), np.empty((3, 3)), np.empty((6, 3))
    for v in range(count):
        a, b = alpha[v], beta[v]
        for j in range(6):
            u[j] = a * y[j] + b * y[6 + j]
        w = weight[v]
        _force(G[v], u, w, friction[v], usual[v], push, D)
        if push[0] == 0.0 and push[1] == 0.0 and push[2] == 0.0:
            f[v, 0], f[v, 1], f[v, 2] = 0.0, 0.0, 0.0
            continue
        for c in range(3):
            f[v, c] = push[c]
            value += 0.5 * w * push[c] * push[c]
        for j in range(6):
            x = G[v, j, 0] * push[0] + G[v, j, 1] * push[1] + G[v, j, 2] * push[2]
            g[j] -= a * x
            g[6 + j] -= b * x
        if not bend:
            continue
        for j in range(6):
            for c in range(3):
                GD[j, c] = (G[v, j, 0] * D[0, c] + G[v, j, 1] * D[1, c] + G[v, j, 2] * D[2, c]) / w
        aa, ab, bb = a * a, a * b, b * b
        for j in range(6):
            for k in range(j + 1):
                x = GD[j, 0] * G[v, k, 0] + GD[j, 1] * G[v, k, 1] + GD[j, 2] * G[v, k, 2]
                H[j, k] += aa * x
                H[6 + j, k] += ab * x
                H[6 + j, 6 + k] += bb * x
    if bend:  # the rest by symmetry; the lower left block is symmetric by itself
        for j in range(6):
            for k in range(j):
                H[k, j], H[6 + k, 6 + j], H[6 + k, j] = H[j, k], H[6 + j, 6 + k], H[6 + j, k]
        for j in range(6):
            for k in range(6):
                H[j, 6 + k] = H[6 + k, j]
    return value


@njit(cache=True)
def plan_forces(z, slack, weight, friction, usual, count, alpha, beta, G, y, f, most=60):
    """Fill f (V, 3) with the planned forces and y (12,) with the dual, which is also the start.

    z (12,) is the unforced end of the window less the wanted one, slack (12,) the inverse weights W⁻¹, weight (V,) and
    friction (V,) those of each force (negative friction: a grip), usual (V, 3) what it is measured from.
    Gives the number of steps and the largest |gradient|.
    """
    g, d, H = np.empty(12), np.empty(12), np.empty((12, 12))
    trial = y.copy()
    size = 1.0
    for r in range(12):
        size = max(size, 1.0 + abs(z[r]))
    value = _dual(z, slack, weight, friction, usual, count, alpha, beta, G, y, f, g, H, False)
    for step in range(most):
        error = _largest(g)
        if error <= 1e-10 * size:  # so it is at once, mostly, with the dual of the step before
            return step, error
        _dual(z, slack, weight, friction, usual, count, alpha, beta, G, y, f, g, H, True)
        d[:] = g
        solve_one(H, d)
        slope = 0.0
        for r in range(12):
            slope -= d[r] * g[r]
        length = 1.0
        while True:
            for r in range(12):
                trial[r] = y[r] - length * d[r]
            new = _dual(z, slack, weight, friction, usual, count, alpha, beta, G, trial, f, g, H, False)
            if new <= value + 1e-4 * length * slope + 1e-13 * abs(value) or length < 1e-6:
                break
            length *= 0.5
        value = new
        for r in range(12):
            y[r] = trial[r]
    return most, _largest(g)


@njit(cache=True)
def _largest(g):
    worst = 0.0
    for r in range(len(g)):
        worst = max(worst, abs(g[r]))
    return worst
