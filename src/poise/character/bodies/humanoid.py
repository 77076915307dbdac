"""humanoid: a character from the joint centres of a standing body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from poise.character.bodies import anthropometry as body
from poise.character.bodies.anthropometry import Inertial
from poise.character.bodies.assemble import Point, assemble
from poise.character.bodies.landmarks import Landmarks, complete
from poise.character.bodies.links import Link, Shape, colour_of, group_of, pins
from poise.character.bodies.shapes import LEAST, USUAL_BMI, apart, boxed, humanoid_shapes, sound_inertial
from poise.character.character import Character
from poise.character.roles import PARENT, ROLES, SIDES
from poise.character.skeleton import Binding
from poise.character.skeletons.palms import palm_points
from poise.errors import BadValue, UnknownBody
from poise.maths.rotations import Array

SHORTEST, TALLEST = 0.12, 100.0  # [m] of bodies whose sizes and masses the text of a model can hold
LIGHTEST = 0.3  # [kg]


def humanoid(
    name: str,
    joints: Mapping[str, Array],
    *,
    tips: Mapping[str, Array] | None = None,
    weight: float | None = None,
    height: float | None = None,
    sex: str = "mean",
    dofs: Mapping[str, str] | None = None,
    masses: Mapping[str, float] | None = None,
    stiffness: Mapping[str, float] | None = None,
    boxes: bool = False,
    binding: Binding | None = None,
    notes: Sequence[str] = (),
) -> Character:
    """A character whose bodies are the roles in `joints`, named by role, with a human's masses, limits and shapes.

    `joints` maps roles to joint centres (3,) [m] in the world in the zero pose: upright, facing X, legs straight
    down, feet flat and forward, arms hanging, palms to the thighs. `tips` are far ends: "head" (top of the head),
    "<side>_hand" (finger tip), "<side>_foot" or "<side>_toes" (front end), "<side>_heel" (back end), "<side>_sole"
    (any point at the height of the sole, where the two soles are not to lie at one height); what is missing is
    estimated. `weight` [kg] defaults to a body mass index of 22.5, `height` [m] to that of a body with these legs.
    `dofs` maps roles to "ball", "fixed", "hinge_y" or axes such as "yx" (outermost first); by default toes are hinges
    about Y and all other joints are balls. `masses` [kg] and `stiffness` [N m/rad] replace those of single roles;
    without, the stiffness of a degree of freedom is the number of kilograms that hang on its joint (section 7 of Jain
    & Liu 2011). A role that is missing gives its mass and shape to the body that carries it, so a body always weighs
    its weight. `boxes` makes every shape a box. The bodies of a `binding` come in the order of `link_order`, after
    the world.
    """
    links, points, marks = humanoid_links(
        joints, tips=tips, weight=weight, height=height, sex=sex, dofs=dofs, masses=masses, stiffness=stiffness
    )
    if boxes:
        links = [replace(link, shapes=boxed(link.name, link.shapes)) for link in links]
    made = assemble(name, links, points, binding=binding, notes=notes)
    return made if binding is None else replace(made, stature=marks.height)


def humanoid_links(
    joints: Mapping[str, Array],
    *,
    tips: Mapping[str, Array] | None = None,
    weight: float | None = None,
    height: float | None = None,
    sex: str = "mean",
    dofs: Mapping[str, str] | None = None,
    masses: Mapping[str, float] | None = None,
    stiffness: Mapping[str, float] | None = None,
) -> tuple[list[Link], list[Point], Landmarks]:
    """The links, contact points and landmarks of `humanoid`, for bodies that add to them."""
    marks = complete(joints, tips, height)
    kilos = USUAL_BMI * marks.height**2 if weight is None else float(weight)
    if not (np.isfinite(kilos) and kilos > 0):
        raise BadValue(f"A weight must be a positive number of kilograms, not {weight!r}.")
    if not (SHORTEST <= marks.height <= TALLEST and kilos >= LIGHTEST):
        raise BadValue(
            f"A body of {marks.height:.3g} m and {kilos:.3g} kg cannot be built: it must be {SHORTEST:g} to "
            f"{TALLEST:g} m tall and weigh at least {LIGHTEST:g} kg; the unit may be wrong."
        )
    roles = link_order(marks.given)
    for given in (dofs or {}, masses or {}, stiffness or {}):
        for role in given:
            if role not in roles:
                raise UnknownBody("role", role, roles)
    owner = {role: owner_of(role, marks) for role in ROLES}
    inertials = body_inertials(marks, kilos, sex)
    shapes = humanoid_shapes(marks, kilos)
    links = []
    for role in roles:
        mine = [r for r in ROLES if owner[r] == role]
        inertial = sound_inertial(body.combine(inertials[r] for r in mine), marks.height)
        if masses and role in masses:
            inertial = inertial.scaled(float(masses[role]))
        kind = (dofs or {}).get(role, "hinge_y" if role.endswith("toes") else "ball")
        links.append(
            Link(
                role,
                _carrier(role, roles),
                marks.joints[role],
                () if role == "pelvis" else pins(role, kind, kilos, marks.height, (stiffness or {}).get(role)),
                inertial,
                _merged(shapes, mine),
                group_of(role),
                colour_of(role),
            )
        )
    return links, contact_points(marks, roles), marks


def link_order(roles: Iterable[str]) -> list[str]:
    """The roles of a body in the order of its model: depth first, the trunk before the limbs, left before right."""
    present = set(roles)
    children: dict[str, list[str]] = {}
    for role in ROLES:
        if role in present and role != "pelvis":
            children.setdefault(_carrier(role, present), []).append(role)
    order: list[str] = []
    waiting = ["pelvis"]
    while waiting:
        role = waiting.pop()
        order.append(role)
        waiting.extend(reversed(children.get(role, [])))
    return order


def _carrier(role: str, present: Iterable[str]) -> str:
    """The nearest present role above this one, "" for the pelvis."""
    up = PARENT.get(role, "")
    while up and up not in present:
        up = PARENT.get(up, "")
    return up


def owner_of(role: str, marks: Landmarks) -> str:
    """The present role whose body carries the flesh of this role."""
    if role in marks.given:
        return role
    if role == "neck" and "head" in marks.given:
        return "head"
    if role == "abdomen" and "chest" in marks.given:
        # one joint in the spine: what lies above it moves with the chest
        middle = marks.hips[2] + 0.45 * (marks.shoulders[2] - marks.hips[2])
        return "chest" if marks.joints["chest"][2] < middle else "pelvis"
    return _carrier(role, marks.given)


def _merged(shapes: Mapping[str, tuple[Shape, ...]], mine: Sequence[str]) -> tuple[Shape, ...]:
    """The shapes of several roles on one body; a clavicle that is no body of its own lies inside the chest."""
    return tuple(s for r in mine for s in shapes[r] if len(mine) == 1 or not r.endswith("clavicle"))


def body_inertials(marks: Landmarks, weight: float, sex: str = "mean") -> dict[str, Inertial]:
    """Mass, centre and inertia of every role of a whole body; the masses sum to the weight [kg]."""
    j, rows = marks.joints, body.table(sex)
    forward = np.array([1.0, 0.0, 0.0])

    def part(name: str, first: Array, second: Array, lateral: Array | None = None) -> Inertial:
        return body.segment(name, first, apart(first, second, LEAST * marks.height), weight, sex, lateral)

    out: dict[str, Inertial] = {}
    spine = marks.shoulders - marks.hips
    spine = spine / body.SHOULDERS_TO_HIPS[sex]  # world vector per millimetre of the table
    navel = marks.hips + rows["lower_trunk"].length * spine
    ribs = navel + rows["middle_trunk"].length * spine
    notch = ribs + rows["upper_trunk"].length * spine
    out["pelvis"] = part("lower_trunk", navel, marks.hips)
    out["abdomen"] = part("middle_trunk", ribs, navel)
    _split_chest(out, part("upper_trunk", notch, ribs), marks)
    cervix = marks.vertex - np.array([0.0, 0.0, rows["head"].length / 1000 / body.HEIGHT[sex] * marks.height])
    _split_head(out, part("head", marks.vertex, cervix), marks.vertex, cervix)
    for s in SIDES:
        limb = {p: j[f"{s}_{p}"] for p in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")}
        out[f"{s}_upper_arm"] = part("upper_arm", limb["upper_arm"], limb["forearm"])
        out[f"{s}_forearm"] = part("forearm", limb["forearm"], limb["hand"], forward)
        out[f"{s}_hand"] = part("hand", limb["hand"], marks.fingers[s], forward)
        out[f"{s}_thigh"] = part("thigh", limb["thigh"], limb["shin"])
        out[f"{s}_shin"] = part("shin", limb["shin"], limb["foot"])
        _split_foot(out, marks, s, weight, sex)
    return out


def _split_chest(out: dict[str, Inertial], whole: Inertial, marks: Landmarks) -> None:
    """Chest and clavicles; their common centre stays that of the upper trunk."""
    size = 0.02 * marks.height
    taken = []
    for s in SIDES:
        inner, outer = marks.joints[f"{s}_clavicle"], marks.joints[f"{s}_upper_arm"]
        half = np.maximum(0.5 * np.abs(outer - inner), size)
        out[f"{s}_clavicle"] = body.ellipsoid(body.CLAVICLE_SHARE * whole.mass, 0.5 * (inner + outer), half)
        taken.append(out[f"{s}_clavicle"])
    out["chest"] = _rest(whole, taken)


def _split_head(out: dict[str, Inertial], whole: Inertial, vertex: Array, cervix: Array) -> None:
    """Head and neck; the neck is the lowest fifth of the way from cervicale to vertex and a bit of what is above."""
    length = float(np.linalg.norm(vertex - cervix))
    centre = cervix + 0.2 * (vertex - cervix)
    out["neck"] = body.ellipsoid(body.NECK_SHARE * whole.mass, centre, np.array([0.25, 0.25, 0.25]) * length)
    out["head"] = _rest(whole, [out["neck"]])


def _split_foot(out: dict[str, Inertial], marks: Landmarks, s: str, weight: float, sex: str) -> None:
    """Foot and toes; their common centre stays that of the foot."""
    foot, ankle = marks.feet[s], marks.joints[f"{s}_foot"]
    level = foot.sole + 0.42 * (ankle[2] - foot.sole)  # the table gives no height: our choice
    heel, tip = (np.array([x, foot.middle, level]) for x in (foot.heel, foot.tip))
    whole = body.segment("foot", heel, tip, weight, sex)
    tall = 0.04 * foot.length
    centre = np.array([0.5 * (foot.ball + foot.tip), foot.middle, foot.sole + tall])
    half = np.array([0.5 * (foot.tip - foot.ball), 0.9 * foot.half_width, tall])
    out[f"{s}_toes"] = body.box(body.TOES_SHARE * whole.mass, centre, half)
    out[f"{s}_foot"] = _rest(whole, [out[f"{s}_toes"]], (foot.ball - foot.heel) / foot.length)


def _rest(whole: Inertial, taken: Sequence[Inertial], shorter: float = 1.0) -> Inertial:
    """What is left of a segment: mass and first moment exactly, radii of gyration those of the whole, maybe shorter.

    (Subtracting inertias could leave a body that no matter can have, where a skeleton has odd proportions.)
    """
    mass = whole.mass - sum(t.mass for t in taken)
    centre = (whole.mass * whole.centre - sum((t.mass * t.centre for t in taken), np.zeros(3))) / mass
    inertia = whole.inertia * (mass / whole.mass)
    scale = np.diag([1.0, shorter, shorter])  # shorter along X: the inertia about Y and Z shrinks
    return Inertial(mass, centre, scale @ inertia @ scale)


def contact_points(marks: Landmarks, roles: Sequence[str]) -> list[Point]:
    """The corners of the soles: heel and ball on the foot, tips on the toes; without toes the ball is in front.

    Then those of the hands, or of forearms that end in a hand.
    """
    points: list[Point] = []
    for s in SIDES:
        foot, toes = marks.feet[s], f"{s}_toes" in roles
        inward = -1.0 if s == "left" else 1.0
        rows = [("heel", foot.heel, f"{s}_foot"), ("ball", foot.ball if toes else foot.tip, f"{s}_foot")]
        rows += [("tip", foot.tip, f"{s}_toes")] if toes else []
        for label, x, owner in rows:
            for edge, sign in (("inner", inward), ("outer", -inward)):
                place = np.array([x, foot.middle + sign * foot.half_width, foot.sole])
                points.append((f"{s}_{label}_{edge}", owner, place))
    for s in SIDES:
        owner = next((r for r in (f"{s}_hand", f"{s}_forearm") if r in roles), None)
        points += palm_points(marks, s, owner) if owner is not None else []
    return points
