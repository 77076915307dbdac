"""What to draw: the shapes of characters in given poses, and of the ground under them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.export.dress import Extra, dressed
from poise.export.intersect import BOX, CAPSULE, CYLINDER, ELLIPSOID, GROUND, SOLID, SPHERE, TRIANGLE, Shapes
from poise.export.raycast import Floor
from poise.ground.ground import Ground, drawn_of, parts_of, pieces_of
from poise.ground.pieces import Box, Part, Plane
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
_SOLID_KINDS = (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, _MESH)


@dataclass(frozen=True)
class Palette:
    """Colours of a figure by side, as on a screen (sRGB, 0..1)."""

    trunk: tuple[float, float, float] = (0.80, 0.79, 0.76)
    left: tuple[float, float, float] = (0.90, 0.56, 0.36)
    right: tuple[float, float, float] = (0.35, 0.56, 0.80)


GHOST = Palette((0.86, 0.87, 0.88), (0.89, 0.86, 0.84), (0.82, 0.85, 0.88))
"""Pale colours of a reference drawn beside or over a result."""


def linear(colour: tuple[float, ...] | Array) -> Array:
    """Linear light of a screen colour (sRGB, 0..1)."""
    c = np.asarray(colour, float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def figures(character: Character, q: Array, palette: Palette | None = None, fists: Collection[str] = ()
            ) -> list[Shapes]:  # fmt: skip
    """The shapes of a character in each of the poses q (N, nq), one list a pose; `fists` as in `dressed`."""
    model, palette = character.model, palette or Palette()
    dress = dressed(character, fists)
    ids = np.array([g for g in _visible(model) if g not in dress.hidden], int)
    if not len(ids):
        return [_sticks(character, pose, palette) for pose in np.atleast_2d(q)]
    pos, quat = character.forward(q)
    extras, own = dress.extras, _colours(character, palette)

    def with_extras(rows: Array, more: list[Array], kind: type = float) -> np.ndarray:
        return (
            np.concatenate([rows, np.array(more, kind).reshape(-1, *rows.shape[1:])]) if more else np.array(rows, kind)
        )

    bodies = with_extras(model.geom_bodyid[ids], [e.body for e in extras], int)  # type: ignore[misc]
    place = with_extras(model.geom_pos[ids], [e.place for e in extras])
    turn = with_extras(model.geom_quat[ids], [e.turn for e in extras])
    size = with_extras(model.geom_size[ids], [e.size for e in extras])
    kind = with_extras(model.geom_type[ids], [e.kind for e in extras], int)  # type: ignore[misc]
    colour = with_extras(own[ids], [_extra_colour(model, own, e) for e in extras])
    centre = character.place(pos, quat, bodies, place)
    frame = rot.to_matrix(rot.multiply(quat[:, bodies], turn))
    plain = kind != _MESH
    out = []
    for n in range(len(pos)):
        parts = [
            Shapes(kind[plain], centre[n, plain], frame[n, plain], size[plain], colour[plain],
                   np.zeros(plain.sum(), np.int64), _bounds(kind[plain], size[plain]))
        ]  # fmt: skip
        for g in np.flatnonzero(~plain):
            corners = _mesh_corners(model, int(model.geom_dataid[ids[g]]))
            parts.append(triangles(centre[n, g] + corners @ frame[n, g].T, colour[g]))
        out.append(Shapes.join(parts))
    return out


def _extra_colour(model: mujoco.MjModel, own: Array, extra: Extra) -> Array:
    """Linear colour (3,) of what is drawn over a body: its own, or that of the body's first shape."""
    if extra.colour is not None:
        return linear(extra.colour)
    return own[int(np.flatnonzero(model.geom_bodyid == extra.body)[0])]


def geom(model: mujoco.MjModel, index: int, pose: Array, material: int = SOLID) -> Shapes:
    """One geom of a model in its own colour, its body at a world pose (7,): place [m], quaternion."""
    if int(model.geom_type[index]) == _MESH:
        turn = rot.to_matrix(rot.multiply(pose[3:], model.geom_quat[index]))
        corners = _mesh_corners(model, int(model.geom_dataid[index])) @ turn.T
        middle = pose[:3] + rot.rotate(pose[3:], model.geom_pos[index])
        return triangles(middle + corners, linear(model.geom_rgba[index, :3]), material)
    kind, size = np.array([int(model.geom_type[index])]), np.array(model.geom_size[index], float)[None]
    centre = pose[:3] + rot.rotate(pose[3:], model.geom_pos[index])
    frame = rot.to_matrix(rot.multiply(pose[3:], model.geom_quat[index]))
    return Shapes(kind, centre[None], frame[None], size, linear(model.geom_rgba[index, :3])[None],
                  np.array([material]), _bounds(kind, size))  # fmt: skip


def triangles(corners: Array, colour: Array, material: int = SOLID) -> Shapes:
    """Triangles with world corners (T, 3, 3) in one colour (3,)."""
    centre = corners.mean(1)
    local = corners - centre[:, None]
    count = len(corners)
    return Shapes(
        np.full(count, TRIANGLE), centre, local, np.zeros((count, 3)), np.tile(colour, (count, 1)),
        np.full(count, material), np.linalg.norm(local, axis=2).max(1) * (1 + 1e-9),
    )  # fmt: skip


def boxes(centre: Array, frame: Array, half: Array, colour: Array, material: int = SOLID) -> Shapes:
    """Boxes with centres (S, 3), axes (S, 3, 3) and half sizes (S, 3) in one colour (3,)."""
    count = len(centre)
    return Shapes(np.full(count, BOX), centre, frame, half, np.tile(colour, (count, 1)), np.full(count, material),
                  np.linalg.norm(half, axis=1))  # fmt: skip


def ground(surface: Ground, low: Array, high: Array, floor: Floor, moving: Sequence[str] = ()
           ) -> tuple[Shapes, Floor]:  # fmt: skip
    """Shapes of a ground within the rectangle low..high (2,) [m], and the plane that goes with them.

    Its parts that move are shown at rest, but for those named in `moving`, which somebody else draws.
    """
    pieces, loose = drawn_of(surface, low, high), parts_of(surface)
    if pieces is None and loose:
        fixed = [p for p in pieces_of(surface) if isinstance(p, Box | Plane)]
        solids, floor = _pieces(fixed, floor)
        resting = [_resting(p) for p in loose if p.name not in moving]
        return Shapes.join([solids, *resting]), floor
    if pieces is None:
        return _sampled(surface, low, high), replace(floor, shown=False)
    return _pieces(pieces, floor)


def _resting(part: Part) -> Shapes:
    """A part of the ground that can move, where it is at rest."""
    box, turn = part.box, rot.about_z(part.yaw)
    centre = np.asarray(part.place, float) + rot.rotate(turn, np.asarray(box.centre, float))
    frame = rot.to_matrix(rot.about_z(np.array([part.yaw + box.yaw])))
    return boxes(centre[None], frame, np.asarray(box.half, float)[None], linear(box.colour[:3]))


def _pieces(pieces: Sequence[Plane | Box], floor: Floor) -> tuple[Shapes, Floor]:
    """Shapes of fixed pieces, and the plane among them."""
    solid = [p for p in pieces if isinstance(p, Box)]
    shapes = Shapes.none()
    if solid:
        frame = rot.to_matrix(rot.about_z(np.array([b.yaw for b in solid])))
        shapes = boxes(
            np.array([b.centre for b in solid]), frame, np.array([b.half for b in solid]), np.ones(3), GROUND
        )
    for plane in (p for p in pieces if isinstance(p, Plane)):
        return shapes, replace(floor, level=float(plane.height * plane.normal[2]), normal=np.array(plane.normal, float))
    return shapes, replace(floor, shown=False)


def spread(shapes: Shapes, axis: Array) -> tuple[float, float]:
    """How far all shapes reach along a unit vector of the world, from lowest to highest [m]."""
    if not len(shapes.kind):
        return 0.0, 0.0
    middle, (below, above) = shapes.centre @ axis, shapes.reach(np.asarray(axis, float))
    return float((middle - below).min()), float((middle + above).max())


def _sampled(surface: Ground, low: Array, high: Array) -> Shapes:
    """Any height function, as triangles over a grid."""
    step = 0.08  # [m]
    x = np.linspace(low[0], high[0], max(2, int((high[0] - low[0]) / step) + 1))
    y = np.linspace(low[1], high[1], max(2, int((high[1] - low[1]) / step) + 1))
    gx, gy = np.meshgrid(x, y, indexing="ij")
    p = np.stack([gx, gy, surface.height(gx, gy)], -1)
    a, b, c, d = p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]
    corners = np.concatenate([np.stack(t, 2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])
    return triangles(corners, np.ones(3), GROUND)


def _visible(model: mujoco.MjModel) -> np.ndarray:
    """Ids of the geoms to draw: those of the groups that MuJoCo shows, or all where these hold none; no planes."""
    solid = np.isin(model.geom_type, _SOLID_KINDS)
    shown = solid & (model.geom_group <= 2) & (model.geom_rgba[:, 3] > 0.0)
    return np.flatnonzero(shown if shown.any() else solid)


def _colours(character: Character, palette: Palette) -> Array:
    """Linear colour (G, 3) of every geom: by side where the character has roles or sides, its own otherwise."""
    model = character.model
    side = {b: name.partition("_")[0] for b, name in enumerate(character.body_names) if name.startswith(SIDES)}
    side |= {character.body_names.index(body): role.partition("_")[0] for role, body in character.roles.items()}
    named = {"left": linear(palette.left), "right": linear(palette.right)}
    out = np.tile(linear(palette.trunk), (model.ngeom, 1))
    for g in range(model.ngeom):
        b = int(model.geom_bodyid[g])
        while b and b not in side:  # a body without a role belongs to the next one above it that has one
            b = int(model.body_parentid[b])
        if not side:
            material = int(model.geom_matid[g])
            out[g] = linear((model.mat_rgba[material] if material >= 0 else model.geom_rgba[g])[:3])
        elif side.get(b) in named:
            out[g] = named[side[b]]
    return out


def _bounds(kind: np.ndarray, size: Array) -> Array:
    """Radius of the ball that holds each shape."""
    tube = np.hypot(size[:, 0], size[:, 1])
    return np.select(
        [kind == SPHERE, kind == CAPSULE, kind == CYLINDER, kind == ELLIPSOID],
        [size[:, 0], size[:, 0] + size[:, 1], tube, size.max(1)], np.linalg.norm(size, axis=1),
    )  # fmt: skip


def _mesh_corners(model: mujoco.MjModel, mesh: int) -> Array:
    """Corners (T, 3, 3) of a mesh in the frame of its geom."""
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    face, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    return model.mesh_vert[first : first + count][model.mesh_face[face : face + faces]].astype(float)


def _sticks(character: Character, pose: Array, palette: Palette) -> Shapes:
    """Capsules between the bodies of a character that has no shapes of its own."""
    pos = character.forward(pose)[0][0]
    parent = character.model.body_parentid
    bones = [(b, int(parent[b])) for b in range(2, character.model.nbody) if parent[b] > 0]
    bones = [(b, p) for b, p in bones if np.linalg.norm(pos[b] - pos[p]) > 1e-6]
    if not bones:
        return Shapes.none()
    ends = np.array([[pos[p], pos[b]] for b, p in bones])
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    frame = rot.to_matrix(rot.between(np.tile([0.0, 0.0, 1.0], (len(bones), 1)), along / length[:, None]))
    size = np.stack([np.full(len(bones), 0.03), 0.5 * length, np.zeros(len(bones))], 1)
    kind = np.full(len(bones), CAPSULE)
    return Shapes(kind, ends.mean(1), frame, size, np.tile(linear(palette.trunk), (len(bones), 1)),
                  np.zeros(len(bones), np.int64), _bounds(kind, size))  # fmt: skip
