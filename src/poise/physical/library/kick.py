"""kick: a front kick with the rear (right) leg out of a guard, and back.

The knee is raised and then extends, thigh before shin, as S. Sorensen, M. Zacho, E. Simonsen, P. Dyhre-Poulsen & K.
Klausen, Journal of Sports Sciences 14, 483-495, 1996, measured in high front kicks; the angles and the tempo are ours.
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

WAIT = 0.15  # [s] in guard
LEAN = -14.0  # [degrees] of the pelvis at the kick: backwards


def make(character: Character, height: float | None = None, tempo: float = 1.0) -> Clip:
    """A front kick to a `height` [m], by default that of the hips; `tempo` 2 is twice as fast."""
    leg = hip_height(character)
    height = leg if height is None else float(height)
    if not 0.4 * leg <= height <= 1.35 * leg:
        raise BadValue(f"This body kicks {0.4 * leg:.2f} to {1.35 * leg:.2f} m high, not {height} m.")
    if not 0.6 <= tempo <= 1.5:
        raise BadValue(f"The tempo of a kick is 0.6 to 1.5, not {tempo}.")
    above = float(np.clip((0.95 - height / leg) / 0.95, -1.0, 1.0))  # of the hips, over the length of leg and foot
    keys = [KeyPose(WAIT + (k.time - WAIT) / tempo if k.time > WAIT else k.time, k.values)
            for k in _poses(float(np.degrees(np.arccos(above))))]  # fmt: skip
    times, dt = timeline(keys[-1].time + 0.12)
    channels = played(keys, times)
    channels["right_toes"] = np.clip(channels["right_pitch"], 0.0, 60.0) * (channels["right_free"] < 0.5)
    return finished("kick", character, act(character, channels), dt)


def _poses(angle: float) -> list[KeyPose]:
    """Weight onto the left foot, knee up, kick with the thigh at an angle [degrees] to the vertical, and back."""
    back = {k: GUARD[k] for k in ("hips", "centre_x", "centre_y", "tilt", "bend", "turn", "twist", "right_raise",
                                  "right_elbow", "left_raise", "left_elbow", "right_out", "left_out")}  # fmt: skip
    foot = {"right_free": 0.0, "right_hip": 6.0, "right_knee": 46.0, "right_ankle": 8.0, "right_hip_out": 10.0,
            "right_knee_out": -4.0}  # fmt: skip
    hip = angle + LEAN
    over = {"centre_x": 0.21, "centre_y": 0.125}
    return [
        KeyPose(0.0, {**GUARD, "list": 0.0, "right_pitch": 0.0, **foot}), KeyPose(WAIT, {**back, "list": 0.0}),
        KeyPose(0.50, {"right_pitch": 0.0}), KeyPose(0.82, {"right_pitch": 34.0, **foot}),
        KeyPose(0.86, {**over, "hips": 0.945, "tilt": 9.0, "turn": -16.0}),
        KeyPose(1.14, {"right_free": 1.0, "right_hip": max(hip, 78.0), "right_knee": 118.0, "right_ankle": -4.0,
                       "right_hip_out": 13.0, "turn": -2.0, "twist": -4.0, "tilt": -4.0, "bend": 14.0, "hips": 0.955,
                       "list": 3.0, **over, "right_raise": 24.0, "left_raise": 52.0, "right_knee_out": 0.0}),
        KeyPose(1.35, {"right_hip": hip, "right_knee": 8.0, "right_ankle": 22.0, "turn": 14.0, "twist": -14.0,
                       "tilt": LEAN, "bend": 20.0, "hips": 0.965, "list": 4.0, "centre_x": 0.225, "centre_y": 0.125,
                       "right_raise": 2.0, "right_elbow": 104.0, "right_out": 30.0, "left_raise": 60.0}),
        KeyPose(1.58, {"right_hip": max(hip - 4.0, 74.0), "right_knee": 106.0, "right_ankle": 4.0, "tilt": -6.0,
                       "bend": 14.0, "turn": 0.0, "twist": -8.0, "right_free": 1.0, "list": 3.0, "hips": 0.95, **over}),
        KeyPose(2.04, {**foot, "right_pitch": 30.0, "hips": 0.935, "centre_x": 0.175, "centre_y": 0.115}),
        KeyPose(2.24, {"right_pitch": 0.0}),
        KeyPose(2.36, {**back, "list": 0.0, "hips": GUARD["hips"] - 0.013, "bend": GUARD["bend"] + 2.0,
                       "centre_x": GUARD["centre_x"] - 0.012}),  # the knees take up the landing
        KeyPose(2.68, {k: GUARD[k] for k in ("hips", "bend", "centre_x")}),
    ]  # fmt: skip
