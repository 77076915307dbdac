"""squat: a body-weight squat with the arms raised for balance; one repetition as a loop.

Depths are told by the knee's flexion, as in B. Schoenfeld, Journal of Strength and Conditioning Research 24, 3497-3506,
2010: partial to 40 degrees, half 70 to 100, deep beyond. Feet flat, a shoulder apart and turned out a little, as R.
Escamilla, Medicine & Science in Sports & Exercise 33, 127-141, 2001, describes; how far shin and trunk lean, the arms,
the pause and the tempo are ours.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip, Cycle
from poise.physical.library.acting import AT_EASE, KeyPose, played
from poise.physical.library.actor import act
from poise.physical.library.finish import finished, timeline

WIDTH = 0.17  # [leg lengths] of each ankle from the middle
SHIN = 0.23  # degrees that the shin leans for each of the knee's
PELVIS, SPINE = 0.27, 0.15  # degrees that the pelvis leans, and that the spine bends, for each of the knee's


def make(character: Character, depth: float = 105.0, period: float = 3.0) -> Clip:
    """One squat down to a knee flexion of `depth` [degrees] and up again, in `period` [s]."""
    if not 30.0 <= depth <= 120.0:
        raise BadValue(f"A squat goes down to a knee flexion between 30 and 120 degrees, not {depth}.")
    if not 1.6 <= period <= 8.0:
        raise BadValue(f"A squat takes 1.6 to 8 s, not {period}.")
    times, dt = timeline(period)
    keys = [KeyPose(share * period, values) for share, values in _poses(depth)]
    channels = played(keys, times, period, {"raise": 0.03, "elbow": 0.06, "look_down": 0.06, "bend": 0.03})
    return finished("squat", character, act(character, channels), dt, Cycle())


def _poses(depth: float) -> list[tuple[float, dict[str, float]]]:
    """Key poses by share of the period; how much everything moves grows with the depth."""
    share = depth / 105.0
    top = {**AT_EASE, "hips": 0.983, "tilt": 3.0, "bend": 0.0, "look_down": 3.0, "raise": 6.0, "out": 9.0, "spin": 10.0,
           "elbow": 16.0, "centre_x": 0.055, "yaw": 14.0}  # fmt: skip
    low = {"hips": hips_at(depth), "tilt": PELVIS * depth, "bend": SPINE * depth, "look_down": 10.0 * share,
           "raise": 6.0 + 110.0 * share, "out": 7.0, "spin": 2.0, "elbow": 14.0,
           "centre_x": 0.065}  # fmt: skip
    stance = {"left_y": WIDTH, "right_y": -WIDTH, "knee_out": 4.0}
    half = {"hips": 0.5 * (top["hips"] + low["hips"]), "tilt": 0.74 * PELVIS * depth, "bend": 0.6 * SPINE * depth}
    return [(0.0, {**top, **stance}), (0.05, {k: top[k] for k in ("hips", "tilt", "bend", "raise", "elbow")}),
            (0.26, half), (0.475, low), (0.525, {k: low[k] for k in ("hips", "tilt", "bend", "raise", "elbow")}),
            (0.70, half), (0.93, {k: top[k] for k in ("hips", "tilt", "bend")})]  # fmt: skip


def hips_at(knee: float) -> float:
    """Height of the hips [leg lengths] over flat feet at a knee flexion [degrees], with the shin leaning forward.

    Thigh and shin have 0.463 and 0.464 of the leg's length, the rest is the foot (Drillis & Contini 1966: 0.245, 0.246
    and 0.039 of stature).
    """
    lean = np.radians(SHIN * knee)
    return float(0.073 + 0.464 * np.cos(lean) + 0.463 * np.cos(np.radians(knee) - lean))
