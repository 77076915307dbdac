"""Legs that meet: where the two legs of a character are about to touch each other.

Shins, feet and toes, and what is solid of the thighs, are stood for by capsules. Where two of different sides are near,
they take part in the contact correction as a contact without friction between two bodies; no plan counts on it.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.dynamics.compiled import Pose as Views
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.modal.tumble import line_of

_PARTS = ("shin", "foot", "toes")
_NEAR = 0.03  # [m] between two legs within which they are looked after
_MOST = 9  # pairs


class Met(NamedTuple):
    """Pairs of bodies that are about to touch; the normal of a frame leads from the second body to the first."""

    bodies: np.ndarray  # (K, 2)
    places: Array  # (K, 3) between them
    gap: Array  # (K,) [m]
    turns: Array  # (K, 3, 3) frames, rows normal, tangent, tangent


NOBODY = Met(np.zeros((0, 2), np.int64), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3, 3)))


class Meeting:
    """Capsules of the two legs of a character."""

    def __init__(self, character: Character):
        sides = [_capsules(character, side) for side in SIDES]
        self._bodies = [np.array([c[0] for c in side], np.int64) for side in sides]
        self._ends = [np.array([c[1] for c in side], float).reshape(-1, 2, 3) for side in sides]
        self._radius = [np.array([c[2] for c in side], float) for side in sides]
        self._able = all(len(b) for b in self._bodies)
        self._room = Met(np.empty((_MOST, 2), np.int64), np.empty((_MOST, 3)), np.empty(_MOST), np.empty((_MOST, 3, 3)))

    def near(self, views: Views) -> Met:
        """The pairs that are about to touch in the pose that the views hold."""
        if not self._able:
            return NOBODY
        found = _near(views, *self._bodies, *self._ends, *self._radius, self._room)
        return NOBODY if not found else Met(*[a[:found].copy() for a in self._room])


def _capsules(character: Character, side: str) -> list[tuple[int, Array, float]]:
    """Body, ends (2, 3) in its frame and radius [m] of the shapes of a lower leg."""
    model = character.model
    mine = {character.body(f"{side}_{part}") for part in _PARTS if character.has(f"{side}_{part}")}
    out = []
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g])
        if body not in mine or not model.geom_contype[g]:
            continue
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.geom_quat[g])
        half, radius = line_of(model.geom_type[g], model.geom_size[g])
        way = turn.reshape(3, 3) @ half
        out.append((body, np.array([model.geom_pos[g] - way, model.geom_pos[g] + way]), radius))
    return out


@njit(cache=True)
def _ends_of(views, body, local, out):
    """Fill out (2, 3) with the ends of a capsule in the world."""
    for e in range(2):
        for r in range(3):
            out[e, r] = views.positions[body, r]
            for c in range(3):
                out[e, r] += views.rotations[body, r, c] * local[e, c]


@njit(cache=True)
def nearest(a, b, x, y):
    """Fill x and y (3,) with the points of two segments a, b (2, 3) that are nearest to each other."""
    aa, bb, ab, ar, br = 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        u, w, r = a[1, c] - a[0, c], b[1, c] - b[0, c], a[0, c] - b[0, c]
        aa += u * u
        bb += w * w
        ab += u * w
        ar += u * r
        br += w * r
    det = aa * bb - ab * ab
    s = 0.0
    if det > 1e-12 * aa * bb:
        s = min(1.0, max(0.0, (ab * br - ar * bb) / det))
    t = (ab * s + br) / bb if bb > 1e-12 else 0.0
    t = min(1.0, max(0.0, t))
    if aa > 1e-12:
        s = min(1.0, max(0.0, (ab * t - ar) / aa))
    for c in range(3):
        x[c] = a[0, c] + s * (a[1, c] - a[0, c])
        y[c] = b[0, c] + t * (b[1, c] - b[0, c])


@njit(cache=True)
def _near(views, left, right, left_ends, right_ends, left_radius, right_radius, out):
    """Fill the first rows of out, a `Met`, with the pairs that are near; gives how many there are."""
    bodies, places, gap, turns = out
    a, b, x, y, n, found = np.empty((2, 3)), np.empty((2, 3)), np.empty(3), np.empty(3), np.empty(3), 0
    for i in range(len(left)):
        _ends_of(views, left[i], left_ends[i], a)
        for j in range(len(right)):
            _ends_of(views, right[j], right_ends[j], b)
            nearest(a, b, x, y)
            far = np.sqrt((x[0] - y[0]) ** 2 + (x[1] - y[1]) ** 2 + (x[2] - y[2]) ** 2)
            free = far - left_radius[i] - right_radius[j]
            if free > _NEAR or far < 1e-6 or found == _MOST:
                continue
            for c in range(3):
                n[c] = (x[c] - y[c]) / far
                places[found, c] = 0.5 * (x[c] - left_radius[i] * n[c] + y[c] + right_radius[j] * n[c])
            bodies[found, 0], bodies[found, 1], gap[found] = left[i], right[j], free
            _frame(n, turns[found])
            found += 1
    return found


@njit(cache=True)
def _frame(n, out):
    """Fill out (3, 3) with rows normal, tangent, tangent."""
    k = 0 if abs(n[0]) < 0.9 else 1
    size = np.sqrt(1.0 - n[k] * n[k])
    for c in range(3):
        out[0, c] = n[c]
        out[1, c] = ((1.0 if c == k else 0.0) - n[k] * n[c]) / size
    out[2, 0] = n[1] * out[1, 2] - n[2] * out[1, 1]
    out[2, 1] = n[2] * out[1, 0] - n[0] * out[1, 2]
    out[2, 2] = n[0] * out[1, 1] - n[1] * out[1, 0]
