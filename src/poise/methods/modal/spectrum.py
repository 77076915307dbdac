"""Modes of the pose at hand and their three classes: rigid, low and high (sections 3 and 4 of Jain & Liu 2011).

The root meets no spring, so six modes are rigid: the shift of the centre of mass and the turn about it. The others are
those of the joints with the root's inertia eliminated (a Schur complement), a symmetric problem of the joints alone.
All are mass-normalised.

Departures: the paper switches from planned to tracked control at the threshold. Modes cross it all the time as the pose
changes, and a hard switch gives pops of kilonewtons; here control is blended over a band of squared frequencies.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.modal.eigen import eigen_from
from poise.solve.dense import solve_small

BAND = 1.6  # control is blended from threshold / BAND to threshold · BAND


def subtree_stiffness(character: Character) -> Array:
    """Stiffness (nv,) [N m/rad]: for each degree of freedom the mass [kg] that hangs on it; zero on the root."""
    model = character.model
    out = model.body_subtreemass[model.dof_bodyid].copy()
    out[:6] = 0.0
    return out


def check_stiffness(character: Character, stiffness: Array) -> Array:
    """The stiffness, if every joint has one: a joint without spring would be one more rigid mode."""
    if stiffness.shape != (character.model.nv,) or not np.all(np.isfinite(stiffness)):
        raise BadValue(
            f"{character.name} needs one finite stiffness for each of {character.model.nv} degrees of freedom."
        )
    loose = np.flatnonzero(stiffness[6:] <= 0.0) + 6
    if len(loose):
        joint = character.joint_names[character.model.dof_jntid[loose[0]]]
        raise BadValue(f"The joint {joint!r} of {character.name} has the stiffness {stiffness[loose[0]]:g}; the modes "
                       "need every joint on a spring, such as the mass of its subtree.")  # fmt: skip
    return stiffness


@njit(cache=True)
def skew(r):
    """Matrix of the cross product r ×."""
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


@njit(cache=True)
def find_modes(M, stiffness, R, place, centre, mass):
    """Shapes (nv, nv), squared frequencies (nv,) and the inverse root (3, 3) of the inertia about the centre of mass.

    M (nv, nv) at this pose, stiffness (nv,), R (3, 3) and place (3,) of the root, centre (3,) of mass [m], mass [kg].
    """
    return track_modes(M, stiffness, R, place, centre, mass, np.zeros((len(M) - 6, len(M) - 6)))


@njit(cache=True)
def track_modes(M, stiffness, R, place, centre, mass, known):
    """`find_modes`, from the eigenvectors known (n, n) of the step before, which become those of this one.

    Zeros: none are known. Found anew, modes come in the order of their frequencies; else in that of the step before.
    """
    nv = len(M)
    n = nv - 6
    root = np.ascontiguousarray(M[:6, :6])
    cross = np.ascontiguousarray(M[:6, 6:])
    carried = cross.copy()
    solve_small(root.copy(), carried)
    S = M[6:, 6:] - cross.T @ carried
    soft = 1.0 / np.sqrt(stiffness[6:])
    for i in range(n):
        for j in range(i + 1):
            S[i, j] = 0.5 * (S[i, j] + S[j, i]) * soft[i] * soft[j]
            S[j, i] = S[i, j]
    # of K^-1/2 S K^-1/2: the inverses of the squared frequencies
    inverse, fine = np.empty(n), False
    if known.any():
        inverse, fine = eigen_from(S, known)
    if not fine:
        inverse, found = np.linalg.eigh(S)
        inverse = inverse[::-1].copy()
        known[:] = found[:, ::-1]
    shapes, squares = np.zeros((nv, nv)), np.zeros(nv)
    for k in range(n):
        squares[6 + k] = 1.0 / inverse[k]
        scale = 1.0 / np.sqrt(inverse[k])
        for i in range(n):
            shapes[6 + i, 6 + k] = soft[i] * known[i, k] * scale
    shapes[:6, 6:] = -carried @ np.ascontiguousarray(shapes[6:, 6:])
    B = np.zeros((6, 6))  # root velocities of a shift and of a turn about the centre of mass
    for i in range(3):
        B[i, i] = 1.0
    B[:3, 3:] = -skew(place - centre)
    B[3:, 3:] = R.T
    inertia = np.ascontiguousarray((B.T @ (root @ B))[3:, 3:])
    values, Q = np.linalg.eigh(0.5 * (inertia + inertia.T))
    spin = (Q / np.sqrt(values)) @ Q.T
    T = np.zeros((6, 6))
    for i in range(3):
        T[i, i] = 1.0 / np.sqrt(mass)
    T[3:, 3:] = spin
    shapes[:6, :6] = B @ T
    return shapes, squares, spin


@njit(cache=True)
def tracked_share(squares, threshold, first, last, out, blended=True):
    """Fill out (nv,) with how much of each mode's control is exact tracking: 0 for low modes, 1 for high ones.

    Not `blended`: nothing in between, at the threshold. With last > 0 the modes first..last-1 are the low ones instead,
    whatever their frequency; with last < 0 those whose bits are set in `first`, the lowest bit for mode 6. Rigid modes
    get 0.
    """
    for i in range(len(squares)):
        if i < 6:
            out[i] = 0.0
        elif last > 0:
            out[i] = 0.0 if first <= i < last else 1.0
        elif last < 0:
            out[i] = 0.0 if (first >> (i - 6)) & 1 else 1.0
        else:
            x = 0.5 * (np.log(squares[i] / threshold) / np.log(BAND) + 1.0)
            x = min(1.0, max(0.0, x))
            out[i] = x * x * (3.0 - 2.0 * x)
            if not blended:
                out[i] = 0.0 if squares[i] < threshold else 1.0
