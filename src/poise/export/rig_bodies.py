"""The rig of a character that came from no file: one joint a body."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.character.character import Character
from poise.character.skeleton import EndSite, Skeleton
from poise.export.rig import Rig
from poise.maths import rotations as rot
from poise.maths.configuration import FREE, SLIDE
from poise.maths.rotations import Array
from poise.motion.clip import Clip

STUDIO = rot.from_matrix(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))
"""Turns the world (Z up, X forward) into what animation programs expect (Y up, Z forward)."""
CENTIMETRE = 0.01
"""A BVH has no unit. Programs that assume one assume centimetres, and so do nearly all public recordings."""


def rig(clip: Clip) -> Rig:
    """One joint a body, standing where the body's joints turn; centimetres, Y up, facing Z."""
    character, unit = clip.character, CENTIMETRE
    tree = character.tree
    anchor = _anchors(character)
    pos, quat = character.forward(clip.q)
    rest_pos, rest_quat = character.forward(character.zero_pose())
    parents = tree.parent[1:] - 1

    def local(where: Array, turn: Array) -> tuple[Array, Array]:
        point = (where + rot.rotate(turn, anchor))[:, 1:]
        point = rot.rotate(STUDIO, point) / unit
        full = rot.multiply(STUDIO, turn[:, 1:])
        up = np.maximum(parents, 0)
        root = (parents < 0)[None, :, None]
        above = np.where(root, rot.IDENTITY, full[:, up])
        base = np.where(root, 0.0, point[:, up])
        inverse = rot.conjugate(above)
        return rot.normalise(rot.multiply(inverse, full)), rot.rotate(inverse, point - base)

    rotations, positions = local(pos, quat)
    rest, offsets = local(rest_pos, rest_quat)
    count = len(parents)
    tips = [EndSite(b - 1, (_tip(character, b, anchor[b]) - anchor[b]) / unit) for b in range(1, count + 1)
            if not np.any(tree.parent == b)]  # fmt: skip
    skeleton = Skeleton(character.body_names[1:], parents, offsets[0], tuple(tips), rest[0])
    frame_rig = Rig(skeleton, rotations, positions, clip.dt, unit, "y", np.arange(1, count + 1),
              np.tile(rot.IDENTITY, (count, 1)), -anchor[1:], clip.source)  # fmt: skip
    return frame_rig.straightened()


def _anchors(character: Character) -> Array:
    """Point (B, 3) in each body about which it turns against its parent; the body's origin where nothing turns."""
    tree, anchor = character.tree, np.zeros((len(character.tree.parent), 3))
    for b in range(1, len(anchor)):
        turning = [j for j in tree.joints(b) if tree.kind[j] not in (FREE, SLIDE)]
        if turning:
            anchor[b] = tree.anchor[turning].mean(axis=0)
    return anchor


def _tip(character: Character, body: int, anchor: Array) -> Array:
    """The point (3,) in a body's frame, on an axis of one of its shapes, that lies farthest from its joint."""
    model, best = character.model, np.array(character.model.body_ipos[body])
    for g in np.flatnonzero(model.geom_bodyid == body):
        size = model.geom_size[g]
        kind = model.geom_type[g]
        if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            reach = np.array([0.0, 0.0, size[0] + size[1]])
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            reach = np.full(3, size[0])
        else:
            reach = np.array(model.geom_aabb[g, 3:])
        for axis in np.concatenate([np.diag(reach), -np.diag(reach)]):
            point = model.geom_pos[g] + rot.rotate(model.geom_quat[g], axis)
            if np.linalg.norm(point - anchor) > np.linalg.norm(best - anchor) + 1e-9:
                best = point
    return best
