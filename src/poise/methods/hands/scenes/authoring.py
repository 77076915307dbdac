"""How scenes are authored: smooth tracks of an object, and wrists that go with it."""

from __future__ import annotations

import numpy as np

from poise.maths.rotations import Array, exp, from_matrix, multiply, rotate
from poise.methods.hands.scene import Track

SIDE = np.stack([[0, 1, 0], [0, 0, 1], [1, 0, 0]], 1).astype(float)
"""A right hand beside an upright object: fingers along +y, thumb up, the back of the hand to +x."""
TOP = np.eye(3)
"""A right hand above an object: fingers along +x, the back of the hand up."""


def ease(u: Array) -> Array:
    """From 0 to 1 with no speed and no acceleration at either end."""
    u = np.clip(u, 0.0, 1.0)
    return u**3 * (10 - 15 * u + 6 * u * u)


def frames(T: int) -> Array:
    """(T,) 0, 1, 2, ..."""
    return np.arange(T, dtype=float)


def still(T: int, place: tuple[float, float, float]) -> Array:
    """(T, 3) one place all the time."""
    return np.tile(np.asarray(place, float), (T, 1))


def turns(axis: tuple[float, float, float], degrees: Array) -> Array:
    """(T, 4) turns about a fixed axis."""
    return exp(np.radians(degrees)[:, None] * np.asarray(axis, float))


def held(
    motion: Track,
    grip: Array,
    centre: tuple[float, float, float],
    *,
    shift: Array | None = None,
    tilt: Array | None = None,
    mirrored: bool = False,
    fixed: bool = False,
) -> Track:
    """The wrist that holds an object: its axes `grip` (3, 3) in the object's, the object's origin at `centre` in them.

    shift (T, 3) [m] and tilt (T, 3) [degrees], both in the wrist's axes, are where it is not yet, or no longer, there;
    tilts are about the object's origin. `fixed`: the wrist's axes are in the world's, and the object turns in the hand.
    """
    T = len(motion)
    shift = np.zeros((T, 3)) if shift is None else shift
    tilt = np.zeros((T, 3)) if tilt is None else tilt
    base = np.broadcast_to(from_matrix(grip), (T, 4)) if fixed else multiply(motion.turn, from_matrix(grip))
    turn = multiply(base, exp(np.radians(tilt)))
    at = np.asarray(centre, float) * ((1, -1, 1) if mirrored else (1, 1, 1))
    return Track(motion.place - rotate(turn, np.broadcast_to(at, (T, 3))) + rotate(base, shift), turn)


def approach(T: int, away: tuple[float, float, float], until: float) -> Array:
    """(T, 3) [m] a way that ends at frame `until`: the hand comes and is there."""
    return (1 - ease(frames(T) / until))[:, None] * np.asarray(away, float)


def sway(T: int, sizes: tuple[float, float, float], seed: float) -> Array:
    """(T, 3) a slow wander of this size, zero at the beginning: no wrist keeps still."""
    u = frames(T)[:, None] / T
    rates = np.array([0.9, 1.1, 0.7])
    phase = seed + np.array([0.0, 2.0, 4.0])
    return 0.5 * np.asarray(sizes) * (np.sin(2 * np.pi * rates * u + phase) - np.sin(phase))
