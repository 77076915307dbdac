"""Pictures by casting rays, with no OpenGL: shapes, a floor, a sun that throws soft shadows, a bright sky.

First one ray a pixel; then more where something changes from one pixel to the next: an outline or the
edge of a shadow. Neighbours look at different parts of the sun, so the soft rim of a shadow is a change too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from poise.export import cells
from poise.export.camera import Camera
from poise.export.intersect import Shapes
from poise.export.tracing import Paint, View, trace
from poise.kernels import njit
from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class Floor:
    """The plane normal · x = level; it fades into the background between `near` and `far` [m] from a line.

    The line passes through `focus` along the horizontal unit vector `along`; where that is zero the floor fades around
    the focus. One corner of the checker of squares of `square` [m] lies at `origin`.
    """

    normal: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    level: float = 0.0
    focus: Array = field(default_factory=lambda: np.zeros(3))
    along: Array = field(default_factory=lambda: np.zeros(3))
    near: float = 0.8
    far: float = 2.2
    origin: Array = field(default_factory=lambda: np.zeros(2))
    square: float = 0.5
    shown: bool = True


@dataclass(frozen=True, eq=False)
class Look:
    """Light and colours; linear, 0..1."""

    sun: Array = field(default_factory=lambda: np.array([-0.35, -0.55, 1.0]))  # direction towards it
    sun_radius: float = 0.035  # [rad]: how soft shadows are
    ground: Array = field(default_factory=lambda: np.array([0.66, 0.67, 0.69]))
    ground_dark: Array = field(default_factory=lambda: np.array([0.57, 0.58, 0.60]))
    background: Array = field(default_factory=lambda: np.ones(3))
    rim: float = 0.75  # how much darker a shape is where it turns away from the eye


class Picture(NamedTuple):
    """What came out: colours, and what lies behind the middle of each pixel."""

    colour: np.ndarray  # (H, W, 3) uint8
    depth: Array  # (H, W) distance [m] along the ray, FAR where there is nothing
    owner: np.ndarray  # (H, W) index of the shape, FLOOR or NOTHING


def cast(shapes: Shapes, camera: Camera, floor: Floor | None = None, look: Look | None = None, *,
         smooth: int = 2, quick: bool = False) -> Picture:  # fmt: skip
    """A picture of shapes on a floor, with `smooth`² rays in each pixel where something changes.

    `quick`, for films: where no shape is near, floor and sky are traced at some pixels and interpolated between them.
    """
    floor, look = floor or Floor(shown=False), look or Look()
    right, up, ahead = camera.axes
    view = View(_plain(camera.eye), _plain(right), _plain(up), _plain(ahead), 1.0 / camera.scale, camera.reach,
                camera.parallel, (0.5 * camera.width, 0.5 * camera.height), -(-camera.width // cells.TILE))  # fmt: skip
    paint = Paint(_plain(floor.normal), float(floor.level), _plain(floor.focus), _plain(floor.along),
                  float(floor.near), float(floor.far), _plain(floor.origin), float(floor.square), floor.shown,
                  _plain(look.ground), _plain(look.ground_dark), _plain(look.background), look.rim)  # fmt: skip
    size = (camera.height, camera.width)
    light, depth = np.empty((*size, 3)), np.empty(size)
    owner, key = np.empty(size, np.int64), np.empty(size, np.int64)
    tiles, suns = cells.tiles(shapes, camera), cells.suns(shapes, look.sun, look.sun_radius)
    trace(shapes.packed(), view, tiles.start, tiles.items, suns.rays, suns.start, suns.items, paint, smooth, quick,
          light, depth, owner, key)  # fmt: skip
    return Picture(to_bytes(light), depth, owner)


def _plain(vector: Array) -> tuple:
    return tuple(float(x) for x in vector)


def to_bytes(light: Array) -> np.ndarray:
    """Linear light to the 8-bit values of a screen (sRGB)."""
    out = np.empty(light.shape, np.uint8)
    _look_up(light.reshape(-1), _screen(), out.reshape(-1))
    return out


@njit(cache=True, nogil=True)
def _look_up(light, screen, out):
    for i in range(light.size):
        out[i] = screen[int(min(max(light[i], 0.0), 1.0) * 4095.0 + 0.5)]


@lru_cache(maxsize=1)
def _screen() -> np.ndarray:
    """The 8-bit value of each of 4096 steps of linear light."""
    fine = np.linspace(0.0, 1.0, 4096)
    table = np.where(fine <= 0.0031308, 12.92 * fine, 1.055 * fine ** (1 / 2.4) - 0.055)
    return np.round(255.0 * table).astype(np.uint8)
