"""Pictures by casting rays, with no OpenGL: shapes, a floor, a sun that throws soft shadows, a bright sky.

Every shape is first entered in the tiles of the picture that its bounding ball may cover, and in the cells of a grid
across the sunlight, so that a ray is tried against the few shapes it can meet and no others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numba import njit

from poise.export.camera import Camera
from poise.export.intersect import FAR, GROUND, Shapes, facing, hit
from poise.maths.rotations import Array

_TILE = 16  # pixels along a side of a tile
_CELLS = 96  # cells along a side of the shadow grid


@dataclass(frozen=True, eq=False)
class Floor:
    """The plane normal · x = level; it fades into the background between `near` and `far` [m] from a line.

    The line passes through `focus` along the horizontal vector `along`; where that is zero the floor fades around the
    focus. The checker of squares of `square` [m] passes through `origin`.
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
    outline: float = 0.75  # how much darker the rim of a shape is


class _Bins(NamedTuple):
    """Lists of shapes per cell of a grid, one after the other: cell c has items[start[c] : start[c + 1]]."""

    start: np.ndarray
    items: np.ndarray


class _View(NamedTuple):
    eye: Array
    axes: Array
    step: float  # metres per pixel in the plane of the target
    reach: float
    parallel: bool
    width: int
    height: int


class _Paint(NamedTuple):
    ground: Array
    ground_dark: Array
    background: Array
    outline: float
    normal: Array
    level: float
    focus: Array
    along: Array
    near: float
    far: float
    origin: Array
    square: float
    shown: bool


class _Suns(NamedTuple):
    """Directions towards parts of the sun; across each a grid of cells with the shapes that may hide it."""

    way: Array  # (L, 3)
    axes: Array  # (L, 2, 3)
    low: Array  # (L, 2)
    cell: Array  # (L, 2)
    start: np.ndarray  # (L, cells + 1)
    items: np.ndarray  # (L, longest)


def _bins(low: Array, high: Array, columns: int, rows: int) -> _Bins:
    """Cells that boxes low..high (S, 2), in cells, touch."""
    first = np.clip(np.floor(low), 0, [columns, rows]).astype(np.int64)
    last = np.clip(np.floor(high), -1, [columns - 1, rows - 1]).astype(np.int64)
    start, items = _fill(first, last, columns, rows)
    return _Bins(start, items)


@njit(cache=True)
def _fill(first, last, columns, rows):
    start = np.zeros(columns * rows + 1, np.int64)
    for s in range(first.shape[0]):
        for y in range(first[s, 1], last[s, 1] + 1):
            for x in range(first[s, 0], last[s, 0] + 1):
                start[y * columns + x + 1] += 1
    for c in range(columns * rows):
        start[c + 1] += start[c]
    at, items = start[:-1].copy(), np.empty(start[-1], np.int64)
    for s in range(first.shape[0]):
        for y in range(first[s, 1], last[s, 1] + 1):
            for x in range(first[s, 0], last[s, 0] + 1):
                items[at[y * columns + x]] = s
                at[y * columns + x] += 1
    return start, items


def _tiles(shapes: Shapes, camera: Camera) -> _Bins:
    """Which shapes each tile of the picture may show."""
    columns, rows = -(-camera.width // _TILE), -(-camera.height // _TILE)
    p = (shapes.centre - camera.eye) @ camera.axes.T
    depth, r = p[:, 2], shapes.bound
    low, high = np.empty((len(r), 2)), np.empty((len(r), 2))
    for i, sign in ((0, 1.0), (1, -1.0)):
        c = sign * p[:, i]
        if camera.parallel:
            low[:, i], high[:, i] = c - r, c + r
        else:
            # the two rays of this plane that graze the ball; a ball at or behind the eye may be anywhere
            distance = np.hypot(c, depth)
            half = np.arcsin(np.minimum(1.0, r / np.maximum(distance, 1e-12)))
            middle = np.arctan2(c, depth)
            a, b = middle - half, middle + half
            fits = (a > -1.5) & (b < 1.5) & (distance > r)
            low[:, i] = np.where(fits, camera.reach * np.tan(np.where(fits, a, 0)), -FAR)
            high[:, i] = np.where(fits, camera.reach * np.tan(np.where(fits, b, 0)), FAR)
    middle = 0.5 * np.array([camera.width, camera.height])
    low, high = (low * camera.scale + middle - 1) / _TILE, (high * camera.scale + middle + 1) / _TILE
    behind = depth + r < 0
    high[behind] = -1.0 if not camera.parallel else high[behind]
    return _bins(low, high, columns, rows)


def _suns(shapes: Shapes, look: Look) -> _Suns:
    """Four points of the sun's disc, each with its shadow grid."""
    middle = look.sun / np.linalg.norm(look.sun)
    side = np.cross(middle, [0.0, 0.0, 1.0] if abs(middle[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    up = np.cross(side, middle)
    ways, axes, lows, cells, starts, lists = [], [], [], [], [], []
    for k in range(4):
        turn = np.pi / 2 * k + 0.5
        way = middle + look.sun_radius * (np.cos(turn) * side + np.sin(turn) * up)
        way /= np.linalg.norm(way)
        u = np.cross(way, up)
        u /= np.linalg.norm(u)
        basis = np.stack([u, np.cross(way, u)])
        flat = shapes.centre @ basis.T
        r = shapes.bound[:, None]
        low = (flat - r).min(0) if len(flat) else np.zeros(2)
        high = (flat + r).max(0) if len(flat) else np.ones(2)
        cell = np.maximum(high - low, 1e-6) / _CELLS
        bins = _bins((flat - r - low) / cell, (flat + r - low) / cell, _CELLS, _CELLS)
        ways.append(way), axes.append(basis), lows.append(low), cells.append(cell)
        starts.append(bins.start), lists.append(bins.items)
    longest = max(map(len, lists))
    items = np.zeros((4, max(longest, 1)), np.int64)
    for k, one in enumerate(lists):
        items[k, : len(one)] = one
    return _Suns(*map(np.array, (ways, axes, lows, cells, starts)), items)  # type: ignore[arg-type]


@njit(cache=True)
def _lit(shapes, suns, k, point, o, d):
    """Does part k of the sun see this point?"""
    x = (suns.axes[k, 0] * point).sum() - suns.low[k, 0]
    y = (suns.axes[k, 1] * point).sum() - suns.low[k, 1]
    i, j = int(np.floor(x / suns.cell[k, 0])), int(np.floor(y / suns.cell[k, 1]))
    if i < 0 or j < 0 or i >= _CELLS or j >= _CELLS:
        return True
    c = j * _CELLS + i
    for n in range(suns.start[k, c], suns.start[k, c + 1]):
        if hit(shapes, suns.items[k, n], point, suns.way[k], o, d) < FAR:
            return False
    return True


@njit(cache=True)
def _checker(paint, point, step, out):
    """Colour of the floor at a point; squares smaller than a pixel melt into their mean."""
    x, y = (point[0] - paint.origin[0]) / paint.square, (point[1] - paint.origin[1]) / paint.square
    dark = (int(np.floor(x)) + int(np.floor(y))) % 2 != 0
    blur = min(1.0, step / paint.square)
    for i in range(3):
        own = paint.ground_dark[i] if dark else paint.ground[i]
        out[i] = own + blur * (0.5 * (paint.ground[i] + paint.ground_dark[i]) - own)


@njit(cache=True)
def _fade(paint, point):
    """0 where the floor is full, 1 where it has gone over into the background."""
    x, y = point[0] - paint.focus[0], point[1] - paint.focus[1]
    along = x * paint.along[0] + y * paint.along[1]
    x, y = x - along * paint.along[0], y - along * paint.along[1]
    s = (np.sqrt(x * x + y * y) - paint.near) / (paint.far - paint.near)
    s = min(max(s, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@njit(cache=True)
def _ray(view, px, py, origin, way):
    """The ray through a point of the picture, in pixels; way comes out as a unit vector."""
    x, y = (px - 0.5 * view.width) * view.step, (0.5 * view.height - py) * view.step
    for i in range(3):
        across = x * view.axes[0, i] + y * view.axes[1, i]
        if view.parallel:
            origin[i] = view.eye[i] + across
            way[i] = view.axes[2, i]
        else:
            origin[i] = view.eye[i]
            way[i] = across + view.reach * view.axes[2, i]
    size = np.sqrt((way * way).sum())
    way /= size


@njit(cache=True)
def _nearest(shapes, paint, start, items, tile, origin, way, o, d):
    """Distance and number of the nearest surface on a ray: a shape, -1 the floor, -2 nothing."""
    best, who = FAR, -2
    for n in range(start[tile], start[tile + 1]):
        t = hit(shapes, items[n], origin, way, o, d)
        if t < best:
            best, who = t, items[n]
    if paint.shown:
        down = (paint.normal * way).sum()
        if abs(down) > 1e-9:
            t = (paint.level - (paint.normal * origin).sum()) / down
            if 1e-9 < t < best:
                best, who = t, -1
    return best, who


@njit(cache=True)
def _shade(shapes, suns, paint, k, who, point, way, step, out, normal, o, d):
    """Colour (3,) of what a ray has met, into out."""
    solid = who >= 0 and shapes.material[who] != GROUND
    if who >= 0:
        facing(shapes, who, point, normal, o)
    else:
        normal[:] = paint.normal
    look = -(normal * way).sum()
    if look < 0.0:
        normal *= -1.0
        look = -look
    toward = (normal * suns.way[k]).sum()
    for i in range(3):
        o[i] = point[i] + 1e-4 * normal[i]
    origin = o.copy()
    sun = max(toward, 0.0) if toward > 0.0 and _lit(shapes, suns, k, origin, o, d) else 0.0
    sky = 0.5 + 0.5 * normal[2]
    if solid:
        light = 0.34 + 0.26 * sky + 0.62 * sun
        rim = 1.0 - paint.outline * (1.0 - min(1.0, look / 0.45)) ** 2
        for i in range(3):
            out[i] = shapes.colour[who, i] * light * rim
    else:
        _checker(paint, point, step, out)
        if who >= 0 and normal[2] < 0.5:  # the side of a stair
            out[:] = paint.ground_dark * 0.8
        light = 0.30 + 0.36 * sky + 0.42 * sun
        fade = _fade(paint, point)
        for i in range(3):
            out[i] = out[i] * light * (1.0 - fade) + paint.background[i] * fade


@njit(cache=True)
def _cast(shapes, view, start, items, columns, suns, paint, factor, picture, depth, owner):
    """Fill picture (H, W, 3), with factor² rays a pixel; depth [m] and owner of the middle of each pixel."""
    origin, way, o, d = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    point, normal, colour = np.empty(3), np.empty(3), np.empty(3)
    share = 1.0 / (factor * factor)
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            for sub in range(factor * factor):
                i, j = x * factor + sub % factor, y * factor + sub // factor
                _ray(view, i + 0.5, j + 0.5, origin, way)
                tile = (j // _TILE) * columns + i // _TILE
                t, who = _nearest(shapes, paint, start, items, tile, origin, way, o, d)
                if sub == 0:
                    depth[y, x], owner[y, x] = t, who
                if who == -2:
                    colour[:] = paint.background
                else:
                    point[:] = origin + t * way
                    _shade(shapes, suns, paint, sub % 4, who, point, way, view.step, colour, normal, o, d)
                for c in range(3):
                    picture[y, x, c] += share * colour[c]


class Picture(NamedTuple):
    """What came out: colours, and what lies behind each pixel."""

    colour: np.ndarray  # (H, W, 3) uint8
    depth: Array  # (H, W) distance [m] along the ray, FAR where there is nothing
    owner: np.ndarray  # (H, W) index of the shape, -1 the floor, -2 nothing


def cast(shapes: Shapes, camera: Camera, floor: Floor | None = None, look: Look | None = None, *,
         smooth: int = 2) -> Picture:  # fmt: skip
    """A picture of shapes on a floor, `smooth`² rays a pixel."""
    floor, look = floor or Floor(shown=False), look or Look()
    fine = camera.enlarged(smooth)
    bins = _tiles(shapes, fine)
    view = _View(fine.eye.astype(float), np.ascontiguousarray(fine.axes), 1.0 / fine.scale, fine.reach, fine.parallel,
                 fine.width, fine.height)  # fmt: skip
    paint = _Paint(look.ground, look.ground_dark, look.background, look.outline, floor.normal, float(floor.level),
                   floor.focus, floor.along, float(floor.near), float(floor.far), floor.origin, float(floor.square),
                   floor.shown)  # fmt: skip
    light = np.zeros((camera.height, camera.width, 3))
    depth = np.empty((camera.height, camera.width))
    owner = np.empty((camera.height, camera.width), np.int64)
    columns = -(-fine.width // _TILE)
    _cast(shapes, view, bins.start, bins.items, columns, _suns(shapes, look), paint, smooth, light, depth, owner)
    return Picture(_to_bytes(light), depth, owner)


def _to_bytes(light: Array) -> np.ndarray:
    """Linear light to the 8-bit values of a screen (sRGB)."""
    x = np.clip(light, 0.0, 1.0)
    out = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
    return np.round(255.0 * out).astype(np.uint8)
