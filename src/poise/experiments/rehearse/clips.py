"""Every recording and every built-in clip rehearsed on its own body, and what the feedback methods make of it.

With a folder for figures each plan is kept there with its filmstrip and its row, so that a table that was stopped goes
on where it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.experiments.reproduce import Options, Table, told
from poise.judge.audit import audit
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
METHODS = ("pd", "mcsim", "modal-torques", "momentum-torques", "balance")


def run(options: Options) -> Table:
    """Whole, followed and true, or where and why not; each seed a row."""
    rows = []
    for name, clip in _clips(options):
        rows += [told(_remembered(options, name, seed) or _rehearsed(options, name, clip, seed))
                 for seed in range(options.seeds)]  # fmt: skip
    good = [r for r in rows if r[5] and r[6]]
    cpu = sorted(float(r[11]) for r in rows if r[11] != "-")
    notes = [f"{len(good)} of {len(rows)} whole, followed and true"]
    if cpu:
        notes.append(f"CPU s for a second of clip: median {np.median(cpu):.1f}, worst {cpu[-1]:.1f}")
    return Table("Rehearsed on their own bodies", COLUMNS, tuple(rows), tuple(notes))


def _clips(options: Options) -> Iterator[tuple[str, Clip]]:
    for path in options.files():
        yield path.stem, load_clip(path)
    for name in built_in():
        if options.wants(name):
            yield name, load_clip(name)


def _remembered(options: Options, name: str, seed: int) -> tuple[Any, ...] | None:
    file = None if options.out is None else options.out / "rows.jsonl"
    if file is None or not file.is_file():
        return None
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row[:2] == [name, seed]:
            return tuple(row)
    return None


def _rehearsed(options: Options, name: str, clip: Clip, seed: int) -> tuple[Any, ...]:
    seconds = LOOP if clip.cycle is not None else None
    try:
        prepared(Reference(clip), clip.stage().ground)  # remembered: the repair has a table of its own
        begun = time.process_time()
        plan = rehearse(clip, seed=seed, seconds=seconds, threads=1)  # CPU time is measured
    except PoiseError as error:
        return _kept(
            options, (name, seed, clip.duration, "refused", 0.0, False, False, "-", "-", "-", 0, "-", str(error))
        )
    cpu = (time.process_time() - begun) / plan.seconds
    take = performed(plan)
    judged, report = take.followed(), audit(take)
    m = judged.measures
    why = "; ".join([*judged.reasons, *report.problems])
    if options.out is not None:
        plan.save(options.out / f"{name}-{seed}.rehearsed.npz", overwrite=True)
        take.save(options.out / f"{name}-{seed}.png", overwrite=True)
    row = (name, seed, round(plan.seconds, 2), str(take.ended), round(plan.reached, 2), bool(judged), report.passed,
           round(m["joints"], 1), round(100 * m["root"], 1), round(m["touching"], 2), len(plan.passes), round(cpu, 1),
           why)  # fmt: skip
    return _kept(options, row)


def _kept(options: Options, row: tuple[Any, ...]) -> tuple[Any, ...]:
    if options.out is not None:
        with (options.out / "rows.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
    return row


def compared(options: Options) -> Table:
    """The same clips by the feedback methods, undisturbed: whole and followed, whole, or when it fell."""
    rows = []
    for name, clip in _clips(options):
        seconds = LOOP if clip.cycle is not None else None
        rows.append(told((name, *(_by(clip, method, seconds) for method in METHODS))))
    return Table("Feedback methods on the same clips", ("clip", *METHODS), tuple(rows))


def _by(clip: Clip, method: str, seconds: float | None) -> str:
    try:
        take = perform(clip, method, seconds=seconds)
    except PoiseError:
        return "refused"
    if take.ended.whole:
        return "followed" if take.followed() else "whole"
    return f"{take.ended} {take.ended.time:.2f} s"
