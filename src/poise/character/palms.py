"""Palms: which way a hand points and looks, from the joints of its fingers."""

from __future__ import annotations

import numpy as np

from poise.character.skeleton import Skeleton
from poise.character.trunk import ancestors
from poise.character.words import split
from poise.maths.rotations import Array


def fingers(skeleton: Skeleton, hand: int) -> tuple[list[int], list[int]]:
    """Joints below a hand: those of its thumb and those of its other fingers."""
    below = [j for j in range(len(skeleton)) if hand in ancestors(skeleton, j)]
    thumb = [j for j in below if "thumb" in split(skeleton.names[j])]
    return thumb, [j for j in below if j not in thumb]


def hand_axes(skeleton: Skeleton, hand: int, positions: Array) -> tuple[Array | None, Array | None, bool]:
    """Directions (3,) from the wrist to the fingers and across the palm to the side of the thumb; None where unknown.

    `positions` (J, 3) is one pose. The last value tells whether the second is the line of the knuckles, which lies in
    the palm, and not only the place of the thumb, which stands out of it.
    """
    thumb, other = fingers(skeleton, hand)
    arms = {j: positions[j] - positions[hand] for j in (*thumb, *other)}
    arms = {j: arm for j, arm in arms.items() if np.linalg.norm(arm) > 1e-9}
    middle = [j for j in other if j in arms and {"middle", "mid"} & set(split(skeleton.names[j]))]
    reach = [arms[j] for j in (middle or other) if j in arms]
    if not reach:
        return None, None, False
    along = np.mean(reach, axis=0)
    unit = along / np.linalg.norm(along)
    rows = [[arms[j] for j in other if j in arms and names & set(split(skeleton.names[j]))]
            for names in ({"index"}, {"pinky", "pinkie", "little", "ring"})]  # fmt: skip
    knuckles = all(rows)
    side = [arms[j] for j in thumb if j in arms]
    if not knuckles and not side:
        return along, None, False
    across = rows[0][0] - rows[1][-1] if knuckles else np.mean(side, axis=0)
    across = across - (across @ unit) * unit
    wide = np.linalg.norm(across) > 0.05 * np.linalg.norm(along)
    return along, across if wide else None, knuckles
