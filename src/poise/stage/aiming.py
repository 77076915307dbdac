"""How to throw a ball so that it meets a moving target."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array

_MOST = 5.0  # [s] of flight
_TRIES = 400


class Throw(NamedTuple):
    """The velocity (3,) [m/s] of a throw, when it arrives [s] and whether the speed asked for reaches the target."""

    velocity: Array
    flight: float
    reaches: bool


def aim(start: Array, target: Array, target_velocity: Array, speed: float, gravity: Array) -> Throw:
    """A throw from `start` (3,) with `speed` [m/s] that meets a target which goes on with its velocity, under gravity.

    With flight time T it must leave with w(T) = (target + T target_velocity - start) / T - T gravity / 2. The shortest
    T with |w(T)| = speed is taken; where there is none, the T that needs the least speed.
    """
    away, u, g = (np.asarray(a, float) for a in (target - start, target_velocity, gravity))
    leave = lambda t: away / t + u - 0.5 * t * g  # noqa: E731
    excess = lambda t: float(np.linalg.norm(leave(t))) - speed  # noqa: E731
    times = np.geomspace(1e-4, _MOST, _TRIES)
    values = np.array([excess(t) for t in times])
    below = np.flatnonzero(values <= 0.0)
    if not len(below):
        best = float(times[np.argmin(values)])
        return Throw(leave(best), best, False)
    if below[0] == 0:
        return Throw(leave(times[0]), float(times[0]), True)
    low, high = float(times[below[0] - 1]), float(times[below[0]])
    for _ in range(60):  # halving: to the last bit
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    return Throw(leave(high), high, True)
