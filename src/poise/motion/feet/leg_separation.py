"""Recorded legs moved apart where they overlap, and off the ground, before the performance begins.

Bodies made from recordings are a little wider than those that were recorded, and their soles are flat.

Departures: the paper's legs pass through each other. Here they collide, and a reference whose legs are in each other
cannot be followed; its swinging feet are moved outwards by what is lacking. Where contacts give way by millimetres, as
in a simulator, a swinging foot that hardly clears the ground drags; it is raised.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.feet.leg_clearance import spread
from poise.motion.feet.legs import Legs

APART = ("legs apart", "legs were moved apart where they overlapped")  # for a take's log
_CLEAR, _PACE = 0.015, 0.25  # [m] that a swinging foot keeps from the ground, [m/s] at which it gets there
_MOST = 0.02  # [m] by which it is raised; more is the edge of a step under it, not a foot that drags


@lru_cache(maxsize=32)
def led_apart(clip: Clip) -> Clip:
    """The clip with legs that pass each other; the same clip where they do."""
    legs = Legs(clip.character)
    if not legs.two:
        return clip
    outwards = spread(clip)  # (N, 2)
    if not outwards.any():
        return clip
    q = clip.q.copy()
    for k in np.flatnonzero(outwards.any(axis=1)):
        way = float(rot.heading(q[k, 3:7]))
        across = np.array([-np.sin(way), np.cos(way)])
        q[k] = legs.moved(clip.q[k], clip.q[k], np.outer(outwards[k] * np.array([1.0, -1.0]), across))
    return clip.with_q(q, labels=clip.contacts.labels)


@lru_cache(maxsize=32)
def raised(clip: Clip) -> Clip:
    """The clip with swinging feet that clear the ground; the same clip where they do."""
    legs, owners = Legs(clip.character), clip.character.contact_points
    sides = [owners.of(side) for side in SIDES]
    if not legs.two or not all(len(s) for s in sides):
        return clip
    points = clip.character.points(clip.q)
    gap = points[..., 2] - clip.ground.height(points[..., 0], points[..., 1])
    labels = clip.contacts.labels
    lift = np.stack(
        [_lacking(gap[:, s].min(axis=1), np.asarray(labels[:, s].any(axis=1)), clip) for s in sides], axis=1
    )
    if lift.max() < 1e-3:
        return clip
    q = clip.q.copy()
    for k in np.flatnonzero(lift.max(axis=1) > 1e-4):
        q[k] = legs.moved(clip.q[k], clip.q[k], np.outer(lift[k], [0.0, 0.0, 1.0]))
    return clip.with_q(q, labels=labels)


def _lacking(gap: Array, stands: np.ndarray, clip: Clip) -> Array:
    """How far (N,) [m] a foot with gaps (N,) [m] is to be raised where it does not stand (N,)."""
    if not stands.any():
        return np.zeros(len(gap))
    copies = 3 if clip.cycle is not None else 1
    rows, down = np.arange(copies * len(gap)), np.flatnonzero(np.tile(stands, copies))
    after = np.searchsorted(down, rows)
    before = np.abs(rows - down[np.maximum(after - 1, 0)])
    away = np.minimum(before, np.abs(rows - down[np.minimum(after, len(down) - 1)]))
    away = away.reshape(copies, -1)[copies // 2]
    return np.clip(np.minimum(_CLEAR, _PACE * clip.dt * away) - gap, 0.0, _MOST) * ~stands
