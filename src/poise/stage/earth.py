"""From a ground to geoms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.ground import Flat, Ground, Slope, Stairs, Treads
from poise.stage.building import BOX, HFIELD, PLANE, Builder, box_inertia
from poise.stage.ground import UP, Blocks, HeightField, Patches, Platform, Seesaw

_MOST_STEPS = 60  # treads that are built of a staircase
_HALF_WIDTH = 5.0  # [m] of a staircase
_FAR = 30.0  # [m] how far level ground reaches before and after a staircase
_DEEP = 1.0  # [m] of earth below the lowest tread
_PLATFORM_MASS = 1.0e5  # [kg]: nothing that stands on it disturbs it
_GREY, _WOOD = (0.62, 0.63, 0.66, 1.0), (0.74, 0.60, 0.42, 1.0)


@dataclass
class Earth:
    """What a ground became: its fixed body, and the bodies of it that move, by name."""

    fixed: Any
    moving: dict[str, Any] = field(default_factory=dict)
    patches: Array = field(default_factory=lambda: np.zeros((0, 5)))  # x, y, half length, half width, friction


def lay(builder: Builder, ground: Ground) -> Earth:
    """Add a ground to a specification. One of an unknown kind is built from its heights."""
    earth = Earth(builder.body("ground"))
    layers: dict[type, Callable] = {
        Flat: _flat, Slope: _slope, Stairs: _stairs, Treads: _treads, Platform: _platform, Seesaw: _seesaw,
        Blocks: _blocks, HeightField: _field,
    }  # fmt: skip
    if isinstance(ground, Patches):
        rows = np.array(ground.patches, float).reshape(-1, 5)
        rows[:, 2:4] *= 0.5
        earth.patches = rows
        ground = ground.base
    layer = layers.get(type(ground))
    if layer is None:
        _field(builder, earth, sampled(ground))
    else:
        layer(builder, earth, ground)
    return earth


def sampled(ground: Ground, half: float = 10.0, spacing: float = 0.05) -> HeightField:
    """Any ground as a height field of 2 `half` [m] to a side about the origin."""
    line = np.arange(-half, half + 0.5 * spacing, spacing)
    x, y = np.meshgrid(line, line, indexing="ij")
    return HeightField(np.asarray(ground.height(x, y), float), spacing, (-half, -half))


def _plane(builder: Builder, earth: Earth, level: float, normal: Array = UP) -> None:
    quat = rot.between(UP, np.asarray(normal, float))
    builder.geom(earth.fixed, PLANE, (0.0, 0.0, 1.0), position=(0.0, 0.0, level), quat=quat, colour=_GREY)


def _flat(builder: Builder, earth: Earth, ground: Flat) -> None:
    _plane(builder, earth, ground.level)


def _slope(builder: Builder, earth: Earth, ground: Slope) -> None:
    level = float(ground.height(np.zeros(()), np.zeros(())))
    _plane(builder, earth, level, ground.normal(np.zeros(()), np.zeros(())))


def _stairs(builder: Builder, earth: Earth, ground: Stairs) -> None:
    """Solid boxes from one depth up to each tread; level ground before the first and after the last."""
    count = min(ground.count, _MOST_STEPS)
    edges = ground.start + ground.run * np.arange(count + 1)
    begin = np.concatenate([[ground.start - _FAR], edges[:-1]])
    end = np.concatenate([edges[:-1], [edges[-1] + _FAR]])  # the last tread is the landing
    top = ground.rise * np.arange(count + 1)
    bottom = float(top.min()) - _DEEP
    way = np.radians(ground.heading)
    for b, e, t in zip(begin, end, top, strict=True):
        middle = 0.5 * (b + e)
        place = (middle * np.cos(way), middle * np.sin(way), 0.5 * (t + bottom))
        half = (0.5 * (e - b), _HALF_WIDTH, 0.5 * (t - bottom))
        builder.geom(earth.fixed, BOX, half, position=place, quat=rot.about_z(way), colour=_GREY)


def _treads(builder: Builder, earth: Earth, ground: Treads) -> None:
    _plane(builder, earth, ground.level)
    for t in ground.treads:
        if t.top > ground.level:
            bottom = ground.level - _DEEP
            builder.geom(earth.fixed, BOX, (t.half_length, t.half_width, 0.5 * (t.top - bottom)),
                         position=(t.x, t.y, 0.5 * (t.top + bottom)), quat=rot.about_z(np.radians(t.heading)),
                         colour=_GREY)  # fmt: skip


def _platform(builder: Builder, earth: Earth, ground: Platform) -> None:
    """A body on three slides, so heavy that it goes as told; a mocap body would not drag along what stands on it."""
    _plane(builder, earth, ground.floor)
    plate = builder.body("platform")
    half = 0.5 * np.asarray(ground.size, float)
    for name, axis in zip("xyz", np.eye(3), strict=True):
        builder.joint(plate, mujoco.mjtJoint.mjJNT_SLIDE, name=f"platform_{name}", axis=axis)
    builder.geom(plate, BOX, half, position=(0.0, 0.0, -half[2]), mass=_PLATFORM_MASS, colour=_WOOD)
    builder.weigh(plate, _PLATFORM_MASS, box_inertia(_PLATFORM_MASS, ground.size), (0.0, 0.0, -half[2]))
    plate.gravcomp = 1.0
    builder.spec.add_exclude(bodyname1=earth.fixed.name, bodyname2=plate.name)
    earth.moving["platform"] = plate


def _seesaw(builder: Builder, earth: Earth, ground: Seesaw) -> None:
    _plane(builder, earth, -ground.above)
    plank = builder.body("seesaw")
    builder.joint(plank, mujoco.mjtJoint.mjJNT_HINGE, name="seesaw", axis=(0.0, 1.0, 0.0), damping=ground.damping,
                  limits=(-ground.tilt, ground.tilt))  # fmt: skip
    size = (ground.length, ground.width, ground.thickness)
    low = (0.0, 0.0, -0.5 * ground.thickness)
    builder.geom(plank, BOX, 0.5 * np.array(size), position=low, mass=ground.mass, colour=_WOOD)
    builder.weigh(plank, ground.mass, box_inertia(ground.mass, size), low)
    # the stand is for the eye alone
    rest = ground.above - ground.thickness
    builder.geom(earth.fixed, BOX, (0.04, 0.45 * ground.width, 0.5 * rest), solid=False,
                 position=(0.0, 0.0, -ground.thickness - 0.5 * rest), colour=(0.35, 0.36, 0.4, 1.0))  # fmt: skip
    builder.spec.add_exclude(bodyname1=earth.fixed.name, bodyname2=plank.name)
    earth.moving["seesaw"] = plank


def _blocks(builder: Builder, earth: Earth, ground: Blocks) -> None:
    _plane(builder, earth, 0.0)
    for k, (x, y, yaw, long, wide, tall, mass) in enumerate(ground.blocks):
        place, turn = (x, y, 0.5 * tall), rot.about_z(np.radians(yaw))
        half = 0.5 * np.array([long, wide, tall])
        if mass is None:
            builder.geom(earth.fixed, BOX, half, position=place, quat=turn, colour=_WOOD)
            continue
        block = builder.body(f"block_{k}", place, turn)
        builder.joint(block, mujoco.mjtJoint.mjJNT_FREE, name=f"block_{k}")
        builder.geom(block, BOX, half, mass=mass, colour=_WOOD)
        builder.weigh(block, mass, box_inertia(mass, 2 * half))
        earth.moving[f"block_{k}"] = block


def _field(builder: Builder, earth: Earth, ground: HeightField) -> None:
    low, high = float(ground.heights.min()), float(ground.heights.max())
    _plane(builder, earth, low)
    if high - low < 1e-6:
        return
    nx, ny = ground.heights.shape
    half = 0.5 * ground.spacing * np.array([nx - 1, ny - 1])
    builder.spec.add_hfield(name="stage/heights", nrow=ny, ncol=nx, size=[half[0], half[1], high - low, 0.5],
                            userdata=((ground.heights.T - low) / (high - low)).ravel())  # fmt: skip
    builder.geom(earth.fixed, HFIELD, (0.0, 0.0, 0.0), position=(*(np.array(ground.origin) + half), low),
                 hfieldname="stage/heights", colour=_GREY)  # fmt: skip
