"""What each part of a rehearsal is worth: one clip after the other with a part changed, two clips, four seeds."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from poise.experiments.kept import KeptRows
from poise.experiments.reproduce import Options, Table
from poise.methods.rehearse import Plan, Rehearsed
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.rehearsal.judged import performed
from poise.rehearsal.passes import rehearse
from poise.rehearsal.settings import Settings

CLIPS = ("kick", "jump")
SEEDS = 4
START, SECONDS = 0.6, 1.6  # [s] the part in which it kicks, or jumps and lands
ONE = Settings(passes=1)
FORMS = {
    "as it is": ONE,
    "N 80, beam 20": replace(ONE, samples=80, keep=20),
    "beam 1 (greedy)": replace(ONE, keep=1),
    "no feed-forward": replace(ONE, feedforward=False),
    "never back": replace(ONE, retries=0),
    "window 0.1 s": replace(ONE, window=24),
    "gains halved": replace(ONE, full=0.7),
    "gains doubled": replace(ONE, full=0.175),
}
AHEAD = {"no plan, 0.05 s ahead": 1, "no plan, 0.25 s ahead": 5}  # windows
NOISE = 0.05  # [rad/s, m/s] of starts without a plan, which know no other seed
COLUMNS = ("clip", "form", "seeds", "whole", "followed", "mean cost", "joints °", "root cm", "CPU s/s")


def run(options: Options) -> Table:
    """One pass each; means over the seeds, at most four."""
    rows, kept, seeds = [], KeptRows(options, "rehearse/ablation"), min(options.seeds, SEEDS)
    for name in CLIPS:
        rows += [kept.row((name, label, seeds), partial(_tried, name, label, seeds))
                 for label in (*FORMS, *AHEAD) if options.wants(label)]  # fmt: skip
    return Table("Parts of a rehearsal, one pass", COLUMNS, tuple(rows))


def _tried(name: str, label: str, seeds: int) -> tuple[Any, ...]:
    clip, begun = load_clip(name), time.process_time()
    if label in AHEAD:
        method = Rehearsed(search="always", ahead=AHEAD[label])
        takes = [perform(clip, method, start=START, seconds=SECONDS, noise=NOISE, seed=s) for s in range(seeds)]
        cost = "-"
    else:
        plans = [_planned(clip, s, FORMS[label]) for s in range(seeds)]
        takes = [performed(p) for p in plans]
        cost = float(np.mean([np.minimum(p.cost, 1e3).mean() for p in plans]))
    cpu = (time.process_time() - begun) / (seeds * SECONDS)
    said = [take.followed() for take in takes]
    return (name, label, seeds, sum(t.ended.whole for t in takes), sum(bool(f) for f in said), cost,
            float(np.mean([f.measures["joints"] for f in said])),
            100.0 * float(np.mean([f.measures["root"] for f in said])), cpu)  # fmt: skip


def _planned(clip: Clip, seed: int, settings: Settings) -> Plan:
    return rehearse(clip, seed=seed, start=START, seconds=SECONDS, settings=settings, threads=1)
