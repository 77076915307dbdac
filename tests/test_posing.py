"""Orientations to coordinates: exact where the joints can follow, closest where they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character.posing import hinge_angles
from poise.maths import rotations as rot

PAIRS = [np.eye(3)[[0, 1]], np.eye(3)[[2, 0]], np.eye(3)[[1, 2]], np.eye(3)[[0, 1, 2]], np.eye(3)[[2, 1, 0]]]


def product(angles: np.ndarray, axes: np.ndarray) -> np.ndarray:
    out = np.tile(rot.IDENTITY, (len(angles), 1))
    for i, axis in enumerate(axes):
        out = rot.multiply(out, rot.from_axis_angle(axis, angles[:, i]))
    return out


@pytest.mark.parametrize("axes", [*PAIRS, np.array([[0.8, 0.6, 0], [0, 0.6, 0.8]])])
def test_angles_of_a_stack_come_back(axes):
    angles = np.random.default_rng(0).uniform(-1.2, 1.2, (200, len(axes)))
    found = hinge_angles(product(angles, axes), axes)
    assert np.allclose(rot.angle_between(product(found, axes), product(angles, axes)), 0, atol=1e-6)


@pytest.mark.parametrize("axes", PAIRS[:3])
def test_two_hinges_come_closer_to_a_general_turn_than_any_neighbour(axes):
    wanted = rot.exp(0.4 * np.random.default_rng(1).normal(size=(50, 3)))
    found = hinge_angles(wanted, axes)
    best = rot.angle_between(product(found, axes), wanted)
    for step in 0.02 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]):
        assert np.all(rot.angle_between(product(found + step, axes), wanted) >= best - 1e-9)


def test_one_hinge_takes_the_twist_and_stays_continuous_over_full_turns():
    true = np.linspace(0, 12, 300)[:, None]
    found = hinge_angles(product(true, np.eye(3)[[1]]), np.eye(3)[[1]])
    assert np.allclose(found, true, atol=1e-9)


@pytest.mark.parametrize("axes", PAIRS)
def test_ranges_are_kept_and_within_them_nothing_is_closer(axes):
    rng = np.random.default_rng(2)
    wanted = rot.exp(0.9 * rng.normal(size=(60, 3)))
    ranges = np.tile([-0.3, 0.5], (len(axes), 1))
    found = hinge_angles(wanted, axes, ranges=ranges)
    assert found.min() >= -0.3 and found.max() <= 0.5
    best = rot.angle_between(product(found, axes), wanted)
    for k in range(len(axes)):
        for step in (-0.01, 0.01):
            moved = found.copy()
            moved[:, k] = np.clip(moved[:, k] + step, -0.3, 0.5)
            assert np.all(rot.angle_between(product(moved, axes), wanted) >= best - 1e-7)


def test_of_several_solutions_the_nearby_one_is_taken():
    start = np.tile([2.8, 2.0, -0.4], (20, 1))  # the middle angle past a right angle: Euler angles are elsewhere
    wanted = product(start + 0.1 * np.random.default_rng(3).normal(size=start.shape), np.eye(3))
    found = hinge_angles(wanted, np.eye(3), start)
    assert rot.angle_between(product(found, np.eye(3)), wanted).max() < 1e-8
    assert np.abs(found - start).max() < 0.6
    assert np.abs(hinge_angles(wanted, np.eye(3))[0] - start[0]).max() > 1.0
