"""The stance from which one punches and kicks: left side ahead, weight between the feet, fists before the chin.

An orthodox boxing guard as coaching books describe it; its angles are ours.
"""

from __future__ import annotations

from poise.physical.library.acting import AT_EASE

GUARD: dict[str, float] = {
    **AT_EASE, "hips": 0.935, "centre_x": 0.02, "centre_y": 0.0, "tilt": 8.0, "bend": 8.0, "turn": -28.0, "twist": -8.0,
    "look_down": 5.0, "look_turn": 0.0,
    "left_x": 0.17, "left_y": 0.13, "left_yaw": -8.0, "left_knee_out": 4.0,
    "right_x": -0.21, "right_y": -0.13, "right_yaw": 38.0, "right_knee_out": -4.0,
    "left_raise": 50.0, "left_out": 20.0, "left_spin": 24.0, "left_elbow": 112.0, "left_pronate": 30.0,
    "left_wrist": 0.0,
    "right_raise": 34.0, "right_out": 12.0, "right_spin": 30.0, "right_elbow": 136.0, "right_pronate": 30.0,
    "right_wrist": 0.0, "left_shrug": 5.0, "right_shrug": 5.0, "left_fore": 6.0, "right_fore": 6.0,
}  # fmt: skip
"""Channels of the guard; see `acting`."""
