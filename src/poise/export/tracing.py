"""The compiled part of casting a picture: follow each ray, find what it meets, and work out its colour."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.export.cells import CELLS, TILE
from poise.export.intersect import COLOUR, FAR, GROUND, MATERIAL, facing, hit
from poise.kernels import njit, uncounted

FLOOR, NOTHING = -1, -2  # owners of a pixel that are no shape
AWAY = 4 * FLOOR + 1  # key of the background: that of floor in the sun, into which it goes over without an edge
UNSEEN = -(2**62)  # key of a pixel that is not traced yet
BLOCK = 4  # pixels along a side of what is interpolated where no shape is near
ALIKE = 0.1  # linear light by which the corners of such a block may differ: the edges of the checker are soft
Triple = tuple[float, float, float]


class View(NamedTuple):
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


class Paint(NamedTuple):
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
def _stripe(x, blur):
    """Mean over a width `blur` of a wave that is 1 in odd cells and -1 in even ones."""
    a, b = 0.5 * (x - 0.5 * blur), 0.5 * (x + 0.5 * blur)
    return 2.0 * (abs(a - np.floor(a) - 0.5) - abs(b - np.floor(b) - 0.5)) / blur


@njit(cache=True, error_model="numpy")
def _checker(view, paint, x, y, t, dx, dy, look):
    """How dark the floor is, 0..1, averaged over what one pixel sees of it: no ray more is needed for smooth edges."""
    pixel = view.step if view.parallel else view.step * t / view.reach
    level = max(np.sqrt(dx * dx + dy * dy), 1e-9)
    long = pixel / (max(look, 0.02) * level)  # a pixel reaches far along a floor that is seen at a low angle
    wide_x = np.sqrt((pixel * view.right[0]) ** 2 + (long * dx) ** 2) / paint.square
    wide_y = np.sqrt((pixel * view.right[1]) ** 2 + (long * dy) ** 2) / paint.square
    column = _stripe((x - paint.origin[0]) / paint.square, max(wide_x, 1e-6))
    row = _stripe((y - paint.origin[1]) / paint.square, max(wide_y, 1e-6))
    return 0.5 - 0.5 * column * row


@njit(cache=True, error_model="numpy")
def _shade(table, view, rays, start, items, paint, k, who, t, x, y, z, dx, dy, dz, out):
    """Colour (3,) of what a ray has met at (x, y, z), into out; gives a number that tells surface and light apart."""
    nx, ny, nz = paint.normal
    if who >= 0:
        nx, ny, nz = facing(table, who, x, y, z)
    elif _fade(paint, x, y) >= 1.0:  # a floor that has gone over into the background
        for i in range(3):
            out[i] = paint.background[i]
        return AWAY
    look = -(nx * dx + ny * dy + nz * dz)
    if look < 0.0:
        nx, ny, nz, look = -nx, -ny, -nz, -look
    sun = nx * rays[k, 13] + ny * rays[k, 14] + nz * rays[k, 15]
    if sun <= 0.0 or not _lit(table, rays, start, items, k, x + 1e-4 * nx, y + 1e-4 * ny, z + 1e-4 * nz):
        sun = 0.0
    sky, lit = 0.5 + 0.5 * nz, sun > 0.0
    if who >= 0 and table[who, MATERIAL] != GROUND:
        rim = 1.0 - paint.rim * (1.0 - min(1.0, look / 0.45)) ** 2
        light = (0.34 + 0.26 * sky + 0.62 * sun) * rim
        for i in range(3):
            out[i] = table[who, COLOUR + i] * light
        return 4 * who + lit
    upright = nz < 0.5  # the side of a stair
    dark = 1.4 if upright else _checker(view, paint, x, y, t, dx, dy, look)
    light = 0.30 + 0.36 * sky + 0.42 * sun
    fade = _fade(paint, x, y)
    for i in range(3):
        own = paint.ground[i] + dark * (paint.ground_dark[i] - paint.ground[i])
        out[i] = own * light * (1.0 - fade) + paint.background[i] * fade
    return 4 * who + 2 * upright + lit


@njit(cache=True, error_model="numpy")
def _one(table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, px, py, tile, k, out):
    """Trace the ray through (px, py), a point of a tile, towards part k of the sun.

    Gives distance, owner, and a number that tells changes.
    """
    ox, oy, oz, dx, dy, dz = _ray(view, px, py)
    t, who = _nearest(table, tile_start, tile_items, tile, paint, ox, oy, oz, dx, dy, dz)
    if who == NOTHING:
        for i in range(3):
            out[i] = paint.background[i]
        return t, who, AWAY
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    key = _shade(table, view, rays, sun_start, sun_items, paint, k, who, t, x, y, z, dx, dy, dz, out)
    return t, who, key


@njit(cache=True, error_model="numpy")
def _open_tiles(table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, picture, depth, owner, key):
    """Fill the blocks of tiles without shapes whose four corners look alike: colours between them are interpolated.

    The corners look at the four parts of the sun, so that the soft rim of a shadow is a change too, and is left open.
    """
    high, wide = depth.shape
    count = TILE // BLOCK
    rows = (len(tile_start) - 1) // view.columns
    mark = np.full((count * rows + 1, count * view.columns + 1), UNSEEN, np.int64)
    seen = np.empty((count * rows + 1, count * view.columns + 1, 5))
    for tile in range(len(tile_start) - 1):
        if tile_start[tile + 1] > tile_start[tile]:
            continue
        top, left = count * (tile // view.columns), count * (tile % view.columns)
        for j in range(top, top + count + 1):
            for i in range(left, left + count + 1):
                if mark[j, i] == UNSEEN:
                    seen[j, i, 3], seen[j, i, 4], mark[j, i] = _one(
                        table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, BLOCK * i + 0.5,
                        BLOCK * j + 0.5, tile, 2 * (j % 2) + i % 2, seen[j, i, :3],
                    )  # fmt: skip
        for j in range(top, top + count):
            for i in range(left, left + count):
                if mark[j, i] != mark[j, i + 1] or mark[j, i] != mark[j + 1, i] or mark[j, i] != mark[j + 1, i + 1]:
                    continue
                a, b, c, d = seen[j, i], seen[j, i + 1], seen[j + 1, i], seen[j + 1, i + 1]
                if max(abs(a[0] - d[0]), abs(b[0] - c[0]), abs(a[0] - b[0])) > ALIKE:
                    continue
                for y in range(min(BLOCK, high - BLOCK * j)):
                    for x in range(min(BLOCK, wide - BLOCK * i)):
                        u, v = x / BLOCK, y / BLOCK
                        row, column = BLOCK * j + y, BLOCK * i + x
                        for n in range(3):
                            above, below = (1 - u) * a[n] + u * b[n], (1 - u) * c[n] + u * d[n]
                            picture[row, column, n] = (1 - v) * above + v * below
                        depth[row, column], owner[row, column], key[row, column] = a[3], int(a[4]), mark[j, i]


@njit(cache=True, error_model="numpy")
def _edges(key, edge):
    """Mark the pixels with a neighbour, also across a corner, of another key."""
    high, wide = key.shape
    edge[:] = False
    for y in range(high):
        for x in range(wide - 1):
            if key[y, x] != key[y, x + 1]:
                edge[y, x] = edge[y, x + 1] = True
    for y in range(high - 1):
        for x in range(wide):
            if key[y, x] != key[y + 1, x]:
                edge[y, x] = edge[y + 1, x] = True
        for x in range(wide - 1):
            if key[y, x] != key[y + 1, x + 1]:
                edge[y, x] = edge[y + 1, x + 1] = True
            if key[y, x + 1] != key[y + 1, x]:
                edge[y, x + 1] = edge[y + 1, x] = True


@njit(cache=True, error_model="numpy", nogil=True)
def trace(table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, smooth, quick, picture, depth, owner,
          key):  # fmt: skip
    """Fill picture (H, W, 3), depth, owner and key (H, W); `quick`: some rays do for floor and sky without a figure."""
    table, tile_start, tile_items = uncounted(table), uncounted(tile_start), uncounted(tile_items)
    rays, sun_start, sun_items = uncounted(rays), uncounted(sun_start), uncounted(sun_items)
    picture, depth, owner, key = uncounted(picture), uncounted(depth), uncounted(owner), uncounted(key)
    room = np.empty(3)
    colour = uncounted(room)
    high, wide = depth.shape
    key[:] = UNSEEN
    if quick:
        _open_tiles(table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, picture, depth, owner, key)
    for y in range(high):
        for x in range(wide):
            if key[y, x] != UNSEEN:
                continue
            px, py, k = x + 0.5, y + 0.5, 2 * (y % 2) + x % 2
            tile = (y // TILE) * view.columns + x // TILE
            t, who, mark = _one(
                table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, px, py, tile, k, colour
            )
            for c in range(3):
                picture[y, x, c] = colour[c]
            depth[y, x], owner[y, x], key[y, x] = t, who, mark
    if smooth < 2:
        return
    edge = np.empty((high, wide), np.bool_)
    _edges(key, edge)
    # quick: two rays more across the pixel; otherwise smooth² new ones
    first, more = (1.0, 2) if quick else (0.0, smooth * smooth)
    for y in range(high):
        for x in range(wide):
            if not edge[y, x]:
                continue
            tile = (y // TILE) * view.columns + x // TILE
            for c in range(3):
                picture[y, x, c] *= first / (first + more)
            for sub in range(more):
                if quick:
                    px, py, k = x + 0.2 + 0.6 * sub, y + 0.3 + 0.4 * ((x + y + sub) % 2), (sub + 2 * x + y) % 4
                else:
                    px, py, k = x + (sub % smooth + 0.5) / smooth, y + (sub // smooth + 0.5) / smooth, sub % 4
                _one(table, view, tile_start, tile_items, rays, sun_start, sun_items, paint, px, py, tile, k, colour)
                for c in range(3):
                    picture[y, x, c] += colour[c] / (first + more)
