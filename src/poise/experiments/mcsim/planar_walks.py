"""mcsim/planar: biped18 on sagittal projections, by the paper's own formulation with its errors corrected."""

from __future__ import annotations

from poise.experiments.mcsim.planar import sagittal
from poise.experiments.mcsim.runs import COLUMNS, film, length, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.load import load_clip

MOTIONS = ("walk", "run", "jump", "march", "sneak", "backward")


def run(options: Options) -> Table:
    """Walk, run, jump and others in the plane."""
    rows, figures = [], []
    for name in MOTIONS:
        clip = sagittal(load_clip(name))
        way = McSim.printed(planar=True, **GAINS.get(name, {}))
        outcomes = run_seeds(clip, way, options.seeds, length(clip, 10.0))
        rows.append(row(name, outcomes))
        figures += film(outcomes[0], options.out, f"mcsim-planar-{name}")
    notes = ("10 s of a loop; an open clip to its end and 1 s after. The rail that keeps the body in its plane is "
             "recorded as assistance.",)  # fmt: skip
    return Table("biped18 in the plane, as printed", COLUMNS, tuple(rows), notes, tuple(figures))


GAINS: dict[str, dict[str, float]] = {  # tuned by hand for a motion, as in table 1 of the paper
    "walk": {"k": 0.2}, "run": {"k": 0.2, "kos": 600.0},
}  # fmt: skip
