"""Hanging: the configurations of a body whose hands hold a bar, from acted channels (see `acting`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_height
from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.hold import Hold
from poise.physical.library.acting import AT_EASE, KeyPose
from poise.physical.library.actor import SIGN, Acted, told
from poise.physical.library.authoring import palm, pose, turn

_PASSES = 4  # of turning the body until its weight is where it shall be
CLEAR = 0.2  # [leg lengths] of the feet above the floor while the body hangs straight


def bar_height(character: Character) -> float:
    """Height [m] of a bar under which the body hangs with straight arms, its feet clear of the floor."""
    hand = palm(character, "left")
    pos, quat = character.forward(character.standing_pose())
    body, upper = character.body(hand.hand), character.body("left_upper_arm")
    shoulder = pos[0, upper, 2]
    reach = shoulder - (pos[0, body] + rot.rotate(quat[0, body], hand.local(character)))[2]
    return float(shoulder + reach + CLEAR * hip_height(character))


def grips(character: Character, width: float) -> tuple[Hold, ...]:
    """Both hands round a bar across X at `bar_height`, each `width` [leg lengths] from the middle."""
    high, leg = bar_height(character), hip_height(character)
    return tuple(replace(palm(character, side), place=(0.0, SIGN[side] * width * leg, high)) for side in SIDES)


def hang(character: Character, channels: Mapping[str, Array], holds: tuple[Hold, ...], lean: Array) -> Acted:
    """The acted motion with its palms at the bar.

    `lean` (N,) [degrees] is the angle at the bar between the vertical and the line to the centre of mass, forwards: 0
    hangs still. The body is turned about the bar as a whole to have it.
    """
    n = len(lean)
    values = {**KeyPose(0.0, AT_EASE).channels(), **{f"{side}_free": 1.0 for side in SIDES}, **channels}
    turns = told(lambda name: np.broadcast_to(np.asarray(values.get(name, 0.0), float), (n,)))
    middle = np.mean([np.asarray(h.place, float) for h in holds], axis=0)
    q = pose(character, np.tile(middle, (n, 1)), turns)
    for _ in range(_PASSES):
        q[:, :3] += middle - np.mean(_palms(character, q, holds), axis=0)
        arm = character.centre_of_mass(q) - middle
        now = np.degrees(np.arctan2(arm[:, 0], -arm[:, 2]))
        back = turn(pitch=now - lean)  # nose up swings the body forward
        turns = {role: rot.multiply(back, value) for role, value in turns.items()}
        q = pose(character, q[:, :3], turns)
    q[:, :3] += middle - np.mean(_palms(character, q, holds), axis=0)
    points = character.points(q)
    places = [np.tile(np.asarray(h.place, float), (n, 1)) for h in holds]
    hands = tuple((h, place, np.full(n, 30.0)) for h, place in zip(holds, places, strict=True))
    return Acted(q, points, np.zeros(points.shape[:2], bool), hands)


def _palms(character: Character, q: Array, holds: tuple[Hold, ...]) -> list[Array]:
    """Where (N, 3) the palms are."""
    pos, quat = character.forward(q)
    bodies = [character.body(h.hand) for h in holds]
    return [pos[:, b] + rot.rotate(quat[:, b], h.local(character)) for b, h in zip(bodies, holds, strict=True)]
