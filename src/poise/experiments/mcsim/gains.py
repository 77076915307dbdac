"""mcsim/gains: the ranges of table 1: which k and k_os work."""

from __future__ import annotations

from poise.experiments.mcsim.planar import sagittal
from poise.experiments.mcsim.runs import run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.load import load_clip

SCALES, GAINS = (0.005, 0.02, 0.05, 0.2, 0.5), (300.0, 600.0, 1000.0, 2000.0)
MOTIONS, SECONDS = ("walk", "backward", "march"), 5.0


def run(options: Options) -> Table:
    """How many of the planar walks of each kind stay up, for every pair of gains."""
    rows = []
    for name in MOTIONS:
        clip = sagittal(load_clip(name))
        for k in SCALES:
            ways = [McSim.printed(planar=True, k=k, kos=kos) for kos in GAINS]
            counts = [sum(o.ok for o in run_seeds(clip, way, options.seeds, SECONDS)) for way in ways]
            rows.append((name, k, *(f"{c} of {options.seeds}" for c in counts)))
    notes = ("The paper: k from 0.005 to 0.5 and k_os from 300 to 2000 'typically work'.",)
    return Table("Table 1: ranges of the gains, 5 s in the plane", ("motion", "k", *(f"k_os {g:g}" for g in GAINS)),
                 tuple(rows), notes)  # fmt: skip
