"""The pieces of a world as MuJoCo specifications: geoms that everything meets, bodies with explicit masses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array

Vector = Sequence[float] | Array

PLANE, BOX, CAPSULE, CYLINDER, SPHERE, HFIELD = (
    mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE,
    mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_HFIELD,
)  # fmt: skip
EVERYTHING = 0x7FFFFFFF  # a geom of these contact bits meets every geom that meets anything


@dataclass(frozen=True)
class Contact:
    """How hard a surface is: MuJoCo's reference and impedance of a contact."""

    reference: tuple[float, float]
    impedance: tuple[float, float, float, float, float]


CONTACTS = {
    # critically damped, 8 ms: a person stands 0.2 mm deep. Harder would make what slides hop: MuJoCo's cones lift a
    # contact that slides with speed v by about friction x v x 2 / 8 ms x step.
    "soft": Contact((0.008, 1.0), (0.95, 0.99, 0.0005, 0.5, 2.0)),
    # springs of 170 rad/s with a third of critical damping, whatever they carry: they give more, and ring when struck
    "springs": Contact((-3.0e4, -120.0), (0.9, 0.9, 0.001, 0.5, 2.0)),
}


def contact_of(name: str) -> Contact:
    """The contact model of this name."""
    if name not in CONTACTS:
        raise BadValue(f"There is no contact model {name!r}; there are {' and '.join(CONTACTS)}.")
    return CONTACTS[name]


@dataclass(frozen=True, eq=False)
class Builder:
    """A specification that things are added to, after the character that it begins with."""

    spec: Any  # mujoco.MjSpec
    contact: Contact
    friction: float

    def body(self, name: str, position: Vector = (0.0, 0.0, 0.0), quat: Vector = (1.0, 0.0, 0.0, 0.0),
             parent: Any = None) -> Any:  # fmt: skip
        """A new body, fixed to its parent (the world) until it gets joints."""
        return (parent or self.spec.worldbody).add_body(name=f"stage/{name}", pos=list(position), quat=list(quat))

    def geom(self, body: Any, kind: Any, size: Vector, *, position: Vector = (0.0, 0.0, 0.0),
             quat: Vector = (1.0, 0.0, 0.0, 0.0), solid: bool = True, mass: float = 0.0,
             colour: tuple[float, ...] = (0.6, 0.6, 0.62, 1.0), **more: Any) -> Any:  # fmt: skip
        """A geom; a solid one meets everything, and its friction and hardness count, not those of what it meets."""
        full = [*map(float, size), 0.0, 0.0, 0.0][:3]
        bits = EVERYTHING if solid else 0
        return body.add_geom(
            type=kind, size=full, pos=list(position), quat=list(quat), contype=bits, conaffinity=bits, condim=3,
            priority=1, friction=[self.friction, 0.005, 0.0001], solref=list(self.contact.reference),
            solimp=list(self.contact.impedance), margin=0.0, gap=0.0, mass=float(mass), rgba=list(colour),
            group=0 if solid else 1, **more,
        )  # fmt: skip

    def joint(self, body: Any, kind: Any, *, name: str, axis: Vector = (0.0, 0.0, 1.0), damping: float = 0.0,
              friction: float = 0.0, limits: tuple[float, float] | None = None) -> Any:  # fmt: skip
        """A joint with nothing of the character's defaults; limits in metres or radians; dry friction in N or N m."""
        turns = kind == mujoco.mjtJoint.mjJNT_HINGE and self.spec.compiler.degree
        return body.add_joint(
            name=f"stage/{name}", type=kind, axis=list(axis), armature=0.0, damping=[damping, 0.0, 0.0],
            stiffness=[0.0, 0.0, 0.0], frictionloss=friction, solref_limit=[0.01, 1.0],
            # the least creep under dry friction that MuJoCo can do, also for bodies of a few grams
            solref_friction=[0.005, 1.0], solimp_friction=[0.9999, 0.9999, 0.001, 0.5, 2.0],
            limited=mujoco.mjtLimited.mjLIMITED_FALSE if limits is None else mujoco.mjtLimited.mjLIMITED_TRUE,
            range=[0.0, 0.0] if limits is None else list(np.degrees(limits) if turns else limits),
        )  # fmt: skip

    def weigh(self, body: Any, mass: float, inertia: Vector, centre: Vector = (0.0, 0.0, 0.0),
              turn: Vector = (1.0, 0.0, 0.0, 0.0)) -> None:  # fmt: skip
        """Give a body its mass [kg], centre of mass [m] and principal inertia (3,) [kg m²] along its axes, turned."""
        body.mass, body.inertia = float(mass), list(map(float, inertia))
        body.ipos, body.iquat = list(centre), list(map(float, turn))
        body.explicitinertial = True


def box_inertia(mass: float, size: Vector) -> Array:
    """Principal inertia (3,) of a box of these whole lengths."""
    x, y, z = (float(s) ** 2 for s in size)
    return mass / 12.0 * np.array([y + z, x + z, x + y])


def ball_inertia(mass: float, radius: float) -> Array:
    """Principal inertia (3,) of a solid ball."""
    return np.full(3, 0.4 * mass * radius**2)


def rod_inertia(mass: float, radius: float, length: float) -> Array:
    """Principal inertia (3,) of a cylinder along Y."""
    across = mass * (3 * radius**2 + length**2) / 12.0
    return np.array([across, 0.5 * mass * radius**2, across])
