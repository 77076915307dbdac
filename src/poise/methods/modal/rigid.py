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

from poise.kernels import njit
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
def _forces(z, slack, weight, friction, usual, count, alpha, beta, G, y, f, g, bend):
    """The dual's negative at y (12,); fills the forces f (V, 3), the gradient g (12,) and bend (V, 4).

    bend tells how a force changes with its argument, for `_hessian`: 3 as the argument does (a grip, or within the
    cone), 0 not at all, 2 on the cone, with the direction (2,) of its tangent and what a turn of it changes.
    """
    value = 0.0
    for r in range(12):
        value += 0.5 * slack[r] * y[r] * y[r] - z[r] * y[r]
        g[r] = slack[r] * y[r] - z[r]
    for v in range(count):
        a, b, w, mu, B = alpha[v], beta[v], weight[v], friction[v], G[v]
        n, s, t = 0.0, 0.0, 0.0
        for j in range(6):
            u = a * y[j] + b * y[6 + j]
            n -= B[j, 0] * u
            s -= B[j, 1] * u
            t -= B[j, 2] * u
        n, s, t = usual[v, 0] + n / w, usual[v, 1] + s / w, usual[v, 2] + t / w
        size = np.sqrt(s * s + t * t)
        if mu < 0.0 or size <= mu * n:
            bend[v, 0] = 3.0
        elif mu * size <= -n:
            bend[v, 0] = 0.0
            f[v, 0], f[v, 1], f[v, 2] = 0.0, 0.0, 0.0
            continue
        else:
            s, t = s / size, t / size
            n = (n + mu * size) / (1.0 + mu * mu)
            bend[v, 0], bend[v, 1], bend[v, 2], bend[v, 3] = 2.0, s, t, mu * n / size
            s, t = mu * n * s, mu * n * t
        f[v, 0], f[v, 1], f[v, 2] = n, s, t
        value += 0.5 * w * (n * n + s * s + t * t)
        for j in range(6):
            x = B[j, 0] * n + B[j, 1] * s + B[j, 2] * t
            g[j] -= a * x
            g[6 + j] -= b * x
    return value


@njit(cache=True, error_model="numpy")
def _hessian(slack, weight, friction, count, alpha, beta, G, bend, S, H):
    """Fill H (12, 12), the Hessian of the dual's negative where `_forces` was asked last; S (3V, 12) is memory.

    A projection changes along its own argument within the cone, along the cone's edge and across it on the cone: one
    row of S for each such direction, and H = diag(slack) + SᵀS.
    """
    m = 0
    for v in range(count):
        if bend[v, 0] == 0.0:
            continue
        B, light = G[v], 1.0 / np.sqrt(weight[v])
        a, b = light * alpha[v], light * beta[v]
        if bend[v, 0] == 3.0:
            for c in range(3):
                for j in range(6):
                    S[m, j], S[m, 6 + j] = a * B[j, c], b * B[j, c]
                m += 1
            continue
        mu, x, y = friction[v], bend[v, 1], bend[v, 2]
        along, across = 1.0 / np.sqrt(1.0 + mu * mu), np.sqrt(bend[v, 3])
        for j in range(6):
            p = along * (B[j, 0] + mu * (x * B[j, 1] + y * B[j, 2]))
            q = across * (x * B[j, 2] - y * B[j, 1])
            S[m, j], S[m, 6 + j] = a * p, b * p
            S[m + 1, j], S[m + 1, 6 + j] = a * q, b * q
        m += 2
    H[:] = S[:m].T @ S[:m]
    for r in range(12):
        H[r, r] += slack[r]


@njit(cache=True)
def plan_forces(z, slack, weight, friction, usual, count, alpha, beta, G, y, f, most=60):
    """Fill f (V, 3) with the planned forces and y (12,) with the dual, which is also the start.

    z (12,) is the unforced end of the window less the wanted one, slack (12,) the inverse weights W⁻¹, weight (V,) and
    friction (V,) those of each force (negative friction: a grip), usual (V, 3) what it is measured from.
    Gives the number of steps and the largest |gradient|.
    """
    g, d, H = np.empty(12), np.empty(12), np.empty((12, 12))
    bend, S = np.empty((count, 4)), np.empty((3 * count, 12))
    trial = y.copy()
    size = 1.0
    for r in range(12):
        size = max(size, 1.0 + abs(z[r]))
    value = _forces(z, slack, weight, friction, usual, count, alpha, beta, G, y, f, g, bend)
    for step in range(most):
        error = _largest(g)
        if error <= 1e-10 * size:  # so it is at once, mostly, with the dual of the step before
            return step, error
        d[:] = g
        _hessian(slack, weight, friction, count, alpha, beta, G, bend, S, H)
        solve_one(H, d)
        slope = 0.0
        for r in range(12):
            slope -= d[r] * g[r]
        length = 1.0
        while True:
            for r in range(12):
                trial[r] = y[r] - length * d[r]
            new = _forces(z, slack, weight, friction, usual, count, alpha, beta, G, trial, f, g, bend)
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
