"""Figures 1 and 5: frequencies of principal components and of modes, and the error against which modes are planned.

Section 8 of Jain & Liu 2011: planned modes shifted to higher frequencies, drawn at random, a few more or fewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from poise.experiments.modal.trial import BUT, BUT_NAME, PRINTED, performed
from poise.experiments.reproduce import Options, Table, told
from poise.export.plots import figure_of
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.modal.linearise import Watched
from poise.methods.modal.spectrum import find_modes, subtree_stiffness
from poise.motion.clip import Clip
from poise.motion.load import load_clip

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLANNED = 13  # modes 6 to 18 in the paper's experiment
SHIFTS = (0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 23)  # k: modes 6 + k to 18 + k planned; the last is 41
MORE = (-8, -6, -4, -2, 0, 2, 4, 6, 8)  # modes more than the 14 below the threshold
RECORDED = ("02_01", "12_01", "91_19", "16_17")
SECONDS = 3.0
LAWS: dict[str, dict[str, Any]] = {
    "ours": {"footholds": False}, "ours, effort from nothing": {"footholds": False, "feedforward": False},
    BUT_NAME: BUT, "printed": PRINTED,
}  # fmt: skip
"""Settings by form of the method."""


def components(clip: Clip) -> tuple[Array, Array]:
    """Frequencies (F,) [Hz] and power (C, F) of a clip's principal components, strongest first; rows sum to one."""
    long = clip.repeat(6) if clip.cycle is not None else clip
    middle = long.q[len(long) // 2]
    poses = conf.difference(clip.character.layout, middle, long.q)[:, 6:]
    poses = poses - poses.mean(axis=0)
    _, size, axes = np.linalg.svd(poses, full_matrices=False)
    axes = axes[size > 1e-6 * size[0]]  # joints that never move are no components
    power = np.abs(np.fft.rfft((poses @ axes.T) * np.hanning(len(poses))[:, None], axis=0)).T ** 2
    power /= np.maximum(power.sum(axis=1, keepdims=True), 1e-300)
    return np.fft.rfftfreq(len(poses), long.dt), power


def frequencies(clip: Clip) -> Array:
    """Frequencies (nv - 6,) [Hz] of the internal modes in the clip's middle pose, slowest first."""
    character = clip.character
    q = clip.q[len(clip) // 2]
    pose = Watched(character, np.zeros(0, int), np.zeros((0, 3))).pose(q)
    squares = find_modes(pose.M, subtree_stiffness(character), pose.R, pose.root, pose.centre, character.mass)[1]
    return np.sqrt(squares[6:]) / (2.0 * np.pi)


class Error(NamedTuple):
    """Walks with other modes planned."""

    turn: float  # [degrees] rms of the root's orientation, median of the walks
    joints: float  # [degrees] rms
    fell: int
    total: int

    def cells(self) -> tuple[Any, ...]:
        """Cells of the table."""
        return self.turn, self.joints, f"{self.fell}/{self.total}"


def errors(clip: Clip, starts: int, settings: list[dict[str, Any]]) -> Error:
    """Walks from so many phases, with the settings in turn."""
    turn, joints, fell = [], [], 0
    for k in range(max(starts, len(settings))):
        mine = settings[k % len(settings)]
        take = performed(clip, "modal update", SECONDS, start=(k % starts) / starts * clip.duration, noise=0.05, seed=k,
                         settings=mine)  # fmt: skip
        off = take.tracking_error()
        turn.append(float(np.degrees(off.root_orientation)))
        joints.append(float(np.degrees(off.joints)))
        fell += not take.ended.whole
    return Error(float(np.median(turn)), float(np.median(joints)), fell, len(turn))


def at_random(count: int, of: int, seed: int) -> frozenset[int]:
    """So many internal modes out of `of`, drawn at random."""
    return frozenset(int(m) + 6 for m in np.random.default_rng(seed).choice(of, count, replace=False))


def run(options: Options) -> Table:
    """Rows: frequencies of components and modes, errors by shift, for random modes, and by the number of modes."""
    clip, rows = load_clip("walk"), _first(options)
    internal = clip.character.model.nv - 6
    shifted: dict[str, list[Error]] = {}
    for law, own in LAWS.items():
        for k in SHIFTS:
            found = errors(clip, options.seeds, [{"modes": (6 + k, 6 + PLANNED + k), **own}])
            shifted.setdefault(law, []).append(found)
            what = f"k = {k}: modes {6 + k}-{5 + PLANNED + k} planned, {law}"
            rows.append(told(("figure 5", what, *found.cells())))
        drawn = [{"modes": at_random(PLANNED, internal, seed), **own} for seed in range(options.seeds)]
        rows.append(("random", f"{PLANNED} modes at random, {law}", *errors(clip, options.seeds, drawn).cells()))
    for more in MORE:
        found = errors(clip, options.seeds, [{"modes": (6, 20 + more), "footholds": False}])
        rows.append(("threshold", f"{14 + more} modes planned", *found.cells()))
    blended = errors(clip, options.seeds, [{"footholds": False}])
    rows.append(("threshold", "those below 100 rad²/s², blended", *blended.cells()))
    figures = (*options.plot(lambda: _draw_first(options), "modal-figure-1"),
               *options.plot(lambda: _draw_fifth(shifted), "modal-figure-5"))  # fmt: skip
    return Table("Which modes are planned", ("item", "case", "root [deg]", "joints [deg]", "fell"), tuple(rows),
                 (f"Walks of {SECONDS:g} s on human42, velocities at the start disturbed by 0.05, no footholds.",),
                 figures)  # fmt: skip


def _clips(options: Options) -> dict[str, Clip]:
    """The walk, and recorded walks where there are some."""
    files = {name: options.recording(name) for name in RECORDED}
    return {"walk": load_clip("walk"), **{name: load_clip(path) for name, path in files.items() if path is not None}}


def _first(options: Options) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for name, clip in _clips(options).items():
        hertz, power = components(clip)
        middle = power @ hertz
        what = f"{name}: first three {middle[:3].mean():.2f} Hz, last three {middle[-3:].mean():.2f} Hz on average"
        rows.append(("figure 1", what, "", "", ""))
    modes = frequencies(load_clip("walk"))
    low = int(np.sum((2.0 * np.pi * modes) ** 2 < 100.0))
    what = f"modes: {modes[0]:.2f} to {modes[low - 1]:.2f} Hz planned, {modes[low]:.2f} to {modes[-1]:.1f} Hz tracked"
    return [*rows, ("figure 1", what, "", "", "")]


def _draw_first(options: Options) -> Figure:
    clips = _clips(options)
    figure = figure_of(11.0, 2.2 * len(clips))
    axes = figure.subplots(len(clips), 3, squeeze=False)
    for (name, clip), row in zip(clips.items(), axes, strict=True):
        hertz, power = components(clip)
        for ax, chosen, title in (
            (row[0], range(3), "first three"),
            (row[1], range(len(power) - 3, len(power)), "last three"),
        ):
            for c in chosen:
                ax.plot(hertz, power[c], label=f"component {c + 1}")
            ax.set(title=f"{name}: {title} components", xlabel="frequency [Hz]", ylabel="share of power", xlim=(0, 20))
            ax.legend(fontsize=7)
        modes = frequencies(clip)
        row[2].plot(6 + np.arange(len(modes)), modes, ".-")
        row[2].axhline(10.0 / (2.0 * np.pi), color="gray", lw=0.8)
        row[2].set(title=f"modes of {clip.character.name or 'its character'}", xlabel="mode", ylabel="frequency [Hz]",
                   yscale="log")  # fmt: skip
    return figure


def _draw_fifth(shifted: dict[str, list[Error]]) -> Figure:
    figure = figure_of(8.0, 3.0)
    axes = figure.subplots(1, 2)
    for law, found in shifted.items():
        axes[0].semilogy(SHIFTS, [e.turn for e in found], "o-", label=law)
        axes[1].plot(SHIFTS, [100.0 * e.fell / e.total for e in found], "o-")
    axes[0].set(xlabel="k: modes 6 + k to 18 + k planned", ylabel="error of the root's orientation [deg]")
    axes[1].set(xlabel="k", ylabel="walks that fell [%]", ylim=(-5, 105))
    axes[0].legend()
    return figure
