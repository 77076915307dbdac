"""Beam: some states at once, each tried with many offsets for a window, of which the best and some others are kept.

One window of the search of Liu et al. 2010: samples are drawn about a mean from every state that was kept, simulated,
and thinned out: dense among the best, and some that look worse now, since these may turn out better later. The first
state of a beam is always what the means alone lead to, so that a pass about a known path never loses it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.rehearse.cost import Cost

_PAST = 0.3  # share of the costs so far that counts in the next choice
_STRAY = 0.3  # cost of an offset one standard deviation from its mean
_KEPT = 0.6  # quantile of samples up to which some are kept
_DENSE = 2.5  # power by which they thin out


class Beam(NamedTuple):
    """States (n) kept at the end of a window, the offsets that led there, and what they cost."""

    states: np.ndarray  # whole states of `Rollouts`
    offsets: Array  # (n, nv) [rad] held in the window
    parent: np.ndarray  # (n,) state before it
    cost: Array  # (n,) at its end
    total: Array  # (n,) with the past
    q: Array  # (n, nq)
    v: Array  # (n, nv)

    @classmethod
    def begin(cls, states: np.ndarray, q: Array, v: Array, offset: Array | None = None) -> Beam:
        """The beam of one state, after an offset (nv,) was held."""
        held = np.zeros(len(v)) if offset is None else offset
        return cls(states, held[None], np.zeros(1, np.int64), np.zeros(1), np.zeros(1), q[None], v[None])


class Draw(NamedTuple):
    """How the offsets of a window are drawn."""

    mean: Array  # (nv,) or one for each state of the beam (n, nv)
    spread: Array  # (nv,) standard deviations, or a factor (nv, nv) of the covariance
    samples: int
    seed: tuple[int, ...]


def tried(draw: Draw, states: int, layout_nv: int) -> tuple[np.ndarray, Array, Array]:
    """Parents (N,), offsets (N, nv) and their means (N, nv); one sample of each state goes on with the mean itself."""
    rng = np.random.default_rng(draw.seed)
    count = max(draw.samples, min(states, 2))
    parent = np.arange(count) % states
    mean = np.broadcast_to(draw.mean, (states, layout_nv))[parent]
    noise = rng.standard_normal((count, layout_nv))
    noise = noise * draw.spread if draw.spread.ndim == 1 else noise @ draw.spread.T
    noise[: min(states, count)] = 0.0
    noise[:, :6] = 0.0
    return parent, mean + noise, mean


def advance(beam: Beam, draw: Draw, step: int, count: int, keep: int, cost: Cost) -> Beam:
    """The beam after a window of `count` steps from `step` on, `keep` states of it."""
    rollouts, servos = cost.rollouts, cost.servos
    parent, offsets, mean = tried(draw, len(beam.states), len(servos.limit))
    servo = servos.servo(cost.rows, step, count, offsets[0], offsets[0])
    ends = rollouts.run(servo, servo.time, count, beam.states, beam.offsets, parent, offsets,
                        cost.rows.touching(step, count))  # fmt: skip
    now = cost.of(ends, step + count - 1)
    stray = (((offsets - mean)[:, 6:] / servos.spread[6:]) ** 2).mean(axis=1)
    total = now + _STRAY * stray + _PAST * beam.total[parent]
    kept = chosen(total, keep)
    if keep > 1 and 0 not in kept:  # the first goes on as it was known before: that is never forgotten
        kept = np.concatenate([[0], kept[:-1]])
    else:
        kept = np.concatenate([[0], kept[kept != 0]]) if keep > 1 else kept
    return Beam(ends.states[kept], offsets[kept], parent[kept], now[kept], total[kept], ends.q[kept], ends.v[kept])


def chosen(total: Array, keep: int) -> np.ndarray:
    """Which samples (at most `keep`) are kept, best first; the order of equal ones is that in which they were drawn."""
    order = np.argsort(total, kind="stable")
    keep = min(keep, len(order))
    far = max(keep, int(_KEPT * len(order)))
    rank = ((np.arange(keep) / keep) ** _DENSE * far).astype(int)
    rank = np.maximum.accumulate(np.maximum(rank, np.arange(keep)))
    return order[np.minimum(rank, len(order) - 1)]
