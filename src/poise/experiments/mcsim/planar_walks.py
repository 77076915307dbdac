"""mcsim/planar: biped18 on sagittal projections, by the document's own form and with its balance feedback steadied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from poise.experiments.mcsim.planar import sagittal
from poise.experiments.mcsim.runs import GLANCE, NOTE, distance, error, film, length, run_seeds, up
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip

MOTIONS = ("walk", "run", "jump", "march", "sneak", "backward")
RECORDED = {"jog (02_03)": ("run", "02_03"), "run (09_01)": ("run", "09_01"), "forward jump (16_05)": ("jump", "16_05")}
GAINS: dict[str, dict[str, float]] = {  # by hand for a motion, as in table 1; (11) where the paper says it helps
    "run": {"kos": 450.0, "cd": 0.1, "cv": 0.02}, "jump": {"kos": 300.0}, "platform": {"cd": 0.1},
}  # fmt: skip
STEADIED = ("relative", "flight")  # departures of the balance feedback (11)
OURS: dict[str, dict[str, float]] = {"run": {"cv": 0.25}, "jump": {"grip_damping": 40.0}}


def way_of(motion: str) -> McSim:
    """The document's form with the gains of a motion."""
    return McSim.printed(planar=True, **{"k": 0.2, **GAINS.get(motion, {})})


def steadied(motion: str) -> McSim:
    """The same with balance feedback on the differences from the reference, and slipping feet damped in a jump."""
    own = {"cd": 0.5, "cv": 0.3, **OURS.get(motion, {})}
    return replace(way_of(motion), departures=STEADIED, **own)


def run(options: Options) -> Table:
    """Walk, run, jump and others in the plane; with a folder of recordings, some of these too."""
    cases = [(name, name, load_clip(name)) for name in MOTIONS]
    if options.folder is not None:
        cases += [(name, kind, _recorded(options.folder, file)) for name, (kind, file) in RECORDED.items()]
    rows, figures = [], []
    for name, kind, clip in cases:
        flat = sagittal(clip)
        printed, ours = (run_seeds(flat, way, options.seeds, length(flat, 10.0), glance=GLANCE)
                         for way in (way_of(kind), steadied(kind)))  # fmt: skip
        rows.append((name, *(x for c in (printed, ours) for x in (up(c), error(c), distance(c)))))
        figures += film(printed[0], options.out, f"mcsim-planar-{name}")
    notes = ("Stayed up, and the first fall; joint error [rad] until then; distance beside that of the reference. 10 s "
             "of a loop; an open clip to its end, and 1 s after where it ends at rest. The rail that keeps the body in "
             "its plane is recorded as assistance.",
             "Document's form: feedback (11) as printed. Ours here: (11) on the differences from the reference, also "
             "in flight; slipping feet of the jump damped. No other departure.", NOTE)  # fmt: skip
    columns = ("motion", "document's form", "error", "distance", "ours", "error ", "distance ")
    return Table("biped18 in the plane", columns, tuple(rows), notes, tuple(figures))


def _recorded(folder: Path, file: str) -> Clip:
    return load_clip(folder / "cmu" / f"{file}.bvh")
