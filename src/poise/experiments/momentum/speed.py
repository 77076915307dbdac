"""Section 4.8.1: CPU time of the optimisation for 60 frames and frames per second of the online part."""

from __future__ import annotations

import time
from collections.abc import Iterator

from poise.experiments.momentum.trial import moment, performed, push
from poise.experiments.reproduce import Options, Table
from poise.experiments.speed import Measure
from poise.methods.momentum.course import course_of
from poise.methods.momentum.model import Weights
from poise.methods.momentum.plan import make_plan
from poise.motion.load import load_clip

CLIPS = ("walk", "run", "squat")


def offline(name: str = "walk", runs: int = 3) -> float:
    """CPU seconds for 60 frames of a clip's plan, the best of some runs."""
    course = course_of(load_clip(name))
    best = float("inf")
    for _ in range(runs + 1):
        begun = time.process_time()
        plan = make_plan(course, Weights(spin=5000.0), 1.0, 20, soften=30.0)
        frames = sum(s.steps for s in plan.segments)
        best = min(best, 60.0 * (time.process_time() - begun) / frames)
    return best


def online(name: str = "walk", runs: int = 3) -> float:
    """Frames per CPU second under pushes, the best of some runs."""
    clip = load_clip(name)
    events = [push(50.0, 180.0 * k, moment(clip, k, 8) + k, 0.2) for k in range(4)]
    return max(120.0 * performed(clip, "ours", 8.0, events).realtime_factor for _ in range(runs + 1))


def measures() -> Iterator[Measure]:
    """The rows of `poise bench`."""
    plan, pace = offline(), online()
    yield Measure("momentum, plan of 60 frames", plan, "s", "< 0.5", plan < 0.5, "thesis: about 60 s")
    yield Measure("momentum, pushed walk", pace, "frames/s", "> 800", pace > 800.0, "thesis: 20 frames/s")


def run(options: Options) -> Table:
    """The thesis's own: about 60 s for 60 frames, 20 frames/s, on a core of 2.8 GHz."""
    rows = [(name, offline(name), online(name)) for name in CLIPS]
    return Table("Speed on one core, in CPU time", ("clip", "offline, 60 frames [s]", "online [frames/s]"), tuple(rows),
                 ("Thesis: about 60 s and 20 frames/s. Repair of the clip excluded, pushes included.",))  # fmt: skip
