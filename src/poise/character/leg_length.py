"""Lengths of legs: of the bones from hip to ankle, from hip to sole, and of the legs of a recorded skeleton."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from poise.character.roles import SIDES
from poise.maths.rotations import Array

if TYPE_CHECKING:
    from poise.character.character import Character


def leg_length(character: Character, side: str) -> float:
    """Thigh and shin [m]: from the hip to the ankle of the straight leg of a side."""
    return leg_above(character, character.body(f"{side}_foot"))[1]


def leg_above(character: Character, foot: int) -> tuple[int, float]:
    """The body of the thigh above a foot's body, and the length [m] of the bones between them."""
    model, length, body = character.model, 0.0, foot
    root = int(model.jnt_bodyid[0])
    while int(model.body_parentid[body]) not in (root, 0):
        length += float(np.linalg.norm(model.body_pos[body]))
        body = int(model.body_parentid[body])
        if character.has("left_thigh") and body in (character.body("left_thigh"), character.body("right_thigh")):
            break
    return body, length


def hip_to_sole(character: Character) -> float:
    """From hip to knee to ankle to sole [m], the mean of both legs; the same however the zero pose bends them."""
    pos, _ = character.forward(character.zero_pose())
    points, total = character.points(character.zero_pose())[0], 0.0
    for side in SIDES:
        hip, knee, ankle = (pos[0, character.body(f"{side}_{p}")] for p in ("thigh", "shin", "foot"))
        sole = points[character.contact_points.of(side), 2]
        total += float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
        total += float(ankle[2] - sole.min()) if len(sole) else 0.0
    return 0.5 * total


def hip_height(character: Character, sides: Sequence[str] = SIDES) -> float:
    """Height [m] of the hip joints of the standing character, the mean of some sides."""
    pos, _ = character.forward(character.standing_pose())
    return float(np.mean([pos[0, character.body(f"{side}_thigh"), 2] for side in sides]))


def recorded_leg(roles: Mapping[str, int], positions: Array) -> float:
    """Thigh and shin of a skeleton, mean of both legs, median over the frames of positions (N, J, 3) [file units]."""
    legs = []
    for side in SIDES:
        hip, knee, ankle = (positions[:, roles[f"{side}_{part}"]] for part in ("thigh", "shin", "foot"))
        legs.append(np.median(np.linalg.norm(knee - hip, axis=-1)) + np.median(np.linalg.norm(ankle - knee, axis=-1)))
    return float(np.mean(legs))
