"""Balance feedback: equation (11) of da Silva, Abe & Popović 2008, after SIMBICON.

θ_d = θ_d0 + c_d d + c_v v: the desired angle of the swing hip grows with the distance d of the root from the foot
that is stood on and with the root's velocity v.

Departures: `relative`: d and v are the differences from their values in the reference. As printed, d and v of the body
itself, a walk that goes as it should (d and v are never both zero) is changed all the time. `flight`: where no foot
stands, and the paper has no d, the legs that land next follow the velocity alone; as printed, nothing is changed then.
"""

from __future__ import annotations

import math

import numpy as np

from poise.character import Character
from poise.kernels import njit
from poise.maths.configuration import BALL, quat_exp, quat_mul
from poise.maths.rotations import Array
from poise.methods.mcsim.terms import Terms


def hip_turn(now: Terms, goal: Terms, root: int, foot: int, heading: float, cd: float, cv: float,
             relative: bool = True) -> Array:  # fmt: skip
    """The turn (3,) [rad], world axes, by which the thigh of the swinging leg goes further forward and outward.

    `foot` is the body that is stood on; `heading` [rad] the way of the walk; cd [rad/m], cv [rad s/m]. Distance and
    velocity are `relative` to those of the reference, or the body's own, as printed.
    """
    c, s = math.cos(heading), math.sin(heading)
    off, fast = now.origin[root] - now.origin[foot], now.v[:2]
    if relative:
        off, fast = off - (goal.origin[root] - goal.origin[foot]), fast - goal.v[:2]
    off, fast = off.tolist(), fast.tolist()
    x, y = cd * off[0] + cv * fast[0], cd * off[1] + cv * fast[1]
    along, across = c * x + s * y, c * y - s * x
    # a thigh swings forward by a negative turn about the lateral axis, and to the left by a positive one about the way
    return np.array([along * s + across * c, across * s - along * c, 0.0])


def with_hips(q: Array, hips: np.ndarray, turn: Array, goal: Terms, root: int) -> Array:
    """Configuration q with the joints of a hip turned by `turn` (3,), world axes.

    `hips` has a row (address in q, width, axis (3,)) for every joint of the hip: a ball joint is turned as a whole, a
    pin about its own axis alone.
    """
    out = q.copy()
    _turn_hips(out, hips, turn, goal.turn[root])
    return out


@njit(cache=True)
def _turn_hips(q, hips, turn, root):
    """See `with_hips`; in place."""
    local, quaternion, after = root.T @ turn, np.empty(4), np.empty(4)
    for row in hips:
        at = int(row[0])
        if row[1] == 3:
            quat_exp(local, quaternion)
            quat_mul(quaternion, q[at : at + 4], after)
            q[at : at + 4] = after
        else:
            q[at] += row[2] * local[0] + row[3] * local[1] + row[4] * local[2]


def hips_of(character: Character, side: str) -> np.ndarray:
    """The joints (K, 5) between the trunk and a thigh: address in q, width, axis."""
    if not character.has(f"{side}_thigh"):
        return np.zeros((0, 5))
    tree = character.tree
    rows = [(tree.qadr[j], 3 if tree.kind[j] == BALL else 1, *character.model.jnt_axis[j])
            for j in tree.joints(character.body(f"{side}_thigh"))]  # fmt: skip
    return np.array(rows, float).reshape(-1, 5)
