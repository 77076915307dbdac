"""Momentum of the whole body, for kernels: its matrix, its bias, and the motion of the centre of mass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array

MASS = 9  # the column of a spatial inertia (10,) that holds the mass, see `apply_inertia`


class WholeBody(NamedTuple):
    """How the body moves as a whole; filled by `whole_body`."""

    place: Array  # (3,) [m] centre of mass
    velocity: Array  # (3,) [m/s]
    acceleration: Array  # (3,) [m/s²]
    spin: Array  # (3,) [kg m²/s] angular momentum about it
    torque: Array  # (3,) [N m] its rate


def no_whole_body() -> WholeBody:
    """Room for `whole_body`."""
    return WholeBody(*np.zeros((5, 3)))


@njit(cache=True, inline="always")
def apply_inertia(inertia, twist, out):
    """out (6,) = I x: spatial momentum, angular first, of a spatial inertia (10,) that moves with a twist (6,).

    MuJoCo's packing: xx, yy, zz, xy, xz, yz of the rotational inertia, the first moment of mass (3,), and the mass.
    """
    m, x = inertia, twist
    out[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2] - m[8] * x[4] + m[7] * x[5]
    out[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2] + m[8] * x[3] - m[6] * x[5]
    out[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2] - m[7] * x[3] + m[6] * x[4]
    out[3] = m[8] * x[1] - m[7] * x[2] + m[9] * x[3]
    out[4] = m[6] * x[2] - m[8] * x[0] + m[9] * x[4]
    out[5] = m[7] * x[0] - m[6] * x[1] + m[9] * x[5]


@njit(cache=True)
def momentum_matrix(terms, out):
    """out (6, nv) = A, with A v the linear momentum and the angular momentum about the centre of mass.

    Column d is the inertia of all that degree of freedom d moves, times its axis.
    """
    part = np.empty(6)
    for d in range(out.shape[1]):
        apply_inertia(terms.subtree_inertias[terms.moved[d]], terms.axes[d], part)
        for i in range(3):
            out[i, d], out[3 + i, d] = part[3 + i], part[i]


@njit(cache=True)
def centre_jacobian(terms, out):
    """out (3, nv) = J_c, with J_c v the velocity of the centre of mass: the linear rows of A over the mass."""
    part = np.empty(6)
    for d in range(out.shape[1]):
        apply_inertia(terms.subtree_inertias[terms.moved[d]], terms.axes[d], part)
        for i in range(3):
            out[i, d] = part[3 + i] / terms.mass


@njit(cache=True)
def momentum(terms, out):
    """out (6,) = A v: linear momentum and angular momentum about the centre of mass, the sum over all bodies."""
    part = np.empty(6)
    out[:] = 0.0
    for b in range(1, terms.link_inertias.shape[0]):
        apply_inertia(terms.link_inertias[b], terms.velocities[b], part)
        for i in range(3):
            out[i] += part[3 + i]
            out[3 + i] += part[i]


@njit(cache=True)
def momentum_bias(terms, out):
    """out (6,) = A' v: the rate of momentum that is there without joint accelerations, gravity left out.

    The root's rows of h are that rate about the root, in the root's axes, less the weight; see `whole_body`.
    """
    force, weight = out[:3], terms.mass * terms.gravity
    for i in range(3):
        force[i] = terms.bias[i]
    _about_centre(terms, force, terms.bias[3:6], out[3:])
    for i in range(3):
        force[i] += weight[i]


@njit(cache=True)
def root_momentum(M, v, out):
    """out (6,) = the root's rows of M v: linear momentum, and angular momentum about the root in the root's axes."""
    for i in range(6):
        out[i] = 0.0
        for d in range(v.shape[0]):
            out[i] += M[i, d] * v[d]


@njit(cache=True)
def _about_centre(terms, linear, angular, out):
    """out (3,) = R angular + (x - c) × linear: a root's row pair moved to the centre of mass c, world axes."""
    R, x, c = terms.rotations[terms.root], terms.positions[terms.root], terms.centre_of_mass
    for i in range(3):
        out[i] = 0.0
        for j in range(3):
            out[i] += R[i, j] * angular[j]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += (x[j] - c[j]) * linear[k] - (x[k] - c[k]) * linear[j]


@njit(cache=True)
def whole_body(terms, a, out):
    """Fill a `WholeBody`: motion of the centre of mass and angular momentum about it, under accelerations a (nv,).

    The root's rows of M v are the momentum of the whole body, and those of M a + h its rate less the weight.
    """
    now, rate, weight = np.empty(6), np.empty(6), terms.mass * terms.gravity
    root_momentum(terms.mass_matrix, terms.v, now)
    root_momentum(terms.mass_matrix, a, rate)
    _about_centre(terms, now[:3], now[3:], out.spin)
    for i in range(3):
        rate[i] += terms.bias[i] + weight[i]
        out.place[i], out.velocity[i], out.acceleration[i] = (
            terms.centre_of_mass[i],
            now[i] / terms.mass,
            rate[i] / terms.mass,
        )
        rate[i] -= weight[i]
        rate[3 + i] += terms.bias[3 + i]
    _about_centre(terms, rate[:3], rate[3:], out.torque)
