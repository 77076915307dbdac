"""Joint servos: equation (1), a spring and a damper between the quaternions of a joint.

Departures (`implicit`): the torque is that of the state one decision ahead (Tan, Liu & Turk 2011, "Stable
proportional-derivative controllers"), so that the paper's gains are stable on light links too (toes, hands of a
recorded skeleton). A point that touches the ground counts as held when the state ahead is predicted: it gets a large
mass, by which the inertia keeps the sparsity of the tree and is factored in a few microseconds.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.maths.configuration import BALL, FREE, quat_difference
from poise.methods.balance.momentum import _product

HELD = 1000.0  # [kg] of a point that touches


@njit(cache=True)
def joint_errors(kind, qadr, vadr, q, wanted, out):
    """out (nv,) = rotation vector (ball) or difference (hinge, slide) from q to wanted, zero on a free root.

    This is the axis and angle of q_d q_a⁻¹, in the frame of the link that moves.
    """
    for j in range(kind.shape[0]):
        a, d = qadr[j], vadr[j]
        if kind[j] == FREE:
            out[d : d + 6] = 0.0
        elif kind[j] == BALL:
            quat_difference(q[a : a + 4], wanted[a : a + 4], out[d : d + 3])
        else:
            out[d] = wanted[a] - q[a]


@njit(cache=True)
def hold(own, centre, table, ground, out):
    """out (bodies, 10) = spatial masses of the links, with a mass at every point that touches the ground.

    `table` (K, 18) are the touches; `ground` tells of each thing that may be touched whether it is ground.
    """
    out[:] = own
    for k in range(table.shape[0]):
        if not ground[int(table[k, 1])]:
            continue
        b = int(table[k, 0])
        x, y, z = table[k, 2] - centre[0], table[k, 3] - centre[1], table[k, 4] - centre[2]
        out[b, 0] += HELD * (y * y + z * z)
        out[b, 1] += HELD * (x * x + z * z)
        out[b, 2] += HELD * (x * x + y * y)
        out[b, 3] -= HELD * x * y
        out[b, 4] -= HELD * x * z
        out[b, 5] -= HELD * y * z
        out[b, 6] += HELD * x
        out[b, 7] += HELD * y
        out[b, 8] += HELD * z
        out[b, 9] += HELD


@njit(cache=True)
def inertia(twists, masses, above, moved, parent, diagonal, out):
    """out (nv, nv), lower half: joint-space inertia of links with spatial masses (bodies, 10), plus a diagonal (nv,).

    `above` (bodies,) are the parents of the links; the masses are summed towards the root on the way.
    """
    for b in range(masses.shape[0] - 1, 1, -1):
        masses[above[b]] += masses[b]
    part = np.empty(6)
    for i in range(twists.shape[0]):
        _product(masses[moved[i]], twists[i], part)
        j = i
        while j >= 0:
            total = 0.0
            for n in range(6):
                total += twists[j, n] * part[n]
            out[i, j] = total
            j = parent[j]
        out[i, i] += diagonal[i]


@njit(cache=True)
def solve_tree(matrix, parent, x):
    """Solve matrix x' = x in place, for a symmetric matrix with the sparsity of a tree (Featherstone's LᵀDL)."""
    n = matrix.shape[0]
    for k in range(n - 1, -1, -1):
        i = parent[k]
        while i >= 0:
            a = matrix[k, i] / matrix[k, k]
            j = i
            while j >= 0:
                matrix[i, j] -= a * matrix[k, j]
                j = parent[j]
            matrix[k, i] = a
            i = parent[i]
    for i in range(n - 1, -1, -1):
        j = parent[i]
        while j >= 0:
            x[j] -= matrix[i, j] * x[i]
            j = parent[j]
    for i in range(n):
        x[i] /= matrix[i, i]
        j = parent[i]
        while j >= 0:
            x[i] -= matrix[i, j] * x[j]
            j = parent[j]
