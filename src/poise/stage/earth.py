"""From a ground to geoms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from poise.ground.ground import Ground, patches_of, pieces_of
from poise.ground.pieces import GREY, Box, Heights, Part, Patch, Plane, Table
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.stage.building import BOX, HFIELD, PLANE, Builder, box_inertia

_UP = np.array([0.0, 0.0, 1.0])


@dataclass
class Earth:
    """What a ground became: its fixed body, and the bodies of it that move, by name."""

    fixed: Any
    patches: Array  # (K, 5) x, y, half length, half width, friction
    moving: dict[str, Any] = field(default_factory=dict)


def lay(builder: Builder, ground: Ground) -> Earth:
    """Add a ground to a specification, piece by piece."""
    earth = Earth(builder.body("ground"), patches_of(ground))
    layers: dict[type, Callable] = {Plane: _plane, Box: _box, Part: _part, Table: _table, Heights: _heights}
    for piece in pieces_of(ground):
        if not isinstance(piece, Patch):  # no shape of its own
            layers[type(piece)](builder, earth, piece)
    return earth


def _plane(builder: Builder, earth: Earth, plane: Plane) -> None:
    quat = rot.between(_UP, np.asarray(plane.normal, float))
    builder.geom(earth.fixed, PLANE, (0.0, 0.0, 1.0), position=(0.0, 0.0, plane.height), quat=quat, colour=GREY)


def _box(builder: Builder, earth: Earth, box: Box, body: Any = None, mass: float = 0.0) -> None:
    builder.geom(body or earth.fixed, BOX, box.half, position=box.centre, quat=rot.about_z(box.yaw), solid=box.solid,
                 mass=mass, colour=box.colour)  # fmt: skip


def _part(builder: Builder, earth: Earth, part: Part) -> None:
    """A body with its joint. A driven one goes by its weight: a mocap body would not drag along what stands on it."""
    body = builder.body(part.name, part.place, rot.about_z(part.yaw))
    if part.joint == "free":
        builder.joint(body, mujoco.mjtJoint.mjJNT_FREE, name=part.name)
    elif part.joint == "hinge":
        builder.joint(body, mujoco.mjtJoint.mjJNT_HINGE, name=part.name, axis=(0.0, 1.0, 0.0), damping=part.damping,
                      limits=(-part.limit, part.limit))  # fmt: skip
    else:
        for name, axis in zip("xyz", np.eye(3), strict=True):
            builder.joint(body, mujoco.mjtJoint.mjJNT_SLIDE, name=f"{part.name}_{name}", axis=axis)
        body.gravcomp = 1.0
    _box(builder, earth, part.box, body, part.mass)
    builder.weigh(body, part.mass, box_inertia(part.mass, 2.0 * np.asarray(part.box.half)), part.box.centre)
    if part.joint != "free":
        builder.spec.add_exclude(bodyname1=earth.fixed.name, bodyname2=body.name)
    earth.moving[part.name] = body


def _heights(builder: Builder, earth: Earth, heights: Heights, half: float = 10.0, spacing: float = 0.05) -> None:
    """A table of 2 `half` [m] to a side about the origin."""
    line = np.arange(-half, half + 0.5 * spacing, spacing)
    x, y = np.meshgrid(line, line, indexing="ij")
    _table(builder, earth, Table(np.asarray(heights.height(x, y), float), spacing, (-half, -half)))


def _table(builder: Builder, earth: Earth, table: Table) -> None:
    low, high = float(table.heights.min()), float(table.heights.max())
    _plane(builder, earth, Plane(low))
    if high - low < 1e-6:
        return
    nx, ny = table.heights.shape
    half = 0.5 * table.spacing * np.array([nx - 1, ny - 1])
    builder.spec.add_hfield(name="stage/heights", nrow=ny, ncol=nx, size=[half[0], half[1], high - low, 0.5],
                            userdata=((table.heights.T - low) / (high - low)).ravel())  # fmt: skip
    builder.geom(earth.fixed, HFIELD, (0.0, 0.0, 0.0), position=(*(np.array(table.origin) + half), low),
                 hfieldname="stage/heights", colour=GREY)  # fmt: skip
