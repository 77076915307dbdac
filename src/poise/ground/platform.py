"""A plate that moves as it is told, and how it may be told to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.checks import direction, number, vector
from poise.errors import BadValue
from poise.ground.ground import upward
from poise.ground.pieces import WOOD, Box, Part, Piece, Plane
from poise.maths.rotations import Array

_MASS = 1.0e5  # [kg]: nothing that stands on it disturbs it


@dataclass(frozen=True)
class PlatformMotion:
    """To and fro along a direction: amplitude x sin(2 pi frequency (t - at)), faded in and out over `ramp` seconds."""

    amplitude: float  # [m]
    frequency: float = 0.5  # [Hz]
    direction: Sequence[float] = (1.0, 0.0, 0.0)
    at: float = 0.0  # [s]
    duration: float | None = None  # [s]; for ever where not given
    ramp: float = 0.5  # [s]

    def __post_init__(self) -> None:
        number("The amplitude of a platform", self.amplitude, "m", least=0.0)
        number("The frequency of a platform", self.frequency, "Hz", above=0.0)
        number("The time of a platform's motion", self.at, "s", least=0.0)
        number("The ramp of a platform's motion", self.ramp, "s", above=0.0)
        object.__setattr__(self, "direction", direction("The direction of a platform", self.direction))
        if self.duration is not None:
            number("The duration of a platform's motion", self.duration, "s", above=0.0)

    def __call__(self, time: float) -> Array:
        """Displacement (3,) [m] at a time [s]."""
        since = time - self.at
        share = _smooth(since / self.ramp)
        if self.duration is not None:
            share *= _smooth((self.duration - since) / self.ramp)
        wave = self.amplitude * share * np.sin(2 * np.pi * self.frequency * since)
        return wave * np.asarray(self.direction, float)


def _smooth(x: float) -> float:
    """From 0 at x = 0 to 1 at x = 1 with no rate and no curvature at both ends."""
    x = min(max(x, 0.0), 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


@dataclass(frozen=True)
class Platform:
    """A level plate that moves as it is told, whatever stands on it; its top is at z = 0 when it is not displaced."""

    size: Sequence[float] = (4.0, 4.0, 0.1)  # [m] along X, Y and down
    motion: PlatformMotion | Callable[[float], Array] | None = None  # displacement (3,) [m] at a time [s]

    PARTS: ClassVar[Mapping[str, type]] = {"motion": PlatformMotion}

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", vector("The size of a platform", self.size, "m", above=0.0))
        if self.motion is not None and not callable(self.motion):
            raise BadValue("The motion of a platform is a PlatformMotion or a function of time that gives 3 metres.")

    @classmethod
    def written(cls, amplitude: float, frequency: float) -> Platform:
        """The one that these two numbers on the command line mean [m, Hz]."""
        return cls(motion=PlatformMotion(amplitude=amplitude, frequency=frequency))

    @property
    def floor(self) -> float:
        """Height [m] of the floor around it."""
        return -self.size[2] - 0.02

    def height(self, x: Array, y: Array) -> Array:
        inside = (np.abs(x) <= 0.5 * self.size[0]) & (np.abs(y) <= 0.5 * self.size[1])
        return np.where(inside, 0.0, self.floor)

    def normal(self, x: Array, y: Array) -> Array:
        return upward(x)

    def pieces(self) -> tuple[Piece, ...]:
        """The floor around it, and the plate on three slides."""
        half = 0.5 * np.asarray(self.size, float)
        plate = Box((0.0, 0.0, -half[2]), half, colour=WOOD)
        return Plane(self.floor), Part("platform", plate, _MASS, "slides", motion=self.motion)
