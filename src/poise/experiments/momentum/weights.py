"""Sections 4.7.2 and 4.8.5: with and without minimisation of angular momentum, and a wide range of weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from poise.experiments.momentum.clips import long_stride
from poise.experiments.momentum.trial import MEASURED, Score, all_round, columns, moment, push
from poise.experiments.reproduce import Options, Table, told
from poise.motion.clip import Clip
from poise.motion.load import load_clip

LASTS = 0.2  # [s]


def _pushed(clip: Clip, settings: Mapping[str, Any], force: float, phases: int, form: str = "ours") -> Score:
    """Pushes of 0.2 s from all sides."""
    score = Score(clip, form, settings)
    for phase, side in all_round(phases):
        at = moment(clip, phase, phases)
        score.add((push(force, side, at, LASTS),), at + LASTS)
    return score


def spin(options: Options) -> Table:
    """The long stride under pushes, with the form's own w^a and with none, and the contact forces that it takes."""
    clip, rows = long_stride(), []
    for form, forces in (("printed", (25.0, 50.0, 100.0)), ("ours", (100.0, 150.0, 200.0))):
        for force in forces:
            if options.wants(form):
                scores = [_pushed(clip, settings, force, options.seeds, form) for settings in ({}, {"spin": 0.0})]
                rows.append(told((form, force, *(x for score in scores for x in score.cells))))
    return Table("Long stride, pushes of 0.2 s from all sides, with and without minimisation of angular momentum",
                 ("form", "force [N]", *columns("with", "without")), tuple(rows), (MEASURED,))  # fmt: skip


def run(options: Options) -> Table:
    """A walk, undisturbed and pushed with 100 N for 0.2 s, over a range of w^t and w^a."""
    clip, rows = load_clip("walk"), []
    for track in (50.0, 500.0, 5000.0):
        for weight in (50.0, 500.0, 5000.0, 50000.0):
            score = _pushed(clip, {"track": track, "spin": weight}, 100.0, options.seeds)
            off = float(np.degrees(score.calm.tracking_error().joints))
            rows.append(told((track, weight, str(score.calm.ended), off, score.cell)))
    return Table("A wide range of weights, walk", ("w^t", "w^a", "undisturbed", "joints [deg]", "recovered"),
                 tuple(rows))  # fmt: skip
