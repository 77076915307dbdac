"""The paper's own search: CMA-ES inside the method of multipliers, open loop (section 6.2 of Nunes et al. 2012).

All of q_0, q̇_0, ψ, δ, T and α is searched; W = f + λᵀφ + k φᵀφ with λ = k = 0 in the first run, then k = 0.1 and λ
grows by 2 k φ; at most 20 runs, each from the best of the one before. Torques are Φ ψ as printed, without limits.

Departures: the paper prints no number of generations, here 150 and then 50 a run; bursts last 0.04 to 0.24 s and T is
within the sketch's range.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.vibration.score import easy, printed_terms
from poise.methods.vibration.sketch import Sketch
from poise.methods.vibration.space import Space
from poise.methods.vibration.unit_simulator import UnitSimulator
from poise.solve import cma
from poise.solve.multipliers import Multipliers, first_run, met
from poise.threads import on_one_thread

PENALTY, RUNS, TOLERANCE = 0.1, 20, 0.01  # k; at most; the paper prints no tolerance


class Found(NamedTuple):
    """Where the paper's search came to."""

    x: Array
    easy: Array  # (9,)
    drift: float  # max |φ|
    units: int  # that it lasts in open loop, of 40
    runs: int
    evaluations: int


@on_one_thread
def printed_design(sketch: Sketch, seed: int = 0, first: int = 150, each: int = 50, runs: int = RUNS) -> Found:
    """The search of `first` generations without the cyclic constraint, then `each` generations in each further run."""
    sketch = replace(sketch, limits=False)
    simulator, space = sketch.simulator(), Space(sketch, sketch.palette(), plain=True, state=True)
    x, given = np.zeros(space.dimension), first_run(2 * len(simulator.stiffness) - 2)
    count, done = 0, 0
    for run in range(runs):
        x, spent = _one_run(
            simulator, space, given, x, 1000 * seed + run, first if run == 0 else each, 0.5 if run == 0 else 0.2
        )
        count, done = count + spent, run + 1
        phi = _terms(simulator, space, x)[1]
        if run and met(phi, TOLERANCE):
            break
        given = given.updated(phi, PENALTY)
    bursts, state = simulator.bursts(space.controls(x)), space.begin(simulator, x)
    last = simulator.run(state, bursts, 1)
    drift = float(np.abs(simulator.drift(last.states[0], last.states[-1])).max()) if last.finished else np.inf
    return Found(x, easy(space, x, last), drift, simulator.run(state, bursts, 40).finished, done, count)


def _one_run(simulator: UnitSimulator, space: Space, given: Multipliers, x: Array, seed: int, generations: int,
             spread: float) -> tuple[Array, int]:  # fmt: skip
    """The best of one unconstrained search of W, and its evaluations."""
    search = cma.begin(x, spread, seed=seed)
    best, least, spent = x, np.inf, 0
    for _ in range(generations):
        members = cma.ask(search)
        terms = [_terms(simulator, space, m) for m in members]
        costs = given.augmented(np.array([t[0] for t in terms]), np.stack([t[1] for t in terms]))
        search = cma.tell(search, members, costs)
        spent += len(members)
        k = int(np.nanargmin(costs))
        if costs[k] < least:
            best, least = members[k], float(costs[k])
    return best, spent


def _terms(simulator: UnitSimulator, space: Space, x: Array) -> tuple[float, Array]:
    """f and φ of the one unit that a vector leads to."""
    run = simulator.run(space.begin(simulator, x), simulator.bursts(space.controls(x)), 1)
    return printed_terms(simulator, space, x, run)
