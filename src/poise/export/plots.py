"""Plots of clips: joint angles, footprints from above, heights of the feet; for papers and for a quick look."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from poise.character.roles import SIDES
from poise.errors import BadValue, MissingExtra
from poise.files import writing
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT, MIDDLE = "#d9692c", "#2f6fb5", "#4a4f58"
_COLOUR = {"left": LEFT, "right": RIGHT}

ANGLES: dict[str, tuple[str, float]] = {
    "thigh": ("Hip flexion", -1.0),
    "shin": ("Knee flexion", 1.0),
    "foot": ("Ankle dorsiflexion", -1.0),
    "upper_arm": ("Shoulder flexion", -1.0),
    "forearm": ("Elbow flexion", -1.0),
    "chest": ("Chest, bent forward", 1.0),
    "head": ("Head, bent forward", 1.0),
}
"""Parts that bend about the lateral axis: what the angle is called, and its sign about +Y."""


def flexion(clip: Clip, role: str) -> Array:
    """Angle (N,) [degrees] of a part against its parent about the lateral axis, zero in the zero pose."""
    body = clip.character.body(role)
    parent = int(clip.character.model.body_parentid[body])
    _, quat = clip.character.forward(clip.q)
    local = rot.multiply(rot.conjugate(quat[:, parent]), quat[:, body])
    sign = ANGLES.get(role.removeprefix("left_").removeprefix("right_"), ("", 1.0))[1]
    return np.degrees(np.unwrap(sign * rot.twist_angle(local, np.array([0.0, 1.0, 0.0]))))


def joint_angles(clip: Clip, parts: Sequence[str] = ("thigh", "shin", "foot", "upper_arm", "forearm")) -> Figure:
    """Angles of joints over time, left and right in one panel; bars below where a foot is on the ground."""
    return _angles([clip], parts, [""])


def compare(first: Clip, second: Clip, labels: Sequence[str] = ("source", "result"),
            parts: Sequence[str] = ("thigh", "shin", "foot", "upper_arm", "forearm")) -> Figure:  # fmt: skip
    """The angles of two clips over each other, the first dashed; their characters and frame rates may differ."""
    return _angles([first, second], parts, labels)


def footprints(clip: Clip) -> Figure:
    """The path of the body from above, with the outline of each foot where it stood."""
    root = clip.character.forward(clip.q)[0][:, min(1, clip.character.model.nbody - 1)]
    across, up = np.ptp(root[:, :2], axis=0) + 0.8
    figure = figure_of(7.0, float(np.clip(7.0 * up / across, 1.3, 7.0)) + 0.9)
    ax = figure.subplots()
    ax.plot(root[:, 0], root[:, 1], color=MIDDLE, lw=1.2, label="pelvis")
    ax.plot(*root[0, :2], "o", color=MIDDLE, ms=4)
    points = clip.character.points(clip.q) if len(clip.character.contact_points) else np.zeros((len(clip), 0, 3))
    for side in SIDES:
        own = clip.character.contact_points.of(side)
        spans = clip.contacts.spans(side) if len(own) else np.zeros((0, 2), int)
        for n, (a, b) in enumerate(spans):
            outline = _hull(points[(a + b - 1) // 2, own, :2])
            ax.fill(*outline.T, facecolor=_COLOUR[side], alpha=0.25, lw=0)
            ax.plot(*np.concatenate([outline, outline[:1]]).T, color=_COLOUR[side], lw=1.0,
                    label=f"{side} foot" if n == 0 else None)  # fmt: skip
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xlabel="x [m]", ylabel="y [m]")
    clean(ax)
    _legend(ax)
    return figure


def foot_heights(clip: Clip) -> Figure:
    """Height of heel and ball of each foot above the ground over time; bars where they are in contact."""
    names = clip.character.contact_points.names
    if not names:
        raise BadValue(f"{clip.character.name} has no contact points whose height could be plotted.")
    points = clip.character.points(clip.q)
    above = 100.0 * (points[..., 2] - clip.ground.height(points[..., 0], points[..., 1]))
    figure = figure_of(7.0, 3.8)
    rows = figure.subplots(2, 1, sharex=True, sharey=True)
    for ax, side in zip(rows, SIDES, strict=True):
        for part, style in (("heel", "-"), ("ball", "--"), ("tip", ":")):
            own = [i for i, name in enumerate(names) if name.startswith(f"{side}_{part}")]
            if own:
                ax.plot(clip.times, above[:, own].min(1), style, color=_COLOUR[side], lw=1.3, label=f"{side} {part}")
        ax.axhline(0.0, color="#b0b4bb", lw=0.8, zorder=0)
        ax.set_ylabel("height [cm]")
        clean(ax)
    for ax, side in zip(rows, SIDES, strict=True):
        if len(clip.character.contact_points.of(side)):
            _contact_bar(ax, clip, side, 0.0, 0.03)
        _legend(ax)
    rows[-1].set_xlabel("time [s]")
    return figure


def save_plot(figure: Figure, path: str | PathLike[str], clips: Sequence[Clip] = ()) -> None:
    """Write a plot as .png, .svg or .pdf, whole or not at all; sources and licences of `clips` travel in the file."""
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("png", "svg", "pdf"):
        raise BadValue(f"A plot is saved as .png, .svg or .pdf, not {str(path)!r}.")
    from poise.export.ink import facts

    about = {k: v for k, v in facts(clips).items() if v}
    terms = "\n\n".join(x for x in (about.pop("Copyright", ""), about.pop("Licence", "")) if x)
    source = about.pop("Source", "")
    if kind == "png":
        about |= {"Copyright": terms, "Source": source}
    elif kind == "pdf":
        about = {"Title": about.get("Title", ""), "Keywords": "; ".join(x for x in (source, terms) if x)}
    else:
        about = {"Title": about.get("Title", ""), "Rights": terms, "Source": source}
    with writing(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=160, metadata={k: v for k, v in about.items() if v})


def figure_of(width: float, height: float) -> Figure:
    """An empty figure of this size [inches]; needs matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("Plots", "plots") from None
    return Figure(figsize=(width, height), layout="constrained")


def _angles(clips: Sequence[Clip], parts: Sequence[str], labels: Sequence[str]) -> Figure:
    """One panel a part; the last clip is drawn in full lines, those before it dashed."""
    known = [p for p in parts if any(_roles(c, p) for c in clips)]
    if not known:
        have = sorted({p for c in clips for p in ANGLES if _roles(c, p)})
        raise BadValue(
            f"None of {', '.join(parts)} is a part of {clips[0].character.name}; known: {', '.join(have) or 'none'}."
        )
    figure = figure_of(7.0, 1.1 + 1.25 * len(known))
    rows = np.atleast_1d(figure.subplots(len(known), 1, sharex=True))
    for ax, part in zip(rows, known, strict=True):
        for n, (clip, label) in enumerate(zip(clips, labels, strict=True)):
            last = n == len(clips) - 1
            style = {"ls": "-", "lw": 1.4} if last else {"ls": "--", "lw": 1.0, "alpha": 0.75}
            for side, role in _roles(clip, part):
                name = f"{side} {label}".strip() or None
                ax.plot(clip.times, flexion(clip, role), color=_COLOUR.get(side, MIDDLE), label=name, **style)
        low, high = ax.get_ylim()
        if high - low < 10.0:  # a joint that hardly moves should look like one
            ax.set_ylim(0.5 * (low + high) - 5.0, 0.5 * (low + high) + 5.0)
        ax.set_ylabel(ANGLES.get(part, (part,))[0].replace(" ", "\n", 1) + " [°]")
        clean(ax)
    for ax in rows:
        for side, height in (("left", 0.035), ("right", 0.0)):
            if len(clips[-1].character.contact_points.of(side)):
                _contact_bar(ax, clips[-1], side, height, 0.03)
    _legend(rows[0])
    rows[-1].set_xlabel("time [s]")
    return figure


def _roles(clip: Clip, part: str) -> list[tuple[str, str]]:
    """The roles (side, role) that a part stands for in this character."""
    both = [(side, f"{side}_{part}") for side in SIDES if clip.character.has(f"{side}_{part}")]
    return both or ([("", part)] if clip.character.has(part) else [])


def _contact_bar(ax: Axes, clip: Clip, side: str, bottom: float, height: float) -> None:
    """Bars along the lower edge of a panel while a foot touches; heights as shares of the panel."""
    for a, b in clip.contacts.intervals(side):
        ax.axvspan(a, max(b, a + clip.dt), bottom, bottom + height, color=_COLOUR[side], alpha=0.55, lw=0)


def _hull(points: Array) -> Array:
    """Corners (C, 2) of the convex outline of points, in order."""
    centre = points.mean(0)
    around = np.argsort(np.arctan2(points[:, 1] - centre[1], points[:, 0] - centre[0]))
    return points[around]


def clean(ax: Axes) -> None:
    """No box, thin ticks, a faint grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#8a9099")
    ax.tick_params(labelsize=8, color="#8a9099", labelcolor=MIDDLE)
    ax.grid(True, color="#e6e8eb", lw=0.6)
    ax.set_axisbelow(True)
    ax.xaxis.label.set_fontsize(9)
    ax.yaxis.label.set_fontsize(9)
    ax.margins(x=0.01)


def _legend(ax: Axes) -> None:
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        ax.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=6, fontsize=8, frameon=False,
                  borderaxespad=0.1, handlelength=1.6)  # fmt: skip
