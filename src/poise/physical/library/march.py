"""march: parade march with lifted knees and stiff arms, one cycle.

Cadence and pace are near those of drill (Drill and Ceremonies, US Army TC 3-21.5: 120 steps of 30 inches a minute;
knees are lifted here, so pace and cadence are shorter). Stance is that of walking (Perry & Burnfield 2010, see `walk`)
with a straighter knee and a flatter foot; the lifted swing leg and the arms are our own judgement.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.physical.library.gait import author, walker_hips
from poise.physical.library.manner import Gait, Legs, Manner, Path

TOP = 68.0  # [degrees] of the thigh in the curve below


def legs(height: float) -> Legs:
    """The leg with its thigh lifted to `height` [degrees]."""
    k = height / TOP
    return Legs(
        thigh=((0, 20), (8, 18.5), (20, 8.5), (30, -2), (40, -8.5), (49, -11), (55, -9), (60, 0), (66, 32 * k),
               (72, 59 * k), (79, 71 * k), (85, 59 * k), (91, 38 * k), (95, 26)),
        knee=((0, 4), (8, 11), (15, 13), (25, 6), (38, 4), (46, 11), (53, 25), (59, 49 * k), (66, 82 * k), (73, 92 * k),
              (79, 86 * k), (85, 62 * k), (91, 30), (96, 9)),
        foot=((0, 9), (4, 4), (8, 0), (20, 0), (36, 0), (43, -7), (49, -18), (55, -36), (60, -46), (66, -40), (73, -26),
              (80, -15), (88, -3), (95, 8)),
        toes=((0, 6), (8, 0), (34, 0), (43, 7), (49, 17), (55, 30), (60, 22), (66, 8), (80, 3)),
        heel=(0.0, 38.0), ball=(7.0, 56.0), tip=(9.0, 58.0),
        clearance=0.02,
    )  # fmt: skip


MANNER = Manner(
    sway=0.03, bob=0.016, low=0.05, drop=3.0, turn=3.5, nod=0.8, trunk=5.0, lean=0.0, arm_mean=6.0, arm_swing=36.0,
    arm_lag=0.02, arm_out=10.0, arm_in=6.0, elbow_mean=15.0, elbow_swing=5.0, elbow_lag=0.03, forearm_in=10.0,
    width=0.075,
)  # fmt: skip
STRIDE, LEG, SPEED = 1.2, 0.9, 1.1  # [m], [m], [m/s]


def make(character: Character, speed: float = SPEED, height: float = TOP) -> Clip:
    """One cycle of a march at `speed` [m/s], thighs lifted to `height` [degrees] from the vertical."""
    if not 0.5 <= speed <= 1.6 or not 35.0 <= height <= 90.0:
        raise BadValue(f"One marches at 0.5 to 1.6 m/s with thighs lifted by 35 to 90 degrees, "
                       f"not at {speed} m/s with {height} degrees.")  # fmt: skip
    leg = walker_hips(character)
    stride = float(STRIDE * leg / LEG * np.sqrt(speed / SPEED))
    return author(character, Gait("march", legs(height), MANNER), Path(stride), stride / speed)
