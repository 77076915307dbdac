"""Section 8.1: sketches drawn at random, and a jog for the body of a recording."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from poise.errors import BadValue, NoSolution
from poise.experiments.reproduce import Options, Table, told
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.vibration.design import cpu_seconds, design, measured
from poise.methods.vibration.gait import Gait, find_gait
from poise.methods.vibration.other_body import on_body
from poise.methods.vibration.score import violated
from poise.methods.vibration.showing import sketch_clip
from poise.methods.vibration.sketch import DEGREES, Sketch, find_sketch, read
from poise.methods.vibration.spectrum import spectra
from poise.methods.vibration.unit_simulator import UnitSimulator

SLOW, DRAWN = 12, {"flight": 3, "ground": 4}  # modes of a phase among which is drawn; how many, as the run has
SWINGS = (10.0, 30.0)  # [degrees]
RANDOM = 4  # sketches, of seeds 0 to 3
FLAPS = {"flight": "f5", "ground": "g6"}  # arms that flap
SERIES = (0.0, 30.0, 60.0, 90.0)  # [N m]
JOGGERS = ("humanoid3d_run", "02_01", "16_03", "91_16_f0300-0840")  # recordings whose bodies are to jog
COLUMNS = ("sketch", "priority", "violated", "cyclic error", "speed [m/s]", "feedback [%]",
           "in priority modes, flight [%]", "on ground [%]", "units closed", "withstood", "CPU [s]")  # fmt: skip


def random_sketch(seed: int) -> Sketch:
    """Three flight and four ground modes of the twelve slowest, each with a random swing; the run's are permitted.

    Amplitudes are in degrees. In N m, of which arms bear few and legs many, hardly any sketch of slow modes could
    outweigh what a run cannot do without (E5).
    """
    rng, base = np.random.default_rng(seed), find_sketch("runner")
    plain, found = base.plain(), base.palette()
    for phase, count in DRAWN.items():
        names = [m.name for m in getattr(found, phase)[:SLOW]]
        drawn = sorted(rng.choice(names, count, replace=False), key=names.index)
        sizes = rng.uniform(*SWINGS, count) * rng.choice([-1.0, 1.0], count)
        run = (*plain[phase]["priority"], *plain[phase]["permit"])
        plain[phase] = {"priority": {str(m): round(float(a), 1) for m, a in zip(drawn, sizes, strict=True)},
                        "permit": [m for m in run if m not in drawn]}  # fmt: skip
    return read({**plain, "amplitudes": DEGREES, "name": f"random {seed}"})


def run(options: Options) -> Table:
    """A gait for each of four random sketches, begun with the run that comes with poise, as `poise design --from`."""
    drawn, run = (random_sketch(s) for s in range(min(options.seeds, RANDOM))), find_gait("runner")
    rows = [(*_row(sketch, run), *shares(run, sketch)) for sketch in drawn if options.wants(sketch.name)]
    columns = (*COLUMNS, "of the run's energy in these modes, flight [%]", "on the ground [%]")
    return Table("Random sketches", columns, tuple(rows), ("Priority amplitudes are lower bounds by construction.",))


def recorded(options: Options) -> Table:
    """A jog for the bodies that recordings bring: the sketch of the run, led over to each (`other_body`)."""
    rows = []
    for name in JOGGERS:
        path = options.recording(name) if options.wants(name) else None
        if path is not None:
            rows.append(_row(replace(on_body(find_sketch("runner"), path).sketch, name=name)))
    if not rows:
        raise BadValue(f"The folder of recordings has none of {', '.join(JOGGERS)}, whose bodies are to jog.")
    return Table("Bodies of recordings", COLUMNS, tuple(rows), ("Left and right are made alike where they differ.",))


def series(options: Options) -> Table:
    """One amplitude alone changes the look: arms that flap more and more, in the sketch without gravity and in the run.

    Each begins with the run that comes with poise, to whose sketch `FLAPS` are added.
    """
    run = find_gait("runner")
    plain, rows = run.sketch.plain(), []
    for amplitude in SERIES:
        more = {p: {"priority": {**plain[p]["priority"], m: amplitude}, "permit": plain[p]["permit"]}
                for p, m in FLAPS.items()}  # fmt: skip
        sketch = read({**plain, **more}, f"flap {amplitude:g}") if amplitude else run.sketch
        gait = design(sketch, origin=run) if amplitude else run
        simulator, f = sketch.simulator(), gait.facts if amplitude else {**gait.facts, **measured(gait)}
        arms = (_arms(simulator, q) for q in (sketch_clip(sketch).q, gait.track))
        rows.append(told((amplitude, *arms, violated(f["easy"]), f["cyclic_error"], f["speed"], f["units"],
                          f["cpu_seconds"])))  # fmt: skip
    columns = ("amplitude [N m]", "arm at most sideways, without gravity [degrees]", "in the run", "violated",
               "cyclic error", "speed [m/s]", "units closed", "CPU [s]")  # fmt: skip
    return Table("One amplitude", columns, tuple(rows), (f"{' and '.join(FLAPS.values())} of runner.",))


def _arms(simulator: UnitSimulator, q: Array) -> float:
    """How far the left arm is sideways of its rest at most [degrees] in configurations (N, nq)."""
    turn = conf.difference(simulator.character.layout, simulator.rest, q)[:, simulator.character.dofs("left_upper_arm")]
    return float(np.degrees(turn[:, 0].max()))


def _row(sketch: Sketch, origin: Gait | None = None) -> tuple[Any, ...]:
    listed, begun = " ".join((*sketch.flight.priority, *sketch.ground.priority)), cpu_seconds()
    try:
        gait = design(sketch, origin=origin)
    except NoSolution:
        return told((sketch.name, listed, "all fall", *[float("nan")] * 7, cpu_seconds() - begun))
    f = gait.facts
    return told((sketch.name, listed, violated(f["easy"]), f["cyclic_error"], f["speed"], 100.0 * f["feedback_share"],
                 *shares(gait), f["units"], withstood(gait), f["cpu_seconds"]))  # fmt: skip


def withstood(gait: Gait) -> str:
    """What a gait stays up in of what a design tries, such as "32 of 32 pushes, 5 of 5 noises and slopes"."""
    f = gait.facts
    return (f"{f['stays_up']} of {f['pushes']} pushes, {f['noise_and_slopes_kept']} of {f['noise_and_slopes']} noises "
            "and slopes")  # fmt: skip


def shares(gait: Gait, sketch: Sketch | None = None) -> tuple[float, float]:
    """Percent of the modal energy of a gait's cycle in the priority modes of its own sketch or another, by phase."""
    simulator, given, fix, _ = gait.driven()
    found, sketch = spectra(simulator, gait.sketch.palette(), gait.cycle[0], given, fix), sketch or gait.sketch
    return 100.0 * found[0].share(sketch.flight), 100.0 * found[1].share(sketch.ground)
