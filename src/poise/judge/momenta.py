"""Momentum of a motion about the world's origin, and what a finite time step adds to it.

A simulator that steps v' = v + h a(q, v), q' = q + h v' (semi-implicit Euler, MuJoCo's default) does not conserve the
momentum A(q) v exactly: the velocity products in its equations are those before the step. Exactly conserved by each
step is A(q - h v) v, the newest velocity on the configuration it was computed for, but for

    e = (A(q) v - A(q - h v) v) / h - A'(q, v) v

which is of order h and depends on the state alone. Both are taken from q and v here; nothing of the simulator is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.dynamics import Dynamics, Instant
from poise.maths import configuration as conf
from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class Momenta:
    """One row a frame."""

    momentum: Array  # (F, 6) linear [kg m/s], and angular about the world's origin [kg m²/s]
    centre: Array  # (F, 3) centre of mass [m]
    stepping: Array  # (F, 6) force [N] and moment about the origin [N m] that the time step makes: e above


def momenta(character: Character, q: Array, v: Array, step: float = 0.0) -> Momenta:
    """Momenta of states q (F, nq), v (F, nv) that were computed with time steps of `step` [s]; 0: exact ones."""
    dynamics = Dynamics(character)
    out, centre, made = np.empty((len(q), 6)), np.empty((len(q), 3)), np.zeros((len(q), 6))
    before = conf.integrate(character.layout, q, -step * v) if step > 0.0 else q
    for k in range(len(q)):
        now = dynamics.at(q[k], v[k])
        centre[k] = now.centre_of_mass
        out[k] = about_origin(now, now.momentum)
        if step > 0.0:
            made[k] = out[k] / step - about_origin(now, now.momentum_bias)
            then = dynamics.at(before[k], v[k])
            out[k] = about_origin(then, then.momentum)
            made[k] -= out[k] / step
    return Momenta(out, centre, made)


def about_origin(instant: Instant, wrench: Array) -> Array:
    """A wrench or momentum (6,) about the centre of mass, moved to the world's origin."""
    moved = wrench.copy()
    moved[3:] += np.cross(instant.centre_of_mass, wrench[:3])
    return moved


def about(point: Array, wrench: Array) -> Array:
    """Wrenches (..., 6) about the world's origin, moved to points (..., 3)."""
    return np.concatenate([wrench[..., :3], wrench[..., 3:] - np.cross(point, wrench[..., :3])], axis=-1)
