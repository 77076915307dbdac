"""Scenes beside table 2: a cup turned in the hand, objects swapped on the milk box's motion, a box slid on the
table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from poise.errors import UnknownName
from poise.methods.hands.scene import Scene, Track
from poise.methods.hands.scenes import table2
from poise.methods.hands.scenes.authoring import SIDE, TOP, approach, ease, frames, held, still, turns
from poise.methods.hands.thing import Piece, Thing


def cup(T: int = 160, degrees: float = 120.0) -> Scene:
    """A paper cup turned by 120 degrees in a hand above it that keeps still (5.6.4)."""
    thing = Thing("cup", (Piece("cylinder", (0.034, 0.045)),), 0.05)
    motion = Track(still(T, (0, 0, 0.3)), turns((0, 0, 1), degrees * ease((frames(T) - 8) / (T - 12))))
    wrist = held(motion, TOP, (0.105, 0.004, -0.092), fixed=True)
    return Scene("cup", thing, motion, {"right": wrist}, slide=5e-4, move=5e-3, styles=((0.0, "reluctant"),))


def fiddled_box(T: int = 141) -> Scene:
    """A small box turned to and fro in the fingers of a hand that keeps still (5.6.6, figure 23)."""
    thing = Thing("small box", (Piece("box", (0.024, 0.024, 0.035)),), 0.06)
    t = frames(T)
    degrees = 50 * ease((t - 8) / 60) - 30 * ease((t - 74) / 60)
    motion = Track(still(T, (0, 0, 0.3)), turns((0, 0, 1), degrees))
    wrist = held(motion, TOP, (0.105, 0.004, -0.086), fixed=True)
    return Scene("fiddled-box", thing, motion, {"right": wrist}, slide=5e-4, move=5e-3, styles=((0.0, "reluctant"),))


def timed_pepper() -> Scene:
    """The pepper bottle with contact times given for each finger (figure 22)."""
    given = {"thumb": (0.5, 4.7), "index": (0.6, 4.7), "middle": (0.5, 4.7), "ring": (0.7, 4.7), "little": (0.9, 4.7)}
    return replace(pepper(), name="timed-pepper", windows={f"right_{f}": w for f, w in given.items()})


def small_cup(T: int = 100) -> Scene:
    """The same, turned by 40 degrees."""
    return replace(cup(T, 40.0), name="cup-40")


def sliding_box(T: int = 71, friction: float = 1.0) -> Scene:
    """A box slid along the table (5.6.4)."""
    u = ease((frames(T) - 18) / 44)
    place = still(T, (0, 0, 0.1))
    place[:, 1] = 0.12 * u
    motion = Track(place, turns((0, 0, 1), 0 * u))
    wrist = held(motion, SIDE, (0.086, -0.012, -0.056), shift=approach(T, (-0.02, 0, 0.06), 12))
    return Scene("sliding-box", table2.milk_box(), motion, {"right": wrist}, friction=friction, slide=5e-4)


def slid_from_above(T: int = 71, friction: float = 1.0) -> Scene:
    """A box slid along the table by a hand above it, across its grip: nothing but friction can push it (5.6.4)."""
    place = still(T, (0, 0, 0.1))
    place[:, 1] = 0.12 * ease((frames(T) - 18) / 44)
    motion = Track(place, turns((0, 0, 1), np.zeros(T)))
    grip = TOP @ table2._about(2, 50)
    wrist = held(motion, grip, (0.088, 0.018, -0.136), shift=approach(T, (0, 0, 0.05), 12))
    return Scene("slid-from-above", table2.milk_box(), motion, {"right": wrist}, friction=friction, slide=5e-4)


def pepper(T: int = 141) -> Scene:
    """A pepper bottle turned on the table by 25 degrees, then picked up; fingers settle after the pick-up (5.6.4)."""
    t = frames(T)
    thing = Thing("pepper bottle", (Piece("cylinder", (0.026, 0.06)),), 0.2)
    place = np.stack([0 * t, 0 * t, 0.06 + 0.14 * ease((t - 80) / 50)], 1)
    motion = Track(place, turns((0, 0, 1), 25 * ease((t - 20) / 50)))
    tilt = np.zeros((T, 3))
    tilt[:, 1] = -12 * ease((t - 20) / 50)  # the hand stays behind
    wrist = held(motion, SIDE, (0.080, -0.010, -0.047), shift=approach(T, (-0.02, 0, 0.06), 14), tilt=tilt)
    return Scene("pepper", thing, motion, {"right": wrist}, styles=((0.0, "reluctant"), (2.6, "steady")))


def mug_thing(mass: float = 0.35) -> Thing:
    """A mug: a cylinder with a handle of capsules."""
    a = np.linspace(-1.3, 1.3, 6)
    at = np.stack([0 * a, 0.037 + 0.024 * np.cos(a), 0.024 * np.sin(a)], 1)
    parts = [Piece("cylinder", (0.036, 0.048))]
    for p, q in pairwise(at):
        d = q - p
        tilt = -np.degrees(np.arctan2(d[1], d[2]))
        parts.append(
            Piece("capsule", (0.006, float(np.linalg.norm(d)) / 2), tuple((p + q) / 2), (float(tilt), 0.0, 0.0))
        )
    return Thing("mug", tuple(parts), mass)


THINGS: dict[str, Callable[[], Thing]] = {
    "milk": table2.milk_box,
    "mug": mug_thing,
    "bunny": table2.bunny_thing,
    "bottle": lambda: Thing("bottle", (Piece("cylinder", (0.028, 0.075)),), 0.2),
    "ball": lambda: Thing("ball", (Piece("sphere", (0.036,)),), 0.3),
}
"""Objects that can take another's place."""


def swapped(scene: Scene, name: str) -> Scene:
    """The same motion with another object, standing where the first one stood (5.6.5)."""
    if name not in THINGS:
        raise UnknownName("object", name, THINGS)
    thing = THINGS[name]()
    old = scene.thing.extent[0][2] + scene.thing.centre[2]
    new = thing.extent[0][2] + thing.centre[2]
    lifted = Track(scene.motion.place + scene.motion.matrix[:, :, 2] * (old - new), scene.motion.turn)
    return replace(scene, thing=thing, motion=lifted, name=f"{scene.name}-{name}")


def low_box(T: int = 96) -> Scene:
    """The milk box's pick-up with the hand low enough for a mug or a bunny in its place."""
    motion = Track(table2._up(T, 24, 46, 0.14, 0.1), turns((0, 1, 0), 8 * ease((frames(T) - 36) / 44)))
    wrist = held(motion, SIDE, (0.082, 0.030, -0.054), shift=approach(T, (-0.02, 0, 0.07), 14))
    return Scene("low-box", table2.milk_box(0.4), motion, {"right": wrist})


def mug() -> Scene:
    """A mug on the box's motion."""
    return swapped(low_box(), "mug")


def swapped_bunny() -> Scene:
    """A bunny on the box's motion."""
    return swapped(low_box(), "bunny")


SCENES: dict[str, Callable[[], Scene]] = {
    "cup": cup,
    "cup-40": small_cup,
    "sliding-box": sliding_box,
    "slid-from-above": slid_from_above,
    "pepper": pepper,
    "timed-pepper": timed_pepper,
    "fiddled-box": fiddled_box,
    "low-box": low_box,
    "mug": mug,
    "swapped-bunny": swapped_bunny,
}
