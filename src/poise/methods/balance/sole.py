"""The real sole: ankles that give no more torque than the ground under the foot can answer. Beyond the paper.

Without the simplified contact a foot that is turned by more than the ground's forces can bear rolls over its edge, and
nothing is left to stand on. Here the torque that reaches a foot is kept where the centre of pressure that it needs lies
in the sole, and the whole leg gives way for it. What the artificial torque has taken off does not reach the foot and
needs no ground.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.kernels import njit
from poise.maths.rotations import Array

HEEL, TIP, RIGHT, LEFT, HEIGHT = range(5)  # columns of the extent of a sole
TWIST = 0.06  # [m] by which the load on a foot bears torque about the vertical


def soles(character: Character, feet: np.ndarray) -> Array:
    """Extent (2, 5) of each sole round its ankle [m], in the foot's frame: see `HEEL` and those that follow."""
    q = character.zero_pose()
    points, origin = character.points(q)[0], character.forward(q)[0][0]
    out = np.zeros((2, 5))
    for k, side in enumerate(SIDES):
        place = points[character.contact_points.of(side)] - origin[feet[k]]
        if len(place):
            out[k] = place[:, 0].min(), place[:, 0].max(), place[:, 1].min(), place[:, 1].max(), place[:, 2].min()
    return out


@njit(cache=True)
def lowest(extent, turns):
    """Height [m] of the lowest corner of a sole (5,) above its ankle, for the foot's orientation (4,)."""
    w, x, y, z = turns[0], turns[1], turns[2], turns[3]
    ax, ay, az = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)  # heights of the foot's axes
    return (min(ax * extent[HEEL], ax * extent[TIP]) + min(ay * extent[RIGHT], ay * extent[LEFT])
            + az * extent[HEIGHT])  # fmt: skip


@njit(cache=True)
def spare(share, extent, turns, high, torque, force, least, out):
    """out (3,) = torque [N m] by which `torque` (3,) on a foot must change so that the sole bears it, world axes.

    `share` of the sole's extent (5,) is used; `turns` (4,) is the foot's orientation, `high` [m] the ankle's height
    above the ground, `force` (3,) what the ground gives the foot, at least `least` upwards. Gives whether it changes.
    """
    w, x, y, z = turns[0], turns[1], turns[2], turns[3]
    ex, ey = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)  # the foot's x axis on the ground
    size = max(np.sqrt(ex * ex + ey * ey), 1e-9)
    ex, ey = ex / size, ey / size
    tx, ty, tz = torque[0], torque[1], torque[2]
    push = max(force[2], least)
    px, py = (ty - high * force[0]) / push, -(tx + high * force[1]) / push  # centre of pressure from the ankle
    along, across = ex * px + ey * py, ex * py - ey * px
    along_in = min(max(along, share * extent[HEEL]), share * extent[TIP])
    across_in = min(max(across, share * extent[RIGHT]), share * extent[LEFT])
    most = TWIST * push
    out[0] = out[1] = 0.0
    out[2] = min(max(tz, -most), most) - tz
    if along_in != along or across_in != across:
        px, py = ex * along_in - ey * across_in, ey * along_in + ex * across_in
        out[0], out[1] = -py * push - high * force[1] - tx, px * push + high * force[0] - ty
    return out[0] != 0.0 or out[1] != 0.0 or out[2] != 0.0


@njit(cache=True)
def give_way(change, give, reach, twists, path, torque):
    """Take a `change` (3,) of the torque on a foot through the whole leg: joint torques (nv,) on its `path` (nv,).

    What the foot cannot bear is taken off the wrench that the leg carries, so that hip, knee and ankle still agree: the
    share `give` off its horizontal force, which acts `reach` [m] above the foot, the rest off its torque. A torque that
    is cut at the ankle alone changes the force of a nearly straight leg by much and in no wanted direction.
    """
    fx, fy = -give * change[1] / reach, give * change[0] / reach
    keep = 1.0 - give
    for k in range(6, torque.shape[0]):
        if path[k]:
            torque[k] += keep * (twists[k, 0] * change[0] + twists[k, 1] * change[1]) + twists[k, 2] * change[2]
            torque[k] -= twists[k, 3] * fx + twists[k, 4] * fy
