"""chin-up: hanging from a bar, the body is pulled up until the chin passes it, and let down; one repetition as a loop.

Elbows bend to about 140 degrees while the shoulders extend, the forearms staying near the vertical, and the body hangs
under its hands at every moment, as it must without anything else to hold it. The shoulder blades are drawn up by the
hanging weight and pulled down before the arms bend (J. Prinold & A. Bull, Journal of Science and Medicine in Sport 19,
629-635, 2016, have their way in three techniques). Up in a second, down somewhat slower. The angles are ours.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip, Cycle
from poise.physical.library.acting import KeyPose, played
from poise.physical.library.finish import finished, timeline
from poise.physical.library.hanging import grips, hang

WIDTH = 0.2  # [leg lengths] of each hand from the middle
LAG = {"hip": 0.06, "knee": 0.10, "bend": 0.03, "shrug": -0.05, "look_down": -0.03}  # [s]


def make(character: Character, height: float = 1.0, period: float = 3.2) -> Clip:
    """One chin-up, of `height` 1 with the chin over the bar, less for a part of the way; in `period` [s]."""
    if not 0.2 <= height <= 1.0:
        raise BadValue(f"The height of a chin-up is a share of the way from 0.2 to 1, not {height}.")
    if not 1.8 <= period <= 10.0:
        raise BadValue(f"A chin-up takes 1.8 to 10 s, not {period}.")
    times, dt = timeline(period)
    keys = [KeyPose(share * period, values) for share, values in _poses(height)]
    channels = played(keys, times, period, LAG)
    holds = grips(character, WIDTH)
    return finished("chin-up", character, hang(character, channels, holds, np.zeros(len(times))), dt, Cycle(), holds)


def _poses(height: float) -> list[tuple[float, dict[str, float]]]:
    """Key poses by share of the period: hanging, half-way, the chin over the bar, and down again."""
    low = {"raise": 178.0, "out": 3.0, "spin": 0.0, "elbow": 10.0, "shrug": 16.0, "fore": 0.0, "wrist": 0.0,
           "pronate": 0.0, "tilt": 0.0, "bend": -2.0, "look_down": -18.0, "hip": 8.0, "knee": 24.0, "ankle": 28.0,
           "hip_out": 1.0}  # fmt: skip
    high = {"raise": 178.0 - 168.0 * height, "out": 10.0, "elbow": 10.0 + 138.0 * height, "shrug": -6.0,
            "fore": -4.0 * height, "bend": -9.0 * height, "look_down": -16.0, "hip": 20.0, "knee": 42.0,
            "ankle": 30.0}  # fmt: skip
    half = {"raise": 178.0 - 70.0 * height, "elbow": 10.0 + 68.0 * height, "shrug": 3.0}
    held = ("raise", "elbow", "bend", "hip", "knee")
    return [
        (0.0, low), (0.05, {k: low[k] for k in held}), (0.22, half), (0.42, high), (0.47, {k: high[k] for k in held}),
        (0.70, half), (0.96, {k: low[k] for k in ("raise", "elbow", "bend", "shrug")}),
    ]  # fmt: skip
