"""Online: a short search from the state at hand, as often as a window begins; its budget is counted, never timed.

Samples are drawn about two guesses: what was best when it was last searched, a window on, and what the plan with its
feedback does from each state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.methods.rehearse.beam import Beam, Draw, advance
from poise.methods.rehearse.cost import Cost
from poise.simulate.rollouts import Rollouts
from poise.simulate.simulator import State

_NARROW = 0.6  # share of the spread of a rehearsal with which one searches near a plan
Law = Callable[[int, Array, Array], Array]  # offsets (n, nv) [rad] h windows ahead of states q (n, nq), v (n, nv)


class Budget(NamedTuple):
    """How much is tried at each window."""

    samples: int
    keep: int
    windows: int  # ahead


def best_offsets(state: State, held: Array, known: Array, law: Law, step: int, window: int, budget: Budget,
                 cost: Cost) -> Array:  # fmt: skip
    """Offsets (H, nv) [rad] of the window that begins now, and of those after it.

    held (nv,): the offset before; known (K, nv): what was found for these windows before, K may be none.
    """
    start = Beam.begin(began(cost.rollouts, state), state.q, state.v, held)
    beam = start if not len(known) else Beam(*(np.repeat(a, 2, axis=0) for a in start))  # one goes by each guess
    layers = []
    for h in range(budget.windows):
        mean = law(h, beam.q, beam.v)
        if h < len(known):
            mean[0] = known[h]
        draw = Draw(mean, _NARROW * cost.servos.spread, budget.samples, (step, h))
        beam = advance(beam, draw, step + h * window, window, budget.keep, cost)
        layers.append(beam)
    return _traced(layers, int(np.argmin(beam.total)))


def _traced(layers: list[Beam], k: int) -> Array:
    """The offsets (H, nv) that led to state k of the last layer."""
    out = []
    for layer in reversed(layers):
        out.append(layer.offsets[k])
        k = int(layer.parent[k])
    return np.array(out[::-1])


def began(rollouts: Rollouts, state: State) -> np.ndarray:
    """The whole state of a world in which the character is as it is now."""
    try:
        return rollouts.start(state.q, state.v, state.time)
    except BadValue:  # deep in the ground: it goes on as it is
        return rollouts.start(state.q, state.v, state.time, check=False)
