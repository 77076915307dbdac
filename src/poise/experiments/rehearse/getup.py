"""Getting up: limp bodies that were let fall on their front, back and sides, and whether they stand and walk on."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.experiments.kept import KeptRows
from poise.experiments.reproduce import Options, Table
from poise.judge.audit import audit
from poise.motion.clip import Clip
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
    rows, walk, kept = [], load_clip("walk"), KeptRows(options, "rehearse/getup")
    passage(load_clip("stand"), walk, WALK)  # remembered: the repair has a table of its own
    for k in range(options.seeds):
        way, seed = WAYS[k % len(WAYS)], k // len(WAYS)
        if options.wants(way):
            rows.append(kept.row((way, seed), partial(_got_up, options, walk, way, seed)))
    up = sum(bool(r[4] and r[5]) for r in rows)
    notes = (f"{up} of {len(rows)} stand within {LATEST:g} s, walk on and pass the audit",
             f"CPU s: median {np.median([r[7] for r in rows]):.0f}" if rows else "")  # fmt: skip
    return Table("Getting up, and walking on", COLUMNS, tuple(rows), notes)


def _got_up(options: Options, walk: Clip, way: str, seed: int) -> tuple[Any, ...]:
    begun = time.process_time()
    try:
        plan = get_up(walk, way, seed=seed, seconds=WALK, threads=1)
    except PoiseError:  # not even a first step
        return way, seed, "-", 0.0, False, False, 0, round(time.process_time() - begun, 1)
    cpu = time.process_time() - begun
    take, stands = performed(plan), stands_at(plan)
    good = plan.whole and take.ended.whole and stands is not None and stands <= LATEST
    goes = plan.seconds - stands if plan.whole and stands is not None else 0.0
    if options.out is not None:
        plan.save(options.out / f"getup-{way}-{seed}.rehearsed.npz", overwrite=True)
        take.save(options.out / f"getup-{way}-{seed}.png", overwrite=True)
    return (way, seed, "-" if stands is None else round(stands, 2), round(goes, 2), good, audit(take).passed,
            len(plan.passes), round(cpu, 1))  # fmt: skip
