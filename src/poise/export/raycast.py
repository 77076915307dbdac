"""Pictures by casting rays, with no OpenGL: shapes, a floor, a sun that throws soft shadows, a bright sky.

First one ray a pixel; then more where something changes from one pixel to the next: an outline, a square of the floor,
the edge of a shadow. Neighbouring pixels look at different parts of the sun, so the soft rim of a shadow is a change too.
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


class _View(NamedTuple):
    eye: Array
    axes: Array
    step: float  # metres per pixel in the plane of the target
    reach: float
    parallel: bool
    width: int
    height: int
    start: np.ndarray  # shapes by tile: items[start[c] : start[c + 1]]
    items: np.ndarray
    columns: int  # tiles in a row


class _Paint(NamedTuple):
    ground: Array
    ground_dark: Array
    background: Array
    rim: float
    normal: Array
    level: float
    focus: Array
    along: Array
    near: float
    far: float
    origin: Array
    square: float
    shown: bool


def cast(shapes: Shapes, camera: Camera, floor: Floor | None = None, look: Look | None = None, *,
         smooth: int = 2) -> Picture:  # fmt: skip
    """A picture of shapes on a floor, with `smooth`² rays in each pixel where something changes."""
    floor, look = floor or Floor(shown=False), look or Look()
    bins = cells.tiles(shapes, camera)
    view = _View(camera.eye.astype(float), np.ascontiguousarray(camera.axes), 1.0 / camera.scale, camera.reach,
                 camera.parallel, camera.width, camera.height, bins.start, bins.items, -(-camera.width // TILE))  # fmt: skip
    paint = _Paint(look.ground, look.ground_dark, look.background, look.rim, floor.normal, float(floor.level),
                   floor.focus, floor.along, float(floor.near), float(floor.far), floor.origin, float(floor.square),
                   floor.shown)  # fmt: skip
    size = (camera.height, camera.width)
    light, depth = np.empty((*size, 3)), np.empty(size)
    owner, key = np.empty(size, np.int64), np.empty(size, np.int64)
    suns = cells.suns(shapes, look.sun, look.sun_radius)
    _cast(shapes.packed(), view, suns, paint, smooth, light, depth, owner, key)
    return Picture(to_bytes(light), depth, owner)


def to_bytes(light: Array) -> np.ndarray:
    """Linear light to the 8-bit values of a screen (sRGB)."""
    fine = np.linspace(0.0, 1.0, 4096)
    table = np.where(fine <= 0.0031308, 12.92 * fine, 1.055 * fine ** (1 / 2.4) - 0.055)
    table = np.round(255.0 * table).astype(np.uint8)
    return table[(np.clip(light, 0.0, 1.0) * 4095.0 + 0.5).astype(np.int16)]


@njit(cache=True, error_model="numpy")
def _lit(table, suns, k, x, y, z):
    """Does part k of the sun see this point?"""
    a = suns.axes[k, 0, 0] * x + suns.axes[k, 0, 1] * y + suns.axes[k, 0, 2] * z - suns.low[k, 0]
    b = suns.axes[k, 1, 0] * x + suns.axes[k, 1, 1] * y + suns.axes[k, 1, 2] * z - suns.low[k, 1]
    i, j = int(np.floor(a / suns.cell[k, 0])), int(np.floor(b / suns.cell[k, 1]))
    if i < 0 or j < 0 or i >= CELLS or j >= CELLS:
        return True
    c = j * CELLS + i
    for n in range(suns.start[k, c], suns.start[k, c + 1]):
        if hit(table, suns.items[k, n], x, y, z, suns.way[k, 0], suns.way[k, 1], suns.way[k, 2]) < FAR:
            return False
    return True


@njit(cache=True, error_model="numpy")
def _ray(view, px, py):
    """Origin and unit direction of the ray through a point of the picture, in pixels."""
    x, y = (px - 0.5 * view.width) * view.step, (0.5 * view.height - py) * view.step
    ax, ay, az = view.axes[2, 0], view.axes[2, 1], view.axes[2, 2]
    cx = x * view.axes[0, 0] + y * view.axes[1, 0]
    cy = x * view.axes[0, 1] + y * view.axes[1, 1]
    cz = x * view.axes[0, 2] + y * view.axes[1, 2]
    ox, oy, oz = view.eye[0], view.eye[1], view.eye[2]
    if view.parallel:
        return ox + cx, oy + cy, oz + cz, ax, ay, az
    ax, ay, az = cx + view.reach * ax, cy + view.reach * ay, cz + view.reach * az
    size = np.sqrt(ax * ax + ay * ay + az * az)
    return ox, oy, oz, ax / size, ay / size, az / size


@njit(cache=True, error_model="numpy")
def _nearest(table, view, paint, tile, ox, oy, oz, dx, dy, dz):
    """Distance and owner of the nearest surface on a ray."""
    best, who = FAR, NOTHING
    for n in range(view.start[tile], view.start[tile + 1]):
        t = hit(table, view.items[n], ox, oy, oz, dx, dy, dz)
        if t < best:
            best, who = t, view.items[n]
    if paint.shown:
        nx, ny, nz = paint.normal[0], paint.normal[1], paint.normal[2]
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
def _shade(table, suns, paint, k, who, x, y, z, dx, dy, dz, out):
    """Colour (3,) of what a ray has met at (x, y, z), into out; gives a number that tells surface and light apart."""
    nx, ny, nz = paint.normal[0], paint.normal[1], paint.normal[2]
    if who >= 0:
        nx, ny, nz = facing(table, who, x, y, z)
    look = -(nx * dx + ny * dy + nz * dz)
    if look < 0.0:
        nx, ny, nz, look = -nx, -ny, -nz, -look
    sun = nx * suns.way[k, 0] + ny * suns.way[k, 1] + nz * suns.way[k, 2]
    if sun <= 0.0 or not _lit(table, suns, k, x + 1e-4 * nx, y + 1e-4 * ny, z + 1e-4 * nz):
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
def _one(table, view, suns, paint, px, py, k, out):
    """Trace the ray through (px, py) towards part k of the sun: distance, owner, and a number that tells changes."""
    ox, oy, oz, dx, dy, dz = _ray(view, px, py)
    tile = (int(py) // TILE) * view.columns + int(px) // TILE
    t, who = _nearest(table, view, paint, tile, ox, oy, oz, dx, dy, dz)
    if who == NOTHING:
        for i in range(3):
            out[i] = paint.background[i]
        return t, who, 4 * NOTHING
    key = _shade(table, suns, paint, k, who, ox + t * dx, oy + t * dy, oz + t * dz, dx, dy, dz, out)
    return t, who, key


@njit(cache=True, error_model="numpy")
def _cast(table, view, suns, paint, smooth, picture, depth, owner, key):
    """Fill picture (H, W, 3), depth, owner and key (H, W)."""
    colour = np.empty(3)
    high, wide = depth.shape
    for y in range(high):
        for x in range(wide):
            t, who, mark = _one(table, view, suns, paint, x + 0.5, y + 0.5, 2 * (y % 2) + x % 2, colour)
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
                _one(table, view, suns, paint, px, py, sub % 4, colour)
                for c in range(3):
                    picture[y, x, c] += share * colour[c]
