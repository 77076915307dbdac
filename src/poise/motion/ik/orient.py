"""What the joints of a body can do, and giving it another orientation in its parent."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.posing import turn_joints
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE
from poise.maths.rotations import Array


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
