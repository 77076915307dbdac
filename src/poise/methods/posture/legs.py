"""Legs whose feet stay where they stand while the root moves: section 3.5, by inverse kinematics.

A foot that stands keeps its place beside the reference's; one that swings goes along with the root, and stands where
it comes down. The document's "simple inverse kinematics" is a few damped Gauss-Newton steps on the joints of each leg,
from the reference's own leg, so that knees keep bending their own way.

Departures: with the departure `reach` the root is lowered where a leg that stands would be too short.
"""

from __future__ import annotations

import math

import numpy as np

from poise.dynamics.compiled import jacobian, place_pose
from poise.kernels import njit
from poise.maths.configuration import integrate_rows, quat_difference
from poise.solve.dense import damped

STEPS = 12  # at most
_CLOSE = 1e-7  # [m, rad]
_DAMPING, _MOST = 1e-6, 0.3  # [m²] and [rad] of one step
_TURN = 0.1  # [m] that one rad of a foot's turn counts
FULL = 0.9995  # share of its length to which a leg may be stretched, or as far as the reference's
FOLLOWS = 12.0  # [1/s] at which a swinging foot goes along with the root


@njit(cache=True)
def plant(terms, kind, qadr, vadr, legs, feet, places, turns, q):
    """Change the legs of q (nq,) in place so that feet (F,) are at places (F, 3) and turned as quaternions (F, 4).

    legs (F, nv) marks the joints of each; the terms are used for it. Gives the largest distance [m] that is left.
    """
    nv, worst = legs.shape[1], 0.0
    linear, angular = np.empty((3, nv)), np.empty((3, nv))
    J, miss, lean = np.zeros((6, nv)), np.empty(6), np.empty(3)
    step, new = np.zeros((1, nv)), np.empty((1, len(q)))
    for _ in range(STEPS):
        place_pose(terms, q)
        step[:] = 0.0
        far, worst = 0.0, 0.0
        for f in range(len(feet)):
            foot = feet[f]
            quat_difference(terms.quaternions[foot], turns[f], lean)
            away = 0.0
            for i in range(3):
                miss[i] = places[f, i] - terms.positions[foot, i]
                away += miss[i] * miss[i]
                miss[3 + i] = 0.0
                for j in range(3):
                    miss[3 + i] += _TURN * terms.rotations[foot, i, j] * lean[j]
            worst = max(worst, np.sqrt(away))
            far = max(far, np.abs(miss).max())
            jacobian(terms, foot, terms.positions[foot], linear, angular)
            for d in range(nv):
                for i in range(3):
                    J[i, d] = linear[i, d] if legs[f, d] else 0.0
                    J[3 + i, d] = _TURN * angular[i, d] if legs[f, d] else 0.0
            y = damped(J, miss.copy(), _DAMPING)
            for d in range(nv):
                if legs[f, d]:
                    for i in range(6):
                        step[0, d] += J[i, d] * y[i]
        if far < _CLOSE:
            break
        for d in range(nv):
            step[0, d] = min(max(step[0, d], -_MOST), _MOST)
        integrate_rows(kind, qadr, vadr, q.reshape((1, -1)), step, new)
        q[:] = new[0]
    return worst


def lowered(hip: np.ndarray, ankle: np.ndarray, length: float) -> float:
    """How much [m] a hip (3,) must go down for a leg of this length [m] to reach an ankle (3,)."""
    x, y, z = (hip - ankle).tolist()
    level = x * x + y * y
    if level + z * z <= length * length:
        return 0.0
    return z - math.sqrt(max(length * length - level, 0.25 * length * length))
