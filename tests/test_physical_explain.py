"""Forces in friction cones that explain wrenches: optimality, value, gradient and Hessian."""

from __future__ import annotations

import numpy as np

from poise.solve.cones import cone_least_squares
from poise.solve.explain import SOFTNESS, explain


def contacts(count: int, points: int = 6, seed: int = 1):
    """Columns (N, K, 3, 6) of points on a level floor under a body of 70 kg, and wrenches about its middle (N, 6)."""
    rng = np.random.default_rng(seed)
    arms = np.concatenate([0.3 * rng.normal(size=(count, points, 2)), np.full((count, points, 1), -0.9)], axis=-1)
    ways = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    columns = np.empty((count, points, 3, 6))
    columns[..., 3:] = ways
    columns[..., :3] = np.cross(arms[:, :, None], ways) / 0.5
    wrench = np.concatenate([100 * rng.normal(size=(count, 3)), 200 * rng.normal(size=(count, 3))], axis=1)
    wrench[:, 5] += 700.0
    return columns, wrench, rng.random((count, points)) < 0.7, np.full(points, 0.6)


def test_forces_are_those_of_the_cone_solver():
    columns, b, touching, friction = contacts(30)
    found = explain(b, columns, touching, friction)
    for n in range(len(b)):
        on = touching[n]
        assert np.all(found.forces[n, ~on] == 0.0)
        if not on.any():
            np.testing.assert_array_equal(found.left[n], b[n])
            continue
        A = columns[n, on].reshape(-1, 6).T
        wanted = cone_least_squares(A, b[n], friction[on], SOFTNESS)
        np.testing.assert_allclose(found.forces[n, on].ravel(), wanted.forces, atol=1e-3)
        np.testing.assert_allclose(found.left[n], b[n] - A @ found.forces[n, on].ravel(), atol=1e-3)


def test_forces_stay_in_their_cones():
    columns, b, touching, friction = contacts(50, seed=2)
    f = explain(b, columns, touching, friction).forces
    assert f[..., 0].min() >= 0.0
    assert np.all(np.linalg.norm(f[..., 1:], axis=-1) <= friction * f[..., 0] * (1 + 1e-9) + 1e-9)


def test_gradient_and_hessian_are_those_of_central_differences():
    columns, b, touching, friction = contacts(20, seed=3)
    found, step = explain(b, columns, touching, friction), 1e-3
    for i in range(6):
        e = np.zeros(6)
        e[i] = step
        ahead, back = (explain(b + s * e, columns, touching, friction) for s in (1, -1))
        np.testing.assert_allclose(found.left[:, i], (ahead.cost - back.cost) / (2 * step), atol=1e-4)
        # the projection has kinks: almost everywhere the Hessian is the derivative of the gradient
        error = np.abs(found.hessian[:, :, i] - (ahead.left - back.left) / (2 * step)).max(axis=1)
        assert np.median(error) < 1e-5 and np.mean(error < 1e-3) > 0.9


def test_a_body_that_stands_is_explained_and_one_that_hangs_is_not():
    columns, _, _, friction = contacts(1)
    on = np.ones((1, 6), bool)
    columns[0, :, 0, :3] -= columns[0, :, 0, :3].mean(axis=0)  # the middle of the support is under the body
    stands = explain(np.array([[0, 0, 0, 0, 0, 700.0]]), columns, on, friction)
    assert np.linalg.norm(stands.left) < 0.1
    hangs = explain(np.array([[0, 0, 0, 0, 0, -700.0]]), columns, on, friction)
    np.testing.assert_allclose(hangs.left[0, 5], -700.0, atol=1e-6)
