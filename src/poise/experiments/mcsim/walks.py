"""mcsim/walk: walking in three dimensions for 20 s, on human42, human57 and bodies made from recordings."""

from __future__ import annotations

from poise.experiments.mcsim.runs import COLUMNS, GLANCE, NOTE, film, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.load import load_clip


def run(options: Options) -> Table:
    """Both characters with all departures, and the paper's own formulation beside them."""
    rows, figures = [], []
    for name in ("human42", "human57"):
        clip = load_clip("walk", character=name)
        outcomes = run_seeds(clip, McSim(), options.seeds, 20.0)
        rows.append(row(f"{name}, ours", outcomes))
        figures += film(outcomes[0], options.out, f"mcsim-walk-{name}")
        rows.append(
            row(f"{name}, document's form", run_seeds(clip, McSim.printed(), options.seeds, 20.0, glance=GLANCE))
        )
    if options.folder is not None:
        for path in ("cmu/02_01.bvh", "cmu/12_01.bvh"):
            clip = load_clip(str(options.folder / path)).loop()
            outcomes = run_seeds(clip, McSim(), options.seeds, 20.0)
            rows.append(row(f"{path}, its own body, ours", outcomes))
            figures += film(outcomes[0], options.out, f"mcsim-walk-{clip.name}")
    notes = ("20 s, starts over one cycle.", NOTE)
    return Table("Walking in three dimensions", COLUMNS, tuple(rows), notes, tuple(figures))
