"""Recordings that are hard to follow, with settings and starts that differ by little: is staying up a matter of luck?

python -m poise.experiments.balance.nearby --recordings MOCAP
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import BadValue
from poise.experiments.balance.table import Options, Table, main, say
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform

CLIPS = {"144_05*": 0.0, "22_14*": 0.0, "135_06*": 0.0, "16_17*": 0.4}  # and where they begin [s]
CHANGES: tuple[dict[str, float], ...] = (
    {}, {"kts": 380.0}, {"kts": 420.0}, {"stiffness": 0.96}, {"stiffness": 1.04}, {"kfs": 850.0}, {"kfs": 950.0},
    {"ktd": 84.0}, {"start": 0.02}, {"start": 0.05},
)  # fmt: skip


def run(options: Options) -> Table:
    """One row a recording: how many of ten performances stay up, when the others fell, the error of the joints."""
    if options.folder is None:
        raise BadValue("Give the folder of recordings with --folder: it has cmu/ with .bvh files.")
    rows = []
    for pattern, start in CLIPS.items():
        found = sorted(Path(options.folder).glob(f"cmu/{pattern}.bvh"))
        if found:
            rows.append(_row(load_clip(found[0]), start))
            say(rows[-1])
    return Table("Recordings with settings changed by 4 to 6 % or begun 0.02 and 0.05 s later",
                 ("clip", "stay up", "fell at [s]", "joints rms, median [deg]"), tuple(rows))  # fmt: skip


def _row(clip: Clip, start: float) -> tuple[Any, ...]:
    fell, errors = [], []
    for change in CHANGES:
        begin = start + change.get("start", 0.0)
        method = replace(Balance(), **{name: value for name, value in change.items() if name != "start"})
        take = perform(clip, method, start=begin, seconds=clip.duration - begin)
        fell += [] if take.ended.whole else [take.ended.time]
        broke = take.ended == "blew up"
        errors.append(np.inf if broke else float(np.degrees(take.tracking_error().joints)))
    times = " ".join(f"{t:.2f}" for t in sorted(fell))
    return (clip.name, f"{len(CHANGES) - len(fell)}/{len(CHANGES)}", times, float(np.median(errors)))


if __name__ == "__main__":
    main(run)
