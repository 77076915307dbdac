"""How high the body can be over a foot: a leg is not longer than it is (departure `reach`).

The abstract model knows no legs. A body that is pushed aside must go down over the foot that it stands on, by as much
as a straight leg leans: C is held below

    z = z_C + z_foot + √(ℓ² - d²) - z_hip,

with d the distance on the ground of hip and foot a moment ahead. Above it the vertical force is that of a damped fall.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.maths import GRAVITY
from poise.maths.rotations import Array

_STRAIGHT = 0.985  # share of a leg's length that counts as straight
_AHEAD = 0.05  # [s] that the hip is looked ahead
_LEAST = 0.55  # share of the leg's length below which nobody is let down
_RATE = 10.0  # [1/s] of the damped fall
_CALM = 0.1  # [m] of error of the divergent component from which on legs are looked at
_STAND = 0.3  # share of the weight that the ground bears at least


class Legs:
    """Hips, feet and the length of a character's legs."""

    def __init__(self, character: Character):
        names = [f"{side}_{part}" for part in ("thigh", "foot") for side in SIDES]
        self.length, self._hips, self._feet = 0.0, (0, 0), (0, 0)
        if all(character.has(name) for name in names):
            bodies = [character.body(name) for name in names]
            self._hips, self._feet = (bodies[0], bodies[1]), (bodies[2], bodies[3])
            places = character.forward(character.standing_pose())[0][0]
            self.length = float(np.linalg.norm(places[bodies[0]] - places[bodies[2]]))

    def room(self, positions: Array, foot: int, speed: Array) -> float:
        """How much higher [m] the body could be over a foot (0 left, 1 right) that it stands on.

        `positions` (B, 3) [m] of the bodies' origins; `speed` (2,) [m/s] of the body on the ground.
        """
        leg, hip, stand = _STRAIGHT * self.length, positions[self._hips[foot]], positions[self._feet[foot]]
        d = hip[:2] + _AHEAD * speed - stand[:2]
        return float(stand[2] + np.sqrt(max(leg**2 - d @ d, (_LEAST * leg) ** 2)) - hip[2])


def calm(off: float) -> float:
    """How calm a body is whose divergent component is off by `off` [m]: 1 not at all, 0 by `_CALM` and more."""
    return max(1.0 - off / _CALM, 0.0)


def slack(off: float) -> float:
    """Room [m] that is added where the divergent component is hardly off (`off` [m]): walkers have straight legs."""
    return 0.5 * _CALM * calm(off)


def held_down(force: float, room: float, rising: float, mass: float) -> float:
    """The vertical force [N] that leaves a body `room` [m] below its highest place; `rising` [m/s] is its speed."""
    most = mass * (GRAVITY + _RATE**2 * room - 2.0 * _RATE * rising)
    return max(min(force, most), _STAND * mass * GRAVITY)
