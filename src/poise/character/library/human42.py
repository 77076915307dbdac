"""human42: the body of Jain & Liu 2011 and of Ye 2012: 18 links, 42 degrees of freedom."""

from __future__ import annotations

import numpy as np

from poise.character.character import Character
from poise.character.humanoid import humanoid
from poise.maths.rotations import Array


def standing(height: float, foot: float, *, toes: bool = False) -> tuple[dict[str, Array], dict[str, Array]]:
    """Joint centres and tips [m] of a body of usual proportions (shares of height after Drillis & Contini 1966)."""
    at = lambda x, y, z: np.array([x, y, z]) * height  # noqa: E731
    joints = {
        "pelvis": at(0, 0, 0.545),
        "abdomen": at(-0.012, 0, 0.590),
        "chest": at(-0.012, 0, 0.665),
        "head": at(-0.006, 0, 0.860),
    }
    tips = {"head": at(0, 0, 1.0)}
    back = 0.25 * foot / height
    for side, s in (("left", 1.0), ("right", -1.0)):
        joints |= {
            f"{side}_clavicle": at(0.008, s * 0.018, 0.820),
            f"{side}_upper_arm": at(0, s * 0.108, 0.812),
            f"{side}_forearm": at(0, s * 0.108, 0.640),
            f"{side}_hand": at(0, s * 0.108, 0.492),
            f"{side}_thigh": at(0, s * 0.050, 0.530),
            f"{side}_shin": at(0, s * 0.050, 0.285),
            f"{side}_foot": at(0, s * 0.050, 0.039),
        }
        tips |= {
            f"{side}_hand": at(0, s * 0.108, 0.384),
            f"{side}_foot": at(foot / height - back, s * 0.050, 0),
            f"{side}_heel": at(-back, s * 0.050, 0),
        }
        if toes:
            joints[f"{side}_toes"] = at(0.72 * foot / height - back, s * 0.050, 0)
    return joints, tips


def make() -> Character:
    """70 kg, 1.75 m, feet of 26 cm; joints as in table 'dofs' below, 36 internal degrees of freedom."""
    joints, tips = standing(1.75, 0.26)
    dofs = {"head": "zy"}
    for side in ("left", "right"):
        dofs |= {
            f"{side}_clavicle": "zx",
            f"{side}_forearm": "hinge_y",
            f"{side}_hand": "xy",
            f"{side}_shin": "hinge_y",
            f"{side}_foot": "yx",
        }
    return humanoid("human42", joints, tips=tips, weight=70.0, height=1.75, dofs=dofs)
