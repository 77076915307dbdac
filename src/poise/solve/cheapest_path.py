"""The cheapest way through states from frame to frame, and by how much every other way costs more; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array


class Path(NamedTuple):
    """A way through N frames of S states."""

    states: np.ndarray  # (N,) the state in each frame
    margin: Array  # (N, S) how much more the cheapest way through a state in a frame costs than the cheapest of all


@njit(cache=True)
def _forward(cost, switch, out, back):
    """out (N, S): cost of the cheapest way to each state; back (N, S) where it came from."""
    out[0] = cost[0]
    for n in range(1, cost.shape[0]):
        for s in range(cost.shape[1]):
            best, at = np.inf, 0
            for r in range(cost.shape[1]):
                c = out[n - 1, r] + switch[r, s]
                if c < best:
                    best, at = c, r
            out[n, s], back[n, s] = best + cost[n, s], at


def cheapest_path(cost: Array, switch: Array) -> Path:
    """The states s_n of min Σ cost[n, s_n] + Σ switch[s_n, s_n+1], by dynamic programming both ways.

    cost (N, S), switch (S, S). With costs that are minus the logarithm of a likelihood this is the most likely path of
    a hidden Markov model (Viterbi), and `margin` how much less likely any path through another state is.
    """
    cost, switch = np.ascontiguousarray(cost, float), np.ascontiguousarray(switch, float)
    ahead, behind, back = np.empty_like(cost), np.empty_like(cost), np.zeros(cost.shape, np.int64)
    _forward(np.ascontiguousarray(cost[::-1]), np.ascontiguousarray(switch.T), behind, back)
    _forward(cost, switch, ahead, back)
    states = np.empty(len(cost), np.int64)
    states[-1] = int(np.argmin(ahead[-1]))
    for n in range(len(cost) - 1, 0, -1):
        states[n - 1] = back[n, states[n]]
    through = ahead + behind[::-1] - cost
    return Path(states, through - through.min())
