"""Tables and figures of the papers, each by one name: what `poise reproduce METHOD/NAME` runs.

An experiment is a function `run(options) -> Table`; the registry says in which module it is. A table has `text()` and
`to_dict()`; figures go into the folder `options.out` where one is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from poise.errors import BadValue, UnknownName
from poise.extras import need

EXPERIMENTS: dict[str, str] = {
    "modal/tracking": "poise.experiments.modal.tracking:run",
    "modal/forms": "poise.experiments.modal.forms:run",
    "modal/speed": "poise.experiments.modal.speed:run",
    "modal/clips": "poise.experiments.modal.clips:run",
    "modal/pushes": "poise.experiments.modal.pushes:run",
    "modal/pushes-torques": "poise.experiments.modal.pushes:torques",
    "modal/squats": "poise.experiments.modal.squats:run",
    "modal/squats-late": "poise.experiments.modal.squats:late",
    "modal/squat-bodies": "poise.experiments.modal.squats:bodies",
    "modal/hanging": "poise.experiments.modal.hanging:run",
    "modal/bar": "poise.experiments.modal.bar:run",
    "modal/lifting": "poise.experiments.modal.lifting:run",
    "modal/loads": "poise.experiments.modal.lifting:loads",
    "modal/planning": "poise.experiments.modal.planning:run",
    "modal/modes": "poise.experiments.modal.spectra:run",
    "modal/spacetime": "poise.experiments.modal.baseline:run",
    "modal/costs": "poise.experiments.modal.costs:run",
    "modal/windows": "poise.experiments.modal.windows:run",
    "modal/edits": "poise.experiments.modal.edits:run",
    "modal/slowing": "poise.experiments.modal.slowing:run",
    "mcsim/planar": "poise.experiments.mcsim.planar_walks:run",
    "mcsim/walk": "poise.experiments.mcsim.walks:run",
    "mcsim/clips": "poise.experiments.mcsim.clips:run",
    "mcsim/surroundings": "poise.experiments.mcsim.surroundings:run",
    "mcsim/slopes": "poise.experiments.mcsim.slopes:run",
    "mcsim/pushes": "poise.experiments.mcsim.pushes:run",
    "mcsim/errors": "poise.experiments.mcsim.model_errors:run",
    "mcsim/masses": "poise.experiments.mcsim.masses:run",
    "mcsim/gains": "poise.experiments.mcsim.gains:run",
    "mcsim/programs": "poise.experiments.mcsim.programs:run",
    "mcsim/speed": "poise.experiments.mcsim.speed:run",
    "mcsim/tuning": "poise.experiments.mcsim.tuning:run",
    "mcsim/dart": "poise.experiments.mcsim.dart:run",
    "truth/plates": "poise.experiments.truth.plates:run",
    "balance/ablation": "poise.experiments.balance.ablation:run",
    "balance/forms": "poise.experiments.balance.forms:run",
    "balance/honest": "poise.experiments.balance.honest:run",
    "balance/nearby": "poise.experiments.balance.nearby:run",
    "balance/outside": "poise.experiments.balance.outside:run",
    "balance/slider": "poise.experiments.balance.slider:run",
    "balance/speed": "poise.experiments.balance.speed:run",
    "balance/spheres": "poise.experiments.balance.spheres:run",
    "balance/struck": "poise.experiments.balance.struck:run",
    "balance/standing": "poise.experiments.balance.standing:run",
    "balance/tracking": "poise.experiments.balance.tracking:run",
}

NEEDS: dict[str, str] = {
    "modal/planning": "clarabel",
    "modal/spacetime": "clarabel",
    "mcsim/tuning": "cma",
    "mcsim/dart": "dartpy",
}
"""Optional package without which an experiment cannot be run."""
PLOTS = ("modal/costs", "modal/modes", "modal/windows", "mcsim/errors", "mcsim/gains", "mcsim/pushes",
         "balance/tracking", "truth/plates")  # fmt: skip
"""Experiments whose figures are drawn by matplotlib; those of the others are filmstrips."""


@dataclass(frozen=True)
class Options:
    """What an experiment may be told."""

    seeds: int = 8
    out: Path | None = None  # folder for figures
    folder: Path | None = None  # of recordings


@dataclass(frozen=True)
class Table:
    """Rows under columns; `notes` are printed below, `figures` are files that were drawn."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()

    def text(self) -> str:
        """For a terminal."""
        cells = [[_plain(c) for c in row] for row in self.rows]
        widths = [max(len(x) for x in column) for column in zip(self.columns, *cells, strict=True)]
        lines = ["  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip()
                 for row in (self.columns, *cells)]  # fmt: skip
        below = [*self.notes, *(f"drawn: {f}" for f in self.figures)]
        return "\n".join([self.title, "", *lines, *(["", *below] if below else [])])

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"title": self.title, "rows": [dict(zip(self.columns, r, strict=True)) for r in self.rows],
                "notes": list(self.notes), "figures": list(self.figures)}  # fmt: skip


def _plain(cell: object) -> str:
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def experiment(name: str) -> Callable[[Options], Any]:
    """The function that runs an experiment."""
    if name not in EXPERIMENTS:
        raise UnknownName("experiment", name, EXPERIMENTS)
    module, _, function = EXPERIMENTS[name].partition(":")
    return getattr(import_module(module), function)


def reproduce(name: str, options: Options | None = None) -> Any:
    """The table of an experiment; its figures are drawn into `options.out`."""
    options = options or Options()
    if name in NEEDS:
        need(NEEDS[name], f"The experiment {name}")
    if options.out is not None and name in PLOTS:
        need("matplotlib", f"The figure of {name}")
    if options.seeds < 1:
        raise BadValue(f"An experiment needs at least one seed, not {options.seeds}.")
    if options.out is not None:
        try:
            options.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadValue(f"Figures cannot be written to {options.out}: {error.strerror}.") from None
    return experiment(name)(options)
