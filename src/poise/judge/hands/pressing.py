"""With which forces a hand should press when it performs a solution: all contacts, well inside their cones.

People grip before they lift, and more firmly than the load needs: the grip grows over a quarter of a second before
the hand carries anything, and fingers that only accompany the object stay a hair's breadth away from it until then.
A rigid finger at an edge pushes along its own normal alone: proxy points on the other face are for soft ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.hands.force_test import FLAT, INWARD, MOST_PROXIES, OWNER, POINT, PROXY, THESIS, proxies
from poise.methods.hands.pose_test import CONTACT, GAP, MOST_CONTACTS, NORMAL, touching
from poise.methods.hands.problem import Problem, prepare
from poise.methods.hands.scene import Scene
from poise.methods.hands.solution import Solution
from poise.solve.cones import cone_least_squares

INSIDE = (0.45, 0.6, 0.75, 0.9, 1.0)  # shares of µ within which the forces lie; the first that can be is taken
SQUEEZE = 0.5  # [N] at every proxy point at least
FIRM = 1.0  # share of the load's own normal forces that the grip adds
BEFORE = 0.25  # [s] before the first load in which the grip grows
NEAR, CLOSE = 1.5e-3, 8e-4  # [m] gap below which a link is at the object, and below which it presses
_ARM = 0.05  # [m] by which torques are made forces
_ENOUGH = 0.03  # [N] of the wrench that may be missing


class Press(NamedTuple):
    """What a hand does in a frame, in the object's frame."""

    contacts: Array  # (n, CONTACT) links at the object
    owner: np.ndarray  # (m,) the contact of each force
    points: Array  # (m, 3) [m]
    forces: Array  # (m, 3) [N]
    grip: float  # 0: the hand keeps off the object, 1: it presses


def grips(scene: Scene, solution: Solution) -> Array:
    """(T,) from 0, where no hand carries anything soon, to 1, where one does."""
    on = np.array([len(load.contacts) > 0 for load in solution.loads], float)
    width = max(1, round(BEFORE * scene.fps))
    wide = np.array([on[max(0, t - width) : t + width + 1].max() for t in range(len(on))])
    kernel = np.ones(width) / width
    return np.convolve(np.pad(wide, width, mode="edge"), kernel, "same")[width:-width] * wide


def loads(scene: Scene, solution: Solution) -> Array:
    """(T,) [N] all normal forces of the hands, the greatest of those that come soon."""
    own = np.array([float(np.einsum("mi,mi->", load.forces, load.normals)) for load in solution.loads])
    width = max(1, round(BEFORE * scene.fps))
    return np.array([own[max(0, t - width // 2) : t + width + 1].max() for t in range(len(own))])


def pressing(scene: Scene, solution: Solution, inside: Sequence[float] = INSIDE) -> Iterator[Press]:
    """What the hands do in every frame.

    The forces nearest to an even squeeze that give the object its motion within a share of µ: the first of
    `inside` with which that can be, and the last where it cannot.
    """
    problem, out = prepare(scene), np.empty((MOST_PROXIES, PROXY))
    grip, load = grips(scene, solution), loads(scene, solution)
    for t in range(problem.frames):
        rows = _at_object(problem, solution, t)
        rows = rows[np.argsort(rows[:, GAP] > CLOSE, kind="stable")]  # those that press first
        m = proxies(problem.solid, rows, int(np.sum(rows[:, GAP] <= CLOSE)), 0.004, THESIS, out)
        owner = out[:m, OWNER].astype(int)
        same = np.einsum("mi,mi->m", out[:m, INWARD : INWARD + 3], -rows[owner, NORMAL : NORMAL + 3]) > FLAT
        owner, points, inward = owner[same], out[:m][same, POINT : POINT + 3], out[:m][same, INWARD : INWARD + 3]
        forces = np.zeros((len(owner), 3))
        if len(owner) and grip[t] > 0:
            squeeze = SQUEEZE + FIRM * load[t] / len(owner)
            forces = grip[t] * _balanced(problem, t, points, inward, squeeze, inside)
        yield Press(rows, owner, points, forces, float(grip[t]))


def _at_object(problem: Problem, solution: Solution, t: int) -> Array:
    """(n, CONTACT) links at the object."""
    rows, n = np.zeros((MOST_CONTACTS, CONTACT)), 0
    for h, F in enumerate(problem.hands):
        for f in range(5):
            pose, R, p = solution.q[h, t, f], problem.turn[h, t], problem.place[h, t]
            n = touching(F, problem.solid, h, f, pose, R, p, NEAR, rows, n)
    return rows[:n]


def _balanced(problem: Problem, t: int, points: Array, inward: Array, squeeze: float, inside: Sequence[float]) -> Array:
    """(m, 3) [N] forces of the hands nearest to an even squeeze that, with the table's, give the object its motion."""
    table, scene, m = problem.table[t], problem.scene, len(points)
    points = np.concatenate([points, table[:, :3]])
    bases = np.array([_basis(v) for v in np.concatenate([inward, table[:, 3:6]])])
    turning = np.stack([np.cross(p, B.T).T / _ARM for p, B in zip(points, bases, strict=True)], 1)
    A = np.concatenate([bases.transpose(1, 0, 2).reshape(3, -1), turning.reshape(3, -1)])
    G = problem.wrench[t] / np.r_[np.ones(3), np.full(3, _ARM)]
    press = np.zeros(3 * len(points))
    press[0 : 3 * m : 3] = squeeze
    f = np.zeros(3 * len(points))
    for share in inside:
        mu = np.r_[np.full(m, share * scene.friction), np.full(len(table), 0.9 * scene.table_friction)]
        f = cone_least_squares(A, G, mu, 1e-5, press).forces
        if np.linalg.norm(A @ f - G) < _ENOUGH:
            break
    return np.einsum("kij,kj->ki", bases, f.reshape(-1, 3))[:m]


def _basis(n: Array) -> Array:
    """Columns normal, tangent, tangent (3, 3)."""
    a = np.eye(3)[int(np.argmin(np.abs(n)))]
    t = np.cross(n, a)
    t /= np.linalg.norm(t)
    return np.stack([n, t, np.cross(n, t)], 1)
