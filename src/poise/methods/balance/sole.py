"""The real sole: ankles that give no more torque than the ground under the foot can answer. Beyond the paper.

Without the simplified contact a foot that is turned by more than the ground's forces can bear rolls over its edge, and
nothing is left to stand on. Here the torque that reaches a foot is cut where the centre of pressure that it needs would
leave the sole. What the artificial torque has taken off does not reach the foot and needs no ground.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from poise.character import Character
from poise.character.roles import SIDES
from poise.maths.rotations import Array

TWIST = 0.06  # [m] by which the load on a foot bears torque about the vertical


def soles(character: Character, feet: np.ndarray) -> Array:
    """Extent (2, 5) of each sole round its ankle [m], in the foot's frame: heel, tip, right edge, left edge, height."""
    q = character.zero_pose()
    points, origin = character.points(q)[0], character.forward(q)[0][0]
    out = np.zeros((2, 5))
    for k, side in enumerate(SIDES):
        place = points[character.contact_points.of(side)] - origin[feet[k]]
        if len(place):
            out[k] = place[:, 0].min(), place[:, 0].max(), place[:, 1].min(), place[:, 1].max(), place[:, 2].min()
    return out


@njit(cache=True)
def cut(foot, share, extent, turns, positions, ground, twists, ankle, moments, force, least, torque):
    """Cut the ankle's part of the joint torques (nv,) to what the foot can bear.

    `share` of the sole's extent (2, 5) is used; `force` (3,) is what the ground gives the foot by plan, `moments` (3,)
    the artificial torque on it, `ground` [m] its height.
    """
    w, x, y, z = turns[0], turns[1], turns[2], turns[3]
    ex, ey = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)  # the foot's x axis on the ground
    size = max(np.sqrt(ex * ex + ey * ey), 1e-9)
    ex, ey = ex / size, ey / size
    tx, ty, tz = moments[0], moments[1], moments[2]
    for k in range(torque.shape[0]):
        if ankle[foot, k]:
            tx += twists[k, 0] * torque[k]
            ty += twists[k, 1] * torque[k]
            tz += twists[k, 2] * torque[k]
    high, push = positions[2] - ground, max(force[2], least)
    px, py = (ty - high * force[0]) / push, -(tx + high * force[1]) / push  # centre of pressure from the ankle
    along, across = ex * px + ey * py, ex * py - ey * px
    along_in = min(max(along, share * extent[foot, 0]), share * extent[foot, 1])
    across_in = min(max(across, share * extent[foot, 2]), share * extent[foot, 3])
    most = TWIST * push
    dz = min(max(tz, -most), most) - tz
    if along_in == along and across_in == across and dz == 0.0:
        return
    px, py = ex * along_in - ey * across_in, ey * along_in + ex * across_in
    dx, dy = -py * push - high * force[1] - tx, px * push + high * force[0] - ty
    for k in range(torque.shape[0]):
        if ankle[foot, k]:
            torque[k] += twists[k, 0] * dx + twists[k, 1] * dy + twists[k, 2] * dz
