"""Unit, up axis and heading of a file, found from the body that moves in it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.character.leg_length import recorded_leg
from poise.character.roles import SIDES
from poise.character.skeleton import Skeleton
from poise.errors import BadValue, UnknownName
from poise.maths import rotations as rot
from poise.maths.rotations import Array

UNITS: dict[str, float] = {
    "m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048, "dm": 0.1,
    "cmu": 0.0254 / 0.45,  # the CMU recordings and their conversions: 1 / 0.45 inch
}  # fmt: skip
"""Lengths of a file unit [m] that are tried."""

AXES: dict[str, Array] = {
    "x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0]),
    "-x": np.array([-1.0, 0.0, 0.0]), "-y": np.array([0.0, -1.0, 0.0]), "-z": np.array([0.0, 0.0, -1.0]),
}  # fmt: skip
"""Axes by name."""

LEG_SHARE = 0.245 + 0.246  # thigh and shin in standing height, Drillis & Contini 1966
_HABIT = {"y": 0.06, "z": 0.04}  # where nothing else tells
LOWEST, HIGHEST, USUAL = 1.2, 2.2, 1.7  # standing height [m] of the people in recordings


def given_unit(unit: float | str) -> float:
    """Metres of a unit given as a number or as a name of UNITS."""
    if isinstance(unit, str):
        if unit not in UNITS:
            raise UnknownName("unit", unit, UNITS, "Or give the metres of a file unit as a number.")
        return UNITS[unit]
    if not (np.isfinite(unit) and 0.0 < unit < 1e4):
        raise BadValue(f"A file unit must be a positive number of metres, not {unit!r}.")
    return float(unit)


def find_unit(leg: float, declared: float | None = None, given: float | str | None = None) -> tuple[float, str]:
    """Metres of a file unit and a sentence about how it was found ("" where it was given or needs no word).

    The height follows from the legs [file units], since a rest pose may lack half a neck or the thorax. What was given
    wins; then what the format declares, if that makes a person or a child; then the unit that makes a person.
    """
    if given is not None:
        return given_unit(given), ""
    if not (np.isfinite(leg) and leg > 0):
        raise BadValue("The legs of this skeleton have no length, so its unit cannot be found; give unit=.")
    size = leg / LEG_SHARE
    if declared is not None and 0.6 < declared * size < 2.6:
        return float(declared), ""
    name = min(UNITS, key=lambda n: abs(np.log(UNITS[n] * size / USUAL)))
    if LOWEST <= UNITS[name] * size <= HIGHEST:
        note = "" if declared is None else (
            f"The file declares a unit of {declared:g} m, which makes a height of {declared * size:.2f} m; "
            f"{name} was taken instead."
        )  # fmt: skip
        return UNITS[name], note
    if declared is not None and declared * size > 0.2:
        return float(declared), f"The body is {declared * size:.2f} m tall in the unit that the file declares."
    return USUAL / size, f"No known unit makes this body as tall as a person; it was scaled to {USUAL} m."


def rest_up(roles: Mapping[str, int], rest: Array) -> Array | None:
    """Up axis (3,) of the rest positions (J, 3) if they are a plausible standing pose (T, A or arms down), else None.

    Legs must be straight below the trunk, feet must not point up, and the two sides must mirror each other.
    """
    hips = 0.5 * (rest[roles["left_thigh"]] + rest[roles["right_thigh"]])
    trunk = rest[_top(roles)] - hips
    legs = [[rest[roles[f"{s}_{p}"]] for p in ("thigh", "shin", "foot")] for s in SIDES]
    bones = [trunk, *(leg[k + 1] - leg[k] for leg in legs for k in range(2))]
    if min(np.linalg.norm(b) for b in bones) < 1e-9:
        return None
    trunk, *bones = (b / np.linalg.norm(b) for b in bones)
    down = np.array([b @ trunk for b in bones])
    axis = max(AXES.values(), key=lambda a: float(a @ trunk))
    if np.any(down > -np.cos(np.radians(40))) or axis @ trunk < np.cos(np.radians(30)):
        return None
    across = rest[roles["left_thigh"]] - rest[roles["right_thigh"]]
    if np.linalg.norm(np.cross(lateral(roles, rest), axis)) < 1e-9:
        return None  # left and right are one: it looks nowhere
    if abs(across @ axis) > 0.3 * np.linalg.norm(across):
        return None
    heights = []
    for s in SIDES:
        if f"{s}_toes" in roles:
            toe = rest[roles[f"{s}_toes"]] - rest[roles[f"{s}_foot"]]
            if toe @ axis > 0.5 * np.linalg.norm(toe):
                return None
        if f"{s}_upper_arm" in roles and f"{s}_forearm" in roles:
            arm = rest[roles[f"{s}_forearm"]] - rest[roles[f"{s}_upper_arm"]]
            heights.append(arm @ axis / max(np.linalg.norm(arm), 1e-12))
    if len(heights) == 2 and abs(heights[0] - heights[1]) > 0.35:
        return None
    return axis


def find_up(skeleton: Skeleton, roles: Mapping[str, int], positions: Array, declared: str | None = None,
            given: str | None = None) -> str:  # fmt: skip
    """Name of the up axis, from positions (N, J, 3) over the motion and the rest pose.

    Four voices are added up: along which axis the body stands above its feet, whether its lowest point stays at one
    level along the axis and whether that level is zero, as a floor is, and which way a rest pose stands (a body that
    lies through the whole motion is told by the last three). What was given wins, then what the format declares.
    """
    for name in (given, declared):
        if name is not None:
            if name.lower() not in AXES:
                raise UnknownName("axis", name, AXES)
            return name.lower()
    feet = 0.5 * (positions[:, roles["left_foot"]] + positions[:, roles["right_foot"]])
    body = positions[:, _top(roles)] - feet
    body = body / np.maximum(np.linalg.norm(body, axis=-1, keepdims=True), 1e-12)
    leg = recorded_leg(roles, positions)
    standing = rest_up(roles, skeleton.rest_pose()[0])
    score = {}
    for name, axis in AXES.items():
        along = body @ axis
        lowest = np.min(positions[:, list(roles.values())] @ axis, axis=1) / leg
        level, usual = np.percentile(lowest, [5, 50])
        score[name] = 0.6 * float(np.mean(along > 0.7)) + 0.3 * float(np.mean(along)) + _HABIT.get(name, 0.0)
        if len(positions) > 1:
            score[name] += 0.5 * float(np.exp(-(((usual - level) / 0.1) ** 2)))
            score[name] += 0.7 * float(np.exp(-((level / 0.12) ** 2)))
        if standing is not None:
            score[name] += 0.6 * float(standing @ axis)
    return max(score, key=lambda name: score[name])


def _top(roles: Mapping[str, int]) -> int:
    """The highest joint of the trunk that is known."""
    return next(roles[r] for r in ("head", "neck", "chest", "abdomen", "left_upper_arm", "pelvis") if r in roles)


def lateral(roles: Mapping[str, int], positions: Array) -> Array:
    """Direction (..., 3) from the right to the left hip and shoulder, not of unit length."""
    pairs = [
        (roles[f"left_{p}"], roles[f"right_{p}"])
        for p in ("thigh", "upper_arm")
        if f"left_{p}" in roles and f"right_{p}" in roles
    ]
    return np.sum([positions[..., a, :] - positions[..., b, :] for a, b in pairs], axis=0)


def snapped(direction: Array, up: Array) -> Array:
    """The level direction nearest to `direction`; one of the file's axes where it is within 15 degrees of it."""
    level = direction - (direction @ up) * up
    level = level / np.linalg.norm(level)
    axis = max(AXES.values(), key=lambda a: float(a @ level))
    return axis if axis @ level > np.cos(np.radians(15)) and abs(axis @ up) < 1e-9 else level


def world_turn(up: Array, forward: Array) -> Array:
    """Quaternion that turns file axes into world axes: up becomes Z, forward becomes X."""
    return rot.from_matrix(np.stack([forward, np.cross(up, forward), up]))
