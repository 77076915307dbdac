"""Balance feedback: equation (11) of da Silva, Abe & Popović 2008, after SIMBICON.

θ_d = θ_d0 + c_d d + c_v v: the desired angle of the swing hip grows with the distance d of the root from the foot
that is stood on and with the root's velocity v.

Departures: `relative`: d and v are the differences from their values in the reference. As printed, d and v of the body
itself, a walk that goes as it should (d and v are never both zero) is changed all the time. `flight`: where no foot
stands, and the paper has no d, the legs that land next follow the velocity alone; as printed, nothing is changed then.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics.compiled import Terms
from poise.kernels import njit
from poise.maths.configuration import BALL, quat_exp, quat_mul
from poise.maths.rotations import Array


class Hips(NamedTuple):
    """The K joints between the trunk and a thigh."""

    address: np.ndarray  # (K,) in q
    ball: np.ndarray  # (K,) bool; else a pin
    axis: Array  # (K, 3) of the pins, in the thigh


def hip_turn(now: Terms, goal: Terms, foot: int, heading: float, cd: float, cv: float, relative: bool = True
             ) -> Array:  # fmt: skip
    """The turn (3,) [rad], world axes, by which the thigh of the swinging leg goes further forward and outward.

    `foot` is the body that is stood on; `heading` [rad] the way of the walk; cd [rad/m], cv [rad s/m]. Distance and
    velocity are `relative` to those of the reference, or the body's own, as printed.
    """
    c, s = math.cos(heading), math.sin(heading)
    off, fast = now.positions[now.root] - now.positions[foot], now.v[:2]
    if relative:
        off, fast = off - (goal.positions[goal.root] - goal.positions[foot]), fast - goal.v[:2]
    off, fast = off.tolist(), fast.tolist()
    x, y = cd * off[0] + cv * fast[0], cd * off[1] + cv * fast[1]
    along, across = c * x + s * y, c * y - s * x
    # a thigh swings forward by a negative turn about the lateral axis, and to the left by a positive one about the way
    return np.array([along * s + across * c, across * s - along * c, 0.0])


def with_hips(q: Array, hips: Hips, turn: Array, goal: Terms) -> Array:
    """Configuration q with the joints of a hip turned by `turn` (3,), world axes.

    A ball joint is turned as a whole, a pin about its own axis alone.
    """
    out = q.copy()
    _turn_hips(out, hips, turn, goal.rotations[goal.root])
    return out


@njit(cache=True)
def _turn_hips(q, hips, turn, root):
    """See `with_hips`; in place."""
    local, quaternion, after = root.T @ turn, np.empty(4), np.empty(4)
    for j in range(hips.address.shape[0]):
        at = hips.address[j]
        if hips.ball[j]:
            quat_exp(local, quaternion)
            quat_mul(quaternion, q[at : at + 4], after)
            q[at : at + 4] = after
        else:
            q[at] += hips.axis[j, 0] * local[0] + hips.axis[j, 1] * local[1] + hips.axis[j, 2] * local[2]


def hips_of(character: Character, side: str) -> Hips:
    """The joints between the trunk and a thigh; none where there is no thigh."""
    tree, thigh = character.tree, f"{side}_thigh"
    joints = np.array(tree.joints(character.body(thigh)) if character.has(thigh) else (), np.int64)
    return Hips(address=tree.qadr[joints].astype(np.int64), ball=tree.kind[joints] == BALL,
                axis=np.array(character.model.jnt_axis[joints]).reshape(-1, 3))  # fmt: skip
