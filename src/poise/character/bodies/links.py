"""Links: a body described part by part in its zero pose, before MuJoCo sees it.

Every point is in the world, in the zero pose, where all frames lie along the world's axes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from poise.character.bodies import anthropometry
from poise.character.bodies.anthropometry import Inertial
from poise.character.roles import LIMBS
from poise.errors import UnknownName
from poise.maths.rotations import Array

Colour = tuple[float, float, float, float]

TRUNK_COLOUR: Colour = (0.72, 0.70, 0.67, 1.0)
LEFT_COLOUR: Colour = (0.45, 0.60, 0.74, 1.0)
RIGHT_COLOUR: Colour = (0.78, 0.55, 0.47, 1.0)

GROUPS = ("trunk", "left_leg", "right_leg", "left_arm", "right_arm", "tail")
"""Parts whose own links pass through each other, and collide with the links of all other parts."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A geom: "capsule" (two ends and a radius), "box" or "ellipsoid" (centre and half sizes), maybe tilted."""

    kind: str
    at: Array  # (3,) first end, or centre [m]
    size: Array  # (3,) half sizes, or (1,) radius [m]
    end: Array | None = None  # (3,) second end of a capsule
    along: Array | None = None  # (3,) direction of the third axis of a box or ellipsoid, up where None
    solid: bool = True  # takes part in collisions
    colour: Colour | None = None  # the link's where None


def capsule(a: ArrayLike, b: ArrayLike, radius: float, **more) -> Shape:
    """A capsule between two points."""
    return Shape("capsule", np.asarray(a, float), np.array([radius]), np.asarray(b, float), **more)


def box(centre: ArrayLike, half: ArrayLike, **more) -> Shape:
    """A box along the world's axes."""
    return Shape("box", np.asarray(centre, float), np.asarray(half, float), **more)


def ellipsoid(centre: ArrayLike, half: ArrayLike, **more) -> Shape:
    """An ellipsoid along the world's axes."""
    return Shape("ellipsoid", np.asarray(centre, float), np.asarray(half, float), **more)


@dataclass(frozen=True)
class Pin:
    """One joint: a ball (axis "") with a greatest angle, or a hinge about "x", "y" or "z" with a range [rad]."""

    axis: str = ""
    range: tuple[float, float] | None = None
    torque: tuple[float, ...] = (0.0,)  # [N m], one per degree of freedom
    stiffness: tuple[float, ...] | None = None  # [N m/rad]; None: the mass [kg] of all that hangs on the joint

    @property
    def width(self) -> int:
        """Degrees of freedom."""
        return 1 if self.axis else 3


@dataclass(frozen=True, eq=False)
class Link:
    """One body: its name, the name of its parent ("" for the root), its joint centre, joints, mass and shapes."""

    name: str
    parent: str
    at: Array  # (3,) [m]
    pins: tuple[Pin, ...]
    inertial: Inertial
    shapes: tuple[Shape, ...] = ()
    group: str = "trunk"
    colour: Colour = field(default=TRUNK_COLOUR)


def group_of(role: str) -> str:
    """The part of the body to which a role belongs."""
    name = anthropometry.part(role)
    if name not in LIMBS:
        return "trunk"
    side = role.split("_")[0]
    if name == "clavicle":
        return "trunk"
    return f"{side}_arm" if name in ("upper_arm", "forearm", "hand") else f"{side}_leg"


def colour_of(role: str) -> Colour:
    """Trunk neutral, left bluish, right reddish."""
    if role.startswith("left_"):
        return LEFT_COLOUR
    return RIGHT_COLOUR if role.startswith("right_") else TRUNK_COLOUR


def pins(role: str, dofs: str, mass: float, height: float, stiffness: float | None = None) -> tuple[Pin, ...]:
    """The joints of a role for "ball", "fixed", "hinge_y" or a string of axes, outermost first, such as "yx".

    Ranges and strengths are a human's of this mass [kg] and height [m]; `stiffness` [N m/rad] holds for every axis.
    """
    if dofs == "fixed":
        return ()
    if dofs == "ball":
        most = anthropometry.ball_range(role)
        strength = tuple(anthropometry.torque(role, a, mass, height) for a in "xyz")
        return (
            Pin("", None if most is None else (0.0, most), strength, None if stiffness is None else (stiffness,) * 3),
        )
    axes = dofs.removeprefix("hinge_")
    if not 1 <= len(axes) <= 3 or set(axes) - set("xyz") or len(set(axes)) != len(axes):
        raise UnknownName("joint type", dofs, ("ball", "fixed", "hinge_x", "hinge_y", "hinge_z", "yx", "zy", "yxz"))
    return tuple(
        Pin(a, anthropometry.hinge_range(role, a), (anthropometry.torque(role, a, mass, height),),
            None if stiffness is None else (stiffness,))
        for a in axes
    )  # fmt: skip
