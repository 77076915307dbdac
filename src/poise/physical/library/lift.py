"""lift: a barbell is gripped, lifted from the floor to the thighs, and held (a conventional deadlift).

The conventional style of R. Escamilla et al., Medicine & Science in Sports & Exercise 32, 1265-1275, 2000: feet under
the hips, hands outside the knees, the bar over the middle of the feet and led straight up along the legs, arms
straight. The angles and the tempo are ours. The load is part of the body's balance: the heavier it is, the further back
the body leans, and the slower it lifts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_height
from poise.character.roles import SIDES
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.physical.library.acting import AT_EASE, KeyPose, played
from poise.physical.library.actor import SIGN, act
from poise.physical.library.authoring import arm_bones, arm_room, palm
from poise.physical.library.finish import finished, timeline

PLATES = 0.225  # [m] radius of the plates: as high the bar lies
BAR = 0.125  # [leg lengths] of the bar ahead of the ankles
GRIP = 0.31  # [leg lengths] of each hand from the middle
START, DOWN, TIGHT, HOLD = 0.2, 1.0, 0.3, 0.5  # [s]: standing, going down, taking the weight, holding


def make(character: Character, mass: float = 20.0) -> Clip:
    """Lifting a barbell of `mass` [kg]."""
    if not 1.0 <= mass <= character.mass:
        raise BadValue(f"A body of {character.mass:.0f} kg lifts 1 to {character.mass:.0f} kg here, not {mass} kg.")
    leg, arm = hip_height(character), sum(float(np.linalg.norm(b)) for b in arm_bones(character, "left"))
    grip = START + DOWN
    share = mass / character.mass
    up = 0.95 + 0.6 * share  # [s]: heavy loads are lifted slowly
    times, dt = timeline(grip + TIGHT + up + HOLD)
    grip = round(grip / dt) * dt
    wide = GRIP + 0.6 * float(np.sin(np.radians(arm_room(character, "left"))))  # beside broad thighs
    channels = played(_poses(share, leg, arm / leg, up, wide), times, lag={"tilt": 0.04, "bend": 0.08})
    holds = tuple(replace(palm(character, side), start=grip, mass=0.5 * mass) for side in SIDES)
    return finished("lift", character, act(character, channels), dt, holds=holds)


def _poses(share: float, leg: float, arm: float, lifting: float, wide: float) -> list[KeyPose]:
    """The way of the bar and of the body; `share` is the load's of the body's mass, `arm` its length in legs.

    Each hand is `wide` [leg lengths] from the middle.
    """
    middle = 0.062  # of the feet, where body and bar together are in balance
    back = middle - share * (BAR - middle)
    low, high = PLATES / leg, 1.49 - arm
    stand = {**AT_EASE, "centre_x": middle, "left_y": 0.105, "right_y": -0.105, "yaw": 6.0, "knee_out": 0.0,
             "reach": 0.0, "hand_x": BAR, "hand_z": low}  # fmt: skip
    stand |= {f"{side}_hand_y": SIGN[side] * wide for side in SIDES}
    bent = {"hips": 0.66, "tilt": 38.0, "bend": 22.0, "look_down": 26.0, "reach": 1.0, "raise": 60.0, "out": 8.0,
            "spin": -6.0, "elbow": 4.0, "fore": 4.0}  # fmt: skip
    top = {"hips": 0.99, "tilt": -2.0, "bend": -1.0, "look_down": 4.0, "raise": 8.0, "out": 8.0, "spin": 0.0,
           "elbow": 4.0, "fore": -4.0, "hand_z": high}  # fmt: skip
    grip = START + DOWN
    tight, up = grip + TIGHT, grip + TIGHT + lifting
    return [
        KeyPose(0.0, stand), KeyPose(START, {k: stand[k] for k in (*bent, "centre_x") if k in stand}),
        KeyPose(grip - 0.12, {**bent, "centre_x": middle}),
        KeyPose(grip, {"reach": 1.0, "centre_x": 0.5 * (middle + back)}),
        KeyPose(grip + 0.15, {"centre_x": back}),
        KeyPose(tight, {**bent, "centre_x": back, "hand_z": low, "hand_x": BAR, "look_down": 14.0, "tilt": 36.0}),
        KeyPose(tight + 0.42 * lifting, {"hips": 0.86, "tilt": 27.0, "bend": 14.0,
                                         "hand_z": low + 0.46 * (high - low)}),
        KeyPose(up, {**top, "centre_x": back, "hand_x": BAR}),
    ]  # fmt: skip
