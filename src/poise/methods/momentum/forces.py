"""Contact forces that are really there: the corrections (30) and (32), and the document's search for a step length.

Section 4.5.3. The feedback force belongs to the contacts at t_c, the body stands on those at t_d: forces F̂ of these are
found that do the same to the momenta,

    min over F̂ in their cones   |Ṗ(F̂) - Ṗ(F̄)|² + |L̇(F̂) - L̇(F̄)|² / arm².                              (30)

Departures: the printed (30) adds N² and (N m)², which is arm = 1 m. Cones are round. (32) keeps F in its cone, which
the printed one leaves out, and is solved as a least squares problem instead of by SQP.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.solve.cones import ConeSolution, cone_least_squares

_WEIGHT = 1e-4  # on |F̂|², relative to rows in N: corners share alike what no row tells apart


@njit(cache=True)
def wrench_matrix(corners, about, normals):
    """A (6, 3K), force and moment about a point of forces (normal, tangent, tangent), and frames (K, 3, 3) of rows."""
    count = len(corners)
    A, frames = np.zeros((6, 3 * count)), np.empty((count, 3, 3))
    for k in range(count):
        n, axis = normals[k], 1 if abs(normals[k, 0]) > 0.9 else 0
        for i in range(3):
            frames[k, 0, i] = n[i]
            frames[k, 1, i] = (1.0 if i == axis else 0.0) - n[axis] * n[i]
        frames[k, 1] /= np.sqrt((frames[k, 1] ** 2).sum())
        _cross(n, frames[k, 1], frames[k, 2])
        r, turned = corners[k] - about, np.empty(3)
        for j in range(3):
            _cross(r, frames[k, j], turned)
            for i in range(3):
                A[i, 3 * k + j], A[3 + i, 3 * k + j] = frames[k, j, i], turned[i]
    return A, frames


@njit(cache=True)
def _cross(a, b, out):
    """out (3,) = a × b."""
    out[0], out[1], out[2] = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(cache=True)
def moment_of(places, forces, about):
    """The moment (3,) [N m] about a point (3,) of forces (K, 3) [N] at places (K, 3) [m]."""
    out, one = np.zeros(3), np.empty(3)
    for k in range(len(forces)):
        _cross(places[k] - about, forces[k], one)
        out += one
    return out


def matched(A: Array, wrench: Array, friction: float, arm: float, level: float = 1.0) -> ConeSolution:
    """(30): the forces nearest in effect to `wrench` (6,), force [N] and moment [N m].

    `level` is a factor on the vertical force: or a body that must turn jumps to do so.
    """
    scale = np.array([1.0, 1.0, level, 1.0 / arm, 1.0 / arm, 1.0 / arm])
    return cone_least_squares(scale[:, None] * A, scale * wrench, np.full(A.shape[1] // 3, friction), _WEIGHT)


def yielding(A: Array, given: Array, stiffness: Array, lack: Array, friction: float, price: float) -> ConeSolution:
    """(32): forces that trade what they change of F̂ for what they spare the pose.

        min over F in their cones   ½ |A F - lack|²_S + ½ w3 |F - F̂|²

    `A` (6, 3K): change of the momenta per force over the step [kg m/s per N]; `given` (3K,) F̂; `stiffness` (6, 6) S of
    the pose; `lack` (6,): the pose's best momenta less those without any contact force; `price` w3.
    """
    root = np.linalg.cholesky(stiffness + 1e-12 * np.trace(stiffness) * np.eye(6)).T
    return cone_least_squares(root @ A, root @ lack, np.full(A.shape[1] // 3, friction), price, centre=given)


def step_length(forces: Array, change: Array, faces: Array) -> float:
    """The largest λ <= 1 that keeps F* + λ δF (K, 3) in its pyramids with these inward faces (4, 3); appendix A.

    Departures: none; one corner near lift-off switches the feedback of all others off, which is why our own form leaves
    the cones to (30).
    """
    room, way = forces @ faces.T, change @ faces.T
    shrinks = way < -1e-9
    return float(min(1.0, np.min(np.maximum(room[shrinks], 0.0) / -way[shrinks], initial=1.0)))
