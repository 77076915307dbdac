"""Table 1 and figure 3: gaits of the built-in sketches, as shipped or designed anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import NoSolution
from poise.experiments.reproduce import Options, Table, told
from poise.experiments.vibration.disturbed import stays_up
from poise.experiments.vibration.sketches import shares, withstood
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.methods.vibration.design import design
from poise.methods.vibration.gait import Gait, load_gait, shipped
from poise.methods.vibration.score import violated
from poise.methods.vibration.sketch import built_in, find_sketch
from poise.motion.load import load_clip
from poise.performance import perform

COLUMNS = ("gait", "seed", "priority (f/g)", "permissible", "speed [m/s]", "energy [N² m²]", "violated", "cyclic error",
           "open loop", "feedback [%]", "deepest [mm]", "in priority modes, flight [%]", "on ground [%]",
           "units closed", "open", "evaluations", "CPU [s]")  # fmt: skip
VIEWS = {"side": 15.0, "front": 75.0}  # [degrees] towards the front
NOTE = "Units asked: 401; half a cycle of a run, a whole one of a hop. The paper: hours, and no speeds or energies."


def _row(name: str, gait: Gait) -> tuple:
    f, s = gait.facts, gait.sketch
    return (name, f["seed"], f"{len(s.flight.priority)}/{len(s.ground.priority)}",
            f"{len(s.flight.names)}/{len(s.ground.names)}", f["speed"], f["energy"], violated(f["easy"]),
            f["cyclic_error"], _open_error(gait), 100.0 * f["feedback_share"], 1000.0 * f["deepest"], *shares(gait),
            f["units"], f["open_loop_units"], f["evaluations"], f["cpu_seconds"])  # fmt: skip


def _open_error(gait: Gait) -> float:
    """max |φ| of one unit of the gait's cycle without its feedback."""
    simulator = gait.sketch.simulator()
    start = np.concatenate([gait.track[0], gait.start])
    once = simulator.run(start, simulator.bursts(gait.controls(gait.space())), 1)
    return float(np.abs(simulator.drift(once.states[0], once.states[-1])).max()) if once.finished else np.inf


def run(options: Options) -> Table:
    """The gaits that come with poise, as their files tell; with a folder, filmstrips of a cycle from two sides."""
    rows, figures = [], []
    for path in shipped():
        if options.wants(path.stem):
            rows.append(_row(path.stem, load_gait(path)))
            if options.out is not None:
                figures += _films(options, path)
    return Table("Gaits", COLUMNS, tuple(rows), (NOTE,), tuple(figures))


def _films(options: Options, path: Path) -> list[str]:
    """The third cycle of a gait in eight poses, from the side and nearly from the front."""
    period = load_gait(path).times["period"]
    take = perform(load_clip(path), "vibration", seconds=3.1 * period)
    times = period * (2.0 + np.arange(8) / 8)
    films: list[str] = []
    for view, degrees in VIEWS.items():
        films += options.film(take, f"gait {path.stem} {view}", times=times, spacing="even", azimuth=degrees, title="")
    return films


def styles(options: Options) -> Table:
    """How far parts turn in a cycle of each gait [degrees]: what tells one style from another in numbers."""
    columns = ("gait", "thigh about its line", "arm sideways", "arm at most sideways", "trunk sideways",
               "trunk about its line", "pelvis sideways", "pelvis about the vertical")  # fmt: skip
    rows = []
    for path in shipped():
        if not options.wants(path.stem):
            continue
        gait = load_gait(path)
        body = gait.sketch.simulator().character
        turn = np.degrees(conf.difference(body.layout, gait.sketch.simulator().rest, gait.track))
        pelvis = np.degrees(rot.log(gait.track[:, 3:7]))
        thigh, arm, chest = (turn[:, body.dofs(part)] for part in ("left_thigh", "left_upper_arm", "chest"))
        rows.append((path.stem, *(float(np.ptp(x)) for x in (thigh[:, 2], arm[:, 0])), float(arm[:, 0].max()),
                     *(float(np.ptp(x)) for x in (chest[:, 0], chest[:, 2], pelvis[:, 0], pelvis[:, 2]))))  # fmt: skip
    return Table("Styles", columns, tuple(rows), ("Ranges over a cycle, from the rest pose, of the left limbs.",))


def designs(options: Options) -> Table:
    """Every built-in sketch designed anew, from as many seeds as asked; with a folder, the gait files too."""
    columns = (*COLUMNS, "withstood of what a design tries", "stays up in pushes of 32")
    rows: list[tuple[Any, ...]] = []
    for name in built_in():
        for seed in range(options.seeds if options.wants(name) else 0):
            try:
                gait = design(find_sketch(name), seed=seed)
            except NoSolution:
                rows.append(told((name, seed, *["all fall"] * len(columns[2:]))))
                continue
            rows.append(told((*_row(name, gait), withstood(gait), stays_up(gait))))
            if options.out is not None:
                gait.save(Path(options.out) / f"{name}-{seed}.toml")
    return Table("Gaits designed anew", columns, tuple(rows), (NOTE, "Pushes: those of vibration/pushes."))
