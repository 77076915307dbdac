"""How far the joints of a human turn, and how strong they are.

Ranges: American Academy of Orthopaedic Surgeons, Joint Motion, 1965, and C. Norkin & D. White, Measurement of Joint
Motion; the thoracolumbar range is shared between abdomen and chest, the cervical one between neck and head where both
exist. Strengths: the peak isometric torques of hip, knee and ankle of D. Anderson, M. Madigan & M. Nussbaum, Journal
of Biomechanics 40, 3105-3113, 2007 (hip 0.161, knee 0.163 of weight times height), times 1.5 for lengthening muscle;
the ankle as much as running needs (T. Novacheck, Gait and Posture 7, 77-95, 1998: about 3 N m per kg); arms rounded
from K. Holzbaur et al., Journal of Biomechanics 40, 742-749, 2007; neck from A. Vasavada et al., Spine 26, 1904-1909,
2001; trunk from T. McNeill et al., Spine 5, 529-538, 1980. Axes without a published figure are ours.
"""

from __future__ import annotations

import numpy as np

from poise.maths import GRAVITY

# Degrees about X, Y, Z in the zero pose, for the left side; the right side mirrors X and Z. A leg that swings
# forward, an elbow that bends and toes that lift turn about -Y; knees and a forward bow turn about +Y.
# fmt: off
RANGES: dict[str, dict[str, tuple[float, float]]] = {
    "abdomen": {"x": (-20, 20), "y": (-15, 50), "z": (-15, 15)},
    "chest": {"x": (-20, 20), "y": (-15, 40), "z": (-35, 35)},
    "neck": {"x": (-25, 25), "y": (-30, 25), "z": (-35, 35)},
    "head": {"x": (-45, 45), "y": (-55, 50), "z": (-75, 75)},
    "clavicle": {"x": (-10, 40), "y": (-30, 30), "z": (-30, 25)},
    "upper_arm": {"x": (-40, 180), "y": (-180, 60), "z": (-70, 90)},
    "forearm": {"x": (-10, 10), "y": (-150, 0), "z": (-80, 80)},
    "hand": {"x": (-80, 70), "y": (-20, 30), "z": (-10, 10)},
    "thigh": {"x": (-30, 45), "y": (-125, 30), "z": (-45, 45)},
    "shin": {"x": (-10, 10), "y": (0, 150), "z": (-30, 30)},
    "foot": {"x": (-35, 20), "y": (-25, 50), "z": (-20, 20)},
    "toes": {"x": (-10, 10), "y": (-70, 45), "z": (-10, 10)},
}

# Torque about X, Y, Z as a share of weight [N] times height [m].
STRENGTH: dict[str, dict[str, float]] = {
    "abdomen": {"x": 0.150, "y": 0.200, "z": 0.080},
    "chest": {"x": 0.150, "y": 0.200, "z": 0.080},
    "neck": {"x": 0.030, "y": 0.045, "z": 0.015},
    "head": {"x": 0.030, "y": 0.045, "z": 0.015},
    "clavicle": {"x": 0.080, "y": 0.050, "z": 0.080},
    "upper_arm": {"x": 0.070, "y": 0.080, "z": 0.050},
    "forearm": {"x": 0.030, "y": 0.070, "z": 0.015},
    "hand": {"x": 0.015, "y": 0.015, "z": 0.010},
    "thigh": {"x": 0.150, "y": 0.240, "z": 0.075},
    "shin": {"x": 0.100, "y": 0.245, "z": 0.050},
    "foot": {"x": 0.045, "y": 0.175, "z": 0.045},
    "toes": {"x": 0.020, "y": 0.040, "z": 0.020},
}
# fmt: on

_FULL_TURN = 175.0  # a joint that goes this far [degrees] about one axis has no limit as a ball
_MOST = 170.0


def part(role: str) -> str:
    """A role without its side."""
    return role.removeprefix("left_").removeprefix("right_")


def hinge_range(role: str, axis: str) -> tuple[float, float]:
    """Least and greatest angle [rad] of a hinge about an axis of the world."""
    low, high = RANGES[part(role)][axis]
    if role.startswith("right_") and axis != "y":
        low, high = -high, -low
    return float(np.radians(low)), float(np.radians(high))


def ball_range(role: str) -> float | None:
    """Greatest total angle [rad] of a ball joint, None where it is free: the corner of the ranges of its axes."""
    most = [max(abs(low), abs(high)) for low, high in RANGES[part(role)].values()]
    if max(most) >= _FULL_TURN:
        return None
    return float(np.radians(min(np.linalg.norm(most), _MOST)))


def torque(role: str, axis: str, mass: float, height: float) -> float:
    """Greatest torque [N m] about an axis for a body of this mass [kg] and height [m]."""
    return STRENGTH[part(role)][axis] * mass * GRAVITY * height
