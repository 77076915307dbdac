"""Limbs of two bones, bent so that their end is in place: exact, for all frames at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.hold import Hold
from poise.physical.library.authoring import turn

STRAIGHT = 0.9985  # of its length to which a limb may be stretched
FOLDED = 0.1  # of its length to which it may be folded


def bones(character: Character, chain: Sequence[str]) -> tuple[Array, Array]:
    """The two bones (3,) between three roles in the zero pose, where every body frame lies along the world's axes."""
    pos, _ = character.forward(character.zero_pose())
    a, b, c = (pos[0, character.body(role)] for role in chain)
    return b - a, c - b


def palm(character: Character, side: str) -> Hold:
    """A hand that holds: that of a side, or the forearm that ends in it, with the point in the middle of the palm."""
    if character.has(f"{side}_hand"):
        hold = Hold(f"{side}_hand")
        return Hold(hold.hand, point=tuple(hold.local(character)))
    points = character.contact_points
    tips = points.of(f"{side}_hand")
    if not character.has(f"{side}_forearm") or not len(tips):
        raise BadValue(f"{character.name} has no {side} hand to hold anything with.")
    return Hold(f"{side}_forearm", point=tuple(points.positions[tips].mean(axis=0)))


def arm_bones(character: Character, side: str) -> tuple[Array, Array]:
    """Upper arm, and forearm with the straight hand as far as the middle of the palm (3,), in the zero pose."""
    pos, _ = character.forward(character.zero_pose())
    held = palm(character, side)
    shoulder, elbow, end = (pos[0, character.body(b)] for b in (f"{side}_upper_arm", f"{side}_forearm", held.hand))
    return elbow - shoulder, end + held.local(character) - elbow


def two_bones(goal: Array, upper: Array, lower: Array, axis: Array, way: float) -> tuple[Array, Array]:
    """World orientations (N, 4) of two bones whose far end is at `goal` (N, 3) from the near end.

    `upper` and `lower` (3,) are the bones in their own frames; the lower one turns against the upper one about +Y
    (`way` 1, a knee) or -Y (-1, an elbow), and Y is as near to `axis` (N, 3) as the goal allows. A goal that is out of
    reach is aimed at.
    """
    longest = np.linalg.norm(upper) + np.linalg.norm(lower)
    far = np.clip(np.linalg.norm(goal, axis=1), FOLDED * longest, STRAIGHT * longest)
    # |upper + Ry(bend) lower| = far is linear in the cosine and the sine of the bend
    c, s = upper[0] * lower[0] + upper[2] * lower[2], upper[0] * lower[2] - upper[2] * lower[0]
    rest = 0.5 * (far**2 - upper @ upper - lower @ lower) - upper[1] * lower[1]
    bend = np.arctan2(s, c) + way * np.arccos(np.clip(rest / np.hypot(c, s), -1.0, 1.0))
    hinge = turn(pitch=np.degrees(bend))
    whole = upper + rot.rotate(hinge, lower)
    own = rot.from_matrix(_frames(whole, np.broadcast_to([0.0, 1.0, 0.0], whole.shape)))
    first = rot.multiply(rot.from_matrix(_frames(goal, axis)), rot.conjugate(own))
    return first, rot.multiply(first, hinge)


def _frames(along: Array, axis: Array) -> Array:
    """Right-handed frames (N, 3, 3) with the first column along a vector and the second near to an axis."""
    a = along / np.linalg.norm(along, axis=1, keepdims=True)
    b = axis - np.sum(axis * a, axis=1, keepdims=True) * a
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    return np.stack([a, b, np.cross(a, b)], axis=2)
