"""Props, thrown balls and the sliders that grips hold, as bodies of a specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from poise.character import Character
from poise.maths import rotations as rot
from poise.stage.building import BOX, CAPSULE, CYLINDER, SPHERE, Builder, ball_inertia, box_inertia, rod_inertia
from poise.stage.events import Ball
from poise.stage.grips import Grip
from poise.stage.props import Bar, Barbell, Prop, Sphere
from poise.stage.things import Capsule, Compound, Cylinder, Mesh, Thing, weight_of

PARKED = 500.0  # [m] above the ground, where balls wait
_ALONG_Y = rot.between([0.0, 0.0, 1.0], [0.0, 1.0, 0.0])
_STEEL, _IRON, _RED, _BLUE = (
    (0.72, 0.74, 0.77, 1.0), (0.22, 0.23, 0.25, 1.0), (0.80, 0.25, 0.20, 1.0), (0.30, 0.50, 0.70, 1.0),
)  # fmt: skip
_GEOMS = {"box": BOX, "cylinder": CYLINDER, "sphere": SPHERE, "capsule": CAPSULE}
_SLIDER = 0.02  # [kg] of the ring round a bar that a hand holds
_GRIP_REFERENCE, _GRIP_IMPEDANCE = (0.004, 1.0), (0.98, 0.999, 0.001, 0.5, 2.0)


def place_prop(builder: Builder, prop: Prop, rings: int) -> Any:
    """Add a prop; `rings` of its mass will be added by grips."""
    if isinstance(prop, Bar):
        return _bar(builder, prop)
    if isinstance(prop, Barbell):
        return _barbell(builder, prop, rings)
    if isinstance(prop, Sphere):
        body = builder.body(prop.name, prop.position)
        builder.joint(body, mujoco.mjtJoint.mjJNT_FREE, name=prop.name)
        builder.geom(body, SPHERE, (prop.radius,), mass=prop.mass, colour=_BLUE)
        builder.weigh(body, prop.mass, ball_inertia(prop.mass, prop.radius))
        return body
    if isinstance(prop, Cylinder | Capsule | Mesh | Compound):
        return _thing(builder, prop)
    turn = rot.multiply(rot.about_z(np.radians(prop.yaw)), rot.from_axis_angle([0.0, 1.0, 0.0], np.radians(prop.pitch)))
    body = builder.body(prop.name, prop.position, turn)
    if not prop.fixed:
        builder.joint(body, mujoco.mjtJoint.mjJNT_FREE, name=prop.name)
    builder.geom(body, BOX, 0.5 * np.asarray(prop.size), mass=prop.mass, colour=_BLUE)
    builder.weigh(body, prop.mass, box_inertia(prop.mass, prop.size))
    return body


def _thing(builder: Builder, thing: Thing) -> Any:
    """A thing of pieces and convex meshes."""
    body = builder.body(thing.name, thing.position, thing.turn)
    if not thing.fixed:
        builder.joint(body, mujoco.mjtJoint.mjJNT_FREE, name=thing.name)
    for piece in thing.pieces:
        builder.geom(body, _GEOMS[piece.kind], piece.size, position=piece.place, quat=rot.from_matrix(piece.matrix),
                     colour=_BLUE)  # fmt: skip
    for k, (vertices, faces) in enumerate(thing.hulls):
        name = f"stage/{thing.name}_{k}"
        builder.spec.add_mesh(name=name, uservert=vertices.ravel().tolist(), userface=faces.ravel().tolist())
        builder.geom(body, mujoco.mjtGeom.mjGEOM_MESH, (), meshname=name, colour=_BLUE)
    centre, inertia = weight_of(thing)
    moments, axes = np.linalg.eigh(inertia)
    axes = axes * np.sign(np.linalg.det(axes))
    builder.weigh(body, thing.mass, moments, centre, rot.from_matrix(axes))
    return body


def _bar(builder: Builder, bar: Bar) -> Any:
    body = builder.body(bar.name, bar.position)
    axis = np.asarray(bar.axis, float)
    along = rot.between([0.0, 0.0, 1.0], axis)
    builder.geom(body, CAPSULE, (bar.radius, 0.5 * bar.length), quat=along, colour=_STEEL)
    for side in (-0.5, 0.5):  # posts for the eye alone
        foot = (*(side * bar.length * axis[:2]), -0.5 * bar.height)
        builder.geom(body, CYLINDER, (0.025, 0.5 * bar.height), position=foot, solid=False, colour=_STEEL)
    return body


def _barbell(builder: Builder, bell: Barbell, rings: int) -> Any:
    body = builder.body(bell.name, bell.position, rot.about_z(np.radians(bell.yaw)))
    builder.joint(body, mujoco.mjtJoint.mjJNT_FREE, name=bell.name)
    thick, reach = 0.04, 0.5 * bell.length - 0.10
    plate = 0.5 * (bell.mass - bell.shaft_mass)
    shaft = max(bell.shaft_mass - rings * _SLIDER, 0.1 * bell.shaft_mass)
    builder.geom(body, CAPSULE, (bell.radius, 0.5 * bell.length), quat=_ALONG_Y, mass=shaft, solid=bell.solid,
                 colour=_STEEL)  # fmt: skip
    inertia = rod_inertia(shaft, bell.radius, bell.length)
    for side in (-1.0, 1.0):
        builder.geom(body, CYLINDER, (bell.plate_radius, 0.5 * thick), position=(0.0, side * reach, 0.0),
                     quat=_ALONG_Y, mass=plate, colour=_IRON)  # fmt: skip
        inertia = inertia + rod_inertia(plate, bell.plate_radius, thick) + plate * reach**2 * np.array([1.0, 0.0, 1.0])
    builder.weigh(body, shaft + 2 * plate, inertia)
    return body


def place_ball(builder: Builder, ball: Ball, index: int) -> Any:
    """A ball that waits high above, weightless, until it is thrown."""
    body = builder.body(f"ball_{index}", (0.0, 3.0 * index, PARKED))
    builder.joint(body, mujoco.mjtJoint.mjJNT_FREE, name=f"ball_{index}")
    builder.geom(body, SPHERE, (ball.size,), mass=ball.mass, colour=_RED)
    builder.weigh(body, ball.mass, ball_inertia(ball.mass, ball.size))
    body.gravcomp = 1.0
    return body


def place_grip(builder: Builder, character: Character, grip: Grip, prop: Bar | Barbell, holder: Any, index: int
               ) -> tuple[Any, Any]:  # fmt: skip
    """A ring that slides along a bar and turns on it, and the weld, still open, between hand and ring."""
    ring = builder.body(f"grip_{index}", parent=holder)
    half = 0.5 * prop.length - (0.12 if isinstance(prop, Barbell) else 0.0)
    builder.joint(ring, mujoco.mjtJoint.mjJNT_SLIDE, name=f"grip_{index}_slide", axis=prop.axis, damping=5.0,
                  friction=grip.slide_friction, limits=(-half, half))  # fmt: skip
    builder.joint(ring, mujoco.mjtJoint.mjJNT_BALL, name=f"grip_{index}_turn", damping=0.02,
                  friction=grip.turn_friction)  # fmt: skip
    builder.geom(ring, SPHERE, (0.02,), solid=False, mass=_SLIDER, colour=(0.0, 0.0, 0.0, 0.0))
    builder.weigh(ring, _SLIDER, np.full(3, 2e-5))
    hand = character.body(grip.hand)
    point = grip_point(character, grip)
    weld = builder.spec.add_equality(
        name=f"stage/grip_{index}", type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY, active=False,
        name1=character.body_names[hand], name2=ring.name, data=[0.0, 0.0, 0.0, *point, 1.0, 0.0, 0.0, 0.0, 0.1, 0.0],
        solref=list(_GRIP_REFERENCE), solimp=list(_GRIP_IMPEDANCE),
    )  # fmt: skip
    return ring, weld


def grip_point(character: Character, grip: Grip) -> Sequence[float]:
    """The point (3,) of the hand that lies on the bar's axis, in the hand's frame [m]."""
    if grip.point is not None:
        return grip.point
    return tuple(character.model.body_ipos[character.body(grip.hand)].tolist())
