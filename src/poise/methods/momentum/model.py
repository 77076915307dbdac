"""The abstract model: centre of mass, momenta and the integral of angular momentum, moved by contact forces.

Section 4.3 of Ye 2012. The state x = (C, P, Φ, L) holds the centre of mass C [m], linear momentum P [kg m/s],
Φ = ∫ L dt [kg m²] and angular momentum L about C [kg m²/s]; the control F strings the forces of all corners [N]
together. Equation (19):

    C' = P / M,    P' = Σ F_i + M g,    Φ' = L,    L' = Σ (c_i - C) × F_i

A step is the midpoint rule, x + h f(x + h/2 f(x, F), F), whose derivatives are exact below. The cost is the integral of
equation (20), |F - F̄|² W1 + |L|² w^a + |(C, P, Φ) - ref|² w^t.

Departures: effort is measured from forces F̄ that the reference itself needs, not from nothing (departure `effort`);
the document's form has F̄ = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.solve.ddp import Expansion

STATE = 12
C, P, PHI, L = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)


@njit(cache=True)
def skew(v, out, scale):
    """out (3, 3) = scale [v]×."""
    x, y, z = scale * v[0], scale * v[1], scale * v[2]
    out[0, 0], out[0, 1], out[0, 2] = 0.0, -z, y
    out[1, 0], out[1, 1], out[1, 2] = z, 0.0, -x
    out[2, 0], out[2, 1], out[2, 2] = -y, x, 0.0


@njit(cache=True)
def rate(x, forces, corners, mass, gravity, out):
    """out (12,) = f(x, F), equation (19), for forces (K, 3) [N] at corners (K, 3) [m]."""
    for i in range(3):
        out[i], out[3 + i] = x[3 + i] / mass, mass * gravity[i]
        out[6 + i], out[9 + i] = x[9 + i], 0.0
    for k in range(len(forces)):
        rx, ry, rz = corners[k, 0] - x[0], corners[k, 1] - x[1], corners[k, 2] - x[2]
        fx, fy, fz = forces[k, 0], forces[k, 1], forces[k, 2]
        out[3] += fx
        out[4] += fy
        out[5] += fz
        out[9] += ry * fz - rz * fy
        out[10] += rz * fx - rx * fz
        out[11] += rx * fy - ry * fx


@njit(cache=True)
def midpoint(x, forces, corners, mass, gravity, h, out):
    """out (12,) = the state after h [s], by the midpoint rule."""
    half = np.empty(12)
    rate(x, forces, corners, mass, gravity, half)
    for i in range(12):
        half[i] = x[i] + 0.5 * h * half[i]
    rate(half, forces, corners, mass, gravity, out)
    for i in range(12):
        out[i] = x[i] + h * out[i]


@njit(cache=True)
def derivatives(x, forces, corners, mass, gravity, h, A, B):
    """A (12, 12) = ∂x'/∂x and B (12, 3K) = ∂x'/∂F of one midpoint step."""
    A[:], B[:] = np.eye(12), 0.0
    total, part = np.zeros(3), np.empty((3, 3))
    for k in range(len(forces)):
        total += forces[k]
    for i in range(3):
        A[i, 3 + i], A[6 + i, 9 + i] = h / mass, h
    skew(total, part, h)
    A[9:, :3] = part
    skew(total, part, 0.5 * h * h)
    A[6:9, :3] = part
    skew(total, part, 0.5 * h * h / mass)
    A[9:, 3:6] = part
    for k in range(len(forces)):
        j = 3 * k
        for i in range(3):
            B[i, j + i], B[3 + i, j + i] = 0.5 * h * h / mass, h
        skew(corners[k] - x[:3], part, 0.5 * h * h)
        B[6:9, j : j + 3] = part
        skew(corners[k] - x[:3] - 0.5 * h / mass * x[3:6], part, h)
        B[9:, j : j + 3] = part


@dataclass(frozen=True, eq=False)
class Weights:
    """Diagonals of the cost (20), per second."""

    force: float = 1.0  # W1 [1/N²]
    track: float = 500.0  # w^t of C [1/m²], P [s²/kg²m²] and Φ
    spin: float = 500.0  # w^a of L


@dataclass(frozen=True, eq=False)
class SegmentProblem:
    """The optimal control problem (20) of one segment, for `poise.solve.ddp`."""

    reference: Array  # (N + 1, 12)
    corners: Sequence[Array]  # N of (K, 3) [m]
    effort: Sequence[Array]  # N of (3K,) forces that effort is measured from [N]
    spin: Array  # (N + 1, 3) angular momentum that L is measured from
    mass: float
    gravity: Array  # (3,)
    h: float  # [s]
    friction: float
    weights: Weights

    @property
    def steps(self) -> int:
        """N."""
        return len(self.corners)

    def step(self, k: int, x: Array, u: Array) -> Array:
        """The state (12,) after step k."""
        out = np.empty(STATE)
        midpoint(x, u.reshape(-1, 3), self.corners[k], self.mass, self.gravity, self.h, out)
        return out

    def _errors(self, states: Array) -> tuple[Array, Array]:
        return states[:-1] - self.reference[:-1], states[:-1, L] - self.spin[:-1]

    def cost(self, states: Array, controls: Sequence[Array]) -> float:
        """The integral of (20)."""
        off, spin = self._errors(states)
        force = sum(float((u - e) @ (u - e)) for u, e in zip(controls, self.effort, strict=True))
        w = self.weights
        return self.h * (w.force * force + w.track * float((off[:, :9] ** 2).sum()) + w.spin * float((spin**2).sum()))

    def expand(self, states: Array, controls: Sequence[Array]) -> list[Expansion]:
        """All steps to second order."""
        (off, spin), w, out = self._errors(states), self.weights, []
        lxx = 2.0 * self.h * np.diag([w.track] * 9 + [w.spin] * 3)
        lx = 2.0 * self.h * np.hstack([w.track * off[:, :9], w.spin * spin])
        for k, u in enumerate(controls):
            m = len(u)
            A, B = np.empty((STATE, STATE)), np.empty((STATE, m))
            derivatives(states[k], u.reshape(-1, 3), self.corners[k], self.mass, self.gravity, self.h, A, B)
            lu = 2.0 * self.h * w.force * (u - self.effort[k])
            out.append(Expansion(A, B, lx[k], lu, lxx, 2.0 * self.h * w.force * np.eye(m), np.zeros((m, STATE))))
        return out

    def bend(self, k: int, x: Array, u: Array, costate: Array) -> Array:
        """∂²(costate·x')/∂F∂x (3K, 12): the same for every corner."""
        one, part, h = np.zeros((3, STATE)), np.empty((3, 3)), self.h
        skew(costate[L], part, -h)
        one[:, C] = part
        one[:, P] = 0.5 * h / self.mass * part
        skew(costate[PHI], part, -0.5 * h * h)
        one[:, C] += part
        return np.tile(one, (len(u) // 3, 1))

    def end(self, x: Array) -> tuple[Array, Array]:
        """Ψ = x - x̄(t_f) (12,) and its derivative."""
        return x - self.reference[-1], np.eye(STATE)

    @cached_property
    def _cones(self) -> dict[int, tuple[Array, Array]]:
        return {}

    def limits(self, k: int) -> tuple[Array, Array]:
        """Inward face normals of the pyramids (5K, 3K), inscribed in the friction cones, and zeros."""
        count = len(self.corners[k])
        if count not in self._cones:
            self._cones[count] = (np.kron(np.eye(count), pyramid(self.friction)), np.zeros(4 * count))
        return self._cones[count]


def pyramid(friction: float) -> Array:
    """Inward face normals (4, 3) of the four-sided pyramid inscribed in the cone |tangent| <= friction · normal.

    Departures: the document's Λ must hold face normals; with the edges of the pyramid in its columns, ΛᵀF >= 0 is the
    dual cone. Inscribed: |F_x|, |F_y| <= friction / √2 · F_z.
    """
    m = friction / np.sqrt(2.0)
    return np.array([[1.0, 0.0, m], [-1.0, 0.0, m], [0.0, 1.0, m], [0.0, -1.0, m]])
