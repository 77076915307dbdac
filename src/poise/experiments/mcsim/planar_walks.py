"""mcsim/planar: biped18 on sagittal projections, by the paper's own formulation with its errors corrected."""

from __future__ import annotations

from pathlib import Path

from poise.experiments.mcsim.planar import sagittal
from poise.experiments.mcsim.runs import COLUMNS, NOTE, film, length, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip

MOTIONS = ("walk", "run", "jump", "march", "sneak", "backward")
RECORDED = {"jog (02_03)": ("run", "02_03"), "run (09_01)": ("run", "09_01"), "forward jump (16_05)": ("jump", "16_05")}
GAINS: dict[str, dict[str, float]] = {  # chosen by hand for a motion, as in table 1 of the paper
    "run": {"kos": 450.0, "cv": 0.25},
    "jump": {"kos": 300.0, "grip_damping": 40.0},
}


def way_of(motion: str) -> McSim:
    """The paper's formulation with the gains of a motion."""
    return McSim.printed(planar=True, **{"k": 0.2, **GAINS.get(motion, {})})


def run(options: Options) -> Table:
    """Walk, run, jump and others in the plane; with a folder of recordings, some of these too."""
    cases: list[tuple[str, McSim, Clip]] = [(name, way_of(name), load_clip(name)) for name in MOTIONS]
    if options.folder is not None:
        cases += [(name, way_of(kind), _recorded(options.folder, file)) for name, (kind, file) in RECORDED.items()]
    rows, figures = [], []
    for name, way, clip in cases:
        flat = sagittal(clip)
        outcomes = run_seeds(flat, way, options.seeds, length(flat, 10.0))
        rows.append(row(name, outcomes))
        figures += film(outcomes[0], options.out, f"mcsim-planar-{name}")
    notes = ("10 s of a loop; an open clip to its end, and 1 s after where it ends at rest. The rail that keeps the "
             "body in its plane is recorded as assistance.", NOTE)  # fmt: skip
    return Table("biped18 in the plane, as printed", COLUMNS, tuple(rows), notes, tuple(figures))


def _recorded(folder: Path, file: str) -> Clip:
    return load_clip(folder / "cmu" / f"{file}.bvh")
