"""Rehearsals disturbed: noise at the start and pushes, met by the plan alone, its feedback, a search, and by both.

The feedback is distilled from other pushes than these, at times, in directions and with forces that are drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from poise.experiments.kept import KeptRows
from poise.experiments.reproduce import Options, Table
from poise.methods.rehearse import Plan, Rehearsed
from poise.motion.load import load_clip
from poise.performance import perform
from poise.rehearsal.distil import distilled
from poise.rehearsal.passes import rehearse
from poise.rehearsal.saving import load
from poise.stage.events import Push
from poise.take import Take

CLIPS = ("kick", "jump")
FORCES = (50.0, 100.0)  # [N] for 0.1 s on the chest
NOISE = 0.05  # [rad/s, m/s]
PHASES = (0.15, 0.35, 0.55, 0.75)  # of the clip
FORMS = {"plan alone": Rehearsed(search="never"), "with feedback": Rehearsed(search="never"),
         "with search": Rehearsed(), "with both": Rehearsed()}  # fmt: skip
FED = ("with feedback", "with both")
COLUMNS = ("clip", "disturbance", "form", "ways", "on its feet", "recovered", "share", "CPU s/s")


def run(options: Options) -> Table:
    """How many performances come to their end and follow the clip; each form a row."""
    rows, kept = [], KeptRows(options, "rehearse/disturbed")
    for name in CLIPS:
        if options.wants(name):
            plans = _Plans(name, options.out)
            for form in FORMS:
                rows += [kept.row((name, label, form, options.seeds), partial(_held, name, label, form, ways, plans))
                         for label, ways in _cases(plans.seconds, options.seeds)]  # fmt: skip
    return Table("Rehearsals disturbed", COLUMNS, tuple(rows),
                 ("8 directions at 4 phases for 8 seeds; fewer directions for fewer.",
                  "recovered: whole, and the whole take follows the clip"))  # fmt: skip


class _Plans:
    """A plan, and the same with its feedback: made when they are needed, and kept in the folder for figures."""

    def __init__(self, name: str, out: Path | None):
        self.clip, self.out = load_clip(name), out
        self.seconds = self.clip.duration

    @cached_property
    def bare(self) -> Plan:
        return self._kept("plan", lambda: rehearse(self.clip))

    @cached_property
    def fed(self) -> Plan:
        return self._kept("fed", lambda: distilled(self.bare))

    def _kept(self, what: str, make: Callable[[], Plan]) -> Plan:
        if self.out is None:
            return make()
        file = self.out / f"{self.clip.name}-{what}.rehearsed.npz"
        if not file.exists():
            make().save(file)
        return load(file)


def _cases(seconds: float, count: int) -> list[tuple[str, list[dict[str, Any]]]]:
    noisy: list[dict[str, Any]] = [{"noise": NOISE, "seed": s} for s in range(count)]
    return [("noise", noisy), *((f"{f:.0f} N", _pushes(seconds, f, count)) for f in FORCES)]


def _pushes(seconds: float, force: float, directions: int) -> list[dict[str, Any]]:
    angles = np.arange(directions) * 2.0 * np.pi / directions
    return [{"push": Push("chest", (force * np.cos(a), force * np.sin(a), 0.0), phase * seconds, 0.1)}
            for phase in PHASES for a in angles]  # fmt: skip


def _held(name: str, label: str, form: str, ways: list[dict[str, Any]], plans: _Plans) -> tuple[Any, ...]:
    plan = plans.fed if form in FED else plans.bare
    begun = time.process_time()
    takes = [_performed(plan, FORMS[form], **way) for way in ways]
    cpu = (time.process_time() - begun) / (plan.seconds * len(ways))
    good = [take.ended.whole and bool(take.followed()) for take in takes]
    return (name, label, form, len(ways), sum(take.ended.whole for take in takes), sum(good), float(np.mean(good)),
            round(cpu, 3))  # fmt: skip


def _performed(plan: Plan, method: Rehearsed, push: Push | None = None, **options: Any) -> Take:
    stage = plan.stage if push is None else replace(plan.stage, events=(push,))
    return perform(plan, method, stage=stage, **options)
