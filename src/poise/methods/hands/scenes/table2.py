"""The fifteen rows of table 2 of Ye 2012 as scenes of ours: the row's µ, mass, T, l₁ and l₂, with motions we
authored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.maths.rotations import exp, to_matrix
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


def _about(axis: int, degrees: float) -> np.ndarray:
    """(3, 3) a turn about an axis of its own."""
    return to_matrix(exp(np.radians(degrees) * np.eye(3)[axis]))


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


def _pick(
    name: str,
    T: int,
    degrees: float,
    axis: tuple[float, float, float],
    way: tuple[float, float],
    height: float,
    grip: np.ndarray,
    centre: tuple[float, float, float],
    away: tuple[float, float, float],
    seed: float,
) -> Scene:
    motion = Track(_up(T, 24, 46, height, 0.1, way), turns(axis, degrees * ease((frames(T) - 36) / 44)))
    wrist = held(
        motion,
        grip,
        centre,
        shift=approach(T, away, 14) + sway(T, (0.0015, 0.0015, 0.001), seed),
        tilt=sway(T, (2.0, 2.0, 2.0), seed),
    )
    return Scene(name, milk_box(), motion, {"right": wrist})


def pickup_1(T: int = 101) -> Scene:
    """From the side, tilted as for pouring."""
    return _pick("pickup-1", T, 25, (0, 1, 0), (0, 0.05), 0.16, SIDE, (0.086, -0.012, -0.056), (-0.02, 0, 0.07), 0.3)


def pickup_2(T: int = 96) -> Scene:
    """From the side, higher up on the box, set back a little."""
    return _pick(
        "pickup-2", T, 12, (0, 1, 0), (-0.04, 0.05), 0.14, SIDE, (0.086, -0.028, -0.056), (-0.02, 0, 0.07), 1.1
    )


def pickup_3(T: int = 101) -> Scene:
    """From above, fingers on one face and the thumb on the other: the hand is turned by half a right angle."""
    grip = TOP @ _about(2, 50)
    return _pick("pickup-3", T, 15, (0, 0, 1), (0.05, 0.0), 0.12, grip, (0.088, 0.018, -0.136), (0, 0, 0.05), 2.0)


def pickup_4(T: int = 106) -> Scene:
    """From the side, turned about the vertical on the way up."""
    return _pick("pickup-4", T, -20, (0, 0, 1), (0.03, 0.03), 0.18, SIDE, (0.086, 0.0, -0.056), (-0.02, 0, 0.07), 2.7)


def small_bottle(T: int = 102) -> Scene:
    """A small bottle picked up from the side and tilted as for pouring."""
    thing = Thing("bottle", (Piece("cylinder", (0.028, 0.075)),), 0.2)
    motion = Track(_up(T, 26, 46, 0.18, 0.075), turns((0, 1, 0), 30 * ease((frames(T) - 44) / 42)))
    wrist = held(
        motion,
        SIDE,
        (0.080, -0.012, -0.048),
        shift=approach(T, (-0.02, 0, 0.06), 14) + sway(T, (0.0015, 0.0015, 0.001), 0.5),
        tilt=sway(T, (2.0, 2.0, 2.0), 0.5),
    )
    return Scene("small-bottle", thing, motion, {"right": wrist})


PLATE_HEIGHT = 0.14  # [m] of the stand on which the plate lies
RIM = np.stack([[-1, 0, 0], [0, -1, 0], [0, 0, 1]], 1).astype(float)
"""A right hand at the +x rim of a plate: fingers below it towards the middle."""


def _plate(name: str, T: int, tilts: np.ndarray, way: np.ndarray, seed: float) -> Scene:
    """A plate of 26 cm on a narrow stand; fingers go below its rim, the thumb above."""
    thing = Thing("plate", (Piece("cylinder", (0.13, 0.006)),), 0.5)
    place = way + np.array([0, 0, PLATE_HEIGHT + 0.006])
    motion = Track(place, turns((0, 1, 0), tilts))
    grip = RIM @ _about(0, 180)
    wrist = held(
        motion,
        grip,
        (0.212, 0.012, -0.022),
        shift=approach(T, (-0.16, 0, 0.0), 18) + sway(T, (0.001, 0.001, 0.0), seed),
        tilt=sway(T, (1.0, 1.0, 1.0), seed),
    )
    pile = Stand((0.03, 0.03, PLATE_HEIGHT), (0, 0, PLATE_HEIGHT / 2))
    return Scene(name, thing, motion, {"right": wrist}, friction=1.732, stands=(pile,))


def plate_1(T: int = 101) -> Scene:
    """A plate taken from a pile."""
    u = ease((frames(T) - 30) / 50)[:, None]
    return _plate("plate-1", T, -8 * u[:, 0], u * np.array([0.06, 0.0, 0.10]), 0.4)


def plate_2(T: int = 221) -> Scene:
    """A plate taken from a pile, carried and tilted."""
    t = frames(T)
    way = np.stack([0.15 * ease((t - 70) / 100), 0.05 * ease((t - 110) / 60), 0.12 * ease((t - 35) / 60)], 1)
    return _plate("plate-2", T, -20 * ease((t - 90) / 50) + 20 * ease((t - 160) / 50), way, 1.3)


def spatula_thing() -> Thing:
    """A handle of 22 cm and a blade."""
    return Thing("spatula", (Piece("capsule", (0.011, 0.10)), Piece("box", (0.035, 0.003, 0.045), (0, 0, -0.15))), 0.2)


def _spatula(name: str, T: int, below: float, seed: float) -> Scene:
    """A spatula held across the hand, dipped and stirred; `below` [m] how far the handle is from the wrist's plane."""
    t = frames(T)
    stir = ease((t - 30) / 40) * (1 - ease((t - 190) / 30))
    a = 2 * np.pi * t / 75
    place = np.stack([0.02 * stir * np.cos(a), 0.02 * stir * np.sin(a), 0.30 - 0.03 * stir], 1)
    motion = Track(place, turns((0, 1, 0), 40 + 8 * stir * np.sin(a)))
    grip = np.stack([[0, 1, 0], [0, 0, 1], [1, 0, 0]], 1).astype(float)
    wrist = held(
        motion,
        grip,
        (0.088, -0.010, -below),
        shift=sway(T, (0.001, 0.001, 0.0005), seed),
        tilt=sway(T, (1.5, 1.5, 1.5), seed),
    )
    return Scene(name, spatula_thing(), motion, {"right": wrist}, friction=1.732, slide=5e-4, move=1e-3)


def spatula_1(T: int = 226) -> Scene:
    """At the fingertips."""
    return _spatula("spatula-1", T, 0.058, 0.2)


def spatula_2(T: int = 226) -> Scene:
    """In the palm: the fingers curl around it."""
    return _spatula("spatula-2", T, 0.027, 0.9)


def pot(T: int = 120) -> Scene:
    """A pot of wine by its handle: pushed on the stove, lifted at one side and tilted."""
    pieces = (Piece("cylinder", (0.075, 0.045)), Piece("capsule", (0.013, 0.065), (0, -0.15, 0.025), (90, 0, 0)))
    thing = Thing("pot", pieces, 1.5)
    t = frames(T)
    u = ease((t - 30) / 50)
    motion = Track(np.stack([0.05 * u, 0.03 * u, np.full(T, 0.045)], 1), turns((0, 0, 1), 12 * u))
    grip = np.stack([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1).astype(float)
    motion_handle = Track(motion.place, motion.turn)
    centre = (0.084, 0.128, -0.068)  # the handle lies across the palm, the pot beyond the thumb
    wrist = held(
        motion_handle,
        grip,
        centre,
        shift=approach(T, (-0.02, 0, 0.10), 16) + sway(T, (0.001, 0.001, 0.0), 0.7),
        tilt=sway(T, (1.0, 1.0, 1.0), 0.7),
    )
    return Scene("pot", thing, motion, {"right": wrist}, friction=1.732, slide=5e-4, move=5e-3)


LEFT_SIDE = np.stack([[1, 0, 0], [0, 0, -1], [0, 1, 0]], 1).astype(float)
RIGHT_SIDE = np.stack([[1, 0, 0], [0, 0, 1], [0, -1, 0]], 1).astype(float)
"""Two hands at the sides of a box: fingers along +x, thumbs up, backs of the hands out to +y and -y."""


def _two_hands(motion: Track, half: float, below: float, away: float, seed: float, along: float = 0.085) -> dict:
    T = len(motion)
    right = held(
        motion,
        RIGHT_SIDE,
        (along, 0.0, -half - below),
        shift=approach(T, (0, 0, away), 14) + sway(T, (0.0015, 0.0015, 0.0), seed),
        tilt=sway(T, (1.5, 1.0, 1.0), seed),
    )
    left = held(
        motion,
        LEFT_SIDE,
        (along, 0.0, -half - below),
        shift=approach(T, (0, 0, away), 14) + sway(T, (0.0015, 0.0015, 0.0), seed + 1),
        tilt=sway(T, (1.5, 1.0, 1.0), seed + 1),
        mirrored=True,
    )
    return {"right": right, "left": left}


def big_box(mass: float = 1.0) -> Thing:
    """A box of 24 x 22 x 18 cm."""
    return Thing("big box", (Piece("box", (0.12, 0.11, 0.09)),), mass)


def _big_box_moved(name: str, motion: Track, seed: float) -> Scene:
    """A big box along a track between the palms of two hands, whose sway `seed` tells apart."""
    hands = _two_hands(motion, 0.11, 0.038, 0.07, seed)
    return Scene(name, big_box(), motion, hands, friction=1.732, slide=5e-4, move=2e-3)


def two_hand_big_1(T: int = 101) -> Scene:
    """A big box slid on the table, then lifted."""
    t = frames(T)
    place = np.stack([0.06 * ease((t - 22) / 30), 0 * t, 0.09 + 0.15 * ease((t - 52) / 44)], 1)
    motion = Track(place, turns((0, 0, 1), 10 * ease((t - 22) / 30)))
    return _big_box_moved("two-hand-big-1", motion, 0.2)


def two_hand_big_2(T: int = 65) -> Scene:
    """A big box lifted at once and tilted."""
    t = frames(T)
    motion = Track(
        np.stack([0 * t, 0 * t, 0.09 + 0.18 * ease((t - 20) / 42)], 1), turns((0, 1, 0), -12 * ease((t - 24) / 38))
    )
    return _big_box_moved("two-hand-big-2", motion, 1.6)


def two_hand_small(T: int = 141) -> Scene:
    """A small box between two hands, lifted, turned and tilted."""
    t = frames(T)
    thing = Thing("small box", (Piece("box", (0.06, 0.045, 0.03)),), 0.5)
    up = ease((t - 24) / 40)
    motion = Track(
        np.stack([0 * t, 0 * t, 0.09 + 0.2 * up], 1),
        turns((0, 0, 1), 15 * ease((t - 50) / 40) - 15 * ease((t - 95) / 40)),
    )
    stand = Stand((0.04, 0.018, 0.06), (0, 0, 0.03))
    return Scene(
        "two-hand-small", thing, motion, _two_hands(motion, 0.045, 0.030, 0.06, 0.8, 0.10), stands=(stand,), slide=2e-4
    )


def bunny_thing(mass: float = 1.0) -> Thing:
    """A bunny of convex parts: haunches, chest, head, ears and tail."""
    parts = (
        Piece("sphere", (0.040,), (0, 0, 0.040)),
        Piece("sphere", (0.033,), (0, 0.004, 0.080)),
        Piece("sphere", (0.029,), (0, 0.010, 0.118)),
        Piece("capsule", (0.010, 0.022), (0.013, 0.0, 0.158), (10, 8, 0)),
        Piece("capsule", (0.010, 0.022), (-0.013, 0.0, 0.158), (10, -8, 0)),
        Piece("sphere", (0.014,), (0, -0.042, 0.03)),
        Piece("cylinder", (0.026, 0.006), (0, 0, 0.006)),
    )
    return Thing("bunny", parts, mass)


def bunny(T: int = 231) -> Scene:
    """A bunny picked up, looked at from two sides and held."""
    t = frames(T)
    up = ease((t - 30) / 60)
    place = np.stack([0.03 * ease((t - 60) / 80), 0 * t, 0.16 * up], 1)
    motion = Track(place, turns((0, 0, 1), 20 * ease((t - 80) / 60) - 30 * ease((t - 150) / 60)))
    grip = np.stack([[0, 1, 0], [0, 0, 1], [1, 0, 0]], 1).astype(float)
    # the hand is about the chest, 7 cm above the ground
    lifted = Track(place + np.array([0, 0, 0.075]), motion.turn)
    wrist = held(
        lifted,
        grip,
        (0.083, -0.012, -0.054),
        shift=approach(T, (-0.02, 0, 0.07), 14) + sway(T, (0.001, 0.001, 0.0005), 0.6),
        tilt=sway(T, (1.5, 1.5, 1.5), 0.6),
    )
    return Scene("bunny", bunny_thing(), motion, {"right": wrist}, friction=0.5774)


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
    Row("small-bottle", "Pickup small bottle", small_bottle, 199, 20),
    Row("plate-1", "Plate (1)", plate_1, 613, 10),
    Row("plate-2", "Plate (2)", plate_2, 1212, 42),
    Row("spatula-1", "Spatula (1)", spatula_1, 1323, 20),
    Row("spatula-2", "Spatula (2)", spatula_2, 3710, 38),
    Row("pot", "Pot (with Wine)", pot, 636, 10),
    Row("two-hand-big-1", "Two-hand big box (1)", two_hand_big_1, 378, 10),
    Row("two-hand-big-2", "Two-hand big box (2)", two_hand_big_2, 856, 10),
    Row("two-hand-small", "Two-hand small box", two_hand_small, 666, 46),
    Row("bunny", "Pickup a bunny", bunny, 1214, 30),
)
