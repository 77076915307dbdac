"""What each part of a rehearsal is worth: one clip after the other with a part changed, two clips, four seeds."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from poise.experiments.reproduce import Options, Table, told
from poise.motion.load import load_clip
from poise.rehearsal.passes import rehearse
from poise.rehearsal.settings import Settings

CLIPS = ("kick", "jump")
ONE = Settings(passes=1)
FORMS = {
    "as it is": ONE,
    "a third of the samples": replace(ONE, samples=80, keep=20),
    "greedy: one state kept": replace(ONE, keep=1),
    "no feed-forward": replace(ONE, feedforward=False),
    "never back": replace(ONE, retries=0),
    "gains halved": replace(ONE, full=0.7),
    "gains doubled": replace(ONE, full=0.175),
}
COLUMNS = ("clip", "form", "seeds", "whole", "mean cost", "joints °", "root cm", "CPU s/s")


def run(options: Options) -> Table:
    """One pass each."""
    rows = []
    for name in CLIPS:
        clip = load_clip(name)
        for label, settings in FORMS.items():
            if not options.wants(label):
                continue
            begun = time.process_time()
            plans = [rehearse(clip, seed=s, settings=settings) for s in range(min(options.seeds, 4))]
            cpu = (time.process_time() - begun) / sum(p.seconds for p in plans)
            from poise.rehearsal.judged import performed

            told_of = [performed(p).followed() for p in plans]
            rows.append(told((
                name, label, len(plans), sum(p.whole for p in plans),
                float(np.mean([np.minimum(p.cost, 1e3).mean() for p in plans])),
                float(np.mean([f.measures["joints"] for f in told_of])),
                100.0 * float(np.mean([f.measures["root"] for f in told_of])), cpu,
            )))  # fmt: skip
    return Table("Parts of a rehearsal, one pass", COLUMNS, tuple(rows))
