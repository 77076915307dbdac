"""The skin of a character as balls: where its shapes could touch something."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np

from poise.character.character import Character
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_KIND = mujoco.mjtGeom


@dataclass(frozen=True, eq=False)
class Skin:
    """Balls (S of them) fixed in bodies whose hull is the character's shapes: corners, ends of capsules, rims."""

    body: np.ndarray  # (S,) ids
    local: Array  # (S, 3) centres in the body's frame [m]
    radius: Array  # (S,) [m]

    def __len__(self) -> int:
        return len(self.body)

    def centres(self, character: Character, q: Array) -> Array:
        """World places (N, S, 3) of the centres."""
        pos, quat = character.forward(q)
        return character.place(pos, quat, self.body, self.local)


def skin(character: Character, without: np.ndarray | None = None) -> Skin:
    """The balls of all shapes that can collide, but for those of the bodies `without`."""
    model, bodies, places, radii = character.model, [], [], []
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        if body == 0 or not (model.geom_contype[geom] or model.geom_conaffinity[geom]):
            continue
        if without is not None and body in without:
            continue
        centres, radius = _balls(int(model.geom_type[geom]), model.geom_size[geom], model.geom_aabb[geom])
        bodies += [body] * len(centres)
        places.append(model.geom_pos[geom] + rot.rotate(model.geom_quat[geom], centres))
        radii += [radius] * len(centres)
    local = np.concatenate(places) if places else np.zeros((0, 3))
    return Skin(np.array(bodies, int), local, np.array(radii))


def _balls(kind: int, size: Array, box: Array) -> tuple[Array, float]:
    """Centres (S, 3) in the shape's frame and the radius of the balls whose hull the shape is, or nearly is."""
    if kind == _KIND.mjGEOM_SPHERE:
        return np.zeros((1, 3)), float(size[0])
    if kind == _KIND.mjGEOM_CAPSULE:
        return np.array([[0.0, 0.0, size[1]], [0.0, 0.0, -size[1]]]), float(size[0])
    if kind == _KIND.mjGEOM_CYLINDER:
        turn = np.arange(8) * np.pi / 4
        rim = np.stack([size[0] * np.cos(turn), size[0] * np.sin(turn), np.full(8, size[1])], axis=1)
        return np.concatenate([rim, rim * [1.0, 1.0, -1.0]]), 0.0
    if kind == _KIND.mjGEOM_ELLIPSOID:
        return np.concatenate([np.diag(size), -np.diag(size)]), 0.0
    if kind == _KIND.mjGEOM_BOX:
        return np.array(list(product((-1.0, 1.0), repeat=3))) * size, 0.0
    return box[:3] + np.array(list(product((-1.0, 1.0), repeat=3))) * box[3:], 0.0  # a mesh by its box
