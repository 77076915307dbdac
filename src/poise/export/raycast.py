"""Pictures by casting rays, with no OpenGL: shapes, a floor, a sun that throws soft shadows, a bright sky.

First one ray a pixel; then more where something changes from one pixel to the next: an outline, a square of the floor,
the edge of a shadow. Neighbours look at different parts of the sun, so the soft rim of a shadow is a change too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numba import njit

from poise.export import cells
from poise.export.camera import Camera
from poise.export.cells import CELLS, TILE
from poise.export.intersect import COLOUR, FAR, GROUND, MATERIAL, Shapes, facing, hit
from poise.maths.rotations import Array

FLOOR, NOTHING = -1, -2  # owners of a pixel that are no shape


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


Triple = tuple[float, float, float]


class _View(NamedTuple):
    """A camera as plain numbers, which compiled code takes several times faster than arrays."""

    eye: Triple
    right: Triple
    up: Triple
    ahead: Triple
    step: float  # metres per pixel in the plane of the target
    reach: float
    parallel: bool
    middle: tuple[float, float]  # pixels
    columns: int  # tiles in a row


class _Paint(NamedTuple):
    """A floor and a look as plain numbers."""

    normal: Triple
    level: float
    focus: Triple
    along: Triple
    near: float
    far: float
    origin: tuple[float, float]
    square: float
    shown: bool
    ground: Triple
    ground_dark: Triple
    background: Triple
    rim: float


def cast(shapes: Shapes, camera: Camera, floor: Floor | None = None, look: Look | None = None, *,
         smooth: int = 2) -> Picture:  # fmt: skip
    """A picture of shapes on a floor, with `smooth`² rays in each pixel where something changes."""
    floor, look = floor or Floor(shown=False), look or Look()
    right, up, ahead = camera.axes
    view = _View(_plain(camera.eye), _plain(right), _plain(up), _plain(ahead), 1.0 / camera.scale, camera.reach,
                 camera.parallel, (0.5 * camera.width, 0.5 * camera.height), -(-camera.width // TILE))  # fmt: skip
    paint = _Paint(_plain(floor.normal), float(floor.level), _plain(floor.focus), _plain(floor.along),
                   float(floor.near), float(floor.far), _plain(floor.origin), float(floor.square), floor.shown,
                   _plain(look.ground), _plain(look.ground_dark), _plain(look.background), look.rim)  # fmt: skip
    size = (camera.height, camera.width)
    light, depth = np.empty((*size, 3)), np.empty(size)
    owner, key = np.empty(size, np.int64), np.empty(size, np.int64)
    tiles, suns = cells.tiles(shapes, camera), cells.suns(shapes, look.sun, look.sun_radius)
    _cast(shapes.packed(), view, tiles.start, tiles.items, suns.rays, suns.start, suns.items, paint, smooth, light,
          depth, owner, key)  # fmt: skip
    return Picture(to_bytes(light), depth, owner)


def _plain(vector: Array) -> tuple:
    return tuple(float(x) for x in vector)


def to_bytes(light: Array) -> np.ndarray:
    """Linear light to the 8-bit values of a screen (sRGB)."""
    fine = np.linspace(0.0, 1.0, 4096)
    table = np.where(fine <= 0.0031308, 12.92 * fine, 1.055 * fine ** (1 / 2.4) - 0.055)
    table = np.round(255.0 * table).astype(np.uint8)
    return table[(np.clip(light, 0.0, 1.0) * 4095.0 + 0.5).astype(np.int16)]


@njit(cache=True, error_model="numpy")
def _lit(table, rays, start, items, k, x, y, z):
    """Does part k of the sun see this point?"""
    i = int(np.floor((rays[k, 3] * x + rays[k, 4] * y + rays[k, 5] * z - rays[k, 9]) / rays[k, 11]))
    j = int(np.floor((rays[k, 6] * x + rays[k, 7] * y + rays[k, 8] * z - rays[k, 10]) / rays[k, 12]))
    if i < 0 or j < 0 or i >= CELLS or j >= CELLS:
        return True
    c = j * CELLS + i
    for n in range(start[k, c], start[k, c + 1]):
        if hit(table, items[k, n], x, y, z, rays[k, 0], rays[k, 1], rays[k, 2]) < FAR:
            return False
    return True


@njit(cache=True, error_model="numpy")
def _ray(view, px, py):
    """Origin and unit direction of the ray through a point of the picture, in pixels."""
    x, y = (px - view.middle[0]) * view.step, (view.middle[1] - py) * view.step
    ax, ay, az = view.ahead
    cx = x * view.right[0] + y * view.up[0]
    cy = x * view.right[1] + y * view.up[1]
    cz = x * view.right[2] + y * view.up[2]
    ox, oy, oz = view.eye
    if view.parallel:
        return ox + cx, oy + cy, oz + cz, ax, ay, az
    ax, ay, az = cx + view.reach * ax, cy + view.reach * ay, cz + view.reach * az
    size = np.sqrt(ax * ax + ay * ay + az * az)
    return ox, oy, oz, ax / size, ay / size, az / size


@njit(cache=True, error_model="numpy")
def _nearest(table, start, items, tile, paint, ox, oy, oz, dx, dy, dz):
    """Distance and owner of the nearest surface on a ray."""
    best, who = FAR, NOTHING
    for n in range(start[tile], start[tile + 1]):
        t = hit(table, items[n], ox, oy, oz, dx, dy, dz)
        if t < best:
            best, who = t, items[n]
    if paint.shown:
        nx, ny, nz = paint.normal
        down = nx * dx + ny * dy + nz * dz
        if abs(down) > 1e-9:
            t = (paint.level - nx * ox - ny * oy - nz * oz) / down
            if 1e-9 < t < best:
                best, who = t, FLOOR
    return best, who


@njit(cache=True, error_model="numpy")
def _fade(paint, px, py):
    """0 where the floor is full, 1 where it has gone over into the background."""
    x, y = px - paint.focus[0], py - paint.focus[1]
    along = x * paint.along[0] + y * paint.along[1]
    x, y = x - along * paint.along[0], y - along * paint.along[1]
    s = (np.sqrt(x * x + y * y) - paint.near) / (paint.far - paint.near)
    s = min(max(s, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@njit(cache=True, error_model="numpy")
def _shade(table, rays, start, items, paint, k, who, x, y, z, dx, dy, dz, out):
    """Colour (3,) of what a ray has met at (x, y, z), into out; gives a number that tells surface and light apart."""
    nx, ny, nz = paint.normal
    if who >= 0:
        nx, ny, nz = facing(table, who, x, y, z)
    look = -(nx * dx + ny * dy + nz * dz)
    if look < 0.0:
        nx, ny, nz, look = -nx, -ny, -nz, -look
    sun = nx * rays[k, 0] + ny * rays[k, 1] + nz * rays[k, 2]
    if sun <= 0.0 or not _lit(table, rays, start, items, k, x + 1e-4 * nx, y + 1e-4 * ny, z + 1e-4 * nz):
        sun = 0.0
    sky, lit = 0.5 + 0.5 * nz, sun > 0.0
    if who >= 0 and table[who, MATERIAL] != GROUND:
        rim = 1.0 - paint.rim * (1.0 - min(1.0, look / 0.45)) ** 2
        light = (0.34 + 0.26 * sky + 0.62 * sun) * rim
        for i in range(3):
            out[i] = table[who, COLOUR + i] * light
        return 4 * who + lit
    column, row = np.floor((x - paint.origin[0]) / paint.square), np.floor((y - paint.origin[1]) / paint.square)
    dark = (int(column) + int(row)) % 2 != 0
    upright = nz < 0.5  # the side of a stair
    light = 0.30 + 0.36 * sky + 0.42 * sun
    fade = _fade(paint, x, y)
    for i in range(3):
        own = 0.8 * paint.ground_dark[i] if upright else paint.ground_dark[i] if dark else paint.ground[i]
        out[i] = own * light * (1.0 - fade) + paint.background[i] * fade
    return 4 * who + 2 * (dark and not upright) + lit


@njit(cache=True, error_model="numpy")
def _one(table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, px, py, k, out):
    """Trace the ray through (px, py) towards part k of the sun: distance, owner, and a number that tells changes."""
    ox, oy, oz, dx, dy, dz = _ray(view, px, py)
    tile = (int(py) // TILE) * view.columns + int(px) // TILE
    t, who = _nearest(table, tile_start, tile_items, tile, paint, ox, oy, oz, dx, dy, dz)
    if who == NOTHING:
        for i in range(3):
            out[i] = paint.background[i]
        return t, who, 4 * NOTHING
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    key = _shade(table, rays, sun_start, sun_items, paint, k, who, x, y, z, dx, dy, dz, out)
    return t, who, key


@njit(cache=True, error_model="numpy", nogil=True)
def _cast(table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, smooth, picture, depth, owner, key):
    """Fill picture (H, W, 3), depth, owner and key (H, W)."""
    colour = np.empty(3)
    high, wide = depth.shape
    for y in range(high):
        for x in range(wide):
            px, py, k = x + 0.5, y + 0.5, 2 * (y % 2) + x % 2
            t, who, mark = _one(
                table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, px, py, k, colour
            )
            for c in range(3):
                picture[y, x, c] = colour[c]
            depth[y, x], owner[y, x], key[y, x] = t, who, mark
    if smooth < 2:
        return
    share = 1.0 / (smooth * smooth)
    for y in range(high):
        for x in range(wide):
            same = True
            for j in range(max(0, y - 1), min(high, y + 2)):
                for i in range(max(0, x - 1), min(wide, x + 2)):
                    same = same and key[j, i] == key[y, x]
            if same:
                continue
            for c in range(3):
                picture[y, x, c] = 0.0
            for sub in range(smooth * smooth):
                px, py = x + (sub % smooth + 0.5) / smooth, y + (sub // smooth + 0.5) / smooth
                _one(table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, px, py, sub % 4, colour)
                for c in range(3):
                    picture[y, x, c] += share * colour[c]
