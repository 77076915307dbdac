"""Time made faster and slower."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.fades import check_interval, window
from poise.motion.hold import at_pace
from poise.motion.resample import sample


@dataclass(frozen=True)
class Warp:
    """The same poses at other times.

    Either `speed`: times as fast from `start` to `end` (throughout without them), easing in and out over `fade`
    seconds of the old time outside the interval; or `times`: pairs (old time, new time) that rise in both, joined by
    a smooth rising curve. The frame rate stays; a loop stays one, with a new period.
    """

    speed: float | None = None
    times: tuple[tuple[float, float], ...] | None = None  # [s]
    start: float | None = None  # [s]
    end: float | None = None  # [s]
    fade: float = 0.3  # [s]

    def __post_init__(self) -> None:
        if (self.speed is None) == (self.times is None):
            raise BadValue("Warp needs either speed or times, one of them.")
        if self.speed is not None and not (np.isfinite(self.speed) and 0.02 <= self.speed <= 50.0):
            raise BadValue(f"A motion can be played 0.02 to 50 times as fast, not {self.speed}.")
        if self.times is not None:
            pairs = np.asarray(self.times, float)
            if pairs.ndim != 2 or pairs.shape[1:] != (2,) or len(pairs) < 2 or not np.all(np.isfinite(pairs)):
                raise BadValue("Warp needs two or more pairs (old time, new time) in seconds.")
            if np.any(np.diff(pairs, axis=0) <= 1e-6):
                raise BadValue("The old and the new times of a warp must both rise from pair to pair.")
        check_interval(self.start, self.end, self.fade)

    def apply(self, clip: Clip) -> Clip:
        """The clip at its new times."""
        if len(clip) < 2:
            return clip
        old, new = self.curve(clip)
        count = max(1, round(float(new[-1] - new[0]) / clip.dt))
        step = (new[-1] - new[0]) / count  # a loop's period is kept exactly, an open clip ends within half a frame
        dt = step if clip.cycle is not None else clip.dt
        moments = np.interp(new[0] + dt * np.arange(count + 1), new, old)
        if clip.cycle is not None or abs(dt - step) < 1e-12:
            moments[-1] = old[-1]
        out = sample(clip, np.clip(moments, old[0], old[-1]))
        q = np.array(out.q)
        if clip.cycle is not None:
            q[-1] = clip.cycle.carry(q[0], 1)
        return out.with_q(q, dt=dt, cycle=clip.cycle, holds=at_pace(out.grips, dt / clip.dt))

    def curve(self, clip: Clip) -> tuple[Array, Array]:
        """Old times and the new times of the same moments (F,), finely spaced."""
        fine = np.linspace(0.0, clip.duration, max(2, 16 * (len(clip) - 1) + 1))
        if self.speed is not None:
            share = window(fine, self.start, self.end, self.fade, clip.duration if clip.cycle is not None else None)
            slow = np.exp(-np.log(self.speed) * share)  # new seconds an old one takes
            return fine, np.concatenate([[0.0], np.cumsum(0.5 * (slow[1:] + slow[:-1]) * np.diff(fine))])
        return fine, _rising(np.asarray(self.times, float), fine, looping=clip.cycle is not None)


def _rising(pairs: Array, x: Array, *, looping: bool) -> Array:
    """A rising curve through the pairs, continuous with two derivatives; beyond them it goes on at its end slopes.

    Quintic pieces whose curvature is zero at the pairs, with slopes no steeper than 1.5 times the flatter neighbour's:
    such a piece never falls.
    """
    if looping:
        ends = [p for p in ((0.0, 0.0), (x[-1], x[-1])) if not np.any(np.abs(pairs[:, 0] - p[0]) < 1e-6)]
        if ends:
            raise BadValue(f"The times of a warp of a loop must include its ends, 0 and {x[-1]:.4f} s.")
    knots, values = pairs[:, 0], pairs[:, 1]
    h, rise = np.diff(knots), np.diff(values) / np.diff(knots)
    inner = 2.0 / (1.0 / rise[1:] + 1.0 / rise[:-1])
    first, last = rise[0], rise[-1]
    if looping:
        first = last = 2.0 / (1.0 / rise[0] + 1.0 / rise[-1])
    slope = np.minimum(np.concatenate([[first], inner, [last]]),
                       1.5 * np.minimum(np.append(rise, rise[-1]), np.insert(rise, 0, rise[0])))  # fmt: skip
    if looping:
        slope[0] = slope[-1] = min(slope[0], slope[-1])
    k = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, len(h) - 1)
    s = np.clip((x - knots[k]) / h[k], 0.0, 1.0)
    step, a, b = rise[k] * h[k], slope[k] * h[k], slope[k + 1] * h[k]
    p = s**3 * (10 - 15 * s + 6 * s * s)
    piece = step * p + a * (s - 6 * s**3 + 8 * s**4 - 3 * s**5) + b * (-4 * s**3 + 7 * s**4 - 3 * s**5)
    over, under = np.maximum(x - knots[-1], 0.0), np.minimum(x - knots[0], 0.0)
    return values[k] + piece + slope[-1] * over + slope[0] * under
