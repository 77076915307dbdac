"""The hierarchy of a character's joints, found once: what lies between root and feet, ankles, strength, stiffness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.bodies.anthropometry import part
from poise.character.roles import SIDES
from poise.errors import PoiseError
from poise.maths.rotations import Array

MASS, HEIGHT = 72.0, 1.75  # [kg], [m] of the paper's character (its height is ours), for which all gains are meant
STIFFNESS = {  # [N m/rad] of the joint by which a part of the body moves; the paper prints none
    "abdomen": 800.0, "chest": 800.0, "upper_chest": 800.0, "neck": 120.0, "head": 120.0, "clavicle": 300.0,
    "upper_arm": 200.0, "forearm": 80.0, "hand": 30.0, "thigh": 400.0, "shin": 400.0, "foot": 120.0, "toes": 40.0,
}  # fmt: skip


class NoFeet(PoiseError):
    """A character without feet to stand on."""

    def __init__(self, character: Character):
        self.character = character
        super().__init__(
            f"The method balance stands on feet, and {character.name} has no left_foot and no right_foot among its "
            f"roles ({', '.join(sorted(character.roles)) or 'none'}); name them when the character is made."
        )


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Tables of one character; two rows for the left and the right foot where there are two."""

    character: Character
    parent: np.ndarray  # (nv,) the degree of freedom before this one towards the root, -1 at the root
    moved: np.ndarray  # (nv,) the body that a degree of freedom moves
    feet: np.ndarray  # (2,) bodies of the feet
    foot_of: np.ndarray  # (bodies,) 0: left foot or its toes, 1: right, -1: anything else
    path: np.ndarray  # (2, nv) bool: degrees of freedom between the root and each foot, the root's among them
    ankle: np.ndarray  # (2, nv) bool: those of the joint by which the foot moves
    torque_limit: Array  # (nv,) [N m]
    stiffness: Array  # (nv,) [N m/rad], zero on the root
    scale: float  # by which gains for the paper's 72 kg are multiplied


def hierarchy_of(character: Character) -> Hierarchy:
    """The tables of a character with two feet."""
    model = character.model
    if not all(character.has(f"{side}_foot") for side in SIDES):
        raise NoFeet(character)
    feet = np.array([character.body(f"{side}_foot") for side in SIDES])
    foot_of = np.full(model.nbody, -1)
    for b in range(1, model.nbody):
        up = b
        while up and up not in feet:
            up = int(model.body_parentid[up])
        if up:
            foot_of[b] = int(np.flatnonzero(feet == up)[0])
    moved, parent = model.dof_bodyid.astype(np.int64), model.dof_parentid.astype(np.int64)
    ankle = moved[None] == feet[:, None]
    path = np.array([_path(parent, np.flatnonzero(row), model.nv) for row in ankle])
    scale = character.mass / MASS
    limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e9)
    limit[:6] = 0.0
    stiffness = _stiffness(character, moved, limit) * scale * character.height / HEIGHT
    return Hierarchy(character=character, parent=parent, moved=moved, feet=feet, foot_of=foot_of, path=path,
                     ankle=ankle, torque_limit=limit, stiffness=stiffness, scale=scale)  # fmt: skip


def _path(parent: np.ndarray, ankle: np.ndarray, nv: int) -> np.ndarray:
    """Boolean (nv,): the ankle's degrees of freedom and all before them."""
    on = np.zeros(nv, bool)
    k = int(ankle[-1]) if len(ankle) else 5
    while k >= 0:
        on[k] = True
        k = int(parent[k])
    return on


def _stiffness(character: Character, moved: np.ndarray, limit: Array) -> Array:
    """Stiffness (nv,) of every joint for the paper's mass: by role, else by the strength of the joint."""
    parts = {character.body(role): STIFFNESS[part(role)] for role in character.roles if part(role) in STIFFNESS}
    out = np.array([parts.get(int(b), min(800.0, 3.0 * most)) for b, most in zip(moved, limit, strict=True)])
    out[:6] = 0.0
    return out
