"""What the character may touch: its contact points against the ground, and hands that hold a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.ground import Flat, Ground
from poise.stage import Stage
from poise.stage.fittings import grip_point
from poise.stage.grips import Grip

LEVEL = np.eye(3)[[2, 0, 1]]  # the frame of a level floor


@dataclass(eq=False)
class Points:
    """Contact points, then grips; `anchor` is where on its bar a closed hand holds (NaN: open)."""

    bodies: np.ndarray  # (P,)
    local: Array  # (P, 3)
    feet: int  # how many are contact points
    grips: Sequence[Grip]
    anchor: Array  # (G, 3)
    bars: Array  # (G, 2, 3) middle and axis of each grip's bar
    friction: Array  # (P,), negative for grips

    def __len__(self) -> int:
        return len(self.bodies)


def watched_points(character: Character, stage: Stage, friction: float) -> Points:
    """The points of a character that matter on a stage."""
    own = character.contact_points
    for grip in stage.grips:
        if stage.prop(grip.to).__class__.__name__ != "Bar":
            raise BadValue(f"modal knows hands on a fixed bar; {grip.to!r} is a load that moves, and not planned for.")
    bars = [stage.prop(g.to) for g in stage.grips]
    bodies = np.array([*own.bodies, *(character.body(g.hand) for g in stage.grips)], int)
    local = np.array([*own.positions, *(grip_point(character, g) for g in stage.grips)]).reshape(-1, 3)
    mu = np.array([*np.full(len(own), friction), *np.full(len(stage.grips), -1.0)])
    lines = np.array([[b.position, b.axis] for b in bars]).reshape(-1, 2, 3)  # type: ignore[union-attr]
    return Points(bodies, local, len(own), tuple(stage.grips), np.full((len(bars), 3), np.nan), lines, mu)


def frames_of(normals: Array) -> Array:
    """Frames (..., 3, 3) with rows normal, tangent, tangent for unit normals (..., 3)."""
    first = np.zeros(normals.shape)
    first[..., 0] = 1.0
    steep = np.abs(normals[..., 0]) > 0.9
    first[steep] = (0.0, 1.0, 0.0)
    a = first - np.einsum("...i,...i->...", first, normals)[..., None] * normals
    a /= np.linalg.norm(a, axis=-1, keepdims=True)
    return np.stack([normals, a, np.cross(normals, a)], axis=-2)


class Floor:
    """The ground under points: gaps and frames."""

    def __init__(self, ground: Ground):
        self.ground = ground
        self.flat = float(ground.level) if isinstance(ground, Flat) else None  # [m] height of a level floor

    def under(self, points: Array) -> tuple[Array, Array]:
        """Gaps (...) [m] along the normals, and frames (..., 3, 3)."""
        if self.flat is not None:
            return points[..., 2] - self.flat, np.broadcast_to(LEVEL, (*points.shape, 3))
        x, y = points[..., 0], points[..., 1]
        normals = np.asarray(self.ground.normal(x, y), float)
        gap = (points[..., 2] - self.ground.height(x, y)) * normals[..., 2]
        return gap, frames_of(normals)


def update_grips(points: Points, places: Array, time: float) -> np.ndarray:
    """Open and close hands; gives which grips (G,) hold now. A hand closes where it is nearest to the bar's axis."""
    holds = np.zeros(len(points.grips), bool)
    for k, grip in enumerate(points.grips):
        if not grip.covers(time + 1e-9):
            points.anchor[k] = np.nan
            continue
        if np.isnan(points.anchor[k, 0]):
            middle, axis = points.bars[k]
            place = places[points.feet + k]
            along = float((place - middle) @ axis) if grip.at is None else grip.at
            near = middle + along * axis
            if np.linalg.norm(place - near) > grip.reach:
                if time < 1e-9:
                    raise BadValue(
                        f"{grip.hand} is {np.linalg.norm(place - near):.2f} m from the bar that it should hold."
                    )
                continue
            points.anchor[k] = near
        holds[k] = True
    return holds
