"""Legs that follow their feet: a few Newton steps from the reference's pose, fast enough for every step of a walk."""

from __future__ import annotations

import mujoco
import numpy as np
from numba import njit

from poise.character import Character
from poise.character.roles import SIDES
from poise.dynamics import engine
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.maths.tree import moved_by
from poise.solve.dense import solve_one

_STEPS = 5
_CLOSE = 2e-3  # [rad] of a step after which no other is made
_LONGEST = 0.25  # [rad] that a joint may turn in one step
_PRICE = 2e-3  # [m²/rad²] of bending: near a straight leg a foot rather misses its place than that the knee snaps
_TURN = 0.25  # [m/rad] that weighs a foot's orientation against its place


class Legs:
    """Two legs, each with the degrees of freedom from the root to the foot."""

    def __init__(self, character: Character):
        self.character, self.model = character, character.model
        self._data = engine.data_of(self.model)
        moves = moved_by(character.tree)
        self._feet = [character.body(f"{s}_foot") for s in SIDES if character.has(f"{s}_foot")]
        self._dofs = [np.flatnonzero(moves[b])[6:] for b in self._feet]

    @property
    def two(self) -> bool:
        """Are there two of them, free of each other?"""
        return len(self._feet) == 2 and not np.intersect1d(self._dofs[0], self._dofs[1]).size

    def moved(self, q: Array, start: Array, shift: Array) -> Array:
        """The pose `start` (nq,) with its feet where and as they are in q (nq,), plus shifts (2, 2) or (2, 3) [m]."""
        goals, turns = self.feet(q)
        goals[:, : shift.shape[1]] += shift
        return self.reaching(start, goals, turns)

    def feet(self, q: Array) -> tuple[Array, Array]:
        """Places (2, 3) [m] and orientations (2, 9) of the feet in a pose q (nq,)."""
        self._place(q)
        return self._data.xpos[self._feet], self._data.xmat[self._feet]

    def _place(self, q: Array) -> None:
        self._data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_comPos(self.model, self._data)

    def reaching(self, start: Array, goals: Array, turns: Array) -> Array:
        """The pose `start` (nq,) with its legs bent so that its feet are at goals (2, 3) [m], as turns (2, 9) say."""
        model, data, layout = self.model, self._data, self.character.layout
        out, bent = start, np.zeros(model.nv)
        for _ in range(_STEPS):
            self._place(out)
            step = np.zeros(model.nv)
            for f, (body, dofs) in enumerate(zip(self._feet, self._dofs, strict=True)):
                linear, angular = engine.jacobian(model, data, body, data.xpos[body])
                step[dofs] = _newton(linear[:, dofs], angular[:, dofs], goals[f] - data.xpos[body], turns[f],
                                     data.xmat[body], bent[dofs])  # fmt: skip
            out = conf.integrate(layout, out, step)
            bent += step
            if np.abs(step).max() < _CLOSE:
                break
        return out


@njit(cache=True)
def _newton(linear, angular, away, wanted, turned, bent):
    """Joint steps (k,) [rad] that bring a foot nearer to its place and orientation.

    One step of Gauss and Newton for the least squares of what the foot misses and, at a price, of all that the joints
    were bent by: bent (k,) so far.
    """
    A, r = np.empty((6, linear.shape[1])), np.empty(6)
    R, W = turned.reshape(3, 3), wanted.reshape(3, 3)
    off = np.zeros(3)  # the small turn from R to W, world axes: half the sum of the cross products of their axes
    for c in range(3):
        off[0] += 0.5 * (R[1, c] * W[2, c] - R[2, c] * W[1, c])
        off[1] += 0.5 * (R[2, c] * W[0, c] - R[0, c] * W[2, c])
        off[2] += 0.5 * (R[0, c] * W[1, c] - R[1, c] * W[0, c])
    for i in range(3):
        A[i], A[3 + i] = linear[i], _TURN * angular[i]
        r[i], r[3 + i] = away[i], _TURN * off[i]
    r += A @ bent
    B = A @ A.T
    for i in range(6):
        B[i, i] += _PRICE
    step = A.T @ solve_one(B, r) - bent
    most = np.abs(step).max()
    if most > _LONGEST:
        step *= _LONGEST / most
    return step
