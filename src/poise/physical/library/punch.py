"""punch: a straight punch with the rear (right) hand out of a guard, and back.

The fist of a straight punch reaches 9.1 m/s (standard deviation 2.1) in Olympic boxers (T. Walilko, D. Viano & C. Bir,
British Journal of Sports Medicine 39, 710-719, 2005); a relaxed one here has less. The order is that of the kinetic
chain: the rear heel rises and the pelvis turns, then the chest, the shoulder, and last the elbow extends. The angles
are ours.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_height
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.physical.library.acting import GUARD, KeyPose, played
from poise.physical.library.actor import act
from poise.physical.library.finish import finished, timeline

WAIT, WIND, BACK, REST = 0.3, 0.24, 0.44, 0.4  # [s] in guard, drawing back, returning, in guard again
SETTLE = 0.3  # [s] of which the body needs to come to rest in its guard
REACH = 0.68  # [leg lengths] that the fist travels
LAG = {"turn": -0.03, "right_pitch": -0.04, "right_toes": -0.05, "centre_x": 0.04, "twist": -0.015, "fore": 0.01,
       "raise": -0.015, "out": -0.015, "spin": 0.0, "elbow": 0.03, "pronate": 0.03}  # fmt: skip


def make(character: Character, speed: float = 5.5, height: float | None = None) -> Clip:
    """A straight punch whose fist moves at up to `speed` [m/s] to a `height` [m], by default that of the chin."""
    leg = hip_height(character)
    chin = 1.55 * leg
    height = chin if height is None else float(height)
    if not 2.0 <= speed <= 11.0:
        raise BadValue(f"A fist moves at 2 to 11 m/s at most in a punch, not {speed}.")
    if not 0.7 * chin <= height <= 1.2 * chin:
        raise BadValue(f"This body punches {0.7 * chin:.2f} to {1.2 * chin:.2f} m high, not {height} m.")
    strike = 1.875 * REACH * leg / speed  # the greatest speed of a minimum-jerk movement is 1.875 times its mean
    hit = WAIT + WIND + strike
    keys = _poses(hit, strike, float(np.degrees(np.arcsin((height - 1.47 * leg) / (0.72 * leg)))))
    times, dt = timeline(hit + 0.04 + BACK + REST)
    channels = played(keys, times, lag=LAG)
    channels["right_toes"] = np.clip(channels["right_pitch"], 0.0, 60.0)
    return finished("punch", character, act(character, channels), dt)


def _poses(hit: float, strike: float, up: float) -> list[KeyPose]:
    """Guard, a small draw back, the blow at an elevation [degrees], and back to the guard."""
    body = ("turn", "twist", "tilt", "bend", "side", "hips", "centre_x", "centre_y", "left_raise", "left_elbow",
            "left_out", "right_fore", "right_shrug", "right_pronate", "right_pitch", "right_knee_out")  # fmt: skip
    arm, draw = ("right_raise", "right_out", "right_spin"), ("right_elbow",)
    of = lambda names: {name: GUARD.get(name, 0.0) for name in names}  # noqa: E731
    wind = {"turn": -34.0, "twist": -12.0, "tilt": 8.0, "bend": 9.0, "centre_x": 0.015, "hips": 0.925,
            "right_raise": 24.0, "right_elbow": 138.0, "right_fore": 0.0, "left_raise": 52.0, "left_elbow": 98.0,
            "right_pitch": 0.0}  # fmt: skip
    blow = {"turn": 14.0, "twist": 19.0, "tilt": 10.0, "bend": 8.0, "side": 2.0, "centre_x": 0.06, "centre_y": 0.01,
            "hips": 0.925, "right_raise": 94.0 + up, "right_out": 38.0, "right_spin": 40.0, "right_elbow": 7.0,
            "right_fore": 20.0, "right_shrug": 12.0, "right_pronate": 60.0, "left_raise": 38.0, "left_elbow": 122.0,
            "left_out": 12.0, "right_pitch": 34.0, "right_knee_out": -26.0}  # fmt: skip
    held = ("turn", "twist", *arm, *draw)
    # the body comes back a little too far, sinks into its knees, and settles
    past = {"turn": GUARD["turn"] - 3.0, "twist": GUARD["twist"] - 2.0, "centre_x": GUARD["centre_x"] - 0.012,
            "hips": GUARD["hips"] - 0.011, "bend": GUARD["bend"] + 1.5, "left_raise": 46.0}  # fmt: skip
    return [
        KeyPose(0.0, GUARD), KeyPose(WAIT, of((*body, *arm, *draw))), KeyPose(hit - strike, wind), KeyPose(hit, blow),
        KeyPose(hit + 0.03, {name: blow[name] for name in held}),
        # the fist comes back on the line on which it went: the elbow bends before the arm is lowered
        KeyPose(hit + 0.03 + 0.7 * BACK, of(draw)), KeyPose(hit + 0.03 + BACK, {**of(body), **past}),
        KeyPose(hit + 0.05 + BACK, of(arm)), KeyPose(hit + 0.03 + BACK + SETTLE, of(past)),
    ]  # fmt: skip
