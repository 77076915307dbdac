"""Tools of authored clips: periodic curves through key values, and poses told by the world angles of body parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.interpolate import CubicSpline

from poise.character import Character
from poise.character.posing import configurations
from poise.maths import rotations as rot
from poise.maths.rotations import Array


def periodic(keys: Sequence[tuple[float, float]], phase: Array) -> Array:
    """A smooth periodic curve through (per cent of the cycle, value) keys, at phases in cycles."""
    x, y = np.array(keys, float).T
    spline = CubicSpline(np.append(x, x[0] + 100.0) / 100.0, np.append(y, y[0]), bc_type="periodic")
    return spline((np.asarray(phase, float) - x[0] / 100.0) % 1.0 + x[0] / 100.0)


def ramp(x: Array, start: float, end: float) -> Array:
    """0 before start, 1 after end, in between a step without velocity or acceleration at its ends."""
    s = np.clip((np.asarray(x, float) - start) / (end - start), 0.0, 1.0)
    return s**3 * (10 - 15 * s + 6 * s * s)


def turn(roll: Array | float = 0.0, pitch: Array | float = 0.0, yaw: Array | float = 0.0) -> Array:
    """World orientation from angles [degrees]: yaw about Z, then pitch about Y (nose down), then roll about X."""
    angles = np.stack(np.broadcast_arrays(yaw, pitch, roll), axis=-1)
    return rot.from_euler("zyx", np.radians(angles))


def pose(character: Character, root: Array, turns: Mapping[str, Array]) -> Array:
    """Configurations (N, nq) with the pelvis at `root` (N, 3) and roles at world orientations (N, 4).

    A role that is not told moves with its parent.
    """
    n, model = len(root), character.model
    world = np.tile(rot.IDENTITY, (n, model.nbody, 1))
    given = np.zeros(model.nbody, bool)
    for role, value in turns.items():
        if character.has(role):
            b = character.body(role)
            world[:, b], given[b] = value, True
    return configurations(character, root, world, given)
