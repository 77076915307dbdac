"""Path: where a gait goes, stride by stride, and how one period of it leads to the next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Cycle
from poise.physical.library.authoring import ramp

_GRID = 1000  # points a stride by which a bend is integrated


@dataclass(frozen=True)
class Path:
    """A line on the floor that starts at the origin along X; its parameter counts strides and may run on for ever."""

    stride: float  # [m] of one stride, two steps; negative: backwards
    strides: int = 1  # of one period
    angle: float = 0.0  # [rad] by which one period turns, to the left
    bend: tuple[float, float] = (0.0, 1.0)  # strides between which it turns
    slow: float = 0.0  # share of its speed that is lost in the middle of the bend

    @cached_property
    def cycle(self) -> Cycle:
        """From one period to the next."""
        return Cycle(self.angle, np.array([*self._within(np.array([float(self.strides)]))[0], 0.0]))

    def heading(self, at: Array) -> Array:
        """Direction [rad] at strides."""
        at = np.asarray(at, float)
        periods = np.floor(at / self.strides)
        return self.angle * (periods + ramp(at - periods * self.strides, *self.bend))

    def turning(self, at: Array) -> Array:
        """Change of the direction [rad] a stride."""
        step = 1e-4
        return (self.heading(np.asarray(at) + step) - self.heading(np.asarray(at) - step)) / (2 * step)

    def pace(self, at: Array) -> Array:
        """Length [m] of a stride at strides."""
        at, (start, end) = np.asarray(at, float) % self.strides, self.bend
        middle = 0.5 * (start + end)
        return self.stride * (1.0 - self.slow * ramp(at, start, middle) * (1.0 - ramp(at, middle, end)))

    def lean(self, at: Array, period: float) -> Array:
        """Lean [rad] into the bend, to the left, that brings gravity and the ground's push in line."""
        return np.arctan(self.pace(at) * self.turning(at) / period**2 / GRAVITY)

    def place(self, at: Array) -> Array:
        """Places (..., 2) [m] at strides."""
        at = np.asarray(at, float)
        periods = np.floor(at / self.strides)
        inside = self._within((at - periods * self.strides).ravel()).reshape(*at.shape, 2)
        out = np.empty_like(inside)
        for count in np.unique(periods):
            far, those = self.cycle.times(int(count)), periods == count
            flat = np.append(inside[those], np.zeros((int(those.sum()), 1)), axis=-1)
            out[those] = (rot.rotate(rot.about_z(far.turn), flat) + far.shift)[:, :2]
        return out

    def _within(self, at: Array) -> Array:
        """Places (N, 2) at strides (N,) of the first period."""
        if self.angle == 0.0:
            return np.stack([self.stride * at, np.zeros_like(at)], axis=-1)
        s, xy = self._line
        return np.stack([np.interp(at, s, xy[:, k]) for k in range(2)], axis=-1)

    @cached_property
    def _line(self) -> tuple[Array, Array]:
        s = np.linspace(0.0, self.strides, self.strides * _GRID + 1)
        turned = self.angle * ramp(s, *self.bend)
        v = self.pace(s)[:, None] * np.stack([np.cos(turned), np.sin(turned)], axis=-1)
        step = 0.5 * (v[1:] + v[:-1]) * (s[1] - s[0])
        return s, np.concatenate([np.zeros((1, 2)), np.cumsum(step, axis=0)])
