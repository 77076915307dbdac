"""Section 4.8.4: motions of all kinds, undisturbed, by Newton's law, slip and friction cones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.experiments.momentum.trial import FORMS, performed
from poise.experiments.reproduce import Options, Table
from poise.judge import audit
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.take import Take

BUILT_IN = (("walk", 11.0), ("squat", 6.0), ("hop", 8.0), ("run", 8.0), ("turn", 11.0))  # [s]
STRIDE = 1.25  # times the walk's step: the long stride
RECORDED = ("cmu/12_01.bvh", "cmu/16_17_f0000-0460.bvh", "cmu/09_01.bvh", "deepmimic/humanoid3d_walk.txt",
            "deepmimic/humanoid3d_run.txt")  # fmt: skip
COLUMNS = ("clip", "form", "ended", "followed", "force rms [% W]", "worst", "moment rms [N m]", "slip [mm a step]",
           "cones [N]", "x real time")  # fmt: skip


def run(options: Options) -> Table:
    """Built-in clips, a long stride, and recordings where a folder is given."""
    rows = []
    for name, clip, seconds in _clips(options.recordings):
        for form in FORMS:
            rows.append((name, form, *_cells(clip, form, seconds)))
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return Table("Undisturbed motions, 20 steps or the whole clip", COLUMNS, tuple(rows),
                 ("Force and moment: what positions leave unexplained by the recorded contact forces.",))  # fmt: skip


def long_stride() -> Clip:
    """The walk with steps a quarter longer, made physical."""
    return load_clip("walk").edit(edit.Stride(STRIDE)).make_physical()


def _clips(folder: Path | None) -> list[tuple[str, Clip, float]]:
    out = [(name, load_clip(name), seconds) for name, seconds in BUILT_IN]
    out.insert(1, ("long stride", long_stride(), 11.0))
    for name in RECORDED if folder is not None else ():
        assert folder is not None
        clip = load_clip(folder / name)
        out.append((Path(name).name, clip, clip.duration))
    return out


def _cells(clip: Clip, form: str, seconds: float) -> tuple[Any, ...]:
    try:
        take = performed(clip, form, seconds)
    except PoiseError as error:
        return (f"refused: {error}", *("-",) * 7)
    report = audit(take)
    weight = report.weight
    return (str(take.ended), bool(take.followed()), 100.0 * report.position_force_rms / weight,
            100.0 * report.position_force_max.value / weight, report.position_torque_rms, slip(take),
            report.cone_violation, take.realtime_factor)  # fmt: skip


def slip(take: Take) -> float:
    """How far [mm] a corner that pushes moves over the ground during one stance: the 95th percentile of all stances."""
    places = take.character.points(take.q)
    touch, out = take.touching, []
    for p in range(places.shape[1]):
        rows = np.flatnonzero(touch[:, p])
        for part in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
            if len(part) > 3:
                way = places[part, p, :2]
                out.append(float(np.linalg.norm(way - way[0], axis=1).max()))
    return 1000.0 * float(np.percentile(out, 95)) if out else 0.0
