"""Stages in pictures: grounds, props, grips' bars and thrown balls around a character, as stills side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np
from PIL import Image

from poise.errors import BadValue
from poise.export import ink, raycast, scene
from poise.export.camera import from_side
from poise.export.intersect import BOX, CAPSULE, CYLINDER, ELLIPSOID, GROUND, SOLID, SPHERE, Shapes
from poise.ground.pieces import ENDLESS
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.stage.world import World
from poise.take import Take

_PLANE, _FIELD = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD)
_DRAWN = (SPHERE, CAPSULE, CYLINDER, ELLIPSOID, BOX)
_STRIP = 0.8  # [m] to either side that is drawn of endless steps
_ICE = scene.linear((0.62, 0.80, 0.95))


def things(world: World, props: Mapping[str, Array]) -> Shapes:
    """The shapes of all that is on a stage but the character, its movable things at the poses (7,) given by name."""
    model = world.model
    poses = {body: np.asarray(props[name], float) for name, body in world.things.items() if name in props}
    parts = [_patches(world), _heights(world)]
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g])
        if body < world.nbody or int(model.geom_type[g]) not in _DRAWN or model.geom_rgba[g, 3] <= 0.0:
            continue
        fixed = np.concatenate([model.body_pos[body], model.body_quat[body]])
        ground = world.others[int(world.body_label[body])] == "ground" and model.geom_contype[g] > 0
        shape = scene.geom(model, g, poses.get(body, fixed), GROUND if ground else SOLID)
        if ground and shape.size[0, 1] >= ENDLESS:
            shape.size[:, 1] = _STRIP
        parts.append(shape)
    return Shapes.join(parts)


def floor_of(world: World, focus: Array, near: float, far: float) -> raycast.Floor:
    """The plane of a world's ground, fading about a focus (3,); a hidden one where it has none."""
    model = world.model
    planes = [g for g in range(model.ngeom) if model.geom_type[g] == _PLANE and model.geom_bodyid[g] >= world.nbody]
    if not planes:
        return raycast.Floor(shown=False, focus=focus, near=near, far=far)
    normal = rot.to_matrix(model.geom_quat[planes[0]])[:, 2]
    return raycast.Floor(
        normal=normal, level=float(normal @ model.geom_pos[planes[0]]), focus=focus, near=near, far=far
    )


def still(world: World, q: Array, props: Mapping[str, Array], *, target: Array, span: float, size: tuple[int, int],
          heading: float = 0.0, azimuth: float = 15.0, elevation: float = 10.0, smooth: int = 2
          ) -> tuple[Image.Image, Array]:  # fmt: skip
    """A picture of one instant, `span` metres high about a target; and where in it (2,) the character's root is."""
    target = np.asarray(target, float)
    camera = from_side(target, np.radians(heading), span, *size, elevation=elevation, azimuth=azimuth, distance=30.0)
    shapes = Shapes.join([things(world, props), scene.figures(world.character, np.asarray(q)[None])[0]])
    floor = floor_of(world, target, 0.9 * span, 1.8 * span)
    right = camera.axes[0]
    sun = -0.45 * right - 0.55 * np.cross([0.0, 0.0, 1.0], right) + np.array([0.0, 0.0, 1.1])
    picture = raycast.cast(shapes, camera, floor, raycast.Look(sun=sun), smooth=smooth)
    return Image.fromarray(picture.colour), camera.pixels(np.asarray(q)[:3])


def stills(world: World, take: Take, times: Sequence[float] | Array, *, target: Sequence[float] | Array, span: float,
           title: str = "", follow: bool = False, width: int = 260, height: int = 320, contacts: bool = True,
           **view: Any) -> Image.Image:  # fmt: skip
    """Moments of a take side by side, each seen from the same place; with `follow` the camera goes along with the root.

    `view`: heading, azimuth and elevation of the camera in degrees, as in `still`. Green dots are touches.
    """
    if not len(times):
        raise BadValue("Pictures of a take need at least one time.")
    head, foot = (34 if title else 0), 30
    sheet = Image.new("RGB", (width * len(times), head + height + foot), (255, 255, 255))
    for k, t in enumerate(times):
        frame = int(np.argmin(np.abs(take.time - t)))
        props = {name: rows[frame] for name, rows in take.props.items()}
        middle = np.asarray(target, float) + ([*take.q[frame, :2], 0.0] if follow else 0.0)
        picture, _ = still(world, take.q[frame], props, target=middle, span=span, size=(width, height), **view)
        if contacts:
            _mark(picture, take, frame, middle, span, view)
        sheet.paste(picture, (k * width, head))
        ink.text(
            sheet, ((k + 0.5) * width, head + height + 6), f"{take.time[frame]:.2f} s", 15, colour=ink.GREY, anchor="ma"
        )
    if title:
        ink.text(sheet, (10, 8), title, 17)
    return sheet


def _mark(picture: Image.Image, take: Take, frame: int, target: Array, span: float, view: Mapping[str, float]) -> None:
    """Dots where the character is touched with more than a newton."""
    rows = take.contacts.at(frame)
    points = take.contacts.point[rows][np.linalg.norm(take.contacts.force[rows], axis=1) > 1.0]
    camera = from_side(target, np.radians(view.get("heading", 0.0)), span, *picture.size, distance=30.0,
                       elevation=view.get("elevation", 10.0), azimuth=view.get("azimuth", 15.0))  # fmt: skip
    ink.dots(picture, camera.pixels(points), 4.0)


def _patches(world: World) -> Shapes:
    """Patches of other friction as films on the ground."""
    rows = world.patches
    if not len(rows):
        return Shapes.none()
    surface = world.stage.ground
    normal = np.array([surface.normal(x, y) for x, y in rows[:, :2]])
    centre = np.column_stack([rows[:, 0], rows[:, 1], [float(surface.height(x, y)) for x, y in rows[:, :2]]])
    frame = rot.to_matrix(np.array([rot.between([0.0, 0.0, 1.0], n) for n in normal]))
    half = np.column_stack([rows[:, 2] / np.maximum(normal[:, 2], 0.1), rows[:, 3], np.full(len(rows), 0.002)])
    return scene.boxes(centre, frame, half, _ICE)


def _heights(world: World) -> Shapes:
    """A height field as triangles."""
    model = world.model
    fields = [g for g in range(model.ngeom) if model.geom_type[g] == _FIELD]
    parts = []
    for g in fields:
        k = int(model.geom_dataid[g])
        ny, nx, first = int(model.hfield_nrow[k]), int(model.hfield_ncol[k]), int(model.hfield_adr[k])
        half_x, half_y, tall, _ = model.hfield_size[k]
        z = model.hfield_data[first : first + nx * ny].reshape(ny, nx).T * tall
        x, y = np.meshgrid(np.linspace(-half_x, half_x, nx), np.linspace(-half_y, half_y, ny), indexing="ij")
        p = np.stack([x, y, z], -1).astype(float) + model.geom_pos[g]
        a, b, c, d = p[:-1, :-1], p[1:, :-1], p[:-1, 1:], p[1:, 1:]
        corners = np.concatenate([np.stack(t, 2).reshape(-1, 3, 3) for t in ((a, b, d), (a, d, c))])
        parts.append(scene.triangles(corners, np.ones(3), GROUND))
    return Shapes.join(parts) if parts else Shapes.none()
