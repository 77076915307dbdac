"""Shapes that fit a body: capsules along the bones, rounded trunk and head, boxes for the feet.

Half widths are shares of standing height, rounded from the breadths and depths in A. Tilley & H. Dreyfuss, The
Measure of Man and Woman; a body heavier or lighter than usual for its height is wider by the root of that ratio.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character.bodies.anthropometry import Inertial
from poise.character.bodies.landmarks import Foot, Landmarks
from poise.character.bodies.links import Shape, box, capsule, ellipsoid
from poise.character.roles import SIDES
from poise.maths.rotations import Array

LEAST = 0.01  # half size, in shares of standing height, of anything that would have none
GYRATION = 0.003  # radius of gyration, in shares of standing height, that a body has at least


def apart(first: Array, second: Array, least: float) -> Array:
    """The second point, moved away from the first, downward where they coincide, to at least a distance [m]."""
    d = np.asarray(second, float) - first
    n = float(np.linalg.norm(d))
    if n >= least:
        return np.asarray(second, float)
    return first + least * (d / n if n > 1e-9 else np.array([0.0, 0.0, -1.0]))


def sound_shape(shape: Shape, height: float) -> Shape:
    """The shape with every size positive, for a body of a height [m]."""
    size = np.where(shape.size >= 0.1 * LEAST * height, shape.size, LEAST * height)
    end = None if shape.end is None else apart(shape.at, shape.end, 0.1 * LEAST * height)
    return replace(shape, size=size, end=end)


def sound_inertial(inertial: Inertial, height: float) -> Inertial:
    """The mass with an inertia that some matter has: moments positive, none larger than the other two together."""
    moments, axes = np.linalg.eigh(inertial.inertia)
    sound = np.maximum(moments, inertial.mass * (GYRATION * height) ** 2)
    lack = max(0.0, 1.000001 * sound[2] - sound[0] - sound[1])
    sound[:2] += 0.5 * lack
    if np.array_equal(sound, moments):
        return inertial
    return replace(inertial, inertia=axes @ np.diag(sound) @ axes.T)


USUAL_BMI = 22.5  # [kg/m²]

UP, FORWARD, LEFT = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


def girth(height: float, weight: float) -> float:
    """Standing height [m] times how much wider than usual the body is: the unit of all half widths."""
    return height * float(np.sqrt(weight / (USUAL_BMI * height**2)))


def humanoid_shapes(marks: Landmarks, weight: float) -> dict[str, tuple[Shape, ...]]:
    """Shapes for every role of a whole body, in the world and the zero pose."""
    w = girth(marks.height, weight)
    out = _trunk(marks, w)
    for s in SIDES:
        out |= _arm(marks, s, w) | _leg(marks, s, w)
    return {role: tuple(sound_shape(s, marks.height) for s in shapes) for role, shapes in out.items()}


def _trunk(marks: Landmarks, w: float) -> dict[str, tuple[Shape, ...]]:
    j, hips, shoulders = marks.joints, marks.hips, marks.shoulders
    H, spine = marks.height, shoulders - hips
    tall = max(abs(float(spine[2])), 0.08 * H)  # of the trunk, also where a file has the shoulders at the hips
    half_hips = 0.5 * abs(j["left_thigh"][1] - j["right_thigh"][1])
    half_chest = 0.5 * abs(j["left_upper_arm"][1] - j["right_upper_arm"][1])
    waist, ribs = hips + 0.42 * spine, hips + 0.72 * spine
    neck = marks.vertex - 0.125 * H * UP
    head_half = np.array([0.056 * H, 0.045 * H, 0.066 * H])
    head_centre = marks.vertex - head_half[2] * UP + 0.008 * H * FORWARD
    seat, behind = hips + 0.02 * spine - 0.020 * H * FORWARD, [0.050 * w, half_hips + 0.024 * w, 0.048 * H]
    girdle = shoulders - 0.022 * H * UP - 0.004 * H * FORWARD
    return {
        "pelvis": (
            ellipsoid(hips + 0.10 * spine, [0.058 * w, half_hips + 0.035 * w, 0.060 * H]),
            ellipsoid(seat, behind, solid=False),
        ),
        "abdomen": (ellipsoid(0.5 * (hips + waist) + 0.12 * spine, [0.055 * w, 0.076 * w, 0.40 * tall]),),
        "chest": (
            ellipsoid(ribs, [0.064 * w, max(0.082 * w, 0.78 * half_chest), 0.36 * tall]),
            ellipsoid(girdle, [0.046 * w, 0.98 * half_chest, 0.046 * H]),
        ),
        "neck": (capsule(shoulders + 0.01 * H * UP, neck, 0.031 * w),),
        "head": (ellipsoid(head_centre, head_half),),
    }


def _arm(marks: Landmarks, s: str, w: float) -> dict[str, tuple[Shape, ...]]:
    j = marks.joints
    shoulder, elbow, wrist, tip = j[f"{s}_upper_arm"], j[f"{s}_forearm"], j[f"{s}_hand"], marks.fingers[s]
    length = float(np.linalg.norm(tip - wrist))
    thumb = capsule(
        wrist + 0.012 * w * FORWARD, wrist + 0.45 * (tip - wrist) + 0.026 * w * FORWARD, 0.007 * w, solid=False
    )
    return {
        f"{s}_clavicle": (capsule(j[f"{s}_clavicle"], shoulder, 0.028 * w),),
        f"{s}_upper_arm": _tapered(shoulder, elbow, 0.031 * w, 0.024 * w),
        f"{s}_forearm": _tapered(elbow, wrist, 0.026 * w, 0.017 * w),
        f"{s}_hand": (
            ellipsoid(0.5 * (wrist + tip), [0.024 * w, 0.012 * w, 0.5 * length], along=_upward(wrist - tip)),
            thumb,
        ),
    }


def _leg(marks: Landmarks, s: str, w: float) -> dict[str, tuple[Shape, ...]]:
    j, foot = marks.joints, marks.feet[s]
    hip, knee, ankle = j[f"{s}_thigh"], j[f"{s}_shin"], j[f"{s}_foot"]
    room = 0.92 * 0.5 * abs(float(j["left_thigh"][1] - j["right_thigh"][1]))  # thighs must not meet as the body stands
    return {
        f"{s}_thigh": _tapered(hip, knee, min(0.046 * w, room), min(0.031 * w, room)),
        f"{s}_shin": _tapered(knee, ankle, 0.032 * w, 0.021 * w),
        f"{s}_foot": _foot(foot, ankle, foot.ball, w),
        f"{s}_toes": (_sole_box(foot, foot.ball, foot.tip, 0.5),),
    }


def _tapered(a: Array, b: Array, thick: float, thin: float) -> tuple[Shape, ...]:
    """A limb: a capsule of the thin end's radius over the whole bone, and muscle around its upper part."""
    half = [thick, thick, 0.52 * max(float(np.linalg.norm(b - a)), 1e-3)]
    return (capsule(a, b, thin), ellipsoid(a + 0.38 * (b - a), half, solid=False, along=_upward(a - b)))


def _upward(d: Array) -> Array | None:
    """The direction d for a shape's long axis, None where it is as good as vertical."""
    n = float(np.linalg.norm(d))
    return None if n < 1e-6 or abs(d[2]) > 0.99999 * n else d / n


def _sole_box(foot: Foot, back: float, front: float, rise: float) -> Shape:
    """A box that stands on the sole between two X."""
    tall = 0.11 * rise * foot.length
    centre = np.array([0.5 * (back + front), foot.middle, foot.sole + tall])
    return box(centre, np.array([0.5 * (front - back), foot.half_width, tall]))


def _foot(foot: Foot, ankle: Array, front: float, w: float) -> tuple[Shape, ...]:
    """The foot behind `front`: a box on the sole and the instep from the ankle down to the ball."""
    r = 0.018 * w
    low = np.array([front - r, foot.middle, foot.sole + r])
    heel = np.array([foot.heel + 1.2 * r, foot.middle, foot.sole + 1.4 * r])
    return (
        _sole_box(foot, foot.heel, front, 0.7),
        capsule(ankle, low, r, solid=False),
        capsule(ankle, heel, 1.15 * r, solid=False),
    )


def boxed(role: str, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """A box for every solid shape: about as wide as it is round, as long as its bone, a foot up to its ankle."""
    trim = np.array([0.85, 0.85, 0.75 if role in ("pelvis", "abdomen", "chest") else 1.0])
    ankle = max((float(s.at[2]) for s in shapes if s.end is not None), default=-np.inf)
    out = []
    for k, shape in enumerate(shapes):
        if shape.kind == "box":
            low, high = shape.at[2] - shape.size[2], shape.at[2] + shape.size[2]
            top = max(high, ankle) if k == 0 else high
            out.append(box([*shape.at[:2], 0.5 * (low + top)], [*shape.size[:2], 0.5 * (top - low)]))
        elif shape.solid and shape.end is not None:
            half = 0.5 * np.abs(shape.end - shape.at)
            out.append(box(0.5 * (shape.at + shape.end), np.maximum(half, 1.1 * shape.size[0])))
        elif shape.solid:
            out.append(box(shape.at, shape.size * trim))
    return tuple(out)
