"""mcsim/walk: walking in three dimensions for 20 s, on human42, human57 and bodies made from recordings."""

from __future__ import annotations

from poise.experiments.mcsim.runs import COLUMNS, NOTE, film, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.load import load_clip


def run(options: Options) -> Table:
    """Both characters with all departures, and the paper's own formulation beside them."""
    rows, figures = [], []
    for name in ("human42", "human57"):
        clip = load_clip("walk", character=name)
        outcomes = run_seeds(clip, McSim(), options.seeds, 20.0)
        rows.append(row(f"{name}, with departures", outcomes))
        figures += film(outcomes[0], options.out, f"mcsim-walk-{name}")
        rows.append(row(f"{name}, as printed", run_seeds(clip, McSim.printed(), options.seeds, 5.0)))
    if options.folder is not None:
        for path in ("cmu/02_01.bvh", "cmu/12_01.bvh"):
            clip = load_clip(str(options.folder / path)).loop()
            outcomes = run_seeds(clip, McSim(), options.seeds, 20.0)
            rows.append(row(f"{path}, its own body", outcomes))
            figures += film(outcomes[0], options.out, f"mcsim-walk-{clip.name}")
    notes = ("20 s (as printed: 5 s), starts over one cycle.", NOTE)
    return Table("Walking in three dimensions", COLUMNS, tuple(rows), notes, tuple(figures))
