"""A character from the skeleton of a motion file, automatically.

Rest poses are drawn, feet are recorded: where a foot stands flat, its joint is some degrees off the rest pose, and the
two ankles are found at heights of their own. A character whose soles are those of the recording (`Planted`) stands on
the floor with all corners of both feet; in its zero pose, legs straight, its soles may then differ in height by as much
as the recorded legs do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from poise import budgets
from poise.character.bodies.humanoid import humanoid, link_order
from poise.character.character import Character
from poise.character.leg_length import recorded_leg
from poise.character.roles import mirrored
from poise.character.skeleton import Binding, Placement, Skeleton, subtree
from poise.character.skeletons.find_roles import find_roles
from poise.character.skeletons.joint_centres import standing_points
from poise.character.skeletons.units_and_axes import AXES, find_unit, find_up, world_turn
from poise.character.skeletons.zero_pose import Moving, about, heading_axis, zero_rotations
from poise.errors import BadValue, NoRoles
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_FRAMES = 1500  # looked at to find proportions and the zero pose; more tell nothing new


class Motion(Protocol):
    """What is asked of a motion: a Recording, or anything with its arrays, in file units and axes."""

    @property
    def rotations(self) -> Array:
        """Local rotations (N, J, 4)."""
        ...

    @property
    def positions(self) -> Array:
        """Local positions (N, J, 3)."""
        ...

    @property
    def dt(self) -> float:
        """Time between frames [s]."""
        ...

    @property
    def unit(self) -> float | None:
        """Metres of a file unit as the format declares it."""
        ...

    @property
    def up(self) -> str | None:
        """Up axis as the format declares it."""
        ...


@dataclass(frozen=True, eq=False)
class _Still:
    """The rest pose as a motion of one frame."""

    rotations: Array
    positions: Array
    dt: float = 1.0
    unit: float | None = None
    up: str | None = None


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A skeleton whose roles, axes, unit and zero pose are known: what it takes to build its character."""

    skeleton: Skeleton
    body: Moving
    rest: Array  # (J, 4) global rotations of the zero pose, file axes
    placement: Placement
    roles: Mapping[str, int]  # those that become bodies
    name: str
    weight: float | None  # [kg]
    height: float | None  # [m]
    notes: tuple[str, ...]
    even: bool = False  # are left and right made alike?

    def build(self, feet: Mapping[str, Planted] | None = None) -> Character:
        """The character; with `feet`, by side, its soles are where the feet of the motion stand on the floor."""
        rest = laid_flat(self.body, self.rest, self.placement, feet) if feet else self.rest
        roles = {r: j for r, j in self.roles.items() if not self.even or mirrored(r) in self.roles}
        joints, tips = standing_points(self.body, rest, self.placement, roles)
        for side, foot in (feet or {}).items():
            ankle = joints[f"{side}_foot"]
            tips[f"{side}_sole"] = ankle - np.array([0.0, 0.0, foot.ankle])
            if foot.heel is not None:
                tips[f"{side}_heel"] = ankle - np.array([foot.heel, 0.0, foot.ankle])
        if self.even:
            joints, tips = evened(joints), evened(tips)
        order = link_order(roles)
        binding = Binding(self.skeleton, np.array([-1, *(roles[r] for r in order)]), rest, self.placement)
        return humanoid(
            self.name, joints, tips=tips, weight=self.weight, height=self.height, binding=binding, notes=self.notes
        )


def from_skeleton(skeleton: Skeleton, **options: Any) -> Character:
    """A character with the bones and proportions of a file's skeleton, and the binding that leads back to it.

    The options are those of `blueprint`. Both soles lie at one height in the zero pose, feet as flat as there; a clip
    made by `clip_from_recording` goes further and fits each sole to the floor on which the recorded foot stands.
    """
    return blueprint(skeleton, **options).build()


def _within_budget(skeleton: Skeleton) -> None:
    """Refuse skeletons in which no body can be searched within seconds."""
    if len(skeleton) > budgets.BODY_JOINTS:
        raise NoRoles(f"A skeleton of {len(skeleton)} joints is no body's: {budgets.BODY_JOINTS} can be searched.")
    deep = budgets.depths(skeleton.parents)
    if max(deep) > budgets.BODY_DEPTH or sum(deep) > budgets.BODY_PATHS:
        chains = f"{len(skeleton)} joints in chains of up to {max(deep)}"
        raise NoRoles(f"{chains} are no body's: chains of {budgets.BODY_DEPTH}, not many of them, can be searched.")


def blueprint(
    skeleton: Skeleton,
    *,
    motion: Motion | None = None,
    posed: Motion | None = None,
    name: str = "skeleton",
    roles: Mapping[str, str | None] | None = None,
    unit: float | str | None = None,
    up: str | None = None,
    weight: float | None = None,
    height: float | None = None,
    clavicles: bool = False,
    neck: bool = False,
    toes: bool = True,
    even: bool = False,
) -> Blueprint:
    """What a skeleton and its motion tell about a body: roles, unit, axes, zero pose.

    `motion` (a Recording will do) makes it much surer: without, everything is read off the rest pose. `posed` is a
    motion whose first frame is a T-pose or the like, for files whose rest pose is no pose. `roles` maps roles to joint
    names where the automatic ones are wrong (None: without this role), `unit` is the length of a file unit ("cm" or
    metres), `up` the file's up axis, `weight` [kg] and `height` [m] those of the person. Clavicles and neck are merged
    into chest and head unless asked for; fingers and helper joints carry no body. `even` makes left and right alike.
    """
    given: Motion = motion if motion is not None else _Still(skeleton.rest[None], skeleton.offsets[None])
    if len(given.rotations) < 1:
        raise BadValue("A motion without frames shows nothing of the proportions of its skeleton.")
    _within_budget(skeleton)
    step = max(1, len(given.rotations) // _FRAMES)
    local, moved = given.rotations[::step], given.positions[::step]
    points, turns = skeleton.forward(local, moved)
    # joints that a file moves against their parents stand where they usually are
    usual = np.where(skeleton.parents[:, None] >= 0, np.median(moved, axis=0), skeleton.offsets)
    still = replace(skeleton, offsets=usual)
    found, notes = find_roles(still, points, local, roles)
    metres, note = find_unit(recorded_leg(found, points), given.unit, unit)
    upward = find_up(still, found, points, given.up, up)
    forward = heading_axis(still, found, upward)
    body = Moving(still, found, points, turns, AXES[upward], forward, given.dt * step)
    pose = None
    if posed is not None:
        points, turns = skeleton.forward(posed.rotations[:1], posed.positions[:1])
        pose = (points[0], turns[0])
    rest, more = zero_rotations(body, pose)
    placement = Placement(metres, world_turn(AXES[upward], forward))
    kept, said = _kept(found, clavicles, neck, toes), (*notes, *((note,) if note else ()), *more)
    return Blueprint(skeleton, body, rest, placement, kept, name, weight, height, said, even)


def _kept(roles: Mapping[str, int], clavicles: bool, neck: bool, toes: bool) -> dict[str, int]:
    """The roles that become bodies."""
    left_out = {*(() if clavicles else ("clavicle",)), *(() if toes else ("toes",))}
    kept = {r: j for r, j in roles.items() if r.split("_", 1)[-1] not in left_out}
    if not neck and "head" in kept:
        kept.pop("neck", None)
    return kept


_FLIP = np.array([1.0, -1.0, 1.0])


def evened(points: Mapping[str, Array]) -> dict[str, Array]:
    """Points (role -> (3,) [m]) of a body in its zero pose with left and right at their mean, those between at y = 0.

    What one side alone has, the other gets too.
    """
    both = {**{mirrored(name): _FLIP * point for name, point in points.items()}, **points}
    return {name: 0.5 * (point + _FLIP * both[mirrored(name)]) for name, point in both.items()}


LEFT = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Planted:
    """How one foot of a body stands flat on the floor, as seen with the zero pose known so far."""

    up: Array  # (3,) the floor's upward normal in the frame of the foot's body
    toes: float  # [rad] by which the toes are bent down against the foot
    ankle: float  # [m] height of the ankle above the floor
    heel: float | None = None  # [m] behind the ankle, where the flat of the sole ends


def laid_flat(body: Moving, rest: Array, placement: Placement, feet: Mapping[str, Planted]) -> Array:
    """The zero pose `rest` (J, 4, file axes) with planted feet, by side, flat and forward, their toes straight."""
    out = np.array(rest)
    for side, foot in feet.items():
        joint, toes = body.roles[f"{side}_foot"], body.roles.get(f"{side}_toes")
        turn = _in_file(rot.between(foot.up, np.array([0.0, 0.0, 1.0])), placement)
        if toes is not None:
            way = rot.rotate(turn, rot.rotate(rest[joint], body.bone(joint, toes)))
            level = way - (way @ body.up) * body.up
            if np.linalg.norm(level) > 0.3 * np.linalg.norm(way):
                turn = rot.multiply(about(body.up, level, body.forward), turn)
        below = subtree(body.skeleton.parents, joint)
        out[below] = rot.multiply(turn, rest[below])
        if toes is not None:
            below = subtree(body.skeleton.parents, toes)
            out[below] = rot.multiply(_in_file(rot.from_axis_angle(LEFT, foot.toes), placement), out[below])
    return out


def _in_file(turn: Array, placement: Placement) -> Array:
    """A rotation of the world, seen in the axes of the file."""
    return rot.multiply(rot.multiply(rot.conjugate(placement.turn), turn), placement.turn)
