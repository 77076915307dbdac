"""With which forces a hand should press when it performs a solution: all contacts, well inside their cones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from poise.maths.rotations import Array
from poise.methods.hands.force_test import INWARD, MOST_PROXIES, OWNER, POINT, PROXY, THESIS, proxies
from poise.methods.hands.pose_test import CONTACT, MOST_CONTACTS, touching
from poise.methods.hands.problem import prepare
from poise.methods.hands.scene import Scene
from poise.methods.hands.solution import NEAR, Solution
from poise.solve.cones import cone_least_squares

_ARM = 0.05  # [m] by which torques are made forces
_ENOUGH = 0.03  # [N] of the wrench that may be missing


def pressing(
    scene: Scene, solution: Solution, inside: Sequence[float], squeeze: float
) -> Iterator[tuple[Array, np.ndarray, Array, Array]]:
    """For every frame contacts (n, CONTACT), owner (m,), points and forces (m, 3) in the object's frame.

    The forces nearest to `squeeze` [N] at every proxy that give the object its motion within a share of µ: the first of
    `inside` with which that can be, and the last where it cannot.
    """
    problem, out = prepare(scene), np.empty((MOST_PROXIES, PROXY))
    for t in range(problem.frames):
        rows, n = np.zeros((MOST_CONTACTS, CONTACT)), 0
        for h, F in enumerate(problem.hands):
            for f in range(5):
                n = touching(
                    F, problem.solid, h, f, solution.q[h, t, f], problem.turn[h, t], problem.place[h, t], NEAR, rows, n
                )
        m = proxies(problem.solid, rows, n, 0.004, THESIS, out)
        table = problem.table[t]
        points = np.concatenate([out[:m, POINT : POINT + 3], table[:, :3]])
        normals = np.concatenate([out[:m, INWARD : INWARD + 3], table[:, 3:6]])
        if not m:
            yield rows[:0], np.zeros(0, int), np.zeros((0, 3)), np.zeros((0, 3))
            continue
        bases = np.array([_basis(v) for v in normals])
        A = np.concatenate(
            [
                bases.transpose(1, 0, 2).reshape(3, -1),
                np.stack([np.cross(p, B.T).T / _ARM for p, B in zip(points, bases, strict=True)], 1).reshape(3, -1),
            ]
        )
        G = problem.wrench[t] / np.r_[np.ones(3), np.full(3, _ARM)]
        press = np.zeros(3 * len(points))
        press[0 : 3 * m : 3] = squeeze
        f = np.zeros(3 * len(points))
        for share, centre in [(s, c) for s in inside for c in (press, 0 * press)]:
            mu = np.r_[np.full(m, share * scene.friction), np.full(len(table), 0.9 * scene.table_friction)]
            f = cone_least_squares(A, G, mu, 1e-5, centre).forces
            if np.linalg.norm(A @ f - G) < _ENOUGH:
                break
        forces = np.einsum("kij,kj->ki", bases, f.reshape(-1, 3))[:m]
        yield rows[:n], out[:m, OWNER].astype(int), out[:m, POINT : POINT + 3].copy(), forces


def _basis(n: Array) -> Array:
    """Columns normal, tangent, tangent (3, 3)."""
    a = np.eye(3)[int(np.argmin(np.abs(n)))]
    t = np.cross(n, a)
    t /= np.linalg.norm(t)
    return np.stack([n, t, np.cross(n, t)], 1)
