"""mcsim/tuning: the few gains tuned for a clip by CMA-ES, on a handful of seeds, and judged on others."""

from __future__ import annotations

import math
import warnings

import numpy as np

from poise.errors import MissingExtra
from poise.experiments.mcsim.runs import COLUMNS, length, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.methods.mcsim.tuned import GAINS, SCALES, kept, with_factors
from poise.motion.clip import Clip
from poise.motion.load import load_clip

NAMES = (*GAINS, *SCALES)
SPREAD = 0.35  # of the logarithms of the factors at the start
FURTHEST = 1.6  # of those logarithms
EVALUATIONS = 25
SNEAK = "120_08"  # a recording
UNSEEN = 200  # first seed of the runs that are judged
FALL = 10.0  # [rad] that a run costs which falls at once; half of it if it falls half-way


def tune(clip: Clip, evaluations: int = EVALUATIONS, seeds: int = 4, seconds: float = 5.0) -> Clip:
    """The clip with the best gains found in its notes; `perform` uses them from there.

    Each evaluation performs the clip `seeds` times for `seconds` (an open clip: to its end).
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import cma
    except ImportError:
        raise MissingExtra("Tuning", "design") from None
    start = McSim()
    physical = clip.make_physical()
    best = (cost(physical, start, seeds, seconds), np.zeros(len(NAMES)))
    search = cma.CMAEvolutionStrategy(np.zeros(len(NAMES)), SPREAD, {
        "seed": 1, "verbose": -9, "popsize": 6, "bounds": [-FURTHEST, FURTHEST]})  # fmt: skip
    done = 1
    while done < evaluations and not search.stop():
        points = search.ask()
        costs = [cost(physical, with_factors(start, _factors(x)), seeds, seconds) for x in points]
        search.tell(points, costs)
        done += len(points)
        best = min(best, (min(costs), points[int(np.argmin(costs))]), key=lambda pair: pair[0])
    return kept(physical, _factors(best[1]))


def _factors(x: np.ndarray) -> dict[str, float]:
    return {name: math.exp(float(v)) for name, v in zip(NAMES, x, strict=True)}


def cost(clip: Clip, way: McSim, seeds: int, seconds: float) -> float:
    """Mean over the seeds of the joint error [rad] and of how early it falls."""
    whole = length(clip, seconds)
    total = 0.0
    for outcome in run_seeds(clip, way, seeds, whole, first=0):
        early = 1.0 - outcome.failed / whole if outcome.failed is not None else 0.0
        total += outcome.joints + FALL * early
    return total / seeds


def run(options: Options) -> Table:
    """Sneaking before and after tuning, on seeds that the tuning did not see."""
    clip = load_clip(options.recording(SNEAK) or "sneak")
    before = clip.make_physical()
    better = tune(before)
    rows = [row(words, run_seeds(c, McSim(), options.seeds, length(c, 10.0), first=UNSEEN))
            for words, c in (("sneak, as it is", before), ("sneak, tuned", better))]  # fmt: skip
    notes = (better.source.notes[-1], f"Tuned on 4 seeds with {EVALUATIONS} evaluations; judged on seeds from 200 on.")
    return Table("Gains tuned by CMA-ES", COLUMNS, tuple(rows), notes)
