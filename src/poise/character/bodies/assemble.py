"""From links to a compiled character: the one place that writes MuJoCo models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from poise.character import mujoco_log
from poise.character.bodies.links import GROUPS, Link, Shape
from poise.character.character import Character, ContactPoints
from poise.character.roles import ROLES
from poise.character.skeleton import Binding
from poise.errors import BadValue
from poise.maths.rotations import Array, between

GROUND_BIT = 1  # MuJoCo's default contype and conaffinity: a ground or prop with the defaults meets every link
_GEOMS = {
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}
_MIRROR_LEGS = {"left_leg", "right_leg"}

Point = tuple[str, str, Array]
"""A contact point: its name, its body and its place [m] in the world in the zero pose."""


def assemble(
    name: str,
    links: Sequence[Link],
    points: Sequence[Point],
    *,
    binding: Binding | None = None,
    notes: Sequence[str] = (),
) -> Character:
    """A character of these links, parents before children, the first one free in space with its joint "root".

    Lengths are written with six digits (a micrometre), masses to 0.1 g with the rest on the root, so that the model
    compiled from `xml` weighs exactly what the links weigh together. Links named as roles have them.
    """
    links = [_on_sole(link, points) for link in links]
    by_name = {link.name: link for link in links}
    spec, masses = _spec(name, links, by_name), _rounded_masses(links)
    bodies = {}
    for link in links:
        parent = bodies[link.parent] if link.parent else spec.worldbody
        origin = by_name[link.parent].at if link.parent else link.at
        body = parent.add_body(name=link.name, pos=_round(link.at - origin))
        bodies[link.name] = body
        _inertial(body, link, masses[link.name])
        _joints(body, link)
        for k, shape in enumerate(link.shapes):
            _geom(body, link, shape, f"{link.name}_{k}")
    for point, body, place in points:
        bodies[body].add_site(name=point, pos=_round(place - by_name[body].at), size=[0.004, 0.004, 0.004], group=4)
    _exclude_neighbours(spec, links, by_name)
    try:
        with mujoco_log.gathered() as warnings:
            _exclude_overlaps(spec)
            xml = spec.to_xml()
            model = mujoco.MjModel.from_xml_string(xml)
        if warnings:  # of a mass matrix that cannot be inverted: bones of kilometres beside a hand of centimetres
            why = warnings[0].partition(",")[0].rstrip(".").lower()
            raise ValueError(f"its bones and masses are too unequal for physics ({why})")
    except ValueError as error:
        raise BadValue(f"The body {name} cannot be built: {str(error).splitlines()[0]}.") from error
    stiffness, torque = _per_dof(model, links, masses)
    contact = ContactPoints(
        tuple(p for p, _, _ in points),
        np.array([model.body(b).id for _, b, _ in points], int),
        np.array([model.site(p).pos for p, _, _ in points], float).reshape(-1, 3),
    )
    given = {r: r for r in ROLES if r in by_name}
    return Character(name, xml, given, contact, stiffness, torque, binding, tuple(notes))


def _on_sole(link: Link, points: Sequence[Point]) -> Link:
    """Toes hinged at the level of the sole, as high as the ball of their foot touches.

    A foot that rolls over its ball turns about the line on which it stands; were the hinge above it, as files have it,
    ball and toes could not both stay where they are, and the heel could not rise.
    """
    under = [float(at[2]) for _, body, at in points if body == link.parent]
    if not link.name.endswith("toes") or not under:
        return link
    return replace(link, at=np.array([link.at[0], link.at[1], min(under)]))


# [kg m²] added to a joint's own inertia. Toes weigh next to nothing and bear the whole body: without it a simulator
# needs steps far below a millisecond for them. It acts on that joint alone and leaves the body's momentum untouched.
_ARMATURE = {"toes": 0.005}


def _spec(name: str, links: Sequence[Link], by_name: Mapping[str, Link]) -> mujoco.MjSpec:
    if len(by_name) != len(links):
        raise BadValue(f"The body {name} has two links of the same name.")
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    return spec


def _round(x: Array) -> Array:
    """Rounded to what the text of a model keeps."""
    return np.round(np.asarray(x, float), 6) + 0.0


def _rounded_masses(links: Sequence[Link]) -> dict[str, float]:
    """Masses [kg] to four decimals; the root takes what rounding leaves."""
    total = round(sum(link.inertial.mass for link in links), 4)
    masses = {link.name: round(link.inertial.mass, 4) for link in links[1:]}
    return {links[0].name: round(total - sum(masses.values()), 4), **masses}


def _inertial(body, link: Link, mass: float) -> None:
    inertia = link.inertial.scaled(mass).inertia
    body.mass = mass
    body.ipos = _round(link.inertial.centre - link.at)
    body.fullinertia = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    body.explicitinertial = True


def _joints(body, link: Link) -> None:
    if not link.parent:
        body.add_joint(name="root", type=mujoco.mjtJoint.mjJNT_FREE)
        return
    for pin in link.pins:
        if pin.axis:
            axis = [float(a == pin.axis) for a in "xyz"]
            joint = body.add_joint(name=f"{link.name}_{pin.axis}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
        else:
            joint = body.add_joint(name=link.name, type=mujoco.mjtJoint.mjJNT_BALL)
        if pin.range is not None:
            joint.range = _round(np.array(pin.range))
        joint.armature = _ARMATURE.get(link.name.partition("_")[2], 0.0)


def _geom(body, link: Link, shape: Shape, name: str) -> None:
    group = 1 << (1 + GROUPS.index(link.group))
    others = (1 << (1 + len(GROUPS))) - 2 - group
    options: dict[str, Any] = dict(
        name=name,
        type=_GEOMS[shape.kind],
        mass=0.0,
        rgba=shape.colour or link.colour,
        contype=group if shape.solid else 0,
        conaffinity=(GROUND_BIT | others) if shape.solid else 0,
        group=0 if shape.solid else 1,
    )
    if shape.end is not None:
        options["fromto"] = _round(np.concatenate([shape.at - link.at, shape.end - link.at]))
        options["size"] = _round(np.array([shape.size[0], 0.0, 0.0]))
    else:
        options["pos"] = _round(shape.at - link.at)
        options["size"] = _round(shape.size)
        if shape.along is not None:
            options["quat"] = between(np.array([0.0, 0.0, 1.0]), shape.along)
    body.add_geom(**options)


def _exclude_neighbours(spec: mujoco.MjSpec, links: Sequence[Link], by_name: Mapping[str, Link]) -> None:
    """Links two joints apart pass through each other, but for the two legs. (MuJoCo leaves out parents itself.)"""
    for i, a in enumerate(links):
        for b in links[:i]:
            siblings = a.parent and a.parent == b.parent
            grand = bool(a.parent) and by_name[a.parent].parent == b.name
            if (siblings or grand) and {a.group, b.group} != _MIRROR_LEGS and a.group != b.group:
                spec.add_exclude(bodyname1=b.name, bodyname2=a.name)


def _exclude_overlaps(spec: mujoco.MjSpec) -> None:
    """Links that overlap already in the zero pose never collide: they would push the body apart as it stands."""
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_collision(model, data)
    pairs = {tuple(sorted(model.geom_bodyid[c.geom])) for c in data.contact}
    for a, b in sorted(pairs):
        spec.add_exclude(bodyname1=model.body(a).name, bodyname2=model.body(b).name)
    spec.compile()


def _per_dof(model: mujoco.MjModel, links: Sequence[Link], masses: Mapping[str, float]) -> tuple[Array, Array]:
    """Stiffness and torque limit (nv,), in the model's order of degrees of freedom."""
    hanging = dict(masses)
    for link in reversed(links):
        if link.parent:
            hanging[link.parent] += hanging[link.name]
    stiffness, torque = np.zeros(model.nv), np.zeros(model.nv)
    for link in links[1:]:
        first = int(model.body(link.name).dofadr[0])
        for pin in link.pins:
            span = slice(first, first + pin.width)
            stiffness[span] = hanging[link.name] if pin.stiffness is None else pin.stiffness
            torque[span] = pin.torque
            first += pin.width
    return stiffness, torque
