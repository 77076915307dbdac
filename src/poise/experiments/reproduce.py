"""The tables and figures of the papers and of this project, each run by its name: `poise reproduce NAME`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from poise.errors import BadValue, UnknownName
from poise.extras import need

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from poise.take import Take


class Experiment(NamedTuple):
    """Where an experiment is, and what it needs or takes beside seeds and a folder for figures."""

    place: str  # module under poise.experiments, and ":function" where that is not `run`
    package: str = ""  # optional one without which it cannot be run
    plots: bool = False  # its figures are drawn by matplotlib; those of the others are filmstrips
    recordings: bool = False  # it cannot be run without a folder of recordings
    takes: tuple[str, ...] = ()  # of "only" and "characters"


EXPERIMENTS: dict[str, Experiment] = {
    "audit/takes": Experiment("audit", takes=("only",)),
    "audit/servos": Experiment("audit:servos", recordings=True, takes=("only",)),
    "balance/ablation": Experiment("balance.pushes:ablation"),
    "balance/forms": Experiment("balance.forms"),
    "balance/honest": Experiment("balance.pushes:honest"),
    "balance/nearby": Experiment("balance.tracking:nearby", recordings=True),
    "balance/outside": Experiment("balance.outside"),
    "balance/search": Experiment("balance.search", "cma"),
    "balance/search-honest": Experiment("balance.search:honest", "cma"),
    "balance/slider": Experiment("balance.pushes:slider"),
    "balance/speed": Experiment("balance.standing:speed"),
    "balance/spheres": Experiment("balance.spheres"),
    "balance/standing": Experiment("balance.standing"),
    "balance/struck": Experiment("balance.spheres:struck"),
    "balance/tracking": Experiment("balance.tracking", plots=True, recordings=True),
    "hands/cooking": Experiment("hands.cooking"),
    "hands/coverage": Experiment("hands.coverage"),
    "hands/cup": Experiment("hands.studies:cup"),
    "hands/figures": Experiment("hands.figures"),
    "hands/friction": Experiment("hands.studies:friction"),
    "hands/objects": Experiment("hands.studies:objects"),
    "hands/recording": Experiment("hands.recording", recordings=True),
    "hands/speed": Experiment("hands.speed", "clarabel"),
    "hands/stills": Experiment("hands.stills", takes=("only",)),
    "hands/styles": Experiment("hands.studies:styles"),
    "hands/table2": Experiment("hands.table2", takes=("only",)),
    "hands/timing": Experiment("hands.studies:timing"),
    "live/chains": Experiment("live:chains", takes=("only",)),
    "live/edits": Experiment("live", takes=("only",)),
    "live/falls": Experiment("live:falls"),
    "live/speed": Experiment("live:speed"),
    "live/steering": Experiment("live:steering"),
    "library/gaits": Experiment("library.table:gaits", recordings=True),
    "library/likeness": Experiment("library.likeness", plots=True, recordings=True),
    "library/ranges": Experiment("library.table:ranges", takes=("only", "characters")),
    "library/table": Experiment("library.table", takes=("only", "characters")),
    "mcsim/clips": Experiment("mcsim.clips"),
    "mcsim/dart": Experiment("mcsim.clips:dart", "dartpy"),
    "mcsim/errors": Experiment("mcsim.model_errors", plots=True),
    "mcsim/gains": Experiment("mcsim.gains", plots=True),
    "mcsim/masses": Experiment("mcsim.model_errors:masses"),
    "mcsim/planar": Experiment("mcsim.planar"),
    "mcsim/programs": Experiment("mcsim.speed:programs"),
    "mcsim/pushes": Experiment("mcsim.pushes", plots=True),
    "mcsim/slopes": Experiment("mcsim.surroundings:slopes"),
    "mcsim/speed": Experiment("mcsim.speed"),
    "mcsim/surroundings": Experiment("mcsim.surroundings"),
    "mcsim/tuning": Experiment("mcsim.tuning", "cma"),
    "mcsim/walk": Experiment("mcsim.clips:walk"),
    "modal/bar": Experiment("modal.bar"),
    "modal/clips": Experiment("modal.tracking:clips"),
    "modal/costs": Experiment("modal.costs", plots=True),
    "modal/edits": Experiment("modal.edits"),
    "modal/forms": Experiment("modal.forms"),
    "modal/hanging": Experiment("modal.bar:hanging"),
    "modal/lifting": Experiment("modal.lifting"),
    "modal/loads": Experiment("modal.lifting:loads"),
    "modal/modes": Experiment("modal.spectra", plots=True),
    "modal/planning": Experiment("modal.planning", "clarabel"),
    "modal/pushes": Experiment("modal.pushes"),
    "modal/pushes-torques": Experiment("modal.pushes:torques"),
    "modal/slowing": Experiment("modal.edits:slowing"),
    "modal/spacetime": Experiment("modal.baseline", "clarabel"),
    "modal/speed": Experiment("modal.tracking:speed"),
    "modal/squat-bodies": Experiment("modal.squats:bodies"),
    "modal/squats": Experiment("modal.squats"),
    "modal/squats-late": Experiment("modal.squats:late"),
    "modal/tracking": Experiment("modal.tracking"),
    "modal/windows": Experiment("modal.windows", plots=True),
    "momentum/anticipation": Experiment("momentum.timing:anticipation", takes=("only",)),
    "momentum/changes": Experiment("momentum.changes", takes=("only",)),
    "momentum/clips": Experiment("momentum.clips", takes=("only",)),
    "momentum/compared": Experiment("momentum.pushes:compared"),
    "momentum/fixed": Experiment("momentum.timing:fixed", takes=("only",)),
    "momentum/hands": Experiment("momentum.on_hands"),
    "momentum/pushes": Experiment("momentum.pushes", takes=("only",)),
    "momentum/repeated": Experiment("momentum.pushes:repeated", takes=("only",)),
    "momentum/speed": Experiment("momentum.speed"),
    "momentum/spin": Experiment("momentum.weights:spin", takes=("only",)),
    "momentum/strips": Experiment("momentum.strips", takes=("only",)),
    "momentum/sustained": Experiment("momentum.pushes:sustained", takes=("only",)),
    "momentum/timing": Experiment("momentum.timing", takes=("only",)),
    "momentum/torques": Experiment("momentum.simulated", takes=("only",)),
    "momentum/weights": Experiment("momentum.weights"),
    "physical/labels": Experiment("physical.labels", recordings=True, takes=("only",)),
    "physical/library": Experiment("physical.table:library", takes=("only",)),
    "physical/live": Experiment("physical.live", takes=("characters",)),
    "physical/table": Experiment("physical.table", recordings=True, takes=("only",)),
    "physical/timing": Experiment("physical.speed", takes=("only",)),
    "posture/alternatives": Experiment("posture.alternatives"),
    "posture/claims": Experiment("posture.claims"),
    "posture/count": Experiment("posture.controls:count"),
    "posture/cup": Experiment("posture.extras:cup"),
    "posture/cycles": Experiment("posture.controls:cycles", recordings=True),
    "posture/largest": Experiment("posture.controls:largest"),
    "posture/latency": Experiment("posture.controls:latency"),
    "posture/momentum": Experiment("posture.combined"),
    "posture/obstacles": Experiment("posture.extras:obstacles"),
    "posture/platform": Experiment("posture.extras:platform"),
    "posture/pushes": Experiment("posture.pushes", takes=("only",)),
    "posture/spectra": Experiment("posture.controls:spectra", plots=True),
    "posture/speed": Experiment("posture.speed"),
    "posture/styles": Experiment("posture.styles", recordings=True),
    "posture/swapped": Experiment("posture.styles:swapped", recordings=True),
    "posture/turns": Experiment("posture.controls:turns"),
    "posture/unperturbed": Experiment("posture.claims:unperturbed"),
    "posture/woman": Experiment("posture.styles:woman", recordings=True),
    "rehearse/ablation": Experiment("rehearse.ablation", takes=("only",)),
    "rehearse/changed": Experiment("rehearse.clips:changed", takes=("only",)),
    "rehearse/clips": Experiment("rehearse.clips", takes=("only",)),
    "rehearse/compared": Experiment("rehearse.clips:compared", takes=("only",)),
    "rehearse/disturbed": Experiment("rehearse.disturbed", takes=("only",)),
    "rehearse/getup": Experiment("rehearse.getup", takes=("only",)),
    "rehearse/stages": Experiment("rehearse.stages", takes=("only",)),
    "rehearse/strips": Experiment("rehearse.strips", recordings=True, takes=("only",)),
    "retarget/sheets": Experiment("retargeting:sheets", recordings=True),
    "retarget/table": Experiment("retargeting", recordings=True, takes=("only", "characters")),
    "stage/tour": Experiment("stage_tour", takes=("only",)),
    "truth/costs": Experiment("truth.costs", recordings=True, takes=("only",)),
    "truth/flights": Experiment("truth.flights", recordings=True, takes=("only",)),
    "truth/labels": Experiment("truth.labels", recordings=True, takes=("only",)),
    "truth/performed": Experiment("truth.performed", takes=("only",)),
    "truth/plates": Experiment("truth.plates", plots=True, recordings=True, takes=("only",)),
    "vibration/cluster": Experiment("vibration.cluster", "distributed"),
    "vibration/compared": Experiment("vibration.compared", plots=True, takes=("only",)),
    "vibration/designs": Experiment("vibration.gaits:designs", takes=("only",)),
    "vibration/disturbed": Experiment("vibration.disturbed", takes=("only",)),
    "vibration/gaits": Experiment("vibration.gaits", takes=("only",)),
    "vibration/modes": Experiment("vibration.modes"),
    "vibration/printed": Experiment("vibration.printed", takes=("only",)),
    "vibration/pushes": Experiment("vibration.disturbed:pushes", takes=("only",)),
    "vibration/random": Experiment("vibration.sketches", takes=("only",)),
    "vibration/recorded": Experiment("vibration.sketches:recorded", recordings=True, takes=("only",)),
    "vibration/series": Experiment("vibration.sketches:series"),
    "vibration/styles": Experiment("vibration.gaits:styles", takes=("only",)),
}


@dataclass(frozen=True)
class Options:
    """What an experiment may be told."""

    seeds: int = 8  # how many starts, phases, repetitions or generations
    out: Path | None = None  # folder for figures
    recordings: Path | None = None  # folder of motion files
    only: tuple[str, ...] = ()  # beginnings of the names of what is tried; all where there are none
    characters: tuple[str, ...] = ()  # built-in ones, or files of a body or a motion

    def wants(self, name: str) -> bool:
        """Is something of this name to be tried?"""
        return not self.only or name.startswith(self.only)

    def files(self) -> list[Path]:
        """The recordings that are to be tried, in order of their paths; files of a skeleton alone are left out."""
        found = [] if self.recordings is None else motion_files(self.recordings)
        return [p for p in found if self.wants(p.stem)]

    def recording(self, name: str) -> Path | None:
        """The recording whose name begins so; None without a folder of recordings, or without this one in it."""
        found = [] if self.recordings is None else motion_files(self.recordings)
        return next((p for p in found if p.stem.startswith(name)), None)

    def film(self, take: Take, name: str, reference: bool = False, **how: Any) -> tuple[str, ...]:
        """Draw the filmstrip of a take where there is a folder for figures, with its `reference` below if that is
        asked for; the name of its file. `how`: options of `export.filmstrip`, such as times, for the take alone.
        """
        path = self._figure(name)
        if path is None:
            return ()
        if reference:
            from poise.export.filmstrip import save

            clip = take.as_clip()
            save([clip, clip.with_q(take.q_ref, labels=take.scheduled)], path, labels=("take", "reference"))
        else:
            take.save(path, **how)
        return (str(path),)

    def plot(self, draw: Callable[[], Figure], name: str) -> tuple[str, ...]:
        """Draw a plot where there is a folder for figures; the name of its file."""
        path = self._figure(name)
        if path is None:
            return ()
        from poise.export.plots import save_plot

        save_plot(draw(), path)
        return (str(path),)

    def _figure(self, name: str) -> Path | None:
        return None if self.out is None else self.out / f"{re.sub('[^a-z0-9_]+', '-', name.lower())}.png"


def motion_files(folder: Path) -> list[Path]:
    """Motion files under a folder, in order of their paths; files that describe a skeleton only are left out."""
    found = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in (".bvh", ".amc", ".fbx", ".txt")]
    return [p for p in found if p.suffix != ".txt" or (p.stem.startswith("humanoid3d_") and "character" not in p.stem)]


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


def told(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row itself, shown on standard error: who waits for a long table sees it grow."""
    print(*map(_plain, row), sep="  ", file=sys.stderr, flush=True)
    return row


def experiment(name: str) -> Callable[[Options], Table]:
    """The function that runs an experiment."""
    module, _, function = _entry(name).place.partition(":")
    return getattr(import_module(f"poise.experiments.{module}"), function or "run")


def _entry(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        raise UnknownName("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]


def reproduce(name: str, options: Options | None = None) -> Table:
    """The table of an experiment; its figures are drawn into `options.out`."""
    options = options or Options()
    _check(name, options)
    if options.out is not None:
        try:
            options.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadValue(f"Figures cannot be written to {options.out}: {error.strerror}.") from None
    return experiment(name)(options)


def _check(name: str, options: Options) -> None:
    """Refuse, before any work is done, what an experiment cannot be run with or would not heed."""
    wants = _entry(name)
    if wants.package:
        need(wants.package, f"The experiment {name}")
    if options.out is not None and wants.plots:
        need("matplotlib", f"The figure of {name}")
    if options.seeds < 1:
        raise BadValue(f"An experiment needs at least one seed, not {options.seeds}.")
    for option in ("only", "characters"):
        if getattr(options, option) and option not in wants.takes:
            raise BadValue(f"{name} has nothing to choose with --{option}.")
    if options.recordings is not None and not options.recordings.is_dir():
        raise BadValue(f"There is no folder of recordings {options.recordings}.")
    if wants.recordings and options.recordings is None:
        raise BadValue(f"{name} is about recordings: give their folder with --recordings.")
    if wants.recordings and not options.files():
        raise BadValue(f"{options.recordings} has no recordings that are asked for.")
