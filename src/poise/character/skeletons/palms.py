"""Palms: which way a hand points and looks, from the joints of its fingers, and where it touches the ground."""

from __future__ import annotations

import numpy as np

from poise.character.bodies.landmarks import Landmarks
from poise.character.skeleton import Skeleton
from poise.character.skeletons.name_words import split
from poise.character.skeletons.trunk import ancestors
from poise.maths.rotations import Array

# Shares of standing height, our choice within what the shapes of hands and forearms allow: half the breadth of the heel
# of the hand, and of the fingertips on which a hand that does not lie flat can roll any way; how far from the bones the
# skin is there, so that a forearm above a hand that lies flat is not in the ground.
BREADTH, DEPTH = {"heel": 0.020, "tip": 0.004}, {"heel": 0.018, "tip": 0.008}
ALONG = {"heel": 0.12, "tip": 1.0}  # of the way from the wrist to the tip of the fingers


def palm_points(marks: Landmarks, side: str, body: str) -> list[tuple[str, str, Array]]:
    """Where a hand of a body touches: name, body and place [m] in the zero pose, in which palms look at the thighs.

    The heel of the hand at the wrist and the tips of the fingers, on the side of the palm; inner is that of the thumb.
    """
    wrist, tip = marks.joints[f"{side}_hand"], marks.fingers[side]
    inward = np.array([0.0, -1.0 if side == "left" else 1.0, 0.0])
    forward = np.array([1.0, 0.0, 0.0])
    return [(f"{side}_hand_{part}_{edge}", body, wrist + share * (tip - wrist)
             + marks.height * (sign * BREADTH[part] * forward + DEPTH[part] * inward))
            for part, share in ALONG.items() for edge, sign in (("inner", 1.0), ("outer", -1.0))]  # fmt: skip


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
