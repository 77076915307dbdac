"""Online: a short search from the state at hand, as often as a window begins; its budget is counted, never timed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.methods.rehearse.beam import Beam, Draw, advance
from poise.methods.rehearse.cost import Cost
from poise.simulate.rollouts import Rollouts
from poise.simulate.simulator import State

_NARROW = 0.6  # share of the spread of a rehearsal with which one searches near a plan


class Budget(NamedTuple):
    """How much is tried at each window."""

    samples: int
    keep: int
    windows: int  # ahead


def best_offset(state: State, held: Array, means: Array, step: int, window: int, budget: Budget, cost: Cost) -> Array:
    """The offset (nv,) [rad] of the window that begins now.

    held (nv,): the offset before; means (H, nv): about what is searched in this window and the next ones.
    """
    rollouts, servos = cost.rollouts, cost.servos
    beam = Beam.begin(began(rollouts, state), state.q, state.v, held)
    first = np.zeros((0, len(held)))
    for h in range(budget.windows):
        draw = Draw(means[h], _NARROW * servos.spread, budget.samples, (step, h))
        beam = advance(beam, draw, step + h * window, window, budget.keep, cost)
        first = beam.offsets if h == 0 else first[beam.parent]
    return first[int(np.argmin(beam.total))]


def began(rollouts: Rollouts, state: State) -> np.ndarray:
    """The whole state of a world in which the character is as it is now."""
    try:
        return rollouts.start(state.q, state.v, state.time)
    except BadValue:  # deep in the ground: it goes on as it is
        return rollouts.start(state.q, state.v, state.time, check=False)
