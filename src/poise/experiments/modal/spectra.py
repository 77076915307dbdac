"""Figures 1 and 5: frequencies of principal components, and the error against which modes are planned (section 8)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.experiments.modal.trial import performed
from poise.experiments.reproduce import Options, Table
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.load import load_clip

SHIFTS = (0, 1, 2, 3, 4, 6, 8, 10, 12)  # k: the modes 6 + k to 18 + k are planned
THRESHOLDS = (25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0)  # [rad²/s²]
SECONDS = 6.0


def components(clip: Clip, cycles: int = 6) -> tuple[Array, Array]:
    """Frequencies (F,) [Hz] and power (C, F) of a clip's principal components, strongest first; rows sum to one."""
    long = clip.repeat(cycles) if clip.cycle is not None else clip
    middle = long.q[len(long) // 2]
    poses = conf.difference(clip.character.layout, middle, long.q)[:, 6:]
    poses = poses - poses.mean(axis=0)
    _, _, axes = np.linalg.svd(poses, full_matrices=False)
    power = np.abs(np.fft.rfft((poses @ axes.T) * np.hanning(len(poses))[:, None], axis=0)).T ** 2
    power /= np.maximum(power.sum(axis=1, keepdims=True), 1e-300)
    return np.fft.rfftfreq(len(poses), long.dt), power


def _centroids(clip: Clip) -> Array:
    frequencies, power = components(clip)
    return power @ frequencies


def error(clip: Clip, **settings: object) -> tuple[float, bool]:
    """Rms of the root's orientation error [degrees] over a walk, and whether it stayed up."""
    take = performed(clip, "modal update", SECONDS, settings={"footholds": False, **settings})
    up = take.fell is None and take.duration > SECONDS - 0.1
    return float(np.degrees(take.tracking_error().root_orientation)), up


def run(options: Options) -> Table:
    """Rows: centroids of the components, errors by shift of the planned modes, and by threshold."""
    clip, rows = load_clip("walk"), []
    middle = _centroids(clip)
    for name, value in (("first three", middle[:3].mean()), ("last three", middle[-3:].mean())):
        rows.append(("figure 1", f"{name} components", f"{value:.2f} Hz mean frequency", ""))
    for law in (True, False):
        shown = "effort from the reference's" if law else "effort from nothing (paper)"
        for k in SHIFTS:
            off, up = error(clip, modes=(6 + k, 19 + k), feedforward=law)
            rows.append(("figure 5", f"modes {6 + k}-{18 + k}, {shown}", f"{off:.2f} degrees", "up" if up else "fell"))
    for threshold in THRESHOLDS:
        off, up = error(clip, threshold=threshold)
        rows.append(("threshold", f"{threshold:g} rad²/s²", f"{off:.2f} degrees", "up" if up else "fell"))
    figures = () if options.out is None else (_draw(clip, options.out),)
    return Table("Which modes are planned", ("item", "case", "root", "end"), tuple(rows), figures=figures)


def _draw(clip: Clip, folder: Path) -> str:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    frequencies, power = components(clip)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3), constrained_layout=True)
    for ax, chosen, title in (
        (axes[0], range(3), "first three"),
        (axes[1], range(len(power) - 3, len(power)), "last three"),
    ):
        for c in chosen:
            ax.plot(frequencies, power[c], label=f"component {c + 1}")
        ax.set(title=f"{title} principal components", xlabel="frequency [Hz]", xlim=(0, 20))
        ax.legend()
    path = folder / "modal-figure-1.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return str(path)


def main() -> None:
    """Print the table."""
    print(run(Options()).text())


if __name__ == "__main__":
    main()
