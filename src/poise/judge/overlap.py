"""Overlap: how deep the limbs of a moving body are in each other or in its trunk."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.character import Character
from poise.character.roles import TRUNK
from poise.judge.tolerances import DEFAULT
from poise.motion.clip import Clip

_FLESH = ("thigh", "clavicle", "upper_arm", "toes")  # parts that always lie in the trunk, or in what carries them


class Overlap(NamedTuple):
    """The deepest overlap of two bodies in a clip."""

    depth: float  # [m], 0 where none meet
    time: float = float("nan")  # [s]
    what: str = ""  # "left_foot and right_shin"


def overlap(clip: Clip, every: int = 4) -> Overlap:
    """The deepest overlap of two bodies that do not while the body stands, in every so many-th frame.

    Neighbours, and the flesh of hips and shoulders against the trunk, are left out: shapes overlap at joints.
    """
    character = clip.character
    model, data, line = character.model, mujoco.MjData(character.model), np.zeros(6)
    pairs = _pairs(character)
    usual = np.minimum(_distances(model, data, pairs, character.standing_pose(), line), 0.0)
    deepest = Overlap(0.0)
    for k in range(0, len(clip), every):
        depth = usual - _distances(model, data, pairs, clip.q[k], line) - DEFAULT.overlap
        worst = int(np.argmax(depth)) if len(depth) else 0
        if len(depth) and depth[worst] > deepest.depth:
            names = (character.body_names[model.geom_bodyid[g]] for g in pairs[worst])
            deepest = Overlap(float(depth[worst]), k * clip.dt, " and ".join(names))
    return deepest


def _distances(model: mujoco.MjModel, data: mujoco.MjData, pairs: list[tuple[int, int]], q: np.ndarray,
               line: np.ndarray) -> np.ndarray:  # fmt: skip
    """Distance [m] of each pair of shapes, negative where they overlap."""
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    return np.array([mujoco.mj_geomDistance(model, data, a, b, DEFAULT.overlap_far, line) for a, b in pairs])


def _pairs(character: Character) -> list[tuple[int, int]]:
    """Shapes of bodies that should not meet."""
    model = character.model
    role = {character.body(r): r for r in character.roles}
    name = lambda b: str(role.get(b, character.body_names[b]))  # noqa: E731

    def apart(a: int, b: int) -> bool:
        if a == b or model.body_parentid[a] == b or model.body_parentid[b] == a:
            return False
        trunk = [x for x in (a, b) if name(x) in TRUNK]
        other = [x for x in (a, b) if name(x) not in TRUNK]
        return not trunk or (len(trunk) == 1 and name(other[0]).split("_", 1)[-1] not in _FLESH)

    bodies = model.geom_bodyid
    return [(a, b) for a in range(model.ngeom) for b in range(a)
            if bodies[a] and bodies[b] and apart(int(bodies[a]), int(bodies[b]))]  # fmt: skip
