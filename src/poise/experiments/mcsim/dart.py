"""mcsim/dart: the walk in DART, by the same controller."""

from __future__ import annotations

from poise.experiments.mcsim.runs import COLUMNS, NOTE, film, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.load import load_clip


def run(options: Options) -> Table:
    """10 s of walking on two characters."""
    rows, figures, way = [], [], McSim()
    for name in ("human42", "human57"):
        outcomes = run_seeds(load_clip("walk", character=name), way, options.seeds, 10.0, simulator="dart")
        rows.append(row(f"{name} in DART", outcomes))
        figures += film(outcomes[0], options.out, f"mcsim-dart-{name}")
    notes = ("The same controller object as in MuJoCo; contacts by DART's boxed LCP, Bullet's collisions.", NOTE)
    return Table("The walk in DART", COLUMNS, tuple(rows), notes, tuple(figures))
