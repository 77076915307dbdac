"""What the character may touch: its contact points against the ground, and hands that hold a bar or carry a load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.ground.ground import Ground, level_of
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.stage import Stage
from poise.stage.fittings import grip_point
from poise.stage.grips import Grip
from poise.stage.props import Bar, Barbell

LEVEL = np.eye(3)[[2, 0, 1]]  # the frame of a level floor


@dataclass(eq=False)
class Points:
    """Contact points, then grips; `anchor` is where on its bar a closed hand holds (NaN: open).

    A grip of a load is the place where the ground bears the load while its plates are down: a contact without friction
    at the hand's point, whose gap is that point's height above `stands`.
    """

    bodies: np.ndarray  # (P,)
    local: Array  # (P, 3)
    feet: int  # how many are contact points
    grips: Sequence[Grip]
    anchor: Array  # (G, 3)
    bars: Array  # (G, 2, 3) middle and axis of each grip's bar
    friction: Array  # (P,), negative for hands on fixed bars
    loads: Array  # (G,) [kg] that a closed hand carries; 0: its bar is fixed
    plates: Array  # (G,) [m] radius of the plates on which its load stands
    stands: Array  # (G,) [m] height of the hand's point with the plates on the ground; NaN: never closed yet

    def __len__(self) -> int:
        return len(self.bodies)


def watched_points(character: Character, stage: Stage, friction: float, loads: bool = True) -> Points:
    """The points of a character that matter on a stage; without `loads` nothing is known of what hands carry."""
    own = character.contact_points
    grips = tuple(g for g in stage.grips if loads or isinstance(stage.prop(g.to), Bar))
    held = [_held(stage, g) for g in grips]
    bodies = np.array([*own.bodies, *(character.body(g.hand) for g in grips)], int)
    local = np.array([*own.positions, *(grip_point(character, g) for g in grips)]).reshape(-1, 3)
    mass = np.array([_share(stage, g) for g in grips], float)
    mu = np.array([*np.full(len(own), friction), *np.where(mass > 0.0, 0.0, -1.0)])
    lines = np.array([_line(p) for p in held]).reshape(-1, 2, 3)
    plates = np.array([p.plate_radius if isinstance(p, Barbell) else 0.0 for p in held])
    return Points(bodies, local, len(own), grips, np.full((len(grips), 3), np.nan), lines, mu, mass, plates,
                  np.full(len(grips), np.nan))  # fmt: skip


def _held(stage: Stage, grip: Grip) -> Bar | Barbell:
    prop = stage.prop(grip.to)
    if not isinstance(prop, (Bar, Barbell)):
        raise BadValue(f"A hand holds a bar or a barbell, not {grip.to!r}.")
    return prop


def _line(prop: Bar | Barbell) -> tuple[Array, Array]:
    """Middle and axis of a bar, or of a barbell where it lies at first."""
    axis = np.asarray(prop.axis, float)
    if isinstance(prop, Barbell):
        axis = rot.rotate(rot.about_z(np.radians(prop.yaw)), axis)
    return np.asarray(prop.position, float), axis


def _share(stage: Stage, grip: Grip) -> float:
    """How much [kg] of a load a hand bears: all hands that hold it the same."""
    prop = stage.prop(grip.to)
    hands = {g.hand for g in stage.grips if g.to == grip.to}
    return prop.mass / len(hands) if isinstance(prop, Barbell) else 0.0


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
        self.flat = level_of(ground)  # [m]

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
            points.stands[k] = points.plates[k] + place[2] - near[2]
        holds[k] = True
    return holds
