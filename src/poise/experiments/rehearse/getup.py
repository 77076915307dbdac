"""Getting up: limp bodies that were let fall on their front, back and sides, and whether they stand and walk on."""

from __future__ import annotations

import time

import numpy as np

from poise.experiments.reproduce import Options, Table, told
from poise.judge.audit import audit
from poise.motion.load import load_clip
from poise.rehearsal.get_up import get_up, stands_at
from poise.rehearsal.judged import performed
from poise.rehearsal.lying import WAYS
from poise.rehearsal.passage import passage

WALK = 4.0  # [s] that it walks on
LATEST = 6.0  # [s] by which it should stand
COLUMNS = ("lies on its", "seed", "stands at s", "walks on s", "up in time", "audit", "searches", "CPU s")


def run(options: Options) -> Table:
    """As many random poses as seeds: the front, the back, the left and the right in turn."""
    rows, walk = [], load_clip("walk")
    passage(load_clip("stand"), walk, WALK)  # remembered: the repair has a table of its own
    for k in range(options.seeds):
        way, seed = WAYS[k % len(WAYS)], k // len(WAYS)
        if not options.wants(way):
            continue
        begun = time.process_time()
        plan = get_up(walk, way, seed=seed, seconds=WALK, threads=1)
        cpu = time.process_time() - begun
        take, stands = performed(plan), stands_at(plan)
        good = plan.whole and stands is not None and stands <= LATEST
        goes = plan.seconds - stands if plan.whole and stands is not None else 0.0
        rows.append(told((way, seed, "-" if stands is None else round(stands, 2), round(goes, 2), good,
                          audit(take).passed, len(plan.passes), round(cpu, 1))))  # fmt: skip
        options.film(take, f"getup {way} {seed}")
    up = sum(bool(r[4]) for r in rows)
    notes = (f"{up} of {len(rows)} stand within {LATEST:g} s and walk on",
             f"CPU s: median {np.median([r[7] for r in rows]):.0f}" if rows else "")  # fmt: skip
    return Table("Getting up, and walking on", COLUMNS, tuple(rows), notes)
