"""Two-bone limbs in closed form: bend the middle joint to the wanted length, then swing the whole limb onto the goal.

`reach` changes a pose: the plane in which the limb bends is kept as far as the goal allows, so knees and elbows point
where they pointed. `two_bones` poses a limb from its bones alone, in a plane that is given. Both solve the triangle of
the two bones and the chord, each by the terms it has: for a bent limb the bend that is missing, so that one that is in
place is not changed by rounding; for bare bones the whole bend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.posing import turn_joints
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE
from poise.maths.rotations import Array
from poise.motion.fades import fade


def turns_fully(character: Character, body: int) -> bool:
    """Can this body take any orientation in its parent?"""
    kinds = [int(character.tree.kind[j]) for j in character.tree.joints(body)]
    return BALL in kinds or FREE in kinds or kinds.count(HINGE) >= 3


def centred(character: Character, body: int) -> bool:
    """Does the origin of this body stay where it is when its joints turn?"""
    joints = list(character.tree.joints(body))
    kinds = character.tree.kind[joints]
    return bool(np.all(np.abs(character.tree.anchor[joints]) < 1e-9) and np.all((kinds == BALL) | (kinds == HINGE)))


def set_turn(character: Character, q: Array, body: int, turn: Array) -> None:
    """Change, in place, the joints of `body` in q (N, nq) to give it the orientation `turn` (N, 4) in its parent.

    Of the angles that do, the joints take those nearest to what they are.
    """
    turn_joints(character, q, body, rot.multiply(rot.conjugate(character.tree.quat[body]), turn), nearby=True)


CHAINS = {"foot": ("thigh", "shin"), "hand": ("upper_arm", "forearm")}
_FLEXION = {"foot": 1.0, "hand": -1.0}  # sign of the turn about +Y that bends the limb, in the zero pose
_LATERAL = np.array([0.0, 1.0, 0.0])
_CLEAR = 0.5  # sine of the bend from which on the limb itself shows the plane of its bend; below, its lateral axis does

_STRAIGHT, _FOLDED = 0.9985, 0.1  # of its length to which a limb that is posed by `two_bones` is stretched and folded
_STYLE = 0.3  # a limb bent further [rad] the wrong way was meant so


@dataclass(frozen=True)
class Limb:
    """A leg or an arm: three bodies of which the first turns freely and the second bends."""

    upper: int
    middle: int
    end: int
    flexion: float


def limb(character: Character, end: str) -> Limb | None:
    """The limb that ends in a role ("left_foot", "right_hand"), or None where its joints admit no closed form."""
    side, _, part = end.partition("_")
    if part not in CHAINS or not all(character.has(f"{side}_{p}") for p in (*CHAINS[part], part)):
        return None
    upper, middle, last = (character.body(f"{side}_{p}") for p in (*CHAINS[part], part))
    parent = character.tree.parent
    if parent[middle] != upper or parent[last] != middle or not turns_fully(character, upper):
        return None
    if not all(centred(character, b) for b in (upper, middle, last)) or character.tree.jntnum[middle] != 1:
        return None
    return Limb(upper, middle, last, _FLEXION[part])


def reach(character: Character, q: Array, chain: Limb, goal: Array, turn: Array | None = None,
          local: Array | None = None) -> Array:  # fmt: skip
    """q (N, nq) with the limb changed so that its end is at `goal` (N, 3), its plane of bend kept.

    With `turn` (N, 4) the end body also takes that world orientation, and the goal is for its origin; without, the
    last joint is kept and the goal is for the point `local` (3,) of the end body. A last joint with too few axes gets
    the rest by a swivel of the limb. A goal out of reach is approached along its direction.
    """
    q = np.array(q, float)
    pos, quat = character.forward(q)
    up, mid, end = chain.upper, chain.middle, chain.end
    tip = pos[:, end] if local is None else pos[:, end] + rot.rotate(quat[:, end], local)
    root, a, b = pos[:, up], pos[:, mid] - pos[:, up], tip - pos[:, mid]
    want = np.linalg.norm(goal - root, axis=-1)
    axis, hinge = _bend_axis(character, chain, quat, a, b)
    bend = _bend(axis, a, b, want)
    turned = rot.from_axis_angle(axis, bend)
    chord = a + rot.rotate(turned, b)
    swing = rot.between(chord, goal - root)
    if turn is not None and not turns_fully(character, end):
        swing = _swivelled(swing, turned, quat[:, end], turn, goal - root)
    upper = rot.multiply(swing, quat[:, up])
    middle = rot.multiply(rot.multiply(swing, turned), quat[:, mid])
    above = quat[:, character.tree.parent[up]]
    set_turn(character, q, up, rot.multiply(rot.conjugate(above), upper))
    if hinge:
        q[:, character.tree.qadr[character.tree.jntadr[mid]]] += hinge * bend
    else:
        set_turn(character, q, mid, rot.multiply(rot.conjugate(upper), middle))
    if turn is not None:
        set_turn(character, q, end, rot.multiply(rot.conjugate(middle), turn))
    return q


def _swivelled(swing: Array, turned: Array, end: Array, turn: Array, chord: Array) -> Array:
    """The swing with a turn of the whole limb about its chord, which gives the end what its own joint cannot."""
    have = rot.multiply(rot.multiply(swing, turned), end)
    axis = chord / np.maximum(np.linalg.norm(chord, axis=-1, keepdims=True), 1e-12)
    angle = rot.twist_angle(rot.multiply(turn, rot.conjugate(have)), axis)
    return rot.multiply(rot.from_axis_angle(axis, angle), swing)


def _bend_axis(character: Character, chain: Limb, quat: Array, a: Array, b: Array) -> tuple[Array, float]:
    """World axis (N, 3) about which a positive turn flexes the limb; and the sign of a hinge's own axis (0: a ball)."""
    joint = int(character.tree.jntadr[chain.middle])
    lateral = chain.flexion * rot.rotate(quat[:, chain.upper], _LATERAL)
    if character.tree.kind[joint] == HINGE:
        axis = rot.rotate(quat[:, chain.middle], character.tree.axis[joint])
        sign = 1.0 if np.mean(np.sum(axis * lateral, axis=-1)) >= 0 else -1.0
        return sign * axis, sign
    size = np.linalg.norm(a, axis=-1, keepdims=True) * np.linalg.norm(b, axis=-1, keepdims=True)
    across = np.cross(a, b) / size
    bend = np.linalg.norm(across, axis=-1, keepdims=True)
    side = np.where(np.sum(across * lateral, axis=-1, keepdims=True) < 0, -1.0, 1.0)
    share = fade(bend / _CLEAR)
    axis = (1.0 - share) * lateral + share * side * across / np.maximum(bend, 1e-12)
    return axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-12), 0.0


def _bend(axis: Array, a: Array, b: Array, want: Array) -> Array:
    """Angle (N,) by which b must turn about `axis` so that |a + b| is `want` (N,); zero where it already is.

    A limb recorded slightly overstretched (now < 0) goes over to the natural side as soon as it has to bend more:
    through the straight limb, where the few degrees in between change its length by less than a millimetre.
    """
    dot = lambda x, y: np.sum(x * y, axis=-1)  # noqa: E731
    along_a, along_b = dot(a, axis), dot(b, axis)
    flat_a, flat_b = a - along_a[:, None] * axis, b - along_b[:, None] * axis
    size = np.linalg.norm(flat_a, axis=-1) * np.linalg.norm(flat_b, axis=-1)
    now = np.arctan2(dot(axis, np.cross(flat_a, flat_b)), dot(flat_a, flat_b))
    cosine = (want**2 - dot(a, a) - dot(b, b) - 2.0 * along_a * along_b) / (2.0 * np.maximum(size, 1e-12))
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    over = np.where(now < -_STYLE, 0.0, fade((angle - np.abs(now)) / (0.5 * np.abs(now) + 0.02)))
    return np.where(now < 0, 2.0 * over - 1.0, 1.0) * angle - now


def bones(character: Character, chain: Sequence[str]) -> tuple[Array, Array]:
    """The two bones (3,) between three roles in the zero pose, where every body frame lies along the world's axes."""
    pos, _ = character.forward(character.zero_pose())
    a, b, c = (pos[0, character.body(role)] for role in chain)
    return b - a, c - b


def two_bones(goal: Array, upper: Array, lower: Array, axis: Array, way: float) -> tuple[Array, Array]:
    """World orientations (N, 4) of two bones whose far end is at `goal` (N, 3) from the near end.

    `upper` and `lower` (3,) are the bones in their own frames; the lower one turns against the upper one about +Y
    (`way` 1, a knee) or -Y (-1, an elbow), and Y is as near to `axis` (N, 3) as the goal allows. A goal that is out of
    reach is aimed at.
    """
    longest = np.linalg.norm(upper) + np.linalg.norm(lower)
    far = np.clip(np.linalg.norm(goal, axis=1), _FOLDED * longest, _STRAIGHT * longest)
    # |upper + Ry(bend) lower| = far is linear in the cosine and the sine of the bend
    c, s = upper[0] * lower[0] + upper[2] * lower[2], upper[0] * lower[2] - upper[2] * lower[0]
    rest = 0.5 * (far**2 - upper @ upper - lower @ lower) - upper[1] * lower[1]
    bend = np.arctan2(s, c) + way * np.arccos(np.clip(rest / np.hypot(c, s), -1.0, 1.0))
    hinge = rot.from_euler("y", np.radians(np.degrees(bend))[:, None])  # rounded like an acted angle
    whole = upper + rot.rotate(hinge, lower)
    own = rot.from_matrix(_frames(whole, np.broadcast_to(_LATERAL, whole.shape)))
    first = rot.multiply(rot.from_matrix(_frames(goal, axis)), rot.conjugate(own))
    return first, rot.multiply(first, hinge)


def _frames(along: Array, axis: Array) -> Array:
    """Right-handed frames (N, 3, 3) with the first column along a vector and the second near to an axis."""
    a = along / np.linalg.norm(along, axis=1, keepdims=True)
    b = axis - np.sum(axis * a, axis=1, keepdims=True) * a
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    return np.stack([a, b, np.cross(a, b)], axis=2)
