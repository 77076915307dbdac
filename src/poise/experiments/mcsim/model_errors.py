"""mcsim/errors: figures 3 to 6: squared tracking error over time, and what wrong masses, friction and feet do to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.errors import MissingExtra
from poise.experiments.mcsim.planar import sagittal
from poise.experiments.mcsim.planar_walks import way_of
from poise.experiments.mcsim.runs import Outcome, length, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference

SECONDS = 5.0
SOON = 0.05  # [s] after a change of contact that counts as near it
MOTIONS = ("walk", "backward", "march", "jump", "run")


def run(options: Options) -> Table:
    """The walk of biped18 with each error, and other motions without."""
    walk, way = sagittal(load_clip("walk")), way_of("walk")
    feet = {"4 cm longer": 0.04, "standard": 0.0, "4 cm shorter": -0.04, "8 cm shorter": -0.08}
    cases: list[tuple[str, str, Clip, McSim]] = [
        *(("3: motions", n, walk if n == "walk" else sagittal(load_clip(n)), way_of(n)) for n in MOTIONS),
        *(("4: masses", n, with_masses(walk, change), way) for n, change in MASSES.items()),
        *(("5: friction in the program", f"{mu:g}", walk, replace(way, friction=mu)) for mu in (0.5, 1.0, 1.5)),
        *(("6: feet", n, _with_feet(walk, longer), way) for n, longer in feet.items()),
    ]
    rows, series = [], {}
    for figure, name, clip, how in cases:
        outcomes = run_seeds(clip, how, options.seeds, length(clip, SECONDS))
        curves = [squared_error(o) for o in outcomes]
        series[(figure, name)] = curves[0]
        falls = [o.failed for o in outcomes if o.failed is not None]
        peak = np.median([_near(o, c) for o, c in zip(outcomes, curves, strict=True)])
        mean = np.median([c.mean() for c in curves])
        up, fell = sum(o.ok for o in outcomes), f"{min(falls):.1f} s" if falls else "-"
        rows.append((figure, name, f"{up} of {len(outcomes)}", fell, round(float(mean), 2), round(float(peak), 1)))
    figures = _draw(series, options.out) if options.out is not None else ()
    columns = ("figure", "case", "stayed up", "first fall", "squared error", "after contacts change, times else")
    notes = (f"Squared distance of joint angles [rad] and velocities [rad/s] from the reference, {SECONDS:g} s or to "
             "the end of the clip, until a fall: mean of a run, median of the runs.",
             f"Last column: its mean in the {1000 * SOON:.0f} ms after a foot lands or leaves, beside that of all "
             "other frames.",
             "The document's form. Masses are those that the program knows too; mcsim/masses has them unknown."
             )  # fmt: skip
    return Table("Figures 3 to 6: modelling errors in the plane", columns, tuple(rows), notes, figures)


def _near(outcome: Outcome, curve: Array) -> float:
    """How many times larger an error (F,) is on average soon after a foot of the reference lands or leaves."""
    take = outcome.take
    reference = Reference(take.clip, start=take.start)
    points = take.character.contact_points
    time = take.time[: len(curve)]
    labels = np.array([reference.contacts(t) for t in time])
    feet = np.stack([labels[:, points.of(side)].any(axis=1) for side in SIDES], axis=1)
    changes = time[1:][(feet[1:] != feet[:-1]).any(axis=1)]
    near = np.zeros(len(time), bool)
    for t in changes:
        near |= (time >= t) & (time < t + SOON)
    return float(curve[near].mean() / curve[~near].mean()) if near.any() and not near.all() else float("nan")


def squared_error(outcome: Outcome) -> Array:
    """Squared distance (F,) of the state (joint angles [rad] and velocities [rad/s]) from the desired one."""
    take = outcome.take
    angle = conf.difference(take.character.layout, take.q, take.q_ref)[:, 6:]
    rate = (take.v_ref - take.v)[:, 6:]
    out = np.sum(angle**2, axis=1) + np.sum(rate**2, axis=1)
    return out if outcome.failed is None else out[: max(2, int(np.searchsorted(take.time, outcome.failed)))]


def _legs(name: str) -> bool:
    return any(part in name for part in ("thigh", "shin", "foot"))


MASSES: dict[str, Callable[[str], float]] = {
    "as they are": lambda name: 1.0,
    "left leg twice as heavy": lambda name: 2.0 if name.startswith("left") and _legs(name) else 1.0,
    "heavy above, light below": lambda name: 0.5 if _legs(name) else 2.0,
    "both legs twice as heavy": lambda name: 2.0 if _legs(name) else 1.0,
}


def _changed(clip: Clip, name: str, change: Callable[[mujoco.MjSpec], None]) -> Clip:
    """The clip on a body that was changed after the motion was made for it."""
    own = clip.character
    spec = mujoco.MjSpec.from_string(own.xml)
    change(spec)
    spec.compile()
    body: Character = replace(own, name=name, xml=spec.to_xml())
    return replace(clip, character=body)


def with_masses(clip: Clip, factor: Callable[[str], float]) -> Clip:
    """The clip on a body whose links weigh a factor of what they did, by their names."""

    def change(spec: mujoco.MjSpec) -> None:
        for body in spec.bodies:
            body.mass *= factor(body.name)
            body.inertia = np.asarray(body.inertia) * factor(body.name)

    return _changed(clip, clip.character.name, change)


def _with_feet(clip: Clip, longer: float) -> Clip:
    """Longer or shorter soles: their box and corners, half of the change at either end."""

    def change(spec: mujoco.MjSpec) -> None:
        for geom in spec.geoms:
            if "foot" in geom.parent.name and geom.type == mujoco.mjtGeom.mjGEOM_BOX:
                size = np.array(geom.size)
                size[0] += 0.5 * longer
                geom.size = size

    out = _changed(clip, "biped18", change)
    points = out.character.contact_points
    places = points.positions.copy()
    for k, name in enumerate(points.names):
        places[k, 0] += 0.5 * longer * (-1.0 if "heel" in name else 1.0)
    body = replace(out.character, contact_points=replace(points, positions=places))
    return replace(out, character=body)


def _draw(series: dict[tuple[str, str], Array], out: Path) -> tuple[str, ...]:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("The figures", "plots") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    groups: Sequence[str] = list(dict.fromkeys(figure for figure, _ in series))
    sheet, axes = pyplot.subplots(len(groups), 1, figsize=(8, 3 * len(groups)), squeeze=False)
    for ax, group in zip(axes[:, 0], groups, strict=True):
        for (figure, name), curve in series.items():
            if figure == group:
                ax.semilogy(np.arange(len(curve)) / 120.0, np.maximum(curve, 1e-6), label=name)
        ax.set_title(f"Figure {group}")
        ax.set_ylabel("squared error")
        ax.legend(loc="upper right", fontsize=7)
    axes[-1, 0].set_xlabel("time [s]")
    sheet.tight_layout()
    path = out / "mcsim-errors.png"
    sheet.savefig(path, dpi=110)
    pyplot.close(sheet)
    return (str(path),)
