"""mcsim/pushes: pushes of 0.1 s at the chest of a walker, from all sides and in all phases, scored by two bands.

The bands of the undisturbed run from the same start with the same noise, and the default bands of `recovered`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from poise.experiments.mcsim.planar import sagittal, way_of
from poise.experiments.mcsim.runs import FORMS, GLANCE, HELD_OUT, NOISE, NOTE, outcome, phase
from poise.experiments.reproduce import Options, Table
from poise.export.plots import figure_of
from poise.maths.rotations import Array
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.stage import Push, Stage
from poise.take import Take

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORCES = (100.0, 150.0, 250.0)  # [N]
DIRECTIONS, AT, DURATION, AFTER = 16, 0.6, 0.1, 5.0  # [s]


def run(options: Options) -> Table:
    """Share recovered as a table and a polar map: ours in 16 directions, the document's form in those that it has."""
    walk, rows, maps = load_clip("walk"), [], {}
    quiet: dict[str, list[Take | None]] = {}
    ways = {FORMS[0]: (sagittal(walk), way_of("walk"), (0.0, 180.0)),
            FORMS[1]: (walk, McSim.printed(), (0.0, 90.0, 180.0, 270.0)),
            FORMS[2]: (walk, McSim(), tuple(360.0 * k / DIRECTIONS for k in range(DIRECTIONS)))}  # fmt: skip
    for form, (clip, way, _) in ways.items():
        quiet[form] = [undisturbed(clip, way, p, options.seeds) for p in range(options.seeds)]
    rows.append(
        ("none", *(f"{sum(q is not None for q in quiet[f])} of {options.seeds}" for f in FORMS for _ in (0, 1)))
    )
    for force in FORCES:
        cells = []
        for form, (clip, way, directions) in ways.items():
            found = shares(clip, way, force, quiet[form], directions)
            count = len(directions) * options.seeds
            cells += [f"{round(count * share.mean())} of {count}" for share in found]
            if form == FORMS[2]:
                maps[force] = found[0]
        rows.append((f"{force:g}", *cells))
    figures = options.plot(lambda: _polar(maps), "mcsim-pushes")
    notes = ("Recovered 5 s after a push of 0.1 s at the chest; strict: back in the bands of the undisturbed run from "
             "the same start (which must have stayed up), and in step; default: in the bands that recovered() has "
             "without one. Without a push: stayed up.",
             "In the plane biped18, pushed forwards and back; document's form in 3D: human42, 4 directions; ours: 16. "
             "As many phases of the walk as starts.", NOTE)  # fmt: skip
    columns = ("force [N]", *(f"{f}, {band}" for f in FORMS for band in ("strict", "default")))
    return Table("Pushes at the chest", columns, tuple(rows), notes, figures)


def undisturbed(clip: Clip, way: McSim, run: int, runs: int) -> Take | None:
    """The take without a push of one of some runs; None if it does not stay up."""
    return _stands(clip, way, clip.duration * phase(run, runs), HELD_OUT + run)


def shares(clip: Clip, way: McSim, force: float, quiet: list[Take | None], directions: tuple[float, ...]
           ) -> tuple[Array, Array]:  # fmt: skip
    """Shares recovered (directions,) over the phases of a loop, by the strict bands and by the default ones.

    `quiet` has the undisturbed take of every phase; directions in degrees, 0 forwards, 90 to the left.
    """
    runs = len(quiet)
    out = np.zeros((2, len(directions), runs))
    for k, degrees in enumerate(directions):
        way_of_push = np.radians(degrees)
        push = Push("chest", (force * np.cos(way_of_push), force * np.sin(way_of_push), 0.0), AT, DURATION)
        for p, calm in enumerate(quiet):
            take = _stands(clip, way, clip.duration * phase(p, runs), HELD_OUT + p, push)
            if take is not None:
                out[0, k, p] = calm is not None and bool(take.recovered(AT + DURATION, undisturbed=calm))
                out[1, k, p] = bool(take.recovered(AT + DURATION))
    return out[0].mean(axis=1), out[1].mean(axis=1)


def _stands(clip: Clip, way: McSim, start: float, seed: int, push: Push | None = None) -> Take | None:
    """The take of a walk, pushed or not, up to the judgement; None if it went down."""
    how: dict[str, Any] = {"stage": Stage(events=[push] if push else []), "start": start, "noise": NOISE, "seed": seed}
    if not way.departures and not outcome(clip, way, GLANCE, **how).ok:
        return None
    seen = outcome(clip, way, AT + DURATION + AFTER + 0.1, **how)
    return seen.take if seen.ok else None


def _polar(found: dict[float, Array]) -> Figure:
    figure = figure_of(5.0, 5.0)
    axes: Any = figure.add_subplot(projection="polar")
    for force, s in found.items():
        way = np.linspace(0, 2 * np.pi, len(s) + 1)
        axes.plot(way, np.append(s, s[0]), label=f"{force:g} N")
    axes.set_theta_zero_location("N")
    axes.set_ylim(0, 1.05)
    axes.set_title("Share recovered, by the direction of the push")
    axes.legend(loc="lower left")
    return figure
