"""Limbs that do not meet: fences between the legs of a walker, and room for the arms beside broad hips."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.character import Character
from poise.maths.rotations import Array
from poise.motion.ik import ik
from poise.physical.library.path import Path

GAP = 0.004  # [m] from the line to either leg
PARTS = ("thigh", "shin", "foot", "toes")
OVERLAP = 0.015  # [m] by which hanging arms and hips may overlap, seen from above: arms hang a little out anyway
WEIGHT = 0.5  # in units of `ik.POINT_COST`


def between_legs(character: Character, path: Path, phase: Array, period: float) -> tuple[ik.FloorTarget, ...]:
    """Half-spaces (one row a phase [strides]) for the inner surface of each leg, which lean with the body in a bend.

    What lies across the line already while the body stands upright may stay there, and so may feet in a bend, where
    their prints decide.
    """
    heading, place, lean = path.heading(phase), path.place(phase), path.lean(phase, period)
    left = np.stack([-np.sin(heading) * np.cos(lean), np.cos(heading) * np.cos(lean), -np.sin(lean)], axis=-1)
    middle = np.sum(place * left[:, :2], axis=1)
    standing, _ = character.forward(character.standing_pose())
    out = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part in PARTS if path.angle == 0.0 else PARTS[:2]:
            if not character.has(f"{side}_{part}"):
                continue
            body = character.body(f"{side}_{part}")
            for point in inner_points(character, body, sign):
                level = min(GAP, sign * float(standing[0, body, 1] + point[1]))
                out.append(ik.FloorTarget(body, point, sign * middle + level, sign * left, WEIGHT))
    return tuple(out)


def arm_room(character: Character, side: str) -> float:
    """By how much [degrees] an arm must hang further out than beside slender hips, to pass them."""
    sign = 1.0 if side == "left" else -1.0
    pos, _ = character.forward(character.standing_pose())
    if not all(character.has(f"{side}_{part}") for part in ("upper_arm", "forearm")):
        return 0.0
    arm, forearm, thigh = (character.body(f"{side}_{part}") for part in ("upper_arm", "forearm", "thigh"))

    def outwards(body: int, points: Array) -> Array:
        return sign * (pos[0, body, 1] + points[:, 1])

    hips = [outwards(b, inner_points(character, b, -sign)) for b in (character.body("pelvis"), thigh)]
    inner = outwards(forearm, inner_points(character, forearm, sign))
    overlap = float(np.concatenate(hips).max(initial=0.0) - inner.min(initial=np.inf)) - OVERLAP
    height = max(float(pos[0, arm, 2] - pos[0, thigh, 2]), 0.1)
    return float(np.degrees(np.arcsin(np.clip(overlap / height, 0.0, 0.5))))


def inner_points(character: Character, body: int, sign: float) -> Array:
    """The points (K, 3) of a limb's body, in its frame, that are nearest to the middle (`sign` 1: a left limb)."""
    model, found = character.model, []
    for g in np.flatnonzero(model.geom_bodyid == body):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.geom_quat[g])
        R, size, centre = R.reshape(3, 3), model.geom_size[g], model.geom_pos[g]
        inward = np.array([0.0, -sign, 0.0])
        kind = model.geom_type[g]
        if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            found += [centre + end * size[1] * R[:, 2] + size[0] * inward for end in (-1.0, 1.0)]
        elif kind == mujoco.mjtGeom.mjGEOM_BOX:
            corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size @ R.T
            nearest = corners @ inward
            found += [centre + c for c in corners[nearest > nearest.max() - 1e-3]]
        elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            reach = size * (R.T @ inward)
            found.append(centre + R @ (size * reach) / max(float(np.linalg.norm(reach)), 1e-9))
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            found.append(centre + size[0] * inward)
    return np.array(found).reshape(-1, 3)
