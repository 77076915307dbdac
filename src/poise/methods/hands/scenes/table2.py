"""The fifteen rows of table 2 of Ye 2012 as scenes of ours: the row's µ, mass, T, l₁ and l₂, with motions we authored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.methods.hands.scene import Scene, Stand, Track
from poise.methods.hands.scenes.authoring import SIDE, TOP, approach, ease, frames, held, still, sway, turns
from poise.methods.hands.thing import Piece, Thing

MILK = (0.035, 0.035, 0.10)  # [m] half lengths of a milk box


def milk_box(mass: float = 1.0) -> Thing:
    """A box of 7 x 7 x 20 cm."""
    return Thing("milk box", (Piece("box", MILK),), mass)


def _up(T: int, begin: float, span: float, height: float, base: float, way: tuple[float, float] = (0, 0)) -> np.ndarray:
    """(T, 3) lifted from a table by `height` [m], and carried along `way` [m] meanwhile."""
    u = ease((frames(T) - begin) / span)
    v = ease((frames(T) - begin - 8) / span)
    return np.stack([way[0] * v, way[1] * v, base + height * u], 1)


def turning_milk(T: int = 71) -> Scene:
    """A milk box turned by 40 degrees on the table."""
    u = ease((frames(T) - 18) / 42)
    place = still(T, (0, 0, 0.1))
    place[:, 0] = 0.02 * u
    motion = Track(place, turns((0, 0, 1), 40 * u))
    tilt = np.zeros((T, 3))
    tilt[:, 1] = -8 * u  # the wrist stays behind
    wrist = held(motion, SIDE, (0.086, -0.012, -0.056), shift=approach(T, (-0.02, 0, 0.06), 12), tilt=tilt)
    return Scene("turning-milk", milk_box(), motion, {"right": wrist}, slide=1e-4, move=2e-4)


def _pick(name: str, T: int, degrees: float, axis: tuple[float, float, float], way: tuple[float, float], height: float,
          grip: np.ndarray, centre: tuple[float, float, float], away: tuple[float, float, float], seed: float) -> Scene:
    motion = Track(_up(T, 24, 46, height, 0.1, way), turns(axis, degrees * ease((frames(T) - 36) / 44)))
    wrist = held(motion, grip, centre, shift=approach(T, away, 14) + sway(T, (0.0015, 0.0015, 0.001), seed),
                 tilt=sway(T, (2.0, 2.0, 2.0), seed))  # fmt: skip
    return Scene(name, milk_box(), motion, {"right": wrist})


def pickup_1(T: int = 101) -> Scene:
    """From the side, tilted as for pouring."""
    return _pick("pickup-1", T, 25, (0, 1, 0), (0, 0.05), 0.16, SIDE, (0.086, -0.012, -0.056), (-0.02, 0, 0.07), 0.3)


def pickup_2(T: int = 96) -> Scene:
    """From the side, higher up on the box, set back a little."""
    return _pick("pickup-2", T, 12, (0, 1, 0), (-0.04, 0.05), 0.14, SIDE, (0.086, -0.028, -0.056), (-0.02, 0, 0.07), 1.1)


def pickup_3(T: int = 101) -> Scene:
    """From above, fingers on one face and the thumb on the other."""
    return _pick("pickup-3", T, 15, (0, 0, 1), (0.05, 0.0), 0.12, TOP, (0.066, -0.004, -0.150), (0, 0, 0.05), 2.0)


def pickup_4(T: int = 106) -> Scene:
    """From the side, turned about the vertical on the way up."""
    return _pick("pickup-4", T, -20, (0, 0, 1), (0.03, 0.03), 0.18, SIDE, (0.086, 0.0, -0.056), (-0.02, 0, 0.07), 2.7)


@dataclass(frozen=True)
class Row:
    """A row of table 2: the scene, and what the thesis printed of it."""

    name: str
    label: str
    make: Callable[[], Scene]
    seconds: float  # [s] of the thesis
    solutions: int


ROWS: tuple[Row, ...] = (
    Row("turning-milk", "Turning a milk box", turning_milk, 834, 10),
    Row("pickup-1", "Pickup a milk box (1)", pickup_1, 917, 10),
    Row("pickup-2", "Pickup a milk box (2)", pickup_2, 256, 18),
    Row("pickup-3", "Pickup a milk box (3)", pickup_3, 459, 31),
    Row("pickup-4", "Pickup a milk box (4)", pickup_4, 501, 32),
)
