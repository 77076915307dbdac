"""Tools of authored clips: periodic curves through key values, poses told by the world angles of parts, and arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.interpolate import CubicSpline

from poise.character import Character
from poise.character.posing import configurations
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.feet.leg_clearance import inner_points
from poise.motion.hold import Hold

_OVERLAP = 0.015  # [m] by which hanging arms and hips may overlap, seen from above: arms hang a little out anyway


def periodic(keys: Sequence[tuple[float, float]], phase: Array) -> Array:
    """A smooth periodic curve through (per cent of the cycle, value) keys, at phases in cycles."""
    x, y = np.array(keys, float).T
    spline = CubicSpline(np.append(x, x[0] + 100.0) / 100.0, np.append(y, y[0]), bc_type="periodic")
    return spline((np.asarray(phase, float) - x[0] / 100.0) % 1.0 + x[0] / 100.0)


def ramp(x: Array, start: float, end: float) -> Array:
    """0 before start, 1 after end, in between a step without velocity or acceleration at its ends."""
    s = np.clip((np.asarray(x, float) - start) / (end - start), 0.0, 1.0)
    return s**3 * (10 - 15 * s + 6 * s * s)


def turn(roll: Array | float = 0.0, pitch: Array | float = 0.0, yaw: Array | float = 0.0) -> Array:
    """World orientation from angles [degrees]: yaw about Z, then pitch about Y (nose down), then roll about X."""
    angles = np.stack(np.broadcast_arrays(yaw, pitch, roll), axis=-1)
    return rot.from_euler("zyx", np.radians(angles))


def pose(character: Character, root: Array, turns: Mapping[str, Array]) -> Array:
    """Configurations (N, nq) with the pelvis at `root` (N, 3) and roles at world orientations (N, 4).

    A role that is not told moves with its parent.
    """
    n, model = len(root), character.model
    world = np.tile(rot.IDENTITY, (n, model.nbody, 1))
    given = np.zeros(model.nbody, bool)
    for role, value in turns.items():
        if character.has(role):
            b = character.body(role)
            world[:, b], given[b] = value, True
    return configurations(character, root, world, given)


def palm(character: Character, side: str) -> Hold:
    """A hand that holds: that of a side, or the forearm that ends in it, with the point in the middle of the palm."""
    if character.has(f"{side}_hand"):
        hold = Hold(f"{side}_hand")
        return Hold(hold.hand, point=tuple(hold.local(character)))
    points = character.contact_points
    tips = points.of(f"{side}_hand")
    if not character.has(f"{side}_forearm") or not len(tips):
        raise BadValue(f"{character.name} has no {side} hand to hold anything with.")
    return Hold(f"{side}_forearm", point=tuple(points.positions[tips].mean(axis=0)))


def arm_bones(character: Character, side: str) -> tuple[Array, Array]:
    """Upper arm, and forearm with the straight hand as far as the middle of the palm (3,), in the zero pose."""
    pos, _ = character.forward(character.zero_pose())
    held = palm(character, side)
    shoulder, elbow, end = (pos[0, character.body(b)] for b in (f"{side}_upper_arm", f"{side}_forearm", held.hand))
    return elbow - shoulder, end + held.local(character) - elbow


def arm_room(character: Character, side: str) -> float:
    """By how much [degrees] an arm must hang further out than beside slender hips, to pass them."""
    sign = 1.0 if side == "left" else -1.0
    pos, _ = character.forward(character.standing_pose())
    if not all(character.has(f"{side}_{part}") for part in ("upper_arm", "forearm")):
        return 0.0
    arm, forearm, thigh = (character.body(f"{side}_{part}") for part in ("upper_arm", "forearm", "thigh"))

    def outwards(body: int, points: Array) -> Array:
        return sign * (pos[0, body, 1] + points[:, 1])

    hips = [outwards(b, inner_points(character, b, -sign)) for b in (character.body("pelvis"), thigh)]
    inner = outwards(forearm, inner_points(character, forearm, sign))
    overlap = float(np.concatenate(hips).max(initial=0.0) - inner.min(initial=np.inf)) - _OVERLAP
    height = max(float(pos[0, arm, 2] - pos[0, thigh, 2]), 0.1)
    return float(np.degrees(np.arcsin(np.clip(overlap / height, 0.0, 0.5))))
