"""The root under a push, (12), and its way back.

    q̇_r^{t+1} = q̇_r^t + Δt M_rr⁻¹ J_rᵀ f

M_rr (6, 6) is the inertia of the whole body seen from its root. The velocity is that beside the reference's: a walking
body goes on walking. The root is solved first, for its acceleration moves the upper body.

Departures: the document divides J_rᵀ f by the mass, which is right for a force and wrong for a moment. What (12) gives
never goes away, and the root drifts off; the departure `return` leads it back like a critically damped spring,
d'' = -ω² d - 2 ω d'.
"""

from __future__ import annotations

from poise.kernels import njit
from poise.solve.dense import solve_one


@njit(cache=True)
def pushed_root(mass_matrix, loads, off, speed, rate, h, out):
    """out (6,): the root's velocity beside the reference's after a step.

    off, speed (6,): place and velocity beside the reference; loads (nv,) = Jᵀ f; rate [1/s] = ω, 0: it never returns.
    """
    M, change = mass_matrix[:6, :6].copy(), loads[:6].copy()
    solve_one(M, change)
    soft = 1.0 / (1.0 + 2.0 * h * rate + h * h * rate * rate)  # implicit in time: never unstable
    for i in range(6):
        out[i] = (speed[i] + h * change[i] - h * rate * rate * off[i]) * soft
