"""Every recording and every built-in clip rehearsed on its own body, and what the feedback methods make of it.

With a folder for figures each plan is kept there with its filmstrip and its row: a table that was stopped goes on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.experiments.kept import KeptRows
from poise.experiments.reproduce import Options, Table
from poise.judge.audit import audit
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import built_in, load_clip
from poise.motion.reference import Reference
from poise.performance import perform
from poise.physical.prepare import prepared
from poise.rehearsal.judged import performed
from poise.rehearsal.passes import rehearse

COLUMNS = ("clip", "seed", "s", "ended", "at s", "followed", "audit", "joints °", "root cm", "touching", "passes",
           "CPU s/s", "why not")  # fmt: skip
LOOP = 4.0  # [s] of a built-in loop
CHANGES = {"mirrored": edit.Mirror(), "slower": edit.Warp(speed=0.9), "faster": edit.Warp(speed=1.1)}
METHODS = ("pd", "mcsim", "modal-torques", "momentum-torques", "balance")


def run(options: Options) -> Table:
    """Whole, followed and true, or where and why not; each seed a row."""
    rows, kept = [], KeptRows(options, "rehearse/clips")
    for name, clip in _clips(options):
        rows += [kept.row((name, seed), partial(_rehearsed, options, name, clip, seed))
                 for seed in range(options.seeds)]  # fmt: skip
    return _table("Rehearsed on their own bodies", rows)


def _table(title: str, rows: list[tuple[Any, ...]]) -> Table:
    good = [r for r in rows if r[5] and r[6]]
    cpu = sorted(float(r[11]) for r in rows if r[11] != "-")
    notes = [f"{len(good)} of {len(rows)} whole, followed and true"]
    if cpu:
        notes.append(f"CPU s for a second of clip: median {np.median(cpu):.1f}, worst {cpu[-1]:.1f}")
    return Table(title, COLUMNS, tuple(rows), tuple(notes))


def changed(options: Options) -> Table:
    """The same mirrored, slower and faster: clips on which nothing was chosen."""
    rows, kept = [], KeptRows(options, "rehearse/changed")
    for name, clip in _clips(options):
        rows += [kept.row((name, label), partial(_changed, options, name, clip, label))
                 for label in tuple(CHANGES)[: options.seeds]]  # fmt: skip
    return _table("Rehearsed mirrored, slower and faster", rows)


def _changed(options: Options, name: str, clip: Clip, label: str) -> tuple[Any, ...]:
    return _rehearsed(options, f"{name} {label}", clip.edit(CHANGES[label]), 0)


def _clips(options: Options) -> Iterator[tuple[str, Clip]]:
    for path in options.files():
        yield path.stem, load_clip(path)
    for name in built_in():
        if options.wants(name):
            yield name, load_clip(name)


def _rehearsed(options: Options, name: str, clip: Clip, seed: int) -> tuple[Any, ...]:
    seconds = LOOP if clip.cycle is not None else None
    try:
        prepared(Reference(clip), clip.stage().ground)  # remembered: the repair has a table of its own
        begun = time.process_time()
        plan = rehearse(clip, seed=seed, seconds=seconds, threads=1)  # CPU time is measured
    except PoiseError as error:
        return name, seed, clip.duration, "refused", 0.0, False, False, "-", "-", "-", 0, "-", str(error)
    cpu = (time.process_time() - begun) / plan.seconds
    take = performed(plan)
    judged, report = take.followed(), audit(take)
    m = judged.measures
    why = "; ".join([*judged.reasons, *report.problems])
    if options.out is not None:
        plan.save(options.out / f"{name}-{seed}.rehearsed.npz", overwrite=True)
        if seed == 0:
            take.save(options.out / f"{name}.png", overwrite=True)
    return (name, seed, round(plan.seconds, 2), str(take.ended), round(plan.reached, 2), bool(judged), report.passed,
           round(m["joints"], 1), round(100 * m["root"], 1), round(m["touching"], 2), len(plan.passes), round(cpu, 1),
           why)  # fmt: skip


def compared(options: Options) -> Table:
    """The same clips by the feedback methods and rehearsed, undisturbed: followed, whole, or when it fell."""
    rows, kept = [], KeptRows(options, "rehearse/compared")
    columns = (*METHODS, "rehearsed")
    for name, clip in _clips(options):
        rows.append((name, *(kept.row((name, m), partial(_by, name, clip, m))[2] for m in columns)))
    followed = [sum(str(r[k]).startswith("followed") for r in rows) for k in range(1, len(columns) + 1)]
    return Table("Feedback methods on the same clips", ("clip", *columns), (*rows, ("followed", *followed)))


def _by(name: str, clip: Clip, method: str) -> tuple[str, str, str]:
    seconds = LOOP if clip.cycle is not None else None
    try:
        if method == "rehearsed":
            take = performed(rehearse(clip, seconds=seconds, threads=1))
        else:
            take = perform(clip, method, seconds=seconds)
    except PoiseError:
        return name, method, "refused"
    if take.ended.whole:
        return name, method, "followed" if take.followed() else "whole"
    return name, method, f"{take.ended} {take.ended.time:.2f} s"
