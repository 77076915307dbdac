"""The rail of a planar body: what keeps the paper's 2D character in the plane y = 0, with neither roll nor yaw.

The paper simulates a character whose joints all turn about one axis with a root that is free in space, and does not say
what keeps it from falling sideways. Here a force and a moment on the root do; they are assistance, recorded as such.
"""

from __future__ import annotations

import numpy as np

from poise.dynamics import Wrench
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.simulate.simulator import State

_STIFF = 60.0  # [1/s] of the force in the simulator
_WISHED = 40.0  # [1/s] of the accelerations that the program is told of


def _directions(q: Array, nv: int) -> Array:
    """Rows (3, nv): motion along y, turning about x and about z (world) of the root."""
    turn = rot.to_matrix(q[3:7])
    rows = np.zeros((3, nv))
    rows[0, 1] = 1.0
    rows[1, 3:6], rows[2, 3:6] = turn[0], turn[2]
    return rows


def _back(q: Array, v: Array, stiff: float) -> Array:
    """Accelerations (3,) along the three directions that lead back into the plane, critically damped."""
    turn = rot.to_matrix(q[3:7])
    spin = turn @ v[3:6]
    off = np.array([-q[1], -turn[2, 1], turn[0, 1]])  # turns the root's lateral axis back to y
    return stiff * (stiff * off - 2.0 * np.array([v[1], spin[0], spin[2]]))


def inertia(q: Array, M: Array) -> Array:
    """What (3, 3) the three directions weigh, with everything else free."""
    rows = _directions(q, len(M))
    return np.linalg.inv(rows @ np.linalg.solve(M, rows.T))


def wrench(state: State, weight: Array, root: int) -> Wrench:
    """The rail's force and moment on the root; `weight` is what `inertia` gives."""
    force, about_x, about_z = weight @ _back(state.q, state.v, _STIFF)
    return Wrench(root, state.q[:3].copy(), np.array([0.0, force, 0.0]), np.array([about_x, 0.0, about_z]))


def accelerations(q: Array, v: Array) -> Array:
    """Accelerations (6,) of the root that the program may count on; zero where the root is free."""
    along, about_x, about_z = _back(q, v, _WISHED)
    turn = rot.to_matrix(q[3:7])
    held = np.zeros(6)
    held[1] = along
    held[[3, 5]] = (turn.T @ np.array([about_x, 0.0, about_z]))[[0, 2]]
    return held
