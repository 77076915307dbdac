"""Legs that follow their feet: a few Newton steps from the reference's pose, fast enough for every step of a walk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.dynamics.compiled import Compiled, place_pose
from poise.dynamics.compiled import Pose as Views
from poise.kernels import njit
from poise.maths.configuration import integrate_rows
from poise.maths.rotations import Array
from poise.solve.dense import damped

_STEPS = 5
_CLOSE = 2e-3  # [rad] of a step after which no other is made
_LONGEST = 0.25  # [rad] that a joint may turn in one step
_PRICE = 2e-3  # [m²/rad²] of bending: near a straight leg a foot rather misses its place than that the knee snaps
_TURN = 0.25  # [m/rad] that weighs a foot's orientation against its place


class Pair(NamedTuple):
    """Two legs for compiled code."""

    views: Views
    feet: np.ndarray  # (2,) bodies
    dofs: np.ndarray  # (2, K) degrees of freedom from the root to the foot, -1 where a leg has fewer
    kind: np.ndarray  # (J,), and the two that follow: as in `Layout`
    qadr: np.ndarray
    vadr: np.ndarray


class Legs:
    """Two legs, each with the degrees of freedom from the root to the foot."""

    def __init__(self, character: Character):
        memory = Compiled(character, np.zeros(0, np.int64), np.zeros((0, 3)))
        feet = [character.body(f"{s}_foot") for s in SIDES if character.has(f"{s}_foot")]
        dofs = [np.flatnonzero(memory.pose.chain[b])[6:] for b in feet]
        # are there two of them, free of each other?
        self.two = len(feet) == 2 and not np.intersect1d(dofs[0], dofs[1]).size
        padded = np.full((2, max(map(len, dofs), default=0)), -1)
        for f, own in enumerate(dofs[:2]):
            padded[f, : len(own)] = own
        layout = character.layout
        self.pair = Pair(memory.pose, np.array(feet, np.int64), padded, layout.kind, layout.qadr, layout.vadr)
        self._memory = memory  # the views are windows onto it

    def moved(self, q: Array, start: Array, shift: Array) -> Array:
        """The pose `start` (nq,) with its feet where they are in q (nq,), turned alike, plus shifts (2, 2 or 3) [m]."""
        goals, turns = feet_of(self.pair, q)
        goals[:, : shift.shape[1]] += shift
        return reaching(self.pair, start, goals, turns)


@njit(cache=True)
def feet_of(pair, q):
    """Places (2, 3) [m] and orientations (2, 3, 3) of the feet in a pose q (nq,)."""
    place_pose(pair.views, q)
    places, turns = np.empty((2, 3)), np.empty((2, 3, 3))
    for f in range(2):
        places[f] = pair.views.positions[pair.feet[f]]
        turns[f] = pair.views.rotations[pair.feet[f]]
    return places, turns


@njit(cache=True)
def reaching(pair, start, goals, turns):
    """The pose `start` (nq,) with its legs bent so that its feet are at goals (2, 3) [m], as turns (2, 3, 3) say."""
    nv = len(pair.views.v)
    out, new = start.copy(), np.empty(len(start))
    step, bent = np.zeros(nv), np.zeros(nv)
    for _ in range(_STEPS):
        place_pose(pair.views, out)
        most = 0.0
        for f in range(2):
            most = max(most, _newton(pair, f, goals[f], turns[f], bent, step))
        integrate_rows(pair.kind, pair.qadr, pair.vadr, out.reshape(1, -1), step.reshape(1, -1), new.reshape(1, -1))
        out[:] = new
        bent += step
        if most < _CLOSE:
            break
    return out


@njit(cache=True)
def _newton(pair, foot, goal, wanted, bent, step):
    """Fill step (nv,) with joint steps [rad] that bring a foot nearer to its place and orientation; gives the largest.

    One step of Gauss and Newton for the least squares of what the foot misses and, at a price, of all that the joints
    were bent by: bent (nv,) so far.
    """
    views, body, dofs = pair.views, pair.feet[foot], pair.dofs[foot]
    R, x = views.rotations[body].copy(), views.positions[body] - views.centre_of_mass
    A, r = np.zeros((6, len(dofs))), np.zeros(6)
    for c in range(
        3
    ):  # the small turn from R to `wanted`, world axes: half the sum of the cross products of their axes
        r[c] = goal[c] - views.positions[body, c]
        r[3] += 0.5 * _TURN * (R[1, c] * wanted[2, c] - R[2, c] * wanted[1, c])
        r[4] += 0.5 * _TURN * (R[2, c] * wanted[0, c] - R[0, c] * wanted[2, c])
        r[5] += 0.5 * _TURN * (R[0, c] * wanted[1, c] - R[1, c] * wanted[0, c])
    for k in range(len(dofs)):
        if dofs[k] < 0:
            continue
        w = views.axes[dofs[k]]
        A[0, k] = w[3] + w[1] * x[2] - w[2] * x[1]
        A[1, k] = w[4] + w[2] * x[0] - w[0] * x[2]
        A[2, k] = w[5] + w[0] * x[1] - w[1] * x[0]
        for i in range(3):
            A[3 + i, k] = _TURN * w[i]
        for i in range(6):
            r[i] += A[i, k] * bent[dofs[k]]
    damped(A, r, _PRICE)
    most = 0.0
    for k in range(len(dofs)):
        if dofs[k] >= 0:
            turn = -bent[dofs[k]]
            for i in range(6):
                turn += A[i, k] * r[i]
            step[dofs[k]] = turn
            most = max(most, abs(turn))
    if most > _LONGEST:
        for k in range(len(dofs)):
            if dofs[k] >= 0:
                step[dofs[k]] *= _LONGEST / most
    return min(most, _LONGEST)
