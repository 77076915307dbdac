"""mcsim/errors: figures 3 to 6: squared tracking error over time, and what wrong masses, friction and feet do to it.

mcsim/masses: figure 4 with masses that the program does not know: the body weighs other than its model says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.experiments.mcsim.planar import sagittal, way_of
from poise.experiments.mcsim.runs import NOTE, Outcome, length, run_seeds, stood, up
from poise.experiments.reproduce import Options, Table
from poise.export.plots import figure_of
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.simulate.loop import Action
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        peak = np.median([_near(o, c) for o, c in zip(outcomes, curves, strict=True)])
        mean = np.median([c.mean() for c in curves])
        rows.append((figure, name, *stood(outcomes), round(float(mean), 2), round(float(peak), 1)))
    figures = options.plot(lambda: _draw(series), "mcsim-errors")
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


def _draw(series: dict[tuple[str, str], Array]) -> Figure:
    groups = list(dict.fromkeys(figure for figure, _ in series))
    sheet = figure_of(8.0, 3.0 * len(groups))
    axes = sheet.subplots(len(groups), 1, squeeze=False)
    for ax, group in zip(axes[:, 0], groups, strict=True):
        for (figure, name), curve in series.items():
            if figure == group:
                ax.semilogy(np.arange(len(curve)) / 120.0, np.maximum(curve, 1e-6), label=name)
        ax.set_title(f"Figure {group}")
        ax.set_ylabel("squared error")
        ax.legend(loc="upper right", fontsize=7)
    axes[-1, 0].set_xlabel("time [s]")
    return sheet


class Unaware:
    """A method that plans for a body as it was known, whatever the body weighs that it moves."""

    name = "mcsim"

    def __init__(self, way: McSim, known: Character):
        self.way, self.known = way, known
        self.step_size, self.period = way.step_size, way.period

    def start(self, character: Character, reference: Reference, stage: Stage) -> Any:
        """A memory whose model is that of the known body."""
        return self.way.start(self.known, reference, stage)

    def act(self, state: State, touches: Touches, reference: Reference, memory: Any) -> Action:
        """As the method does."""
        return self.way.act(state, touches, reference, memory)


def masses(options: Options) -> Table:
    """One row a version of the body: masses known and unknown by the document's form, unknown by ours."""
    walk, rows = load_clip("walk"), []
    flat, planar = sagittal(walk), way_of("walk")
    for name, factor in MASSES.items():
        heavy, whole = with_masses(flat, factor), with_masses(walk, factor)
        cells = [
            run_seeds(heavy, planar, options.seeds, SECONDS),
            run_seeds(heavy, Unaware(planar, flat.character), options.seeds, SECONDS),
            run_seeds(whole, Unaware(McSim(), walk.character), options.seeds, SECONDS),
        ]
        rows.append((name, *(x for c in cells for x in (up(c), _error(c)))))
    notes = (f"Stayed up for {SECONDS:g} s and the first fall; squared distance of joint angles [rad] and velocities "
             "[rad/s] from the reference until a fall: mean of a run, median of the runs.",
             "In the plane biped18, in three dimensions human42; ours does not refit the walk to the changed body.",
             NOTE)  # fmt: skip
    columns = ("masses", "document's form, known", "error", "document's form, unknown", "error ", "ours, 3D, unknown",
               "error  ")  # fmt: skip
    return Table("Figure 4: wrong masses, known to the program and not", columns, tuple(rows), notes)


def _error(outcomes: Sequence[Outcome]) -> float:
    return round(float(np.median([squared_error(o).mean() for o in outcomes])), 2)
