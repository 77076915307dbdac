"""Known: what a plan says of any window, of those past the end of a loop too: the cycle before, carried on.

A cycle is seldom a whole number of windows, so what is known there lies between two windows of the cycle before:
offsets, feedback and path are means of both. A state is carried back by the cycle's displacement, not the path on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.rehearse.plan import Plan
from poise.methods.rehearse.rows import STEP
from poise.motion.reference import Sample, Shift


class Known(NamedTuple):
    """A place in a plan: `share` of the way from window k to the next, `turns` cycles ago."""

    plan: Plan
    k: int
    share: float
    turns: int

    @property
    def pair(self) -> tuple[tuple[int, float], ...]:
        """The windows that it lies between, and how much each counts."""
        return ((self.k, 1.0),) if self.share == 0.0 else ((self.k, 1.0 - self.share), (self.k + 1, self.share))

    @property
    def offset(self) -> Array:
        """Offsets (nv,) [rad] of the servos."""
        last = len(self.plan.offsets) - 1
        return _mean([(self.plan.offsets[min(k, last)], weight) for k, weight in self.pair])

    @property
    def gain(self) -> Array | None:
        """The feedback (F, nv), where there is one."""
        last = len(self.plan.gain) - 1
        return None if last < self.k else _mean([(self.plan.gain[min(k, last)], weight) for k, weight in self.pair])

    def back(self, q: Array, v: Array) -> tuple[Array, Array]:
        """States q (N, nq), v (N, nv) as they were `turns` cycles ago."""
        cycle = self.plan.followed.cycle
        if self.turns == 0 or cycle is None:
            return q, v
        far = cycle.times(-self.turns)
        move = Shift(far.turn, (float(far.shift[0]), float(far.shift[1]), float(far.shift[2]))).move
        moved = [move(Sample(a, b, b, np.zeros(0, bool))) for a, b in zip(q, v, strict=True)]
        return np.array([m.q for m in moved]), np.array([m.v for m in moved])

    def away(self, q: Array, v: Array) -> tuple[Array, Array]:
        """How far a state is from the path: a turn and shift (nv,), and rates (nv,)."""
        (q,), (v,) = self.back(q[None], v[None])
        plan, layout = self.plan, self.plan.clip.character.layout
        return (_mean([(conf.difference(layout, plan.q[k], q), weight) for k, weight in self.pair]),
                _mean([(v - plan.v[k], weight) for k, weight in self.pair]))  # fmt: skip


def known(plan: Plan | None, window: int) -> Known | None:
    """What a plan knows of a window; None where it knows nothing."""
    if plan is None or not len(plan.offsets):
        return None
    count = len(plan.offsets)
    if window < count:
        return Known(plan, window, 0.0, 0)
    cycle = plan.followed.duration / (plan.window * STEP)  # windows
    if plan.followed.cycle is None or cycle > count - 1:
        return None
    turns = int(np.ceil((window - count + 1) / cycle))
    earlier = window - cycle * turns
    return Known(plan, int(earlier), earlier - int(earlier), turns)


def _mean(parts: list[tuple[Array, float]]) -> Array:
    return parts[0][0] if len(parts) == 1 else sum(weight * value for value, weight in parts)  # type: ignore[return-value]
