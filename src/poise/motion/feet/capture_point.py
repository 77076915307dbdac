"""Footholds by capture point: where the next foot must land for a disturbed walker to come back to its reference.

The divergent component of motion ξ = c + c'/ω, with c the centre of mass and ω = √(g / height), runs away from the foot
that is stood on as exp(ω t) (Hof 2008; Englsberger et al. 2015). Its error against the reference, seen from that foot,
has grown by exp(ω t) when the swinging foot lands t seconds later: a foot set down by that much beside its planned
place leaves no error for the step that follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poise.maths.rotations import Array
from poise.settings import check, number


@dataclass(frozen=True)
class Foothold:
    """The law by which footholds are moved."""

    ahead: float = number(0.55, "how far a foothold may be moved along the heading", 0, 2, "m")
    aside: float = number(0.40, "how far across it", 0, 2, "m")
    band: float = number(0.02, "error at touch-down that is left alone, for each e-fold", 0, 1, "m")
    apart: float = number(0.10, "least distance across the heading between the landing foot and the other one; "
                          "below 0 feet may cross", -1, 1, "m")  # fmt: skip
    horizon: float = number(0.45, "time over which an error is extrapolated at most", 0, 2, "s")
    rate: float = number(4.0, "speed at which a foothold moves", 0.001, 100, "m/s")

    def __post_init__(self) -> None:
        check(self, "the foothold law")

    def wanted(self, error: Array, frequency: float, left: float, heading: float = 0.0) -> Array:
        """Shift (2,) [m], world axes, of a foothold `left` seconds before touch-down.

        `error` (2,) [m] is that of the divergent component, `frequency` ω [1/s], `heading` [rad] the way of the walk.
        """
        growth, (ex, ey) = math.exp(frequency * min(left, self.horizon)), np.asarray(error).tolist()
        c, s, quiet = math.cos(heading), math.sin(heading), self.band * (growth - 1.0)
        x = _beyond(growth * (c * ex + s * ey), quiet, self.ahead)
        y = _beyond(growth * (c * ey - s * ex), quiet, self.aside)
        return np.array([c * x - s * y, s * x + c * y])

    def uncrossed(self, shift: Array, landing: Array, other: Array, side: float, heading: float = 0.0) -> Array:
        """The shift changed so that the feet do not cross.

        `landing` and `other` (2,) [m] are the planned place of the landing foot and the place of the other one; `side`
        is 1 for a left foot, -1 for a right one. A reference whose feet are nearer than `apart` keeps them so.
        """
        along, across = -math.sin(heading), math.cos(heading)
        own = side * float(along * (landing[0] - other[0]) + across * (landing[1] - other[1]))
        gap = own + side * float(along * shift[0] + across * shift[1])
        least = min(self.apart, own)
        return shift if gap >= least else shift + side * (least - gap) * np.array([along, across])

    def towards(self, now: Array, wanted: Array, dt: float) -> Array:
        """The shift after dt seconds on the way from `now` to `wanted`."""
        most, (x, y), (u, v) = self.rate * dt, now.tolist(), wanted.tolist()
        return np.array([x + min(max(u - x, -most), most), y + min(max(v - y, -most), most)])


def _beyond(x: float, quiet: float, most: float) -> float:
    """How far x is outside a band of `quiet` to either side, at most `most`."""
    return math.copysign(min(max(0.0, abs(x) - quiet), most), x)


def divergent(place: Array, velocity: Array, frequency: float) -> Array:
    """The divergent component (2,) of motion on the ground: ξ = c + c'/ω."""
    return place[:2] + velocity[:2] / frequency
