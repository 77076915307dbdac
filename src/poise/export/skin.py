"""The body that an export shows: solids fixed to joints, and the skinned mesh made of them."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.character.character import Character
from poise.character.skeleton import subtree
from poise.export import shapes
from poise.export.rig import Rig
from poise.export.shapes import Solid
from poise.maths import rotations as rot
from poise.maths.rotations import Array

TRUNK, LEFT, RIGHT = (0.80, 0.77, 0.72), (0.33, 0.55, 0.80), (0.86, 0.47, 0.32)
"""Colours (sRGB): left and right differ, so that crossed limbs can be read in a picture."""
_DEFAULT_GREY = np.array([0.5, 0.5, 0.5, 1.0])  # what MuJoCo gives a shape whose file says nothing


class Part(NamedTuple):
    """A solid in the frame of a body or a joint, and its colour (3,), sRGB in 0..1."""

    owner: int
    solid: Solid
    colour: tuple[float, float, float]


class Skin(NamedTuple):
    """A mesh in the rest pose of a rig, in file units; every vertex is carried by one joint."""

    vertices: Array  # (V, 3)
    normals: Array  # (V, 3)
    faces: np.ndarray  # (F, 3)
    joints: np.ndarray  # (V,)
    colours: Array  # (V, 3) sRGB


def body_parts(character: Character) -> list[Part]:
    """The visible shapes of a character as solids in the frames of its bodies."""
    model = character.model
    shown = [g for g in range(model.ngeom) if model.geom_bodyid[g] > 0 and model.geom_rgba[g, 3] > 0]
    shown = [g for g in shown if model.geom_group[g] <= 2] or shown  # MuJoCo draws groups 0 to 2
    parts = []
    for g in shown:
        solid = _solid(model, g)
        if solid is not None:
            body = int(model.geom_bodyid[g])
            colour = tuple(float(c) for c in model.geom_rgba[g, :3])
            if np.allclose(model.geom_rgba[g], _DEFAULT_GREY):
                colour = side_colour(character, body)
            parts.append(Part(body, solid.placed(model.geom_quat[g], model.geom_pos[g]), colour))  # type: ignore[arg-type]
    return parts


def side_colour(character: Character, body: int) -> tuple[float, float, float]:
    """Colour of a body by the side that its role stands on."""
    own = character.body_names[body]
    role = next((r for r, name in character.roles.items() if name == own), own)
    return LEFT if role.startswith("left_") else RIGHT if role.startswith("right_") else TRUNK


def rig_parts(character: Character, rig: Rig) -> list[Part]:
    """The character's shapes in the frames of a rig's joints [m]; hands with real fingers show these instead."""
    fingers = {hand: chains for hand in _hands(character, rig) if (chains := _fingers(rig, hand))}
    carrier, gap = _carriers(character, rig)
    hidden = {int(rig.follows[hand]) for hand in fingers}
    parts = []
    for body, solid, colour in body_parts(character):
        joint = carrier[body]
        if joint >= 0 and body not in hidden:
            shift = rig.origins[joint] + rot.rotate(rig.frames[joint], gap[body])
            parts.append(Part(joint, solid.placed(rig.frames[joint], shift), colour))
    for hand, chains in fingers.items():
        parts += _hand_parts(rig, hand, chains, side_colour(character, int(rig.follows[hand])))
    return parts


def skin(character: Character, rig: Rig) -> Skin:
    """The character as a mesh bound to the rig's joints in its rest pose."""
    parts = rig_parts(character, rig)
    if not parts:
        empty = np.zeros((0, 3))
        return Skin(empty, empty, np.zeros((0, 3), int), np.zeros(0, int), empty)
    point, turn = rig.skeleton.rest_pose()
    placed = [
        Solid(s.vertices / rig.unit, s.normals, s.faces).placed(turn[joint], point[joint]) for joint, s, _ in parts
    ]
    whole = shapes.join(placed)
    count = [len(p.solid.vertices) for p in parts]
    colours = np.repeat([p.colour for p in parts], count, axis=0)
    return Skin(*whole, np.repeat([p.owner for p in parts], count), colours)


def _solid(model: mujoco.MjModel, geom: int) -> Solid | None:
    """A shape of a model in its own frame; None for what has no body (planes, height fields)."""
    kind, size = model.geom_type[geom], np.array(model.geom_size[geom])
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return shapes.capsule(size[0], size[1])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return shapes.ellipsoid(np.full(3, size[0]))
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return shapes.ellipsoid(size)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return shapes.cylinder(size[0], size[1])
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return shapes.rounded_box(size)
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        v, f = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
        vertices = np.array(model.mesh_vert[v : v + model.mesh_vertnum[mesh]], float)
        return shapes.triangles(vertices, np.array(model.mesh_face[f : f + model.mesh_facenum[mesh]], int))
    return None


def _carriers(character: Character, rig: Rig) -> tuple[np.ndarray, Array]:
    """For each body the joint that carries it (its own or that of the nearest body above), and how far it lies (B, 3)."""
    parents = character.tree.parent
    carrier, gap = np.full(len(parents), -1), np.zeros((len(parents), 3))
    own = {int(b): j for j, b in enumerate(rig.follows) if b >= 0}
    for b in range(1, len(parents)):
        if b in own:
            carrier[b] = own[b]
        else:  # such bodies exist only on file-born characters, whose body frames all agree in the zero pose
            carrier[b], gap[b] = carrier[parents[b]], gap[parents[b]] + character.tree.pos[b]
    return carrier, gap


def _hands(character: Character, rig: Rig) -> list[int]:
    """Joints that lead a hand."""
    bodies = [character.body(role) for role in ("left_hand", "right_hand") if character.has(role)]
    return [int(j) for b in bodies for j in np.flatnonzero(rig.follows == b)]


def _fingers(rig: Rig, hand: int) -> list[int]:
    """Joints below a hand, if they are real fingers: three chains or more that have a length."""
    below = [j for j in subtree(rig.parents, hand) if j != hand and rig.follows[j] < 0]
    long = np.linalg.norm(rig.skeleton.offsets, axis=-1) * rig.unit > 0.005
    roots = [j for j in below if rig.parents[j] == hand and any(long[k] for k in subtree(rig.parents, j) if k != j)]
    return below if len(roots) >= 3 else []


def _hand_parts(rig: Rig, hand: int, below: list[int], colour: tuple[float, float, float]) -> list[Part]:
    """Thin bones from joint to joint of a hand, and to the end of each finger."""
    bones = [(int(rig.parents[j]), rig.skeleton.offsets[j]) for j in below]
    bones += [(e.joint, e.offset) for e in rig.skeleton.ends if e.joint in below]
    parts = []
    for joint, offset in bones:
        vector = offset * rig.unit
        length = float(np.linalg.norm(vector))
        if 0.002 < length < 0.25:
            radius = min(0.014 if joint == hand else 0.008, 0.45 * length)
            turn = rot.between(np.array([0.0, 0.0, 1.0]), vector)
            parts.append(Part(joint, shapes.capsule(radius, 0.5 * length, segments=8, rings=3).placed(turn, 0.5 * vector),
                              colour))  # fmt: skip
    return parts
