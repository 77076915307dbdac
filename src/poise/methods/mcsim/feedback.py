"""Balance feedback: equation (11) of da Silva, Abe & Popović 2008, after SIMBICON.

θ_d = θ_d0 + c_d d + c_v v: the desired angle of the swing hip grows with the distance d of the root from the foot
that is stood on and with the root's velocity v.

Departures: d and v are the differences from their values in the reference. As printed, a walk that goes as it should
(d and v are never both zero) would be changed all the time. In flight, where no foot stands, the legs that land next
follow the velocity alone.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.maths import rotations as rot
from poise.maths.configuration import BALL
from poise.maths.rotations import Array
from poise.methods.mcsim.terms import Terms


def hip_turn(now: Terms, goal: Terms, root: int, foot: int, heading: float, cd: float, cv: float) -> Array:
    """The turn (3,) [rad], world axes, by which the thigh of the swinging leg goes further forward and outward.

    `foot` is the body that is stood on; `heading` [rad] the way of the walk; cd [rad/m], cv [rad s/m].
    """
    off = (now.origin[root] - now.origin[foot]) - (goal.origin[root] - goal.origin[foot])
    fast = now.v[:2] - goal.v[:2]
    lead = cd * off[:2] + cv * fast
    along, across = np.array([np.cos(heading), np.sin(heading)]), np.array([-np.sin(heading), np.cos(heading)])
    # a thigh swings forward by a negative turn about the lateral axis, and to the left by a positive one about the way
    turn = -float(along @ lead) * across - float(across @ lead) * -along
    return np.append(turn, 0.0)


def with_hips(q: Array, hips: np.ndarray, turn: Array, goal: Terms, root: int) -> Array:
    """Configuration q with the joints of a hip turned by `turn` (3,), world axes.

    `hips` has a row (address in q, width, axis (3,)) for every joint of the hip: a ball joint is turned as a whole, a
    pin about its own axis alone.
    """
    out, local = q.copy(), goal.turn[root].T @ turn
    for row in hips:
        at = int(row[0])
        if row[1] == 3:
            out[at : at + 4] = rot.multiply(rot.exp(local), q[at : at + 4])
        else:
            out[at] += float(row[2:5] @ local)
    return out


def hips_of(character: Character, side: str) -> np.ndarray:
    """The joints (K, 5) between the trunk and a thigh: address in q, width, axis."""
    if not character.has(f"{side}_thigh"):
        return np.zeros((0, 5))
    tree = character.tree
    rows = [(tree.qadr[j], 3 if tree.kind[j] == BALL else 1, *character.model.jnt_axis[j])
            for j in tree.joints(character.body(f"{side}_thigh"))]  # fmt: skip
    return np.array(rows, float).reshape(-1, 5)
