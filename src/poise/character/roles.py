"""Roles: the parts of a body by which poise speaks of any character."""

from __future__ import annotations

TRUNK = ("pelvis", "abdomen", "chest", "neck", "head")
LIMBS = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes")
SIDES = ("left", "right")

ROLES: tuple[str, ...] = (*TRUNK, *(f"{side}_{part}" for side in SIDES for part in LIMBS))
"""Every role a character may have, in one order."""

REQUIRED: tuple[str, ...] = ("pelvis", *(f"{s}_{p}" for s in SIDES for p in ("thigh", "shin", "foot")))
"""Without these a character cannot stand."""

PARENT: dict[str, str] = {
    "abdomen": "pelvis", "chest": "abdomen", "neck": "chest", "head": "neck",
    **{f"{s}_{child}": (parent if parent in TRUNK else f"{s}_{parent}")
       for s in SIDES for child, parent in (
           ("clavicle", "chest"), ("upper_arm", "clavicle"), ("forearm", "upper_arm"), ("hand", "forearm"),
           ("thigh", "pelvis"), ("shin", "thigh"), ("foot", "shin"), ("toes", "foot"))},
}  # fmt: skip
"""The role that each role hangs on in a full body; where that one is missing, its own parent takes its place."""


def mirrored(name: str) -> str:
    """The same part on the other side; parts of the trunk are their own mirror image."""
    if name.startswith("left_"):
        return "right_" + name[5:]
    if name.startswith("right_"):
        return "left_" + name[6:]
    return name
