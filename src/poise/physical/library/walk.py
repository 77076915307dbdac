"""walk: level human walking, one cycle, authored from normative curves.

Perry & Burnfield, Gait Analysis (2nd ed. 2010), chapters 3 to 6, give values at the ends of the phases of gait, at 0,
12, 31, 50, 62 (toe-off), 75, 87 and 100 % of the cycle from heel strike on; between them the curves follow those of
Winter, The Biomechanics and Motor Control of Human Gait (2nd ed. 1991), natural cadence. Values were moved by up to
four degrees, within the spread of both books, until the curves agree with each other about where the foot stands.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.physical.library.gait import author, walker_hips
from poise.physical.library.manner import Gait, Legs, Path

LEGS = Legs(
    # Perry & Burnfield: 20 at contact and loading, 0 at the end of mid-stance, -20, -10, then 15, 25 and 20 in swing
    thigh=((0, 21.5), (6, 21.5), (12, 20), (22, 9), (31, -2.5), (40, -12), (50, -19), (56, -18.5), (62, -11), (68, 3),
           (75, 16), (81, 23), (87, 25.5), (94, 24)),
    # Perry & Burnfield: 5 at contact, 20 at 14 %, 5 at 40 %, 40 at toe-off, 60 at its most, 25 at 87 %, 5
    knee=((0, 5), (6, 12), (14, 20), (24, 14), (34, 6), (41, 5), (50, 13), (57, 27), (62, 40), (71, 61), (79, 50),
          (87, 25), (95, 5)),
    # thigh less knee plus their ankle: 0 at contact, -5, 5, 10 at 45 %, -15 at toe-off, 0 from mid-swing on
    foot=((0, 19), (4, 10), (8, 0.5), (16, 0), (29, 0), (35, -1.5), (40, -6), (45, -14), (50, -25), (56, -43),
          (62, -64), (66, -68), (75, -49), (81, -24), (87, -2), (94, 15)),
    # our own judgement: hinges in flat soles need less than Perry's 55 degrees
    toes=((0, 14), (8, 2), (18, 0), (32, 0), (40, 4.5), (46, 12), (54, 27), (60, 34), (66, 17), (76, 5), (90, 12)),
    # Perry & Burnfield: whole foot down at 8 %, heel off at 35 to 40 %, toes off at 62 %
    heel=(0.0, 37.0), ball=(8.0, 59.0), tip=(10.0, 62.0),
    clearance=0.012,  # Winter, Physical Therapy 72, 45-53, 1992: 13 mm
)  # fmt: skip
GAIT = Gait("walk", LEGS)
STRIDE, LEG, SPEED = 1.4, 0.9, 1.3  # [m], [m], [m/s] at which the curves were measured


def stride_at(leg: float, speed: float) -> float:
    """The stride [m] that people choose: it grows with the square root of the speed (Grieve & Gear 1966)."""
    return float(STRIDE * leg / LEG * np.sqrt(speed / SPEED))


def make(character: Character, speed: float = SPEED, stride: float | None = None) -> Clip:
    """One cycle of a walk at `speed` [m/s]; `stride` [m] is two steps, by default what people choose at that speed."""
    if not 0.4 <= speed <= 2.2:
        raise BadValue(f"A walk has a speed between 0.4 and 2.2 m/s, not {speed}.")
    leg = walker_hips(character)
    stride = stride_at(leg, speed) if stride is None else float(stride)
    if not 0.3 <= stride / leg <= 2.3:
        raise BadValue(f"A stride of {stride} m is out of reach for legs of {leg:.2f} m.")
    return author(character, GAIT, Path(stride), stride / speed, reach=stride * LEG / (STRIDE * leg))
