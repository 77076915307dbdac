"""A footprint: the flat sole of a foot laid on the ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.ground.ground import Ground
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_CLEAR = 0.01  # [m] ground this much above a foot's own level blocks it
_ROOM = 0.01  # [m] around a foot
_SHIFTS = 0.01 * np.arange(0, 16)  # [m] by which a footprint may be moved away from what blocks it


class Footprint(NamedTuple):
    """A flat sole on the ground: where it points and where its middle is."""

    heading: float  # [rad]
    spot: Array  # (2,) or (3,) [m]


def laid_sole(flat: Array, heading: Array, spot: Array, lean: Array) -> Array:
    """World places (n, K, 3) [m] of the points of a flat sole.

    `flat` (K, 3) are the points of a sole that points along X, seen from its middle; `heading` (n,) [rad] and `spot`
    (n, 3) [m] lay it down, and `lean` (4,) turns the vertical into the ground's normal.
    """
    return spot[:, None] + rot.rotate(rot.multiply(lean, rot.about_z(heading))[:, None], flat)


def unblocked(spot: Array, heading: float, flat: Array, ground: Ground, level: float) -> Array:
    """The spot, moved as little as needed along or across the foot so that no corner stands in a higher step."""
    along = np.array([np.cos(heading), np.sin(heading), 0.0])
    across = np.array([-along[1], along[0], 0.0])
    outward = _ROOM * np.sign(flat - flat.mean(axis=0)) * np.array([1.0, 1.0, 0.0])
    corners = rot.rotate(rot.about_z(heading), flat + outward)
    for shift in _SHIFTS:
        for way in (-along, along, across, -across):
            places = spot + shift * way + corners
            if np.all(ground.height(places[:, 0], places[:, 1]) < level + _CLEAR):
                return spot + shift * way
    return spot
