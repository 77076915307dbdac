"""Jacobians and motion of points and bodies, for kernels: sums of motion axes along the chain to a body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array


class Motion(NamedTuple):
    """How a world point that is fixed in a body moves, and its body turns; filled by `motion`."""

    velocity: Array  # (3,) [m/s]
    bias: Array  # (3,) [m/s²] J' v: its acceleration without joint accelerations
    spin: Array  # (3,) [rad/s]
    spin_bias: Array  # (3,) [rad/s²]


@njit(cache=True, inline="always")
def _carried(axis, x, y, z):
    """Velocity of a point (x, y, z) from the centre of mass that moves with an axis (6,): u + w × r."""
    return (axis[3] + axis[1] * z - axis[2] * y, axis[4] + axis[2] * x - axis[0] * z,
            axis[5] + axis[0] * y - axis[1] * x)  # fmt: skip


@njit(cache=True)
def jacobian(pose, body, point, linear, angular):
    """linear (3, nv) = J, with J v the velocity of a world point (3,) fixed in a body; angular (3, nv) = J_ω, with
    J_ω v the body's angular velocity.

    For the axis (w_d, u_d) of degree of freedom d and the point at r from the centre of mass, column d is u_d + w_d × r
    and w_d; zero where d does not move the body.
    """
    centre = pose.centre_of_mass
    x, y, z = point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]
    for d in range(pose.axes.shape[0]):
        if pose.chain[body, d]:
            a = pose.axes[d]
            linear[0, d], linear[1, d], linear[2, d] = _carried(a, x, y, z)
            angular[0, d], angular[1, d], angular[2, d] = a[0], a[1], a[2]
        else:
            for i in range(3):
                linear[i, d] = 0.0
                angular[i, d] = 0.0


@njit(cache=True)
def point_jacobian(pose, body, point, frame, out):
    """out (3, nv) = F J: the Jacobian of a world point (3,) fixed in a body, along the rows of `frame` F (3, 3)."""
    r = point - pose.centre_of_mass
    for d in range(out.shape[1]):
        if not pose.chain[body, d]:
            out[0, d], out[1, d], out[2, d] = 0.0, 0.0, 0.0
            continue
        x, y, z = _carried(pose.axes[d], r[0], r[1], r[2])
        for i in range(3):
            out[i, d] = frame[i, 0] * x + frame[i, 1] * y + frame[i, 2] * z


@njit(cache=True)
def turning_jacobian(pose, body, out):
    """out (3, nv) = J_ω, with J_ω v the angular velocity of a body."""
    for d in range(out.shape[1]):
        for i in range(3):
            out[i, d] = pose.axes[d, i] if pose.chain[body, d] else 0.0


@njit(cache=True)
def motion(terms, body, point, out):
    """Fill a `Motion` for a world point (3,) fixed in a body: J v, J' v, J_ω v and J_ω' v.

    With the spatial acceleration (w', u') = Σ_d axis_rate_d v_d of the body, J' v = u' + w' × r + w × (J v): a spatial
    acceleration is that of the material point now at the origin; the point itself also turns.
    """
    twist, centre = terms.velocities[body], terms.centre_of_mass
    velocity, bias, w, dw = out
    ux, uy, uz = 0.0, 0.0, 0.0
    dw[:] = 0.0
    for d in range(terms.axes.shape[0]):
        if terms.chain[body, d]:
            rate, speed = terms.axis_rates[d], terms.v[d]
            for i in range(3):
                dw[i] += rate[i] * speed
            ux += rate[3] * speed
            uy += rate[4] * speed
            uz += rate[5] * speed
    x, y, z = point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]
    w[0], w[1], w[2] = twist[0], twist[1], twist[2]
    velocity[0], velocity[1], velocity[2] = _carried(twist, x, y, z)
    bias[0] = ux + dw[1] * z - dw[2] * y + w[1] * velocity[2] - w[2] * velocity[1]
    bias[1] = uy + dw[2] * x - dw[0] * z + w[2] * velocity[0] - w[0] * velocity[2]
    bias[2] = uz + dw[0] * y - dw[1] * x + w[0] * velocity[1] - w[1] * velocity[0]


@njit(cache=True)
def no_motion():
    """Room for `motion`."""
    return Motion(np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3))
