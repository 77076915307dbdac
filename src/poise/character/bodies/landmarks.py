"""Landmarks: every point of a standing body that masses and shapes need, from the joints that are known.

All points are in the zero pose: upright, facing X, arms hanging. What a skeleton does not tell is estimated from the
height with the body proportions of R. Drillis & R. Contini, "Body segment parameters", New York University 1966
(as printed in D. A. Winter, Biomechanics and Motor Control of Human Movement).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.character.roles import REQUIRED, ROLES, SIDES
from poise.errors import BadValue, NoRoles, UnknownName
from poise.maths.rotations import Array

# Shares of standing height.
THIGH, SHIN, ANKLE = 0.245, 0.246, 0.039
TRUNK = 0.28  # middle of the hips to middle of the shoulder joint centres
SHOULDER_HALF_WIDTH = 0.108
UPPER_ARM, FOREARM, HAND = 0.172, 0.146, 0.108
VERTEX = 0.18  # top of the head above the shoulder joint centres, at least
FOOT, FOOT_WIDTH = 0.152, 0.052
HEAD = 0.1397  # vertex to cervicale, de Leva 1996
# Shares of foot length.
HEEL_BEHIND_ANKLE, BALL_FROM_HEEL = 0.25, 0.72

TIPS = ("head", *(f"{s}_{p}" for s in SIDES for p in ("hand", "forearm", "foot", "toes", "heel", "sole")))
"""Far ends that may be given."""


@dataclass(frozen=True, eq=False)
class Foot:
    """The sole of a foot [m], in the world: X from heel over ball to tip, Y inner and outer edge, one height."""

    heel: float
    ball: float
    tip: float
    middle: float  # y
    half_width: float
    sole: float  # z

    @property
    def length(self) -> float:
        """Heel to tip."""
        return self.tip - self.heel


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Points [m] of a whole body, by role: `joints` has an entry for every role, known or estimated."""

    height: float
    joints: dict[str, Array]
    vertex: Array
    fingers: dict[str, Array]  # by side
    feet: dict[str, Foot]  # by side
    given: frozenset[str]  # roles that were known

    @property
    def hips(self) -> Array:
        """Middle of the hip joints."""
        return 0.5 * (self.joints["left_thigh"] + self.joints["right_thigh"])

    @property
    def shoulders(self) -> Array:
        """Middle of the shoulder joints."""
        return 0.5 * (self.joints["left_upper_arm"] + self.joints["right_upper_arm"])


def height_from_legs(joints: Mapping[str, Array]) -> float:
    """Standing height [m] of a body with these thighs and shins."""
    legs = [
        float(np.linalg.norm(np.subtract(joints[f"{s}_shin"], joints[f"{s}_thigh"])))
        + float(np.linalg.norm(np.subtract(joints[f"{s}_foot"], joints[f"{s}_shin"])))
        for s in SIDES
    ]
    return float(np.mean(legs)) / (THIGH + SHIN)


def complete(
    joints: Mapping[str, Array], tips: Mapping[str, Array] | None = None, height: float | None = None
) -> Landmarks:
    """All landmarks from the joint centres that are known, in the zero pose [m], and the far ends that are known."""
    known = _checked("role", joints, ROLES)
    ends = _checked("tip", tips or {}, TIPS)
    missing = [role for role in REQUIRED if role not in known]
    if missing:
        raise NoRoles(f"A humanoid needs the joints {', '.join(REQUIRED)}; missing: {', '.join(missing)}.")
    H = height_from_legs(known) if height is None else float(height)
    if height is None and H < 1e-6:
        raise BadValue("The legs of this body have no length, so its height cannot be found; give height=.")
    if not (np.isfinite(H) and H > 0):
        raise BadValue(f"A height must be a positive number of metres, not {height!r}.")
    full = _trunk_and_arms(dict(known), H)
    feet = _feet(full, known, ends, H)
    sole = min(foot.sole for foot in feet.values())
    fingers = {s: _finger(full, ends, s, H) for s in SIDES}
    return Landmarks(H, full, _vertex(full, ends, sole, H), fingers, feet, frozenset(known))


def _checked(kind: str, points: Mapping[str, Array], names: tuple[str, ...]) -> dict[str, Array]:
    out = {}
    for name, point in points.items():
        if name not in names:
            raise UnknownName(kind, name, names)
        p = np.array(point, float)
        if p.shape != (3,) or not np.all(np.isfinite(p)):
            raise BadValue(f"The {kind} {name} must be three finite numbers [m], not {point!r}.")
        out[name] = p
    return out


def _down(a: Array, b: Array) -> Array:
    """Direction from a to b, straight down where they coincide."""
    d = b - a
    n = float(np.linalg.norm(d))
    return d / n if n > 1e-6 else np.array([0.0, 0.0, -1.0])


def _trunk_and_arms(full: dict[str, Array], H: float) -> dict[str, Array]:
    """Joint centres of all roles of trunk and arms; those present stay as they are."""
    hips = 0.5 * (full["left_thigh"] + full["right_thigh"])
    up, left = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    if "left_upper_arm" in full and "right_upper_arm" in full:
        shoulders = 0.5 * (full["left_upper_arm"] + full["right_upper_arm"])
    elif "head" in full or "neck" in full:
        shoulders = full.get("neck", full.get("head", hips)) - 0.04 * H * up
    else:
        shoulders = hips + TRUNK * H * up
    spine = shoulders - hips
    full.setdefault("abdomen", hips + 0.20 * spine)
    full.setdefault("chest", hips + 0.50 * spine)
    base = shoulders + 0.04 * H * up  # of the neck
    if "neck" not in full:
        full["neck"] = full.get("head", base)
    full.setdefault("head", full["neck"] + 0.04 * H * up)
    for s, sign in (("left", 1.0), ("right", -1.0)):
        full.setdefault(f"{s}_upper_arm", shoulders + sign * SHOULDER_HALF_WIDTH * H * left)
        full.setdefault(f"{s}_clavicle", shoulders + 0.15 * (full[f"{s}_upper_arm"] - shoulders))
        full.setdefault(f"{s}_forearm", full[f"{s}_upper_arm"] - UPPER_ARM * H * up)
        reach = FOREARM * H * _down(full[f"{s}_upper_arm"], full[f"{s}_forearm"])
        full.setdefault(f"{s}_hand", full[f"{s}_forearm"] + reach)
    return full


def _finger(full: Mapping[str, Array], ends: Mapping[str, Array], s: str, H: float) -> Array:
    """Tip of a hand: as given where that is a finger tip; a knuckle or a thumb is no end of a hand."""
    wrist, along = full[f"{s}_hand"], _down(full[f"{s}_forearm"], full[f"{s}_hand"])
    tip = ends.get(f"{s}_hand", ends.get(f"{s}_forearm"))
    if tip is not None:
        reach = float(np.linalg.norm(tip - wrist))
        if 0.08 * H < reach < 0.2 * H and (tip - wrist) @ along > 0.8 * reach:
            return tip
    return wrist + HAND * H * along


def _vertex(full: Mapping[str, Array], ends: Mapping[str, Array], sole: float, H: float) -> Array:
    """Top of the head: as given where that makes a head, else at the height of the body, above the head's joint.

    The end that a file gives a head is often inside the skull: it is raised, by a few centimetres, where it lies less
    above the shoulders than a vertex does.
    """
    low = full["neck"]
    given = ends.get("head")
    if given is not None and 0.05 * H < given[2] - low[2] < 0.25 * H:
        shoulders = 0.5 * (full["left_upper_arm"][2] + full["right_upper_arm"][2])
        wanted = shoulders + VERTEX * H
        return given + np.array([0.0, 0.0, float(np.clip(wanted - given[2], 0.0, 0.06 * H))])
    top = float(np.clip(sole + H, full["head"][2] + 0.09 * H, low[2] + 0.19 * H))
    return np.array([full["head"][0], full["head"][1], top])


def _feet(full: dict[str, Array], known: Mapping[str, Array], ends: Mapping[str, Array], H: float) -> dict[str, Foot]:
    """Both soles, at one height below everything that is known of the feet, but for those whose own height is given.

    Adds estimated toe joints to `full`.
    """
    plans = {}
    sole = np.inf
    for s in SIDES:
        ankle, toes, given = full[f"{s}_foot"], known.get(f"{s}_toes"), ends.get(f"{s}_sole")
        front = ends.get(f"{s}_toes", ends.get(f"{s}_foot"))
        heel, ball, tip = _lengths(ankle, toes, front, ends.get(f"{s}_heel"), H)
        low = [ankle[2] - ANKLE * H, *(p[2] for p in (toes, front, ends.get(f"{s}_heel")) if p is not None)]
        sole = min(sole, *low) if given is None else min(sole, given[2])
        along = [p[1] for p in (ankle, toes if toes is not None else front) if p is not None]
        plans[s] = (heel, ball, tip, float(np.mean(along)), None if given is None else float(given[2]))
    half = 0.5 * FOOT_WIDTH * H
    feet = {}
    for s, (heel, ball, tip, y, own) in plans.items():
        level = float(sole) if own is None else own
        full.setdefault(f"{s}_toes", np.array([ball, y, level]))
        feet[s] = Foot(heel, ball, tip, y, half, level)
    return feet


def _lengths(
    ankle: Array, toes: Array | None, front: Array | None, heel: Array | None, H: float
) -> tuple[float, float, float]:
    """X of heel, ball and tip of one foot [m]."""
    x = float(ankle[0])
    ahead = 1.0 - HEEL_BEHIND_ANKLE
    if front is not None and front[0] - x > 0.05 * H:
        length = float(front[0] - x) / ahead
    elif toes is not None and toes[0] - x > 0.02 * H:
        length = float(toes[0] - x) / (BALL_FROM_HEEL - HEEL_BEHIND_ANKLE)
    else:
        length = FOOT * H
    length = float(np.clip(length, 0.11 * H, 0.19 * H))
    back = x - HEEL_BEHIND_ANKLE * length
    if heel is not None and 0.0 < x - heel[0] < 0.12 * H:
        back = float(heel[0])
    tip = x + ahead * length
    ball = float(toes[0]) if toes is not None else back + BALL_FROM_HEEL * (tip - back)
    return back, float(np.clip(ball, x + 0.02 * H, tip - 0.01 * H)), tip
