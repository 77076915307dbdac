"""Planted feet: the zero pose and the soles of a file's body corrected by how its feet stand on the floor.

Rest poses are drawn, feet are recorded: where a foot stands flat, its joint is some degrees off the rest pose, and the
two ankles are found at heights of their own. A character whose soles are those of the recording stands on the floor
with all corners of both feet; in its zero pose, legs straight, its soles may then differ in height by as much as the
recorded legs do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.character.placement import Placement
from poise.character.skeleton import subtree
from poise.character.skeletons.zero_pose import Moving, about
from poise.maths import rotations as rot
from poise.maths.rotations import Array

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
