"""Timed events: pushes and thrown balls; how a platform moves (`PlatformMotion`) is told beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.checks import direction, number, vector
from poise.errors import BadValue
from poise.ground.platform import PlatformMotion
from poise.maths import GRAVITY

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


Event = Push | Ball | PlatformMotion
