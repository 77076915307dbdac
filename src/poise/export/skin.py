"""The body that an export shows: solids fixed to joints, and the skinned mesh made of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import mujoco
import numpy as np

from poise.character.character import Character
from poise.character.skeleton import subtree
from poise.export import shapes
from poise.export.dress import dressed
from poise.export.rig import Rig
from poise.export.scene import Palette
from poise.export.shapes import Solid
from poise.export.weights import bound
from poise.maths import rotations as rot
from poise.maths.rotations import Array

Colour = tuple[float, float, float]
"""sRGB, 0..1."""


class Part(NamedTuple):
    """A solid in the frame of a body or a joint, and its colour."""

    owner: int
    solid: Solid
    colour: Colour


class Skin(NamedTuple):
    """A mesh in the rest pose of a rig, in file units; near a joint a vertex is carried by both of its bones."""

    vertices: Array  # (V, 3)
    normals: Array  # (V, 3)
    faces: np.ndarray  # (F, 3)
    joints: np.ndarray  # (V, 4) that carry each vertex, the one that carries most first
    weights: Array  # (V, 4) by which they do; each row sums to 1
    colours: Array  # (V, 3) sRGB


def body_parts(character: Character, palette: Palette | None = None, fists: Collection[str] = ()) -> list[Part]:
    """The visible shapes of a character as solids in the frames of its bodies [m]; `fists` as in `dressed`."""
    dress = dressed(character, fists)
    parts = model_parts(character.model, dress.hidden)
    parts = [Part(p.owner, p.solid, side_colour(character, p.owner, palette) or p.colour) for p in parts]
    for e in dress.extras:
        solid = _of_kind(e.kind, e.size)
        if solid is not None:
            colour = e.colour or side_colour(character, e.body, palette) or Palette().trunk
            parts.append(Part(e.body, solid.placed(e.turn, e.place), colour))
    return parts


def model_parts(model: mujoco.MjModel, hidden: Collection[int] = ()) -> list[Part]:
    """The visible shapes of a model, but the `hidden`, as solids in the frames of its bodies [m], in own colours."""
    shown = [g for g in range(model.ngeom) if model.geom_bodyid[g] > 0 and model.geom_rgba[g, 3] > 0]
    shown = [g for g in shown if model.geom_group[g] <= 2] or shown  # MuJoCo draws groups 0 to 2
    solids = [(g, s) for g in shown if g not in hidden and (s := _solid(model, g)) is not None]
    return [Part(int(model.geom_bodyid[g]), s.placed(model.geom_quat[g], model.geom_pos[g]), _own_colour(model, g))
            for g, s in solids]  # fmt: skip


def side_colour(character: Character, body: int, palette: Palette | None = None) -> Colour | None:
    """Colour of a body by the side of its role, or of the next role above it; None where there are no roles."""
    palette = palette or Palette()
    names = {name: role for role, name in character.roles.items()}
    while body > 0 and character.body_names[body] not in names:
        body = int(character.tree.parent[body])
    side = names.get(character.body_names[body], "").partition("_")[0]
    return {"left": palette.left, "right": palette.right}.get(side, palette.trunk) if names else None


def _own_colour(model: mujoco.MjModel, geom: int) -> Colour:
    material = int(model.geom_matid[geom])
    red, green, blue = (model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom])[:3]
    return float(red), float(green), float(blue)


def rig_parts(character: Character, rig: Rig, fists: Collection[str] = ()) -> list[Part]:
    """The character's shapes in the frames of a rig's joints [m]; hands with real fingers show these instead."""
    fingers = {hand: chains for hand in _hands(character, rig) if (chains := _fingers(rig, hand))}
    carrier, gap = _carriers(character, rig)
    hidden = {int(rig.follows[hand]) for hand in fingers}
    parts = []
    for body, solid, colour in body_parts(character, fists=fists):
        joint = carrier[body]
        if joint >= 0 and body not in hidden:
            shift = rig.origins[joint] + rot.rotate(rig.frames[joint], gap[body])
            parts.append(Part(joint, solid.placed(rig.frames[joint], shift), colour))
    for hand, chains in fingers.items():
        parts += _hand_parts(rig, hand, chains, side_colour(character, int(rig.follows[hand])) or Palette().trunk)
    return parts


def skin(character: Character, rig: Rig, fists: Collection[str] = ()) -> Skin:
    """The character as a mesh bound to the rig's joints in its rest pose; `fists` as in `dressed`."""
    parts = rig_parts(character, rig, fists)
    if not parts:
        empty = np.zeros((0, 3))
        return Skin(empty, empty, np.zeros((0, 3), int), np.zeros((0, 4), int), np.zeros((0, 4)), empty)
    point, turn = rig.skeleton.rest_pose()
    placed = [
        Solid(s.vertices / rig.unit, s.normals, s.faces).placed(turn[joint], point[joint]) for joint, s, _ in parts
    ]
    whole = shapes.join(placed)
    count = [len(p.solid.vertices) for p in parts]
    colours = np.repeat([p.colour for p in parts], count, axis=0)
    owner = np.repeat([p.owner for p in parts], count)
    return Skin(*whole, *bound(whole.vertices * rig.unit, owner, rig), colours)


def _solid(model: mujoco.MjModel, geom: int) -> Solid | None:
    """A shape of a model in its own frame; None for what has no body (planes, height fields)."""
    kind, size = model.geom_type[geom], np.array(model.geom_size[geom])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        v, f = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
        vertices = np.array(model.mesh_vert[v : v + model.mesh_vertnum[mesh]], float)
        return shapes.triangles(vertices, np.array(model.mesh_face[f : f + model.mesh_facenum[mesh]], int))
    return _of_kind(kind, size)


def _of_kind(kind: int, size: Array) -> Solid | None:
    """A plain shape of one of MuJoCo's kinds and sizes."""
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE and size[0] < 0.014:  # a finger
        return shapes.capsule(size[0], size[1], segments=8, rings=3)
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
    return None


def _carriers(character: Character, rig: Rig) -> tuple[np.ndarray, Array]:
    """For each body the joint that carries it, its own or one above, and how far it lies from there (B, 3) [m]."""
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


def _hand_parts(rig: Rig, hand: int, below: list[int], colour: Colour) -> list[Part]:
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
            bone = shapes.capsule(radius, 0.5 * length, segments=8, rings=3)
            parts.append(Part(joint, bone.placed(turn, 0.5 * vector), colour))
    return parts
