"""Section 4.8.4: motions of all kinds, undisturbed, by Newton's law, slip and friction cones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.experiments.momentum.trial import FORMS, performed
from poise.experiments.reproduce import Options, Table, told
from poise.judge import audit
from poise.maths.intervals import runs
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.take import Take

BUILT_IN = (("walk", 11.0), ("squat", 6.0), ("hop", 8.0), ("run", 8.0), ("turn", 11.0))  # [s]
STRIDE = 1.25  # times the walk's step: the long stride
RECORDED = ("02_01", "12_01", "16_17", "09_12", "08_07", "09_01", "02_03", "humanoid3d_walk", "humanoid3d_run")
COLUMNS = ("clip", "form", "ended", "followed", "force rms [% W]", "worst", "moment rms [N m]", "worst ",
           "slip [mm a step]", "cones [N]", "x real time")  # fmt: skip


def run(options: Options) -> Table:
    """Built-in clips, a long stride, and recordings where a folder is given."""
    rows = [told((name, form, *_cells(clip, form, seconds)))
            for name, clip, seconds in _clips(options) for form in FORMS]  # fmt: skip
    return Table("Undisturbed motions, 20 steps or the whole clip", COLUMNS, tuple(rows),
                 ("Force and moment: what positions leave unexplained by the recorded contact forces.",))  # fmt: skip


def long_stride() -> Clip:
    """The walk with steps a quarter longer, made physical."""
    return load_clip("walk").edit(edit.Stride(STRIDE)).make_physical()


def _clips(options: Options) -> Iterator[tuple[str, Clip, float]]:
    for name, seconds in BUILT_IN:
        if options.wants(name):
            yield name, load_clip(name), seconds
    if options.wants("long stride"):
        yield "long stride", long_stride(), 11.0
    for name in RECORDED:
        path = options.recording(name)
        if path is not None and options.wants(path.stem):
            clip = load_clip(path)
            yield path.name, clip, clip.duration


def _cells(clip: Clip, form: str, seconds: float) -> tuple[Any, ...]:
    try:
        take = performed(clip, form, seconds)
    except PoiseError as error:
        return (f"refused: {error}", *("-",) * 8)
    report = audit(take)
    weight = report.weight
    return (str(take.ended), bool(take.followed()), 100.0 * report.position_force_rms / weight,
            100.0 * report.position_force_max.value / weight, report.position_torque_rms,
            report.position_torque_max.value, slip(take),
            report.cone_violation, take.realtime_factor)  # fmt: skip


def slip(take: Take) -> float:
    """How far [mm] a corner that pushes moves over the ground during one stance: the 95th percentile of all stances."""
    places, rows = take.character.points(take.q), take.contacts
    points, pushes, out = take.character.contact_points, np.zeros(places.shape[:2], bool), []
    for body in np.unique(points.bodies):
        mine, some = np.flatnonzero(points.bodies == body), np.flatnonzero(rows.body == body)
        away = np.linalg.norm(places[rows.frame[some]][:, mine] - rows.point[some, None], axis=-1)
        pushes[rows.frame[some], mine[np.argmin(away, axis=1)]] = True
    for p in range(places.shape[1]):
        for first, end in runs(pushes[:, p]):
            if end - first > 3:  # the last frame that pushes ends where the next begins
                way = places[first : end + 1, p, :2]
                out.append(float(np.linalg.norm(way - way[0], axis=1).max()))
    return 1000.0 * float(np.percentile(out, 95)) if out else 0.0
