"""The analytic update: how one mode moves by itself over a time step, whatever its damping.

Section 3.1 of Jain & Liu 2011. A mass-normalised mode obeys p'' + d p' + w² p = b + f(t). Without forces its state goes
from (p, p') to

    p(t)  = c11 p + c12 p',    p'(t) = c21 p + c22 p'

and an impulse I adds I to p' at once, so c12 and c22 are also the responses A(t) and A'(t) to a unit impulse.

Departures: the printed equation (4) has the exponent xi w_d, which should be xi w, and its initial conditions leave out
b / k; the form here is right for under-, over- and critically damped modes and, with w = d = 0, for rigid ones, (6)
and (7).
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit


@njit(cache=True)
def transition(squares, damping, dt, out):
    """Fill out (N, 4) with c11, c12, c21, c22 of modes with squared frequencies and damping rates (N,) over dt [s]."""
    for i in range(len(squares)):
        half = 0.5 * damping[i]
        x = squares[i] - half * half  # the square of the damped frequency; negative: overdamped
        size = abs(x) * dt * dt
        if size < 1e-8:  # a rigid or critically damped mode, by its series
            c, s = 1.0 - 0.5 * x * dt * dt, dt * (1.0 - x * dt * dt / 6.0)
        elif x > 0.0:
            w = np.sqrt(x)
            c, s = np.cos(w * dt), np.sin(w * dt) / w
        else:
            w = np.sqrt(-x)
            c, s = np.cosh(w * dt), np.sinh(w * dt) / w
        decay = np.exp(-half * dt)
        out[i, 0] = decay * (c + half * s)
        out[i, 1] = decay * s
        out[i, 2] = -squares[i] * decay * s
        out[i, 3] = decay * (c - half * s)
