"""A standing adult of usual proportions."""

from __future__ import annotations

import numpy as np

from poise.character.bodies.landmarks import BALL_FROM_HEEL, HEEL_BEHIND_ANKLE
from poise.maths.rotations import Array

# Shares of standing height: front, left (of the left side) and up. Heights of hip, knee, ankle, elbow and wrist after
# Drillis & Contini 1966; the shoulder joint stands 3 cm below the acromion; the spine's joints are those between sacrum
# and lumbar, and between lumbar and thoracic vertebrae; the head turns about the lowest vertebrae of the neck.
# fmt: off
MIDDLE = {
    "pelvis": (0, 0, 0.545), "abdomen": (-0.012, 0, 0.590), "chest": (-0.012, 0, 0.665), "head": (-0.006, 0, 0.860),
}
SIDE = {
    "clavicle": (0.008, 0.018, 0.820), "upper_arm": (0, 0.108, 0.812), "forearm": (0, 0.108, 0.640),
    "hand": (0, 0.108, 0.492), "thigh": (0, 0.050, 0.530), "shin": (0, 0.050, 0.285), "foot": (0, 0.050, 0.039),
}
FINGERS, HIP = (0, 0.108, 0.384), 0.050
# fmt: on


def standing(height: float, foot: float, leave_out: tuple[str, ...] = ()) -> tuple[dict[str, Array], dict[str, Array]]:
    """Joint centres and tips [m] for `humanoid`, of a body of this height with feet of this length [m].

    The sole is at z = 0; toes hinge on the ball's line on the sole. `leave_out` names parts without sides.
    """
    joints: dict[str, Array] = {
        role: height * np.array(p, float) for role, p in MIDDLE.items() if role not in leave_out
    }
    tips: dict[str, Array] = {"head": np.array([0.0, 0.0, height])}
    heel = -HEEL_BEHIND_ANKLE * foot
    for side, s in (("left", 1.0), ("right", -1.0)):
        mirror = height * np.array([1.0, s, 1.0])
        joints |= {f"{side}_{p}": mirror * np.array(at, float) for p, at in SIDE.items() if p not in leave_out}
        y = s * HIP * height
        if "toes" not in leave_out:
            joints[f"{side}_toes"] = np.array([heel + BALL_FROM_HEEL * foot, y, 0.0])
        tips[f"{side}_hand"] = mirror * np.array(FINGERS)
        tips[f"{side}_foot"] = np.array([heel + foot, y, 0.0])
        tips[f"{side}_heel"] = np.array([heel, y, 0.0])
    return joints, tips


def both(parts: dict[str, str] | dict[str, float]) -> dict:
    """The same entries for the left and the right side."""
    return {f"{side}_{part}": value for part, value in parts.items() for side in ("left", "right")}
