"""Rehearsals disturbed: noise at the start and pushes, met by the plan alone, by its feedback, and by a search."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from poise.experiments.reproduce import Options, Table, told
from poise.methods.rehearse import Plan, Rehearsed
from poise.motion.load import load_clip
from poise.performance import perform
from poise.rehearsal.distil import distilled
from poise.rehearsal.passes import rehearse
from poise.stage.events import Push
from poise.take import Take

CLIPS = ("kick", "jump")
FORCES = (50.0, 100.0)  # [N] for 0.1 s on the chest
NOISE = 0.05  # [rad/s, m/s]
PHASES = (0.15, 0.35, 0.55, 0.75)  # of the clip
COLUMNS = (
    "clip",
    "disturbance",
    "ways",
    "plan alone",
    "with feedback",
    "with search",
    "CPU s/s",
    "CPU s/s ",
    "CPU s/s  ",
)


def run(options: Options) -> Table:
    """Share of performances that come to their end and follow the clip."""
    rows = []
    for name in CLIPS:
        if not options.wants(name):
            continue
        plan = rehearse(load_clip(name))
        fed = distilled(plan)
        forms = ((plan, Rehearsed(search="never")), (fed, Rehearsed(search="never")), (fed, Rehearsed()))
        noisy: list[dict[str, Any]] = [{"noise": NOISE, "seed": s} for s in range(options.seeds)]
        cases = [("noise", noisy), *((f"{f:.0f} N", _pushes(plan, f, options.seeds)) for f in FORCES)]
        for label, ways in cases:
            held, cost = zip(*(_share(*form, ways) for form in forms), strict=True)
            rows.append(told((name, label, len(ways), *held, *cost)))
    return Table(
        "Rehearsals disturbed", COLUMNS, tuple(rows), ("8 directions at 4 phases for 8 seeds; fewer for fewer.",)
    )


def _pushes(plan: Plan, force: float, directions: int) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for phase in PHASES:
        for angle in np.arange(directions) * 2.0 * np.pi / directions:
            push = Push("chest", (force * np.cos(angle), force * np.sin(angle), 0.0), phase * plan.seconds, 0.1)
            out.append({"stage": replace(plan.stage, events=(push,))})
    return out


def _share(plan: Plan, method: Rehearsed, ways: list[dict[str, Any]]) -> tuple[float, float]:
    """Share of the ways that end whole and followed, and CPU s for each second."""
    begun = time.process_time()
    good = [_good(perform(plan, method, **way)) for way in ways]
    return float(np.mean(good)), (time.process_time() - begun) / (plan.seconds * len(ways))


def _good(take: Take) -> bool:
    return take.ended.whole and bool(take.followed())
