"""The props of a take as meshes with a track, in the units and axes of the file to be written."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.export.props import Props
from poise.export.rig import Rig
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

_ROOT = 1  # body of a character's root


class MovedProp(NamedTuple):
    """One prop: a mesh in its own frame, and where that is in every frame of the clip."""

    name: str
    vertices: Array  # (V, 3) file units
    normals: Array  # (V, 3)
    faces: np.ndarray  # (F, 3)
    colours: Array  # (V, 3) sRGB
    places: Array  # (N, 3) file units
    turns: Array  # (N, 4)
    there: np.ndarray  # (N,) bool: a ball that has not been thrown is not


def moved_props(props: Props | None, clip: Clip, rig: Rig) -> list[MovedProp]:
    """All props of a take in the space of a rig; none where there are none."""
    if props is None:
        return []
    turn, shift = world_to_file(clip, rig)
    out = []
    for name in props.bodies:
        parts = props.parts(name)
        if not parts:
            continue
        poses, there = props.at(name, clip.times)
        poses = np.where(there[:, None], poses, poses[int(np.argmax(there))])
        starts = np.cumsum([0, *(len(p.solid.vertices) for p in parts)])
        out.append(
            MovedProp(
                name,
                np.concatenate([p.solid.vertices for p in parts]) / rig.unit,
                np.concatenate([p.solid.normals for p in parts]),
                np.concatenate([p.solid.faces + k for p, k in zip(parts, starts, strict=False)]),
                np.concatenate([np.tile(p.colour, (len(p.solid.vertices), 1)) for p in parts]),
                (rot.rotate(turn, poses[:, :3]) + shift) / rig.unit,
                rot.normalise(rot.continuous(rot.multiply(turn, poses[:, 3:7]))),
                there,
            )
        )
    return out


def world_to_file(clip: Clip, rig: Rig) -> tuple[Array, Array]:
    """How the world lies in the space of a rig: a turn (4,), then a shift (3,) [m], told by the root's first frame."""
    joint = int(np.flatnonzero(rig.follows == _ROOT)[0])
    points, turns = rig.forward()
    pos, quat = clip.character.forward(clip.q[:1])
    turn = rot.normalise(rot.multiply(rot.multiply(turns[0, joint], rig.frames[joint]), rot.conjugate(quat[0, _ROOT])))
    place = points[0, joint] * rig.unit + rot.rotate(turns[0, joint], rig.origins[joint])
    return turn, place - rot.rotate(turn, pos[0, _ROOT])
