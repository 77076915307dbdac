"""Soundness: sizes and inertias that matter can have, for skeletons of odd proportions.

A file may put shoulders below hips, give a bone no length or a hand no size. Its body is still built: what would have
no extent gets a little, so that the joints stay where the file has them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character.anthropometry import Inertial
from poise.character.links import Shape
from poise.maths.rotations import Array

LEAST = 0.01  # half size, in shares of standing height, of anything that would have none
GYRATION = 0.003  # radius of gyration, in shares of standing height, that a body has at least


def apart(first: Array, second: Array, least: float) -> Array:
    """The second point, moved away from the first, downward where they coincide, to at least a distance [m]."""
    d = np.asarray(second, float) - first
    n = float(np.linalg.norm(d))
    if n >= least:
        return np.asarray(second, float)
    return first + least * (d / n if n > 1e-9 else np.array([0.0, 0.0, -1.0]))


def sound_shape(shape: Shape, height: float) -> Shape:
    """The shape with every size positive, for a body of a height [m]."""
    size = np.where(shape.size >= 0.1 * LEAST * height, shape.size, LEAST * height)
    end = None if shape.end is None else apart(shape.at, shape.end, 0.1 * LEAST * height)
    return replace(shape, size=size, end=end)


def sound_inertial(inertial: Inertial, height: float) -> Inertial:
    """The mass with an inertia that some matter has: moments positive, none larger than the other two together."""
    moments, axes = np.linalg.eigh(inertial.inertia)
    sound = np.maximum(moments, inertial.mass * (GYRATION * height) ** 2)
    lack = max(0.0, 1.000001 * sound[2] - sound[0] - sound[1])
    sound[:2] += 0.5 * lack
    if np.array_equal(sound, moments):
        return inertial
    return replace(inertial, inertia=axes @ np.diag(sound) @ axes.T)
