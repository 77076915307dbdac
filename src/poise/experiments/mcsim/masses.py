"""mcsim/masses: figure 4 with masses that the program does not know: the body weighs other than its model says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from poise.character import Character
from poise.experiments.mcsim.model_errors import MASSES, SECONDS, squared_error, with_masses
from poise.experiments.mcsim.planar import sagittal
from poise.experiments.mcsim.planar_walks import way_of
from poise.experiments.mcsim.runs import NOTE, Outcome, run_seeds, up
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.simulate.loop import Action
from poise.simulate.simulator import State, Touches
from poise.stage import Stage


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


def run(options: Options) -> Table:
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
