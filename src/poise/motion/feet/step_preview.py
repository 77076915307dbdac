"""Where the next foot should land for a body to come back to its motion, seen over one whole step.

The law of `capture_point` lets the foothold alone make up for an error. A body can do more: lead its centre of pressure
under the foot that stands, widely while both do. Here both are weighed against each other, on the pendulum of the law,

    d'' = ω² (d - p),    p = o + u before the foot lands,    p = s + u after it

for how far the centre of mass is off its motion, d; o is how far the standing foot is off, u how far the centre of
pressure is led from where the motion has it under that foot, s how far the foothold is moved. Least squares give
both:

    Σ (u / σ_u)² + (s / (λ t_l))² + ((d + d'/ω - s)(T) / σ_e)²

t_l is the time until the foot lands: a foot that is about to land cannot be led elsewhere any more. At the end, T, the
motion moved by s is met again, up to σ_e. All of it is of one direction; along and across the heading are apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poise.maths.rotations import Array

_DT = 1 / 60  # [s]
_NOW = 0.01  # [s] least time to touch-down


@dataclass(frozen=True)
class StepPreview:
    """What the centre of pressure and the foothold cost; along and across the heading."""

    under: tuple[float, float] = (0.05, 0.02)  # [m] σ_u on one foot
    both: tuple[float, float] = (0.20, 0.06)  # [m] σ_u on two
    rate: tuple[float, float] = (0.5, 0.35)  # [m/s] λ
    end: float = 0.02  # [m] σ_e
    band: float = 0.05  # [m] by which a foothold is not moved: small shifts, asked for again and again, add up

    def shift(self, off: Array, drift: Array, standing: Array, frequency: float, lands: float, both: float,
              until: float, heading: float) -> Array:  # fmt: skip
        """Shift (2,) [m], world axes, of the foothold of a foot that lands in so many seconds.

        `off`, `drift` and `standing` (2,) [m, m/s] are those of the centre of mass, its velocity and the standing foot;
        `frequency` ω [1/s], `both` [s] up to when two feet stand, `until` [s] when the motion is met again.
        """
        c, s = math.cos(heading), math.sin(heading)
        R = np.array([[c, s], [-s, c]])
        d, rate, o = R @ off, R @ drift, R @ standing
        out = [self._along(k, d[k], rate[k], o[k], frequency, lands, both, until) for k in (0, 1)]
        shift = R.T @ np.array(out)
        size = float(np.linalg.norm(shift))
        return shift * max(0.0, 1.0 - self.band / max(size, 1e-9))

    def _along(self, axis: int, d: float, rate: float, o: float, frequency: float, lands: float, both: float,
               until: float) -> float:  # fmt: skip
        """The shift [m] in one direction."""
        count = max(4, round(until / _DT))
        times = _DT * (np.arange(count) + 0.5)
        grown = np.exp(
            frequency * (_DT * count - _DT * np.arange(1, count + 1))
        )  # of what each step brings, at the end
        share = (math.exp(frequency * _DT) - 1.0) * grown  # ξ(T) = exp(ω T) ξ(0) - Σ share p
        landed = times > lands
        free = math.exp(frequency * _DT * count) * (d + rate / frequency) - float(share[~landed].sum()) * o
        to_foothold = -float(share[landed].sum()) - 1.0
        spread = np.where(times < both, self.both[axis], self.under[axis]) * math.sqrt(count)
        # the end in terms of u and s: free - share · u + to_foothold s; of all u only what the end sees counts
        weight = float(np.sum((share * spread) ** 2)) + self.end**2
        moved = self.rate[axis] * max(lands, _NOW)
        return -to_foothold * free / (weight / moved**2 + to_foothold**2)
