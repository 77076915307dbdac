"""mcsim/pushes: pushes of 0.1 s at the chest of a walker, from all sides and in all phases, strictly scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import MissingExtra
from poise.experiments.mcsim.runs import HELD_OUT, NOTE, phase
from poise.experiments.reproduce import Options, Table
from poise.maths.rotations import Array
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.simulate.guard import BlowUp
from poise.stage import Push, Stage

FORCES = (100.0, 150.0, 250.0)  # [N]
DIRECTIONS, AT, DURATION, AFTER = 16, 0.6, 0.1, 5.0  # [s]


def run(options: Options) -> Table:
    """Share recovered, 16 directions x as many phases as seeds, as a table and a polar map."""
    clip = load_clip("walk")
    shares = {force: share(clip, force, options.seeds) for force in FORCES}
    rows = tuple((f"{force:g}", f"{100 * s.mean():.0f} %", *(f"{100 * x:.0f}" for x in s[:: DIRECTIONS // 8]))
                 for force, s in shares.items())  # fmt: skip
    ahead = tuple(f"{360 * k // 8}°" for k in range(8))
    figures = _polar(shares, options.out) if options.out is not None else ()
    notes = ("Share recovered after 5 s (back in the bands of the undisturbed walk, in step). 0° pushes forward, 90° "
             "to the left; every second direction is printed.", NOTE)  # fmt: skip
    return Table("Pushes at the chest, human42", ("force [N]", "recovered", *ahead), rows, notes, figures)


def share(clip: Clip, force: float, phases: int, directions: int = DIRECTIONS) -> Array:
    """Share recovered (directions,) over the phases of a loop."""
    out = np.zeros(directions)
    for k in range(directions):
        way = 2 * np.pi * k / directions
        push = Push("chest", (force * np.cos(way), force * np.sin(way), 0.0), AT, DURATION)
        out[k] = np.mean([recovered(clip, push, clip.duration * phase(p, phases), HELD_OUT + p) for p in range(phases)])
    return out


def recovered(clip: Clip, push: Push, start: float, seed: int) -> bool:
    """Is the walker back with its reference 5 s after a push?"""
    try:
        take = perform(clip, McSim(), stage=Stage(events=[push]), seconds=AT + DURATION + AFTER + 0.1, start=start,
                       noise=0.1, seed=seed)  # fmt: skip
    except BlowUp:
        return False
    return bool(take.recovered(AT + DURATION))


def _polar(shares: dict[float, Array], out: Path) -> tuple[str, ...]:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("The polar map", "plots") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(5, 5))
    axes: Any = figure.add_subplot(projection="polar")
    for force, s in shares.items():
        way = np.linspace(0, 2 * np.pi, len(s) + 1)
        axes.plot(way, np.append(s, s[0]), label=f"{force:g} N")
    axes.set_theta_zero_location("N")
    axes.set_ylim(0, 1.05)
    axes.set_title("Share recovered, by the direction of the push")
    axes.legend(loc="lower left")
    path = out / "mcsim-pushes.png"
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return (str(path),)
