"""Speed on one core, in CPU time: the solve of (10) and (11) alone, and the whole step with root and legs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from poise.experiments.posture.trial import performed, push
from poise.experiments.reproduce import Options, Table
from poise.experiments.speed import Measure
from poise.methods.posture import Posture
from poise.methods.posture.solve import Tracking, own_torques, respond
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.stage import Stage

CLIPS = ("walk", "sneak", "turn")


def solves(name: str = "walk", runs: int = 5, many: int = 2000) -> float:
    """Solves per CPU second: the state put in, its own torques, and the response; the best of some runs."""
    clip = load_clip(name)
    way = Posture()
    memory = way.start(clip.character, Reference(clip), Stage())
    upper, h = memory.parts.upper, 1 / 120
    n, sample = len(upper), Reference(clip).sample(0.3)
    zero, none = np.zeros(n), np.zeros((0, n))
    tracking = Tracking(zero, sample.v[upper], zero, zero, memory.pose, memory.damping, 1e-6, True, memory.vectors, 10,
                        np.full(n, 5.0), np.full(n, 0.2), none, np.zeros(0), np.zeros(0))  # fmt: skip
    loads, x, u, best = np.zeros(len(sample.v)), np.empty(n), np.empty(n), np.inf
    for _ in range(runs + 1):
        begun = time.process_time()
        for _ in range(many):
            terms = memory.compiled.at(sample.q, sample.v)
            own_torques(terms, upper, sample.v[:6], sample.v[upper], h, u)
            respond(terms, upper, sample.v[:6], loads, tracking, h, x, u)
        best = min(best, (time.process_time() - begun) / many)
    return 1.0 / best


def steps(name: str = "walk", runs: int = 3) -> float:
    """Frames per CPU second of a pushed performance, recording included, the best of some runs."""
    clip = load_clip(name)
    events = [push(clip, "chest", 80.0, 90.0 * k, 0.5 + 1.5 * k) for k in range(4)]
    return max(120.0 * performed(clip, "ours", 8.0, events).realtime_factor for _ in range(runs + 1))


def measures() -> Iterator[Measure]:
    """The rows of `poise bench`."""
    alone, whole = solves(), steps()
    yield Measure("posture, solve of the upper body", alone, "frames/s", "> 2500", alone > 2500.0, "thesis: none told")
    yield Measure("posture, pushed walk with legs", whole, "frames/s", "> 1000", whole > 1000.0, "thesis: none told")


def run(options: Options) -> Table:
    """Frames per CPU second."""
    rows = [(name, solves(name), steps(name)) for name in CLIPS]
    return Table("Speed on one core, in CPU time", ("clip", "solve [1/s]", "whole step with legs [frames/s]"),
                 tuple(rows), ("Wanted: 2500 and 1000. The thesis prints none.",))  # fmt: skip
