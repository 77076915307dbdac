"""What a repair changed over time, as curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from poise.export.plots import LEFT, MIDDLE, RIGHT, clean, figure_of
from poise.maths.intervals import runs
from poise.physical.repair.report import RepairReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BEFORE, AFTER, DOUBT, UNSURE = "#c42654", "#1f6f54", "#f7c9c2", "#f5e6b8"
LEAST = 0.03  # [N] what is less is drawn as this
_COLOUR = {"left": LEFT, "right": RIGHT, "left_hand": LEFT, "right_hand": RIGHT}


def curves(report: RepairReport, moments: Sequence[float] = ()) -> Figure:
    """Force needed and unexplained before and after, change of posture and root, contacts; `moments` [s] are marked."""
    figure = figure_of(10.0, 6.6)
    rows = figure.subplots(5, 1, sharex=True, height_ratios=[2.0, 1.8, 1.2, 1.2, 0.8])
    clip = report.result
    assert clip is not None
    time = clip.times
    _needed(rows[0], report, time)
    _forces(rows[1], report, time)
    for ax, values, label in ((rows[2], report.posture, "posture\n[°, rms of joints]"),
                              (rows[3], 100.0 * report.root_moved, "root moved\n[cm]")):  # fmt: skip
        ax.fill_between(time, 0.0, values, color=MIDDLE, alpha=0.15, lw=0)
        ax.plot(time, values, color=MIDDLE, lw=1.2)
        ax.set_ylim(0.0, max(1.1 * float(values.max(initial=0.0)), 1.0))
        ax.set_ylabel(label)
    _contacts(rows[4], report)
    for ax in rows:
        clean(ax)
        for t in moments:
            ax.axvline(t, color="#9aa0a8", lw=0.8, ls=(0, (3, 3)), zorder=0)
        for doubt in report.doubtful[:50]:
            ax.axvspan(time[doubt.first], time[min(doubt.last, len(time) - 1)] + clip.dt, color=DOUBT, lw=0, zorder=0)
    rows[0].set_xlim(0.0, max(float(time[-1]), clip.dt))
    rows[4].grid(False)
    rows[4].set_xlabel("time [s]; dashed: the moments shown above" + ("; red: doubtful" if report.doubtful else "")
                       + ("; yellow: contacts not sure" if report.unsure else ""))  # fmt: skip
    figure.align_ylabels(rows)
    return figure


def _needed(ax: Axes, report: RepairReport, time: np.ndarray) -> None:
    """The vertical force that the motion needs, in body weights; pale where contacts are not sure."""
    before, after = report.lift
    ax.plot(time, before, color=BEFORE, lw=1.6, alpha=0.7, label="recorded, below 10 Hz")
    ax.plot(time, after, color=AFTER, lw=1.0, label="after the repair")
    low, high = (float(f([f(before), f(after)])) for f in (np.min, np.max))
    ax.set_ylim(max(min(low, 0.0), -1.0) - 0.1, min(max(high, 1.0), 8.0) + 0.2)
    ax.axhline(1.0, color="#8a9099", lw=0.8, zorder=0)
    for one in report.unsure[:50]:
        ax.axvspan(time[one.first], time[min(one.last + 1, len(time) - 1)], color=UNSURE, lw=0, zorder=0)
    ax.set_ylabel("vertical force\n[body weights]")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, fontsize=8, frameon=False, borderaxespad=0.1)


def _forces(ax: Axes, report: RepairReport, time: np.ndarray) -> None:
    """On a logarithmic scale, beside body weight."""
    for left, colour, label in ((report.before, BEFORE, "before"), (report.after, AFTER, "after")):
        ax.plot(time, np.maximum(left.force, LEAST), color=colour, lw=1.2, label=f"{label}, {left.force_rms:.3g} N rms")
    ax.set_yscale("log")
    high = max(float(report.before.force.max()), report.after.weight)
    ax.set_ylim(0.4 * LEAST, 2.5 * high)
    ax.axhline(report.after.weight, color="#8a9099", lw=0.8, zorder=0)
    ax.text(1.003, report.after.weight, "body\nweight", transform=ax.get_yaxis_transform(), fontsize=7, color=MIDDLE,
            va="center")  # fmt: skip
    ax.set_ylabel("force that no ground\nexplains [N]")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, fontsize=8, frameon=False, borderaxespad=0.1)


def _contacts(ax: Axes, report: RepairReport) -> None:
    """A bar for each foot or hand while it touches, and for each hand while it holds."""
    clip = report.result
    assert clip is not None
    points, names = clip.character.contact_points, []
    labels = clip.contacts.labels
    for limb in points.limbs:
        on = np.asarray(labels[:, points.of(limb)].any(axis=1))
        if on.any() or not limb.endswith("_hand"):
            names.append(limb.replace("_", " ") + ("" if "_" in limb else " foot"))
            _bars(ax, on, clip.dt, len(names) - 1, _COLOUR.get(limb, MIDDLE))
    for hold in clip.grips:
        names.append(f"{hold.hand.replace('_', ' ')} holds")
        _bars(ax, hold.covers(clip.times), clip.dt, len(names) - 1, _COLOUR.get(hold.hand, MIDDLE))
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)


def _bars(ax: Axes, on: np.ndarray, dt: float, row: int, colour: str) -> None:
    """A bar over every stretch of True frames (N,)."""
    spans = [(float(a * dt), float((e - a) * dt)) for a, e in runs(on)]
    ax.broken_barh(spans, (row - 0.3, 0.6), facecolors=colour, alpha=0.75)
