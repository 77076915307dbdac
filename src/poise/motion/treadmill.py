"""Treadmills: motions that stay on the spot while every foot on the ground moves with one velocity.

On a belt, all that touches moves backwards together. Whoever sees only the body sees a walk on the spot whose feet
skate. Put over ground, by adding the opposite velocity to the root, the same forces act: a belt of constant speed is an
inertial frame.
"""

from __future__ import annotations

import numpy as np

from poise.maths.rotations import Array
from poise.motion.clip import Clip

LOW, LEVEL = 0.04, 0.25  # [m], [m/s] points so low that move so little up or down are on the belt
SLOWEST = 0.4  # [m/s] of a belt
SAME, SHARE = 0.3, 0.75  # of its speed by which so large a share of all points may differ from it
STAYS = 0.25  # of its speed at which the body may move on
LONG = 1.0  # [s] of motion, and
ROUGHLY = (0.4, 0.5)  # the same, and the share of points, where no foot ever rests
OFTEN = 0.25  # share of the frames in which something is on the belt


def belt_velocity(clip: Clip) -> Array | None:
    """The velocity (2,) [m/s] that stance feet share while the body stays; None where there is no belt.

    A motion in which no foot ever rests need not tell so clearly: drawn walks on the spot are short and rough.
    """
    rests = bool(clip.contacts.labels.any())
    return _belt(clip, LONG, SHARE) if rests or clip.grips else _belt(clip, *ROUGHLY)


def _belt(clip: Clip, long: float, share: float) -> Array | None:
    """The velocity of the belt under a clip of at least so long [s], if such a share of low points has it."""
    feet = clip.character.contact_points.feet
    if clip.duration < long or not len(feet) or clip.cycle is not None:
        return None
    places = clip.character.points(clip.q)[:, feet]
    speed = np.gradient(places, clip.dt, axis=0)
    high = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    on = (high < LOW) & (np.abs(speed[..., 2]) < LEVEL)
    if on.any(axis=1).mean() < OFTEN:
        return None
    moving = speed[on][:, :2]
    belt = np.median(moving, axis=0)
    for _ in range(5):  # the median of those that are near: points about to land or leave are not
        near = np.linalg.norm(moving - belt, axis=1) < SAME * np.linalg.norm(belt)
        belt = np.median(moving[near], axis=0) if near.any() else belt
    size = float(np.linalg.norm(belt))
    drift = float(np.linalg.norm(clip.q[-1, :2] - clip.q[0, :2])) / clip.duration
    alike = float(np.mean(np.linalg.norm(moving - belt, axis=1) < SAME * size)) if size > 0.0 else 0.0
    return belt if size > SLOWEST and alike > share and drift < STAYS * size else None


def on_belt(clip: Clip, belt: Array) -> Clip:
    """A clip that goes over ground, put on a treadmill whose belt has a velocity (2,) [m/s]."""
    q = np.array(clip.q)
    q[:, :2] += clip.times[:, None] * belt
    return clip.with_q(q)


def over_ground(clip: Clip) -> Clip:
    """The clip with a treadmill's belt at rest: its root moves on instead; the clip itself where there is no belt."""
    belt = belt_velocity(clip)
    if belt is None:
        return clip
    return on_belt(clip, -belt)
