"""Obstacles: feet are raised over blocks in the way and set down beside them.

Departures (`sight`): the paper's character knows its contacts alone. This one has seen where the blocks of the stage
lay when it set out; it does not see them move.
"""

from __future__ import annotations

import math

import numpy as np

from poise.ground.ground import obstacles_of
from poise.maths.rotations import Array
from poise.stage import Stage

_BESIDE, _ABOVE = 0.03, 0.04  # [m] kept between a foot and a block
_AHEAD = np.arange(0.0, 0.31, 0.06)  # [m] ahead of a swinging foot that are looked at
_ALONG, _ACROSS = np.linspace(-0.3, 0.3, 31), np.linspace(-0.15, 0.15, 11)  # [m] by which a foothold may be moved
_MOVES = np.stack(np.meshgrid(_ALONG, _ACROSS, indexing="ij"), axis=-1).reshape(-1, 2)
_COST = _MOVES[:, 0] ** 2 + 3.0 * _MOVES[:, 1] ** 2  # sideways moves cost more balance than those along the way
_STAY = 0.3  # share of the distance from the last move that counts as well: no wavering between two sides of a block
_GRID = np.stack(np.meshgrid(np.linspace(0, 1, 7), np.linspace(0, 1, 3), indexing="ij"), axis=-1).reshape(-1, 2)


def blocks_of(stage: Stage) -> Array:
    """The blocks (K, 6) of a stage: x, y [m], yaw [rad], half length, half width and height [m]."""
    return obstacles_of(stage.ground)


def footprint(points: Array, heading: float) -> Array:
    """A grid (G, 2) over the rectangle along a heading [rad] that holds points (P, 2) of a foot."""
    c, s = math.cos(heading), math.sin(heading)
    turned = points @ np.array([[c, -s], [s, c]])
    low, high = turned.min(axis=0), turned.max(axis=0)
    return (low + _GRID * (high - low)) @ np.array([[c, s], [-s, c]])


def height(blocks: Array, points: Array) -> Array:
    """How high (...) [m] the blocks are, with a margin around them, at points (..., 2)."""
    top = np.zeros(points.shape[:-1])
    for x, y, yaw, long, wide, tall in blocks:
        c, s = math.cos(yaw), math.sin(yaw)
        dx, dy = points[..., 0] - x, points[..., 1] - y
        on = (np.abs(c * dx + s * dy) <= long + _BESIDE) & (np.abs(-s * dx + c * dy) <= wide + _BESIDE)
        top = np.where(on, np.maximum(top, tall), top)
    return top


def aside(blocks: Array, sole: Array, heading: float, last: Array) -> Array:
    """The least move (2,) [m] of a foot to where no block is; zero where there is none, or nothing helps.

    `sole` (G, 2) [m] is a grid over the foot, `last` (2,) [m] the move that was chosen before.
    """
    if not height(blocks, sole).any():
        return np.zeros(2)
    c, s = math.cos(heading), math.sin(heading)
    moves = _MOVES @ np.array([[c, s], [-s, c]])
    free = ~height(blocks, sole + moves[:, None]).any(axis=1)
    if not free.any():
        return np.zeros(2)
    cost = _COST + (_STAY * np.sum((moves - last) ** 2, axis=1) if last.any() else 0.0)
    return moves[int(np.argmin(np.where(free, cost, np.inf)))]


def over(blocks: Array, sole: Array, heading: float) -> float:
    """How high [m] the lowest point of a foot should be over the level ground, 0 where nothing is in its way.

    `sole` (G, 2) [m] is a grid over the foot, `heading` [rad] the way that it goes.
    """
    way = _AHEAD[:, None] * np.array([math.cos(heading), math.sin(heading)])
    top = float(height(blocks, sole + way[:, None]).max(initial=0.0))
    return top + _ABOVE if top > 0.0 else 0.0
