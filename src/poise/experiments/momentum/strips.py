"""Figures 10 and 16, pushes, stairs and ice as filmstrips beside the reference: what numbers do not show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.experiments.momentum.clips import long_stride
from poise.experiments.momentum.timing import staircase
from poise.experiments.momentum.trial import moment, performed, push
from poise.experiments.reproduce import Options, Table, told
from poise.motion.load import load_clip
from poise.stage import Slippery
from poise.take import Take


def run(options: Options) -> Table:
    """One take of each sight, drawn into the folder `--out`."""
    rows, drawn = [], []
    for name, make in SIGHTS.items():
        if options.wants(name):
            take = make()
            drawn += options.film(take, name, reference=True)
            rows.append(told((name, str(take.ended), float(np.degrees(take.tracking_error().joints)))))
    return Table("Sights of momentum", ("sight", "ended", "joints [deg]"), tuple(rows), (), tuple(drawn))


def _pushed(name: str, force: float, side: float, lasts: float, seconds: float) -> Take:
    clip = load_clip(name)
    at = moment(clip, 2, 8)
    return performed(clip, "ours", at + lasts + seconds, (push(force, side, at, lasts),))


def _stairs(rise: float) -> Take:
    clip = load_clip("walk")
    return performed(clip, "ours", 5.0, ground=staircase(clip, rise))


def _figure_10() -> Take:
    clip = long_stride()
    return performed(clip, "ours", 5.5, ground=staircase(clip, 0.1))


SIGHTS: dict[str, Callable[[], Take]] = {
    "push left": lambda: _pushed("walk", 200.0, 90.0, 0.3, 2.0),
    "push back": lambda: _pushed("walk", 200.0, 180.0, 0.3, 2.5),
    "push forward": lambda: _pushed("walk", 200.0, 0.0, 0.3, 2.0),
    "stairs up": lambda: _stairs(0.2),
    "stairs down": lambda: _stairs(-0.2),
    "figure 10 long stride": _figure_10,
    "figure 16a squat": lambda: _pushed("squat", 60.0, 180.0, 0.2, 4.0),
    "figure 16b hop": lambda: _pushed("hop", 50.0, 0.0, 0.1, 2.0),
    "figure 16c run": lambda: _pushed("run", 50.0, 90.0, 0.2, 2.0),
    "run": lambda: performed(load_clip("run"), "ours", 2.5),
    "ice": lambda: performed(load_clip("walk"), "ours", 3.0, (Slippery(0.1, 1.2, 0.5),)),
}
