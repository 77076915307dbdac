"""mcsim/gains: table 1: k and k_os of every motion, and the corners of the ranges that the paper says work."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poise.character.load import load_character
from poise.experiments.mcsim.planar import sagittal, way_of
from poise.experiments.mcsim.runs import NOTE, length, run_seeds, up
from poise.experiments.mcsim.surroundings import put_seeds
from poise.experiments.reproduce import Options, Table
from poise.export.plots import figure_of
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical import library

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECONDS = 5.0
PRINTED: dict[str, tuple[float, float]] = {  # k and k_os of table 1
    "2D punchy": (0.02, 1000.0), "downhill": (0.02, 300.0), "walk wave": (0.02, 1000.0), "sneaky": (0.005, 500.0),
    "2D jump": (0.05, 1000.0), "run": (0.2, 600.0), "backwards": (0.05, 1000.0), "soldier": (0.01, 600.0),
    "march": (0.05, 1000.0), "limp": (0.08, 1000.0), "walk": (0.05, 1000.0),
}  # fmt: skip
BUILT_IN: dict[str, tuple[str, dict[str, float]]] = {
    "2D punchy": ("punch", {}), "downhill": ("walk", {}), "walk wave": ("wave", {}), "sneaky": ("sneak", {}),
    "2D jump": ("jump", {}), "run": ("run", {}), "backwards": ("backward", {}),
    "soldier": ("march", {"speed": 1.2, "height": 80.0}), "march": ("march", {}), "walk": ("walk", {}),
}  # fmt: skip
LIMP = "91_16"
CORNERS = ((0.005, 300.0), (0.005, 2000.0), (0.5, 300.0), (0.5, 2000.0))  # of the ranges that "typically work"
COLUMNS = ("table 1", *(f"k {k:g}, k_os {kos:g}" for k, kos in CORNERS), "ours")


def run(options: Options) -> Table:
    """How many of the planar motions of each kind stay up: gains of table 1, corners of its ranges, and our choice."""
    rows, counts = [], {}
    for name, (k, kos) in PRINTED.items():
        clip = _clip(name, options)
        if clip is None:
            rows.append((name, f"{k:g}, {kos:g}", *(("-",) * len(COLUMNS))))
            continue
        own = way_of(BUILT_IN[name][0] if name in BUILT_IN else name)
        ways = [*(replace(own, k=x, kos=y) for x, y in ((k, kos), *CORNERS)), own]
        if name == "downhill":
            cells = [put_seeds(clip, way, -10.0, options.seeds, SECONDS) for way in ways]
        else:
            cells = [run_seeds(clip, way, options.seeds, length(clip, SECONDS)) for way in ways]
        rows.append((name, f"{k:g}, {kos:g}", *(up(c) for c in cells)))
        counts[name] = np.array([sum(o.ok for o in c) for c in cells])
    figures = options.plot(lambda: _draw(counts, options.seeds), "mcsim-gains")
    notes = ("Stayed up for 5 s or the whole clip in the plane, and the first fall; the document's form with gains "
             "that it prints or allows, and with ours. The paper: k from 0.005 to 0.5 and k_os from 300 to 2000 "
             "'typically work'.",
             "Motions are projections of our own clips: punch, walk 10 degrees down, wave, sneak, jump, run, backward, "
             "march; the limp is a recording (--recordings FOLDER). The walk is not in table 1: gains of the march.",
             NOTE)  # fmt: skip
    return Table("Table 1: gains of all motions", ("motion", "k, k_os of table 1", *COLUMNS), tuple(rows), notes,
                 figures)  # fmt: skip


def _clip(name: str, options: Options) -> Clip | None:
    """The projection of a motion of table 1; None where its recording is not given."""
    if name in BUILT_IN:
        made, how = BUILT_IN[name]
        return sagittal(library.make(made, load_character("human42"), **how) if how else load_clip(made))
    path = options.recording(LIMP)
    return None if path is None else sagittal(load_clip(path))


def _draw(counts: dict[str, Array], seeds: int) -> Figure:
    """A map of how many stayed up, motions over gains."""
    sheet = figure_of(7.0, 0.4 * len(counts) + 1.5)
    ax, table = sheet.subplots(), np.array(list(counts.values()))
    ax.imshow(table, vmin=0, vmax=seeds, cmap="viridis", aspect="auto")
    ax.set_xticks(range(len(COLUMNS)), COLUMNS, fontsize=7)
    ax.set_yticks(range(len(counts)), list(counts))
    for (i, j), c in np.ndenumerate(table):
        ax.text(j, i, str(int(c)), ha="center", va="center", color="white" if c < 0.6 * seeds else "black")
    ax.set_title(f"Up of {seeds}")
    return sheet
