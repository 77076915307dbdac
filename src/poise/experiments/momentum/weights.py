"""Sections 4.7.2 and 4.8.5: with and without minimisation of angular momentum, and a wide range of weights."""

from __future__ import annotations

import numpy as np

from poise.experiments.momentum.clips import long_stride
from poise.experiments.momentum.timing import _effort
from poise.experiments.momentum.trial import AFTER, back, moment, performed, push
from poise.experiments.reproduce import Options, Table
from poise.motion.load import load_clip


def spin(options: Options) -> Table:
    """The long stride under pushes, with w^a as it is and with none."""
    clip, rows = long_stride(), []
    for force in (50.0, 100.0, 150.0):
        cells: list[str] = []
        for weight in (5000.0, 0.0):
            settings = {"spin": weight}
            calm = performed(clip, "ours", 9.0, settings=settings)
            good, effort = 0, []
            for k in range(options.seeds):
                at = moment(clip, k, options.seeds)
                events = (push(force, 360.0 * k / options.seeds, at, 0.2),)
                take = performed(clip, "ours", at + 0.2 + AFTER, events, settings)
                good += back(take, at + 0.2, calm)
                effort.append(_effort(take))
            cells += [f"{good}/{options.seeds}", f"{np.mean(effort):.0f}"]
        rows.append((force, *cells))
    return Table("Long stride, pushes of 0.2 s from all sides, with and without minimisation of angular momentum",
                 ("force [N]", "with", "force rms [N]", "without", "force rms [N] "), tuple(rows))  # fmt: skip


def run(options: Options) -> Table:
    """A walk, undisturbed and pushed with 100 N for 0.2 s, over a range of w^t and w^a."""
    clip, rows = load_clip("walk"), []
    for track in (50.0, 500.0, 5000.0):
        for weight in (50.0, 500.0, 5000.0, 50000.0):
            settings = {"track": track, "spin": weight}
            calm = performed(clip, "ours", 9.0, settings=settings)
            good = 0
            for k in range(options.seeds):
                at = moment(clip, k, options.seeds)
                take = performed(clip, "ours", at + 5.25, (push(100.0, 360.0 * k / options.seeds, at, 0.2),), settings)
                good += back(take, at + 0.2, calm)
            off = calm.tracking_error()
            rows.append((track, weight, str(calm.ended), float(np.degrees(off.joints)), f"{good}/{options.seeds}"))
    return Table("A wide range of weights, walk", ("w^t", "w^a", "undisturbed", "joints [deg]", "recovered"),
                 tuple(rows))  # fmt: skip
