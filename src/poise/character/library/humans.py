"""Standing adults of usual proportions: human42 and human45.

Papers give links, degrees of freedom and masses; lengths are ours, those of an adult of 1.75 m with feet of 26 cm.
"""

from __future__ import annotations

import numpy as np

from poise.character.bodies.humanoid import humanoid
from poise.character.bodies.landmarks import BALL_FROM_HEEL, HEEL_BEHIND_ANKLE
from poise.character.character import Character
from poise.maths.rotations import Array

HEIGHT, FOOT = 1.75, 0.26  # [m]

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


def human42() -> Character:
    """The body of Jain & Liu 2011 and of Ye 2012, of 70 kg: 18 links, 42 degrees of freedom.

    The joints: spine two balls, head two hinges (it turns, then nods), clavicles two (forward and up), shoulders and
    hips balls, elbows and knees one, wrists and ankles two: 36 and the root's 6. The stiffness of a degree of freedom
    is the mass that hangs on its joint (section 7 of Jain & Liu 2011).
    """
    pairs = both({"clavicle": "zx", "forearm": "hinge_y", "hand": "xy", "shin": "hinge_y", "foot": "yx"})
    joints, tips = standing(HEIGHT, FOOT, leave_out=("toes",))
    return humanoid("human42", joints, tips=tips, weight=70.0, height=HEIGHT, dofs={"head": "zy", **pairs})


def human45() -> Character:
    """The body of D. B. da Silva (balance): 13 ball joints, 72 kg, all links boxes.

    The 39 internal degrees of freedom: two balls in the spine, one in the neck, three in each leg, two in each arm; the
    hands belong to the forearms. The stiffness is ours: the paper prints none.
    """
    limbs = both({"upper_arm": 200.0, "forearm": 80.0, "thigh": 800.0, "shin": 600.0, "foot": 500.0})  # [N m/rad]
    stiffness = {"abdomen": 800.0, "chest": 800.0, "head": 120.0, **limbs}
    joints, tips = standing(HEIGHT, FOOT, leave_out=("toes", "clavicle", "hand"))
    return humanoid("human45", joints, tips=tips, weight=72.0, height=HEIGHT, stiffness=stiffness, boxes=True)
