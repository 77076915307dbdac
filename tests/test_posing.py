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
