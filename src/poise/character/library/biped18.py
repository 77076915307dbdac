"""biped18: the 2D body of da Silva, Abe & Popović 2008: a free root and 12 pins about the lateral axis.

Masses, inertias and stiffness are those of their table 2, with the centre of mass of each link in its middle. The table
prints no lengths: a link is as long as the thin rod of its mass and inertia, L = √(12 I / m), which gives a body of
1.62 m. The text says 18 degrees of freedom and the table lists 6 + 11: the twelfth pin is a waist, which cuts the
torso's rod 35 : 65 into pelvis and chest; straight, both together have the table's 10 kg and 0.176 kg m². The inertia
is that about the lateral axis; about the other axes of a link it is ours, that of a rod with a limb's thickness.

The paper bounds torques and prints no bounds. A leg of the table weighs 16 kg of 51 kg, twice its share of a human
body (16.1 %, D. Winter, Biomechanics and Motor Control of Human Movement, table 4.1): it is the leg of a person of
99 kg, and as strong. With the strength of a person of 51 kg its own weight could not be swung as in running.
"""

from __future__ import annotations

import numpy as np

from poise.character.bodies.anthropometry import Inertial, hinge_range, torque
from poise.character.bodies.assemble import Point, assemble
from poise.character.bodies.links import Link, Pin, Shape, box, capsule, colour_of, ellipsoid, group_of
from poise.character.character import Character
from poise.maths.rotations import Array

TABLE = {  # stiffness [N m/rad] (the table says newtons per radian), mass [kg], inertia [kg m²]
    "head": (3000.0, 3.0, 0.011),
    "upper_arm": (4000.0, 2.0, 0.022),
    "forearm": (3000.0, 1.0, 0.009),
    "torso": (4000.0, 10.0, 0.176),  # "N/A": the stiffness is our waist's
    "thigh": (4000.0, 7.0, 0.121),
    "shin": (4000.0, 5.0, 0.077),
    "foot": (4000.0, 4.0, 0.019),
}
LEGS = ("thigh", "shin", "foot")
WAIST = 0.35  # share of the torso below the added pin
ANKLE, HIP, SHOULDER, FOOT_WIDTH = 0.07, 0.09, 0.19, 0.09  # [m]
LEG = 0.161  # share of a leg in the mass of a human body
RADIUS = {"head": 0.085, "upper_arm": 0.04, "forearm": 0.033, "torso": 0.10, "thigh": 0.065, "shin": 0.045}  # [m]


def length(part: str) -> float:
    """Length [m] of the thin rod with the mass and inertia of a link."""
    _, mass, inertia = TABLE[part]
    return float(np.sqrt(12.0 * inertia / mass))


def make() -> Character:
    """The character."""
    knee, hip = ANKLE + length("shin"), ANKLE + length("shin") + length("thigh")
    neck, waist = hip + length("torso"), hip + WAIST * length("torso")
    up = lambda z, y=0.0: np.array([0.0, y, z])  # noqa: E731
    mass = 2 * sum(TABLE[p][1] for p in ("upper_arm", "forearm", *LEGS)) + 13.0
    legs_of = sum(TABLE[p][1] for p in LEGS) / LEG  # [kg] a person with such legs
    tall = neck + length("head")

    def link(role: str, parent: str, part: str, a: Array, b: Array, share: float = 1.0) -> Link:
        stiffness, kilos, inertia = TABLE[part]
        strength = torque(role, "y", legs_of if part in LEGS else mass, tall) if parent else 0.0
        pin = Pin("y", hinge_range(role, "y"), (strength,), (stiffness,)) if parent else None
        rod = _rod(kilos * share, inertia * share**3, a, b, RADIUS.get(part, 0.04))
        shapes = _shapes(role, part, a, b)
        return Link(role, parent, a, () if pin is None else (pin,), rod, shapes, group_of(role), colour_of(role))

    links = [
        link("pelvis", "", "torso", up(hip), up(waist), WAIST),
        link("chest", "pelvis", "torso", up(waist), up(neck), 1 - WAIST),
        link("head", "chest", "head", up(neck), up(tall)),
    ]
    points: list[Point] = []
    for side, s in (("left", 1.0), ("right", -1.0)):
        shoulder, y, arm = neck - 0.03, s * HIP, s * SHOULDER
        elbow = shoulder - length("upper_arm")
        heel, tip = np.array([-0.06, y, ANKLE]), np.array([length("foot") - 0.06, y, ANKLE])
        links += [
            link(f"{side}_upper_arm", "chest", "upper_arm", up(shoulder, arm), up(elbow, arm)),
            link(f"{side}_forearm", f"{side}_upper_arm", "forearm", up(elbow, arm), up(elbow - length("forearm"), arm)),
            link(f"{side}_thigh", "pelvis", "thigh", up(hip, y), up(knee, y)),
            link(f"{side}_shin", f"{side}_thigh", "shin", up(knee, y), up(ANKLE, y)),
            _foot(link(f"{side}_foot", f"{side}_shin", "foot", heel, tip), up(ANKLE, y)),
        ]
        for label, x in (("heel", heel[0]), ("ball", tip[0])):
            for edge, out in (("inner", -s), ("outer", s)):
                place = np.array([x, y + out * 0.5 * FOOT_WIDTH, 0.0])
                points.append((f"{side}_{label}_{edge}", f"{side}_foot", place))
    note = "The waist is ours: the paper's table 2 lists 11 of its 12 pins."
    return assemble("biped18", links, points, notes=(note,))


def _rod(mass: float, lateral: float, a: Array, b: Array, radius: float) -> Inertial:
    """A rod whose inertia about Y is exactly `lateral` [kg m²]; it lies along X or Z."""
    along = int(np.argmax(np.abs(b - a)))
    inertia = np.diag([lateral, lateral, lateral])
    inertia[along, along] = min(0.5 * mass * radius**2, 1.5 * lateral)
    return Inertial(mass, 0.5 * (a + b), inertia)


def _foot(link: Link, ankle: Array) -> Link:
    """The foot turns about the ankle; its rod lies at half the ankle's height and its box stands on the ground."""
    rod = link.inertial
    low = Inertial(rod.mass, rod.centre - np.array([0.0, 0.0, 0.5 * ANKLE]), rod.inertia)
    return Link(link.name, link.parent, ankle, link.pins, low, link.shapes, link.group, link.colour)


def _shapes(role: str, part: str, a: Array, b: Array) -> tuple[Shape, ...]:
    middle, r = 0.5 * (a + b), RADIUS.get(part, 0.0)
    if part == "foot":
        half = np.array([0.5 * float(b[0] - a[0]), 0.5 * FOOT_WIDTH, 0.25 * ANKLE])
        ankle = np.array([0.0, a[1], ANKLE])
        return (
            box(np.array([middle[0], middle[1], half[2]]), half),
            capsule(ankle, np.array([b[0] - 0.05, a[1], 0.025]), 0.025, solid=False),
        )
    if part == "head":
        return (ellipsoid(middle, [r, 0.8 * r, 0.5 * float(b[2] - a[2])]),)
    if role == "chest":
        across = np.array([0.0, SHOULDER - 0.05, 0.0])
        top = b - np.array([0.0, 0.0, 0.05])
        return (
            ellipsoid(middle, [r, 1.5 * r, 0.56 * float(b[2] - a[2])]),
            capsule(top - across, top + across, 0.045),
        )
    if role == "pelvis":
        return (ellipsoid(middle, [0.95 * r, 1.5 * r, 1.05 * float(b[2] - a[2])]),)
    return (capsule(a, b, r),)
