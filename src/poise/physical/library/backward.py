"""backward: level walking backwards, one cycle.

Joint angles of backward walking are nearly those of forward walking with time reversed (Thorstensson, Experimental
Brain Research 61, 664-668, 1986; Winter, Pluck & Yang, Journal of Motor Behavior 21, 291-305, 1989; Grasso, Bianchi &
Lacquaniti, Journal of Neurophysiology 80, 1868-1885, 1998): so the curves of `walk` run back, from the toes that touch
first to the heel that leaves last. Strides are shorter, feet roll less and arms swing less; how much is our judgement.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.physical.library import walk
from poise.physical.library.gait import author, walker_hips
from poise.physical.library.manner import Gait, Manner, Path

LEGS = walk.LEGS.backwards().scaled(knee=0.8, foot=0.5, toes=0.6)
MANNER = Manner(
    lead=0.62, drop_phase=0.35, surge=-0.006, bob=0.022, drop=3.0, turn=3.0, trunk=2.0, lean=1.0, arm_mean=-2.0,
    arm_swing=8.0, elbow_mean=22.0, elbow_swing=4.0, width=0.078,
)  # fmt: skip
STRIDE, SPEED = 1.0, 0.8  # [m] for legs of 0.9 m, [m/s]


def make(character: Character, speed: float = SPEED, stride: float | None = None) -> Clip:
    """One cycle of walking backwards at `speed` [m/s]; `stride` [m] is two steps."""
    if not 0.3 <= speed <= 1.4:
        raise BadValue(f"One walks backwards at 0.3 to 1.4 m/s, not at {speed}.")
    leg = walker_hips(character)
    stride = float(STRIDE * leg / walk.LEG * np.sqrt(speed / SPEED)) if stride is None else float(stride)
    if not 0.3 <= stride / leg <= 1.7:
        raise BadValue(f"A stride of {stride} m backwards is out of reach for legs of {leg:.2f} m.")
    reach = stride * walk.LEG / (walk.STRIDE * leg)
    return author(character, Gait("backward", LEGS, MANNER), Path(-stride), stride / speed, reach)
