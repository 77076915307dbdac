"""The zero pose of a skeleton: how each joint is turned when the body stands upright with its limbs straight down.

Where the file's rest pose stands (T, A or arms down), the zero pose is that pose with legs and arms turned down by the
smallest rotation. Where it is not a pose at all (bones along their own axes) it is found from the motion, in
`poise.character.skeletons.neutral_pose`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.character.roles import SIDES
from poise.character.skeleton import Skeleton
from poise.character.skeletons.palms import hand_axes
from poise.character.skeletons.units_and_axes import AXES, lateral, rest_up, snapped
from poise.maths import rotations as rot
from poise.maths.rotations import Array

MARGIN = np.radians(4.0)  # a foot goes down with its shin unless the other choice is flatter by this
ASKEW = np.radians(20.0)  # standing feet that are tilted more than this were not flat in the rest pose ...
AGREED = np.radians(6.0)  # ... if they differ among themselves by less than this
# Where a rest pose tells no heading: Y up looks along Z, and Z up along -Y, as converters turn the one into the other.
_FORWARD = {"x": "y", "y": "z", "z": "-y", "-x": "y", "-y": "-z", "-z": "-y"}


@dataclass(frozen=True, eq=False)
class Moving:
    """A skeleton whose roles and up axis are known, and its motion, in file units and axes."""

    skeleton: Skeleton
    roles: Mapping[str, int]
    positions: Array  # (N, J, 3) global
    turns: Array  # (N, J, 4) global
    up: Array  # (3,)
    forward: Array  # (3,) the direction that becomes the world's X
    dt: float

    def bone(self, joint: int, child: int) -> Array:
        """Where `child` is in the frame of `joint` (3,), median over the motion."""
        arm = self.positions[:, child] - self.positions[:, joint]
        return np.median(rot.rotate(rot.conjugate(self.turns[:, joint]), arm), axis=0)

    def stance(self, side: str) -> np.ndarray:
        """Frames in which a foot stands: slow and low, at least the slowest tenth."""
        parts = [self.roles[f"{side}_{p}"] for p in ("foot", "toes") if f"{side}_{p}" in self.roles]
        if len(self.positions) < 2:
            return np.arange(len(self.positions))
        x = self.positions[:, parts]
        speed = np.linalg.norm(np.gradient(x, axis=0), axis=-1).max(axis=1)
        low = (x @ self.up).min(axis=1)
        slow = speed <= np.percentile(speed, 15)
        return np.flatnonzero(slow & (low <= np.percentile(low[slow], 75)))


def heading_axis(skeleton: Skeleton, roles: Mapping[str, int], up: str) -> Array:
    """The direction (3,) of the file that becomes the world's X: that into which the rest pose looks, if it stands."""
    rest = skeleton.rest_pose()[0]
    standing = rest_up(roles, rest)
    if standing is None or standing @ AXES[up] < 0.99:
        return AXES[_FORWARD[up]]
    return snapped(np.cross(lateral(roles, rest), standing), standing)


def zero_rotations(body: Moving, posed: tuple[Array, Array] | None = None) -> tuple[Array, tuple[str, ...]]:
    """Global rotations (J, 4) of all joints in the zero pose, in file axes, and sentences about how they were found.

    `posed` is a frame, global positions (J, 3) and rotations (J, 4), that was put in front of the motion as a pose; it
    serves where the rest pose is none.
    """
    rest, turns = body.skeleton.rest_pose()
    standing = rest_up(body.roles, rest)
    flat = None  # rotations of feet that are known to stand flat
    if posed is not None:
        stands = rest_up(body.roles, posed[0])
        flat = posed[1] if stands is not None and stands @ body.up > 0.99 else None
        if standing is None and stands is not None:
            (rest, turns), standing = posed, stands
    if standing is None:
        from poise.character.skeletons.neutral_pose import neutral_rotations

        return neutral_rotations(body), (
            "The rest pose of the file is no standing pose; the zero pose was found from the motion.",
        )
    looks = snapped(np.cross(lateral(body.roles, rest), standing), standing)
    # a rest pose that lies in the axes of the motion (Y up, moved in a Z up world) is first stood up
    align = rot.from_matrix(_triad(body.forward, body.up) @ _triad(looks, standing).T)
    fix = _limb_turns(body, rest, align)
    notes = _feet(body, (rest, turns), align, fix, flat)
    return rot.multiply(carried(body.skeleton, body.roles, fix, align), turns), tuple(notes)


def _triad(forward: Array, up: Array) -> Array:
    """Matrix whose columns are forward, left and up."""
    return np.stack([forward, np.cross(up, forward), up], axis=1)


def carried(skeleton: Skeleton, roles: Mapping[str, int], fix: Mapping[str, Array], top: Array) -> Array:
    """A turn (J, 4) for every joint: that of the nearest joint above (or itself) whose role has one, else `top`."""
    own = {roles[role]: turn for role, turn in fix.items()}
    out = np.tile(top, (len(skeleton), 1))
    for j, p in enumerate(skeleton.parents):
        out[j] = own.get(j, out[p] if p >= 0 else top)
    return out


def _limb_turns(body: Moving, rest: Array, align: Array) -> dict[str, Array]:
    """Turns from the rest pose to the zero pose for trunk and limbs, feet as their shins."""
    down = -body.up
    fix = {role: align for role in body.roles if not role.startswith(SIDES)}
    for side in SIDES:
        for chain in (("thigh", "shin", "foot", "toes"), ("clavicle", "upper_arm", "forearm", "hand")):
            turn = align
            parts = [p for p in chain if f"{side}_{p}" in body.roles]
            for k, part in enumerate(parts):
                role = f"{side}_{part}"
                below = body.roles[f"{side}_{parts[k + 1]}"] if k + 1 < len(parts) else None
                at = rest[body.roles[role]]
                if part in ("thigh", "shin", "upper_arm", "forearm") and below is not None:
                    turn = _straighten(turn, rest[below] - at, down)
                if part == "hand":
                    turn = _hand(body, rest, role, turn)
                fix[role] = turn
    return fix


def _straighten(turn: Array, bone: Array, down: Array) -> Array:
    """`turn`, followed by the smallest rotation that makes the bone point down."""
    if np.linalg.norm(bone) < 1e-9:
        return turn
    return rot.multiply(rot.between(rot.rotate(turn, bone), down), turn)


def _hand(body: Moving, rest: Array, role: str, turn: Array) -> Array:
    """Fingers down; the knuckles, or else roughly the thumb, tell which way the palm looks."""
    along, across, knuckles = hand_axes(body.skeleton, body.roles[role], rest)
    if along is None:
        return turn
    if -rot.rotate(turn, along) @ body.up < np.cos(np.radians(25.0)) * np.linalg.norm(along):
        turn = _straighten(turn, along, -body.up)  # less is the hand's own shape
    if across is None:
        return turn
    wrong = about(body.up, rot.rotate(turn, across), body.forward)
    angle = rot.twist_angle(wrong, body.up)
    # A rest pose that shows its palms forward or up is a quarter turn off; less is the hand's own shape.
    if abs(angle) > np.radians(30.0 if knuckles else 60.0):
        quarter = np.round(angle / (0.5 * np.pi)) * 0.5 * np.pi
        turn = rot.multiply(rot.from_axis_angle(body.up, quarter), turn)
    return turn


def about(up: Array, a: Array, b: Array) -> Array:
    """The rotation about `up` that turns the level part of a into that of b."""
    return rot.from_axis_angle(up, np.arctan2(np.cross(a, b) @ up, a @ b - (a @ up) * (b @ up)))


def _feet(
    body: Moving, pose: tuple[Array, Array], align: Array, fix: dict[str, Array], flat: Array | None
) -> list[str]:
    """Lay the feet flat and let them point forward; changes `fix`.

    A foot may stand at a right angle to a spread leg (it goes down with the shin) or flat on the floor beside it (it
    keeps the way it stood). `flat`, global rotations (J, 4) of a pose with flat feet, decides; without, the feet that
    stand in the motion. If those are far from flat either way and agree with each other, they show where the sole is.
    """
    rest, turns = pose
    notes: list[str] = []
    choices = {"shin": {s: fix[f"{s}_shin"] for s in SIDES}, "rest": dict.fromkeys(SIDES, align)}
    tilts = {}
    for name, turn in choices.items():
        zero = {s: rot.multiply(turn[s], turns[body.roles[f"{s}_foot"]]) for s in SIDES}
        tilts[name] = [_tilt(body, s, zero[s], flat)[0] for s in SIDES]
    best = "rest" if sum(tilts["rest"]) < sum(tilts["shin"]) - 2 * MARGIN else "shin"
    seen = {s: _tilt(body, s, None, None) for s in SIDES}
    agreed = len(body.positions) > 2 and max(spread for spread, _ in seen.values()) < AGREED
    askew = flat is None and agreed and min(tilts[best]) > ASKEW
    for side in SIDES:
        turn, joint = choices[best][side], body.roles[f"{side}_foot"]
        if askew:
            sole = rot.rotate(rot.multiply(turn, turns[joint]), seen[side][1])
            turn = rot.multiply(rot.between(sole, body.up), turn)
            notes.append(f"The {side} foot of the rest pose is not flat; it was laid flat as it stands in the motion.")
        toes = body.roles.get(f"{side}_toes")
        front = rest[toes] - rest[joint] if toes is not None else _end(body.skeleton, joint, turns)
        if front is not None:
            front = rot.rotate(turn, front)
            level = front - (front @ body.up) * body.up
            if np.linalg.norm(level) > 0.3 * np.linalg.norm(front) > 0:
                turn = rot.multiply(about(body.up, level, body.forward), turn)
        fix[f"{side}_foot"] = turn
        if toes is not None:
            fix[f"{side}_toes"] = turn
    return notes


def _tilt(body: Moving, side: str, zero: Array | None, flat: Array | None) -> tuple[float, Array]:
    """How far [rad] a standing foot is from flat, and which way is up in its frame (3,).

    `zero` is its global rotation when flat; None: as it stands on average, so that the angle tells how feet differ.
    The standing feet are those of the motion, or those of the one pose `flat` (J, 4).
    """
    joint = body.roles[f"{side}_foot"]
    stands = body.turns[body.stance(side), joint] if flat is None else flat[None, joint]
    ups = rot.rotate(rot.conjugate(stands), body.up)
    sole = np.median(ups, axis=0) if zero is None else rot.rotate(rot.conjugate(zero), body.up)
    sole = sole / np.linalg.norm(sole)
    angles = np.arccos(np.clip(ups @ sole, -1.0, 1.0))
    return float(np.percentile(angles, 75 if zero is None else 25)), sole


def _end(skeleton: Skeleton, joint: int, turns: Array) -> Array | None:
    """Offset of a joint's end site or end joint in a pose with these global rotations, None without one."""
    ends = [e.offset for e in skeleton.ends_of(joint)] + [skeleton.offsets[c] for c in skeleton.children(joint)]
    ends = [e for e in ends if np.linalg.norm(e) > 1e-9]
    return rot.rotate(turns[joint], ends[0]) if ends else None
