"""The picture of the truth table: vertical force on plates, needed by the raw and repaired clip, and as performed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.errors import PoiseError
from poise.experiments.truth.bodies import needed
from poise.experiments.truth.measured import Plates
from poise.export.plots import figure_of
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = {"mcsim": "#2f6fb5", "modal-torques": "#7a4fb0"}
PLATE, RAW, REPAIRED = "#222222", "#d9692c", "#2a9d55"


def force_plot(clip: Clip, repaired: Clip, plates: Plates) -> Figure:
    """Forces over time, and contacts per limb below; needs matplotlib."""
    sheet = figure_of(9.0, 4.6)
    grid = sheet.add_gridspec(2, 1, height_ratios=(5, 1))
    ax = sheet.add_subplot(grid[0])
    bars = sheet.add_subplot(grid[1], sharex=ax)
    seen = np.where(plates.clean, plates.force[:, 2], np.nan)
    ax.plot(plates.times, seen, color=PLATE, lw=2.5, label="force plates")
    for own, colour, label in ((clip, RAW, "raw clip"), (repaired, REPAIRED, "repaired")):
        force = needed(own, plates.cutoff)
        ax.plot(force.times, force.force[:, 2], color=colour, lw=1.2, label=label)
    for method, colour in METHODS.items():
        found = _performed(repaired, method, plates.cutoff)
        if found is not None:
            ax.plot(*found, color=colour, lw=0.9, label=f"performed by {method}")
    ax.set_ylabel("vertical force [body weights]")
    ax.set_title(clip.name)
    ax.legend(fontsize=7)
    limbs = [limb for limb in clip.contacts.points.limbs if repaired.contacts.touching(limb).any()]
    for k, limb in enumerate(limbs):
        for a, e in repaired.contacts.intervals(limb):
            bars.barh(k, e - a, left=a, height=0.35, color=REPAIRED)
    for plate, first, last in plates.stances():
        limb = plates.limb(clip, plate, first, min(last, float(plates.times[-1])))
        if limb in limbs:
            bars.barh(limbs.index(limb) + 0.35, last - first, left=first, height=0.2, color=PLATE)
    for a, e in runs(~plates.clean):
        ax.axvspan(float(plates.times[a]), float(plates.times[e - 1]), color="#eeeeee", zorder=0)
    bars.set_yticks(range(len(limbs)), limbs)
    bars.set_xlabel("time [s]; grey: not all that touches is on plates")
    return sheet


def _performed(clip: Clip, method: str, cutoff: float) -> tuple[Array, Array] | None:
    """Times and vertical force in body weights that a performance's own motion needed; None where there is none."""
    from poise.performance import perform

    try:
        take = perform(clip, method, stage=clip.stage(), seconds=clip.duration)
    except PoiseError:
        return None
    if len(take) < 12:
        return None
    own = needed(take.as_clip(), cutoff)
    return own.times, own.force[:, 2]
