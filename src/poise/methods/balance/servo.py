"""Joint servos: equation (1), a spring and a damper between the quaternions of a joint.

Departures (`implicit`): the torque is that of the state one decision ahead (Tan, Liu & Turk 2011, "Stable
proportional-derivative controllers"), so that the paper's gains are stable on light links too (toes, hands of a
recorded skeleton). A point that touches the ground counts as held when the state ahead is predicted: it gets a large
mass, by which the inertia keeps the sparsity of the tree and is factored in a few microseconds.
"""

from __future__ import annotations

import numpy as np

from poise.dynamics.compiled import apply_inertia
from poise.kernels import njit
from poise.maths.configuration import BALL, FREE, quat_difference
from poise.take.record import BODY, OTHER, POINT

HELD = 1000.0  # [kg] of a point that touches


@njit(cache=True)
def joint_errors(layout, q, wanted, out):
    """out (nv,) = rotation vector (ball) or difference (hinge, slide) from q to wanted, zero on a free root.

    This is the axis and angle of q_d q_a⁻¹, in the frame of the link that moves.
    """
    for j in range(layout.kind.shape[0]):
        a, d = layout.qadr[j], layout.vadr[j]
        if layout.kind[j] == FREE:
            out[d : d + 6] = 0.0
        elif layout.kind[j] == BALL:
            quat_difference(q[a : a + 4], wanted[a : a + 4], out[d : d + 3])
        else:
            out[d] = wanted[a] - q[a]


@njit(cache=True)
def hold(terms, table, ground, out):
    """out (bodies, 10) = spatial masses of the links, with a mass at every point that touches the ground.

    `table` (K, 18) are the touches, with the columns of `poise.take.CONTACT_COLUMNS`; `ground` tells of each thing
    that may be touched whether it is ground.
    """
    out[:] = terms.link_inertias
    centre = terms.centre_of_mass
    for k in range(table.shape[0]):
        if not ground[int(table[k, OTHER])]:
            continue
        b = int(table[k, BODY])
        row = table[k, POINT : POINT + 3]
        x, y, z = row[0] - centre[0], row[1] - centre[1], row[2] - centre[2]
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
def inertia(terms, masses, above, parent, diagonal, out):
    """out (nv, nv), lower half: joint-space inertia of links with spatial masses (bodies, 10), plus a diagonal (nv,).

    H_ij = x_jᵀ I_i x_i for every j on the way from i to the root. `above` (bodies,) are the parents of the links,
    `parent` (nv,) those of the degrees of freedom; the masses are summed towards the root on the way.
    """
    for b in range(masses.shape[0] - 1, 1, -1):
        masses[above[b]] += masses[b]
    part = np.empty(6)
    for i in range(terms.axes.shape[0]):
        apply_inertia(masses[terms.moved[i]], terms.axes[i], part)
        j = i
        while j >= 0:
            total = 0.0
            for n in range(6):
                total += terms.axes[j, n] * part[n]
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
