"""Barrier: the ground as planes that points may not pass, one or two a point and frame.

Seen from a point, the ground is the plane under it. A point deep in a step may be nearer to the free air beside the
step than to its top: then it gets a wall as well, through the edge of the step, and is kept in front of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character.character import ContactPoints
from poise.ground.ground import Ground
from poise.maths.rotations import Array
from poise.motion.ik import ik

DEEP = 0.015  # [m] a point this deep in the ground may be beside a step rather than under it
NEAR = 0.2  # [m] a point that never comes nearer cannot get into the ground
MARGIN = 0.008  # [m] from a wall
WAYS = 2 * np.pi * np.arange(32) / 32  # directions and distances in which free air is looked for
RADII = 0.01 * np.arange(1, 16)  # [m]


@dataclass(frozen=True, eq=False)
class Barrier:
    """Planes for points (P) over frames (N): the floor under each and the walls met so far."""

    ground: Ground
    height: Array  # (N, P) normal . p must be at least this [m]
    normal: Array  # (N, P, 3)
    wall: Array  # (N, P, 3) outward normals, zero where there is none
    reach: Array  # (N, P) wall . p must be at least this [m]
    near: np.ndarray  # (P,) bool: points that ever come near the ground; others need no planes

    @staticmethod
    def around(ground: Ground, places: Array) -> Barrier:
        """The barrier seen from places (N, P, 3)."""
        none = np.zeros(places.shape)
        near = np.zeros(places.shape[1], bool)
        return Barrier(ground, none[..., 0], none, none, none[..., 0], near).seen_from(places)

    def depth(self, places: Array) -> float:
        """Greatest depth [m] of a place in the ground."""
        if places.shape[1] == 0:
            return 0.0
        return float(np.max(self.ground.height(places[..., 0], places[..., 1]) - places[..., 2]))

    def seen_from(self, places: Array) -> Barrier:
        """The barrier seen from other places, the walls met before kept where no new ones are met."""
        under = self.ground.height(places[..., 0], places[..., 1])
        deep = under - places[..., 2] > DEEP
        wall, reach = self.wall.copy(), self.reach.copy()
        if deep.any():
            way, edge, found = _nearest_air(self.ground, places[deep])
            rows = np.argwhere(deep)[found]
            wall[rows[:, 0], rows[:, 1]] = way[found]
            reach[rows[:, 0], rows[:, 1]] = edge[found] + MARGIN
        # the floor of a point that a wall keeps out is that in front of the wall
        inside = np.maximum(0.0, reach - np.sum(wall * places, axis=-1))
        free = places + inside[..., None] * wall
        level = self.ground.height(free[..., 0], free[..., 1])
        normal = np.array(self.ground.normal(free[..., 0], free[..., 1]))
        height = np.sum(normal * np.concatenate([free[..., :2], level[..., None]], axis=-1), axis=-1)
        near = self.near | np.any(np.sum(normal * places, axis=-1) - height < NEAR, axis=0)
        return replace(self, height=height, normal=normal, wall=wall, reach=reach, near=near)

    def targets(self, points: ContactPoints, weight: float) -> list[ik.FloorTarget]:
        """The planes as one-sided targets of inverse kinematics."""
        out = []
        for i in np.flatnonzero(self.near):
            body, local = int(points.bodies[i]), points.positions[i]
            out.append(ik.FloorTarget(body, local, self.height[:, i], self.normal[:, i], weight))
            walled = self.wall[:, i].any(axis=-1)
            if walled.any():
                out.append(
                    ik.FloorTarget(body, local, self.reach[:, i], self.wall[:, i], np.where(walled, weight, 0.0))
                )
        return out


def _nearest_air(ground: Ground, places: Array) -> tuple[Array, Array, np.ndarray]:
    """For places (K, 3) in the ground: the level way (K, 3) to free air, where the edge lies on it, and if it is near.

    It is near when it is nearer than the surface above.
    """
    ways = np.stack([np.cos(WAYS), np.sin(WAYS), 0 * WAYS], axis=-1)
    tried = places[:, None, None] + RADII[:, None, None] * ways  # (K, R, W, 3)
    air = ground.height(tried[..., 0], tried[..., 1]) <= places[:, None, None, 2]
    first = np.where(air.any(axis=1), air.argmax(axis=1), len(RADII))  # (K, W)
    best = first.argmin(axis=1)
    ring = first[np.arange(len(places)), best]
    found = ring < len(RADII)
    way, far = ways[best], RADII[np.minimum(ring, len(RADII) - 1)]
    near = far - RADII[0]
    for _ in range(7):  # the edge by bisection
        half = 0.5 * (near + far)
        there = places + half[:, None] * way
        free = ground.height(there[:, 0], there[:, 1]) <= places[:, 2]
        near, far = np.where(free, near, half), np.where(free, half, far)
    up = ground.height(places[:, 0], places[:, 1]) - places[:, 2]
    return way, np.sum(way * places, axis=-1) + far, found & (far < up)
