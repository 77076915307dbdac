"""kangaroo: the kangaroo of Nunes et al. 2012 (vibration): 36 internal degrees of freedom, toes and a tail.

The paper prints no lengths, masses or stiffness: ours, for a body of 55 kg and 1.4 m. Its zero pose is no straight
one: it stands on flat feet with bent legs, all frames along the world's axes, so that a motion brought from a human
adds to the animal's own stance. Waist 3, neck 3, shoulders 3, elbows 1, hips 3, knees 1, ankles 2, toes 1, and four
links of tail with 2 each.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character.bodies.anthropometry import along, combine
from poise.character.bodies.assemble import Point, assemble
from poise.character.bodies.links import Link, Pin, Shape, box, capsule, colour_of, ellipsoid, group_of
from poise.character.character import Character
from poise.maths.rotations import Array

FOOT_WIDTH = 0.08  # [m]
HEEL, BALL, TIP = -0.20, 0.14, 0.26  # [m] front of the hips
# Joint centres [m]: front, left, up.
WAIST, NECK = (0.08, 0.0, 0.76), (0.30, 0.0, 1.04)
SHOULDER, ELBOW, WRIST = (0.27, 0.12, 0.95), (0.22, 0.13, 0.80), (0.37, 0.12, 0.74)
HIP, KNEE, ANKLE = (0.0, 0.11, 0.60), (0.20, 0.12, 0.40), (-0.15, 0.12, 0.10)
TAIL = ((-0.15, 0, 0.56), (-0.36, 0, 0.40), (-0.58, 0, 0.26), (-0.79, 0, 0.15), (-0.99, 0, 0.08))
# One row a joint: degrees of freedom, range or greatest angle [degrees], torque [N m], stiffness [N m/rad]. Ankles and
# toes bear what hops at 2 m/s ask of tendons that carry several times the body's weight.
JOINTS: dict[str, tuple[str, tuple[tuple[float, float], ...], float, float]] = {
    "chest": ("ball", ((0, 60),), 300.0, 350.0),
    "head": ("ball", ((0, 80),), 60.0, 50.0),
    "upper_arm": ("ball", ((0, 120),), 40.0, 20.0),
    "forearm": ("y", ((-80, 40),), 30.0, 12.0),
    "thigh": ("ball", ((0, 110),), 350.0, 350.0),
    "shin": ("y", ((-80, 60),), 350.0, 300.0),
    "foot": ("yx", ((-45, 90), (-20, 20)), 450.0, 300.0),
    "toes": ("y", ((-70, 45),), 160.0, 40.0),
    "tail_1": ("yz", ((-50, 50), (-40, 40)), 200.0, 200.0),
    "tail_2": ("yz", ((-50, 50), (-40, 40)), 120.0, 120.0),
    "tail_3": ("yz", ((-50, 50), (-40, 40)), 60.0, 60.0),
    "tail_4": ("yz", ((-50, 50), (-40, 40)), 45.0, 25.0),
}


def make() -> Character:
    """The character."""
    links = [*_trunk(), *_tail()]
    points: list[Point] = []
    for side, s in (("left", 1.0), ("right", -1.0)):
        links += [*_arm(side, s), *_leg(side, s)]
        for label, x, part in (("heel", HEEL, "foot"), ("ball", BALL, "foot"), ("tip", TIP, "toes")):
            for edge, out in (("inner", -s), ("outer", s)):
                place = np.array([x, s * ANKLE[1] + out * 0.5 * FOOT_WIDTH, 0.0])
                points.append((f"{side}_{label}_{edge}", f"{side}_{part}", place))
    return assemble("kangaroo", links, points)


def _pins(name: str, right: bool = False) -> tuple[Pin, ...]:
    dofs, ranges, torque, stiffness = JOINTS[name]
    if dofs == "ball":
        return (Pin("", (0.0, float(np.radians(ranges[0][1]))), (torque,) * 3, (stiffness,) * 3),)
    out = []
    for axis, (low, high) in zip(dofs, ranges, strict=True):
        a, b = (-high, -low) if right and axis != "y" else (low, high)
        out.append(Pin(axis, (float(np.radians(a)), float(np.radians(b))), (torque,), (stiffness,)))
    return tuple(out)


def _link(name: str, parent: str, a: Array, b: Array, mass: float, radius: float, shapes: tuple[Shape, ...]) -> Link:
    part = name.removeprefix("left_").removeprefix("right_")
    group = "tail" if part.startswith("tail") else group_of(name)
    pins = _pins(part, name.startswith("right_")) if parent else ()
    return Link(name, parent, a, pins, along(mass, a, b, radius), shapes, group, colour_of(name))


def _trunk() -> list[Link]:
    at = lambda x, z: np.array([x, 0.0, z])  # noqa: E731
    hips, waist, neck, skull = at(-0.02, 0.64), np.array(WAIST), np.array(NECK), at(0.37, 1.24)
    lean = neck - hips  # the trunk leans forward
    pelvis = (ellipsoid(at(-0.01, 0.65), [0.15, 0.14, 0.20], along=lean),)
    chest = (
        ellipsoid(at(0.17, 0.86), [0.11, 0.13, 0.21], along=lean),
        capsule(at(0.22, 0.93), neck, 0.075),
    )
    ears = tuple(
        capsule(np.array([0.355, s * 0.03, 1.29]), np.array([0.325, s * 0.06, 1.40]), 0.016, solid=False)
        for s in (1.0, -1.0)
    )
    head = (
        capsule(neck, skull - at(0.0, 0.02), 0.05),
        ellipsoid(at(0.39, 1.25), [0.085, 0.055, 0.065]),
        capsule(at(0.43, 1.235), at(0.51, 1.205), 0.032),
        *ears,
    )
    skin = _link("head", "chest", neck, skull, 1.6, 0.05, head)
    face = along(1.4, at(0.33, 1.26), at(0.51, 1.21), 0.055)
    return [
        _link("pelvis", "", hips, at(0.08, 0.74), 15.0, 0.15, pelvis),
        _link("chest", "pelvis", waist, at(0.29, 1.0), 10.0, 0.11, chest),
        replace(skin, inertial=combine([skin.inertial, face])),
    ]


def _tail() -> list[Link]:
    radius, mass, links = (0.075, 0.055, 0.040, 0.026), (3.2, 2.0, 1.1, 0.5), []
    for k in range(4):
        a, b = np.array(TAIL[k], float), np.array(TAIL[k + 1], float)
        shapes = (capsule(a, b, radius[k]),)
        links.append(_link(f"tail_{k + 1}", "pelvis" if k == 0 else f"tail_{k}", a, b, mass[k], radius[k], shapes))
    return links


def _arm(side: str, s: float) -> list[Link]:
    mirror = np.array([1.0, s, 1.0])
    shoulder, elbow, wrist = (mirror * np.array(p) for p in (SHOULDER, ELBOW, WRIST))
    tip = wrist + np.array([0.07, 0.0, -0.04])
    hand = ellipsoid(0.5 * (wrist + tip), [0.045, 0.018, 0.025], solid=False)
    return [
        _link(f"{side}_upper_arm", "chest", shoulder, elbow, 0.7, 0.035, (capsule(shoulder, elbow, 0.034),)),
        _link(f"{side}_forearm", f"{side}_upper_arm", elbow, tip, 0.5, 0.025, (capsule(elbow, wrist, 0.024), hand)),
    ]


def _leg(side: str, s: float) -> list[Link]:
    mirror = np.array([1.0, s, 1.0])
    hip, knee, ankle = (mirror * np.array(p) for p in (HIP, KNEE, ANKLE))
    ball, tip, y = np.array([BALL, ankle[1], 0.02]), np.array([TIP, ankle[1], 0.015]), ankle[1]
    sole = lambda a, b, t: box(  # noqa: E731
        np.array([0.5 * (a + b), y, t]), np.array([0.5 * (b - a), 0.5 * FOOT_WIDTH, t])
    )
    heel = np.array([HEEL + 0.03, y, 0.03])
    thigh = (
        capsule(hip, knee, 0.07),
        ellipsoid(hip + 0.42 * (knee - hip), [0.10, 0.085, 0.15], along=hip - knee, solid=False),
    )
    shin = (capsule(knee, ankle, 0.042), capsule(knee, knee + 0.45 * (ankle - knee), 0.058, solid=False))
    foot = (
        sole(HEEL, BALL, 0.02),
        capsule(ankle, ball + np.array([-0.02, 0.0, 0.008]), 0.028, solid=False),
        capsule(ankle, heel, 0.03, solid=False),
    )
    middle = np.array([HEEL + 0.02, y, 0.05])
    return [
        _link(f"{side}_thigh", "pelvis", hip, knee, 5.5, 0.085, thigh),
        _link(f"{side}_shin", f"{side}_thigh", knee, ankle, 2.2, 0.045, shin),
        replace(
            _link(f"{side}_foot", f"{side}_shin", ankle, ball, 0.9, 0.03, foot), inertial=along(0.9, middle, ball, 0.03)
        ),
        _link(f"{side}_toes", f"{side}_foot", np.array([BALL, y, 0.0]), tip, 0.3, 0.025, (sole(BALL, TIP, 0.014),)),
    ]
