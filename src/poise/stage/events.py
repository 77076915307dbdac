"""Timed events: pushes, thrown balls and props led along a track; how a platform moves is told beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from poise.checks import direction, number, vector
from poise.errors import BadValue
from poise.ground.platform import PlatformMotion
from poise.maths import GRAVITY
from poise.maths.rotations import Array, continuous, normalise

_DENSITY = 500.0  # [kg/m³] of a ball whose radius is not given: about that of a medicine ball


@dataclass(frozen=True)
class Push:
    """A constant force on one point of a body from `at` to `at + duration`; its impulse is exact for any time step."""

    body: str  # role or name; a prop may be pushed too
    force: Sequence[float]  # (3,) [N], world axes
    at: float  # [s]
    duration: float = 0.1  # [s]
    point: Sequence[float] | None = None  # (3,) [m] in the body's frame; its centre of mass where not given

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", vector("The force of a push", self.force, "N"))
        number("The time of a push", self.at, "s", least=0.0)
        number("The duration of a push", self.duration, "s", above=0.0)
        if self.point is not None:
            object.__setattr__(self, "point", vector("The point of a push", self.point, "m"))

    @property
    def end(self) -> float:
        """When it stops [s]."""
        return self.at + self.duration

    def share(self, time: float, dt: float) -> float:
        """How much of the step from `time` to `time + dt` [s] the push lasts, 0..1."""
        return max(0.0, min(time + dt, self.end) - max(time, self.at)) / dt


@dataclass(frozen=True)
class Ball:
    """A ball thrown at a body: at time `at` it leaves a place `distance` before the body and flies along `direction`.

    It is aimed at where the body's centre of mass will be, with its present velocity, when the ball arrives; gravity
    bends its path.
    """

    mass: float  # [kg]
    at: float  # [s] when it is thrown
    speed: float  # [m/s] with which it is thrown
    toward: str = "chest"  # role or name of the body it is aimed at
    direction: Sequence[float] = (1.0, 0.0, 0.0)  # of the flight
    distance: float = 2.0  # [m]
    radius: float | None = None  # [m]; without, that of a medicine ball of this mass

    def __post_init__(self) -> None:
        number("The mass of a ball", self.mass, "kg", above=0.0)
        number("The time of a throw", self.at, "s", least=0.0)
        number("The speed of a throw", self.speed, "m/s", above=0.0)
        number("The distance of a throw", self.distance, "m", above=0.0)
        object.__setattr__(self, "direction", direction("The direction of a throw", self.direction))
        if self.radius is not None:
            number("The radius of a ball", self.radius, "m", above=0.0)
        rise = -self.distance * self.direction[2]  # the start lies this much above the target
        least = np.sqrt(max(0.0, GRAVITY * (self.distance - rise)))  # the slowest throw that reaches a target at rest
        if self.speed < least:
            raise BadValue(
                f"A ball thrown at {self.speed:g} m/s from {self.distance:g} m falls short of {self.toward!r}: "
                f"it needs more than {least:.1f} m/s, or a smaller distance."
            )

    @property
    def size(self) -> float:
        """Radius [m]."""
        return (
            float(self.radius) if self.radius is not None else float((0.75 * self.mass / (np.pi * _DENSITY)) ** (1 / 3))
        )


@dataclass(frozen=True)
class PropMotion:
    """A prop that is led along a track, whatever touches it: a tray that is carried, a bat that is swung.

    The track begins at time `at`; before and after it the prop is where it begins and ends.
    """

    prop: str  # name
    place: Sequence[Sequence[float]]  # (T, 3) [m] of the prop's frame
    turn: Sequence[Sequence[float]] = ((1.0, 0.0, 0.0, 0.0),)  # (T, 4) quaternions, or one for all
    fps: float = 30.0  # frames a second
    at: float = 0.0  # [s]

    def __post_init__(self) -> None:
        number("The frame rate of a track", self.fps, "frames a second", above=0.0)
        number("The time of a track", self.at, "s", least=0.0)
        place, turn = np.asarray(self.place, float), np.asarray(self.turn, float)
        if place.ndim != 2 or place.shape[1] != 3 or turn.ndim != 2 or turn.shape[1] != 4:
            raise BadValue(f"The track of {self.prop} has places (T, 3) and quaternions (T, 4), not {place.shape} and "
                           f"{turn.shape}.")  # fmt: skip
        if len(turn) not in (1, len(place)) or not (np.all(np.isfinite(place)) and np.all(np.isfinite(turn))):
            raise BadValue(f"The track of {self.prop} needs as many quaternions as places, all of finite numbers.")
        if np.any(np.abs(np.linalg.norm(turn, axis=1) - 1.0) > 0.1):
            raise BadValue(f"The quaternions of the track of {self.prop} are not of length one.")
        object.__setattr__(self, "place", tuple(map(tuple, place.tolist())))
        object.__setattr__(self, "turn", tuple(map(tuple, turn.tolist())))

    @cached_property
    def _curve(self) -> tuple[CubicSpline | None, Array]:
        place = np.asarray(self.place, float)
        turn = np.broadcast_to(np.asarray(self.turn, float), (len(place), 4))
        rows = np.concatenate([place, continuous(turn)], axis=1)
        return (CubicSpline(np.arange(len(rows)) / self.fps, rows) if len(rows) > 1 else None), rows

    def pose(self, time: float) -> Array:
        """Place [m] and quaternion (7,) at a time [s] of the performance."""
        curve, rows = self._curve
        out = rows[0] if curve is None else curve(float(np.clip(time - self.at, 0.0, (len(rows) - 1) / self.fps)))
        return np.concatenate([out[:3], normalise(out[3:])])


@dataclass(frozen=True)
class Slippery:
    """Another friction of the whole ground from `at` to `at + duration`: ice, or a wet floor."""

    friction: float
    at: float  # [s]
    duration: float = 0.5  # [s]

    def __post_init__(self) -> None:
        number("The friction of slippery ground", self.friction, "", least=0.0, most=10.0)
        number("The time at which the ground becomes slippery", self.at, "s", least=0.0)
        number("The duration of slippery ground", self.duration, "s", above=0.0)

    def covers(self, time: float) -> bool:
        """Does it hold at a time [s]?"""
        return self.at - 1e-9 <= time < self.at + self.duration - 1e-9


Event = Push | Ball | PropMotion | PlatformMotion | Slippery
