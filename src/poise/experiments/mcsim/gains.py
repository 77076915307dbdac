"""mcsim/gains: the ranges of table 1: which k and k_os work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from poise.errors import MissingExtra
from poise.experiments.mcsim.planar import sagittal
from poise.experiments.mcsim.planar_walks import way_of
from poise.experiments.mcsim.runs import length, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.maths.rotations import Array
from poise.motion.load import load_clip

SCALES, GAINS = (0.005, 0.05, 0.2, 0.5), (300.0, 1000.0, 2000.0)
MOTIONS, SECONDS = ("walk",), 5.0


def run(options: Options) -> Table:
    """How many of the planar motions of each kind stay up, for every pair of gains."""
    rows, counts = [], {}
    for name in MOTIONS:
        clip, way = sagittal(load_clip(name)), way_of(name)
        counts[name] = np.zeros((len(SCALES), len(GAINS)), int)
        for i, k in enumerate(SCALES):
            for j, kos in enumerate(GAINS):
                outcomes = run_seeds(clip, replace(way, k=k, kos=kos), options.seeds, length(clip, SECONDS))
                counts[name][i, j] = sum(o.ok for o in outcomes)
            rows.append((name, k, *(f"{c} of {options.seeds}" for c in counts[name][i])))
    figures = _draw(counts, options.seeds, options.out) if options.out is not None else ()
    notes = ("The paper: k from 0.005 to 0.5 and k_os from 300 to 2000 'typically work'.",)
    return Table("Table 1: ranges of the gains, 5 s or the whole clip in the plane",
                 ("motion", "k", *(f"k_os {g:g}" for g in GAINS)), tuple(rows), notes, figures)  # fmt: skip


def _draw(counts: dict[str, Array], seeds: int, out: Path) -> tuple[str, ...]:
    """Maps of how many stayed up over k and k_os."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("The figure", "plots") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    sheet, axes = pyplot.subplots(1, len(counts), figsize=(3.2 * len(counts), 3.4), squeeze=False)
    for ax, (name, table) in zip(axes[0], counts.items(), strict=True):
        ax.imshow(table, vmin=0, vmax=seeds, cmap="viridis", origin="lower", aspect="auto")
        ax.set_xticks(range(len(GAINS)), [f"{g:g}" for g in GAINS])
        ax.set_yticks(range(len(SCALES)), [f"{k:g}" for k in SCALES])
        for (i, j), c in np.ndenumerate(table):
            ax.text(j, i, int(c), ha="center", va="center", color="white" if c < 0.6 * seeds else "black")
        ax.set_title(f"{name}, up of {seeds}")
        ax.set_xlabel("k_os [1/s²]")
    axes[0, 0].set_ylabel("k")
    sheet.tight_layout()
    path = out / "mcsim-gains.png"
    sheet.savefig(path, dpi=110)
    pyplot.close(sheet)
    return (str(path),)
