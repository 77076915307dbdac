"""sneak: a slow, low walk on soft feet, one cycle.

The toes touch first and the foot is rolled down to its heel before it takes weight; knees and trunk stay bent, the
swinging leg is lifted high over what might make a noise, arms are held in front. No laboratory has normative curves of
it that we know of: all key values are our own judgement.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.physical.library.gait import author, walker_hips
from poise.physical.library.manner import Gait, Legs, Manner, Path

LEGS = Legs(
    thigh=((0, 50), (8, 47), (16, 43), (26, 36), (36, 26), (46, 14), (55, 2), (61, -1), (67, 12), (74, 41), (81, 63),
           (88, 67), (94, 59)),
    knee=((0, 46), (8, 52), (16, 57), (26, 58), (36, 53), (46, 46), (55, 43), (61, 51), (67, 75), (74, 98), (81, 100),
          (88, 79), (94, 56)),
    foot=((0, -14), (4, -10), (10, -1), (16, 0), (34, 0), (40, -1), (46, -6), (52, -16), (58, -32), (63, -46),
          (69, -52), (76, -42), (83, -27), (90, -18), (96, -15)),
    toes=((0, 10), (10, 1), (36, 0), (46, 6), (52, 16), (58, 28), (63, 24), (70, 8), (82, 2), (92, 6)),
    heel=(10.0, 41.0), ball=(2.5, 60.0), tip=(0.0, 63.0),
    clearance=0.04,
)  # fmt: skip
MANNER = Manner(
    sway=0.05, sway_phase=0.33, bob=0.012, low=0.08, surge=0.008, drop=4.0, turn=6.0, tilt=16.0, nod=1.5, trunk=5.0,
    lean=32.0, gaze=6.0, arm_mean=12.0, arm_swing=9.0, arm_lag=0.02, arm_out=16.0, arm_in=14.0, elbow_mean=78.0,
    elbow_swing=8.0, elbow_lag=0.05, forearm_in=20.0, toe_out=8.0, width=0.085,
)  # fmt: skip
STRIDE, LEG, SPEED = 1.1, 0.9, 0.55  # [m], [m], [m/s]


def make(character: Character, speed: float = SPEED, height: float = 1.0) -> Clip:
    """One cycle of sneaking at `speed` [m/s]; `height` lifts the swinging leg more (above 1) or less than usual."""
    if not 0.2 <= speed <= 1.0 or not 0.6 <= height <= 1.3:
        raise BadValue(f"One sneaks at 0.2 to 1 m/s with legs lifted 0.6 to 1.3 times as usual, "
                       f"not at {speed} m/s and {height} times.")  # fmt: skip
    leg = walker_hips(character)
    stride = float(STRIDE * leg / LEG * np.sqrt(speed / SPEED))
    legs = LEGS.lifted(height)
    return author(character, Gait("sneak", legs, MANNER), Path(stride), stride / speed)
