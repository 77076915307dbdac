"""Section 8.1: sketches drawn at random, and a jog for the body of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import BadValue, NoSolution
from poise.experiments.reproduce import Options, Table, told
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.vibration.design import cpu_seconds, design
from poise.methods.vibration.gait import Gait, find_gait
from poise.methods.vibration.palette import Palette
from poise.methods.vibration.score import violated
from poise.methods.vibration.showing import sketch_clip
from poise.methods.vibration.sketch import Sketch, find_sketch, read
from poise.methods.vibration.spectrum import spectra
from poise.methods.vibration.unit_simulator import UnitSimulator

SLOW, MORE = 12, 2  # modes of a phase among which is drawn, and how many
LEGGED, DRAWN = 20, {"flight": 3, "ground": 4}  # the same of sketches without the run's modes: as many as it has
SWINGS = (10.0, 30.0)  # [degrees] of the joint that turns most
LEFT = 0.9  # of the sum of the amplitudes drawn: what the run's own begin with at most
RANDOM = 4  # sketches, of seeds 0 to 3
FLAPS = {"flight": "f5", "ground": "g6"}  # arms that flap
SERIES = (0.0, 30.0, 60.0, 90.0)  # [N m]
JOG = "humanoid3d_run"  # the recording, whose body is alike left and right
COLUMNS = ("sketch", "priority", "violated", "cyclic error", "speed [m/s]", "in priority modes, flight [%]",
           "on ground [%]", "units closed", "withstood", "CPU [s]")  # fmt: skip


def random_sketch(seed: int) -> Sketch:
    """The run with two slow modes more in each phase, drawn at random with a random swing; all have priority."""
    rng = np.random.default_rng(seed)
    base = find_sketch("runner")
    plain, found = base.plain(), base.palette()
    for phase in ("flight", "ground"):
        known = {*plain[phase]["priority"], *plain[phase]["permit"]}
        slow = [m.name for m in getattr(found, phase)[:SLOW] if m.name not in known]
        priority = plain[phase]["priority"] | _drawn(rng, found, phase, slow, MORE)
        plain[phase] = {"priority": priority, "permit": plain[phase]["permit"]}
    return read({**plain, "name": f"random {seed}"})


def free_sketch(seed: int) -> Sketch:
    """Three flight and four ground modes drawn at random from the slow ones that move the legs, and none of the run's.

    Permitted are the modes of the run; they begin with its amplitudes as far as what is drawn stays the greater (E5).
    """
    rng = np.random.default_rng(seed)
    base = find_sketch("runner")
    plain, found = base.plain(), base.palette()
    for phase, count in DRAWN.items():
        legs = np.flatnonzero(_of_legs(found, phase)[:LEGGED] > 0.5)
        priority = _drawn(rng, found, phase, [getattr(found, phase)[k].name for k in legs], count)
        run = {**plain[phase]["priority"], **dict.fromkeys(plain[phase]["permit"], 0.0)}
        others = {m: a for m, a in run.items() if m not in priority}
        share = min(1.0, LEFT * sum(map(abs, priority.values())) / sum(map(abs, others.values())))
        plain[phase] = {"priority": priority, "permit": {m: round(share * a, 1) for m, a in others.items()}}
    return read({**plain, "name": f"free {seed}"})


def _drawn(rng: np.random.Generator, found: Palette, phase: str, names: list[str], count: int) -> dict[str, float]:
    """So many of these modes, each with an amplitude [N m] that swings the joint which turns most by a random angle."""
    swing = dict(zip((m.name for m in getattr(found, phase)), found.swing(found.torques(phase)), strict=True))
    drawn = sorted(rng.choice(names, count, replace=False), key=names.index)
    sizes = np.radians(rng.uniform(*SWINGS, count)) * rng.choice([-1.0, 1.0], count)
    return {str(m): round(float(a / swing[m]), 1) for m, a in zip(drawn, sizes, strict=True)}


def _of_legs(found: Palette, phase: str) -> Array:
    """Share (modes,) of each mode's squared torque that is in the legs."""
    body = found.character
    parts = [f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shin", "foot", "toes")]
    dofs = np.concatenate([np.atleast_1d(body.dofs(p)) for p in parts if body.has(p)])
    return (found.torques(phase)[dofs] ** 2).sum(axis=0)


def run(options: Options) -> Table:
    """A gait for each of four random sketches, and whether it follows it; so too without the modes of a run.

    The first begin with the run that comes with poise, as `poise design --from` does, the others from nothing.
    """
    seeds, run = range(min(options.seeds, RANDOM)), find_gait("runner")
    drawn = [*((random_sketch(s), run) for s in seeds), *((free_sketch(s), None) for s in seeds)]
    rows = [_row(sketch, origin) for sketch, origin in drawn if options.wants(sketch.name)]
    return Table("Random sketches", COLUMNS, tuple(rows), ("Priority amplitudes are lower bounds by construction.",))


def jog_sketch(path: Path) -> Sketch:
    """The run's vibrations on the body of this recording, with springs of the runner's strength."""
    return read({
        "name": "jog", "character": str(path), "gait": "run", "limits": True,
        "springs": {"chest": 400.0, "head": 60.0, "upper_arm": 40.0, "forearm": 25.0, "hand": 6.0, "thigh": 300.0,
                    "shin": 400.0, "foot": 300.0},
        "start": {"period": 0.65, "flight_length": 0.15, "ground_length": 0.09},
        "flight": {"priority": {"f4": -40.0, "f6": -40.0, "f19": 180.0}, "permit": ["f15", "f7"]},
        "ground": {"priority": {"g2": 150.0, "g9": 200.0, "g8": -80.0, "g20": 40.0}, "permit": ["g1", "g7", "g17"]},
    })  # fmt: skip


def recorded(options: Options) -> Table:
    """A jog for the body that a recording brings."""
    path = options.recording(JOG)
    if path is None:
        raise BadValue(f"The folder of recordings has no {JOG}, for whose body the sketch is.")
    return Table("The body of a recording", COLUMNS, (_row(jog_sketch(path)),))


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
        simulator, f = sketch.simulator(), gait.facts
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
        return told((sketch.name, listed, "all fall", *[float("nan")] * 6, cpu_seconds() - begun))
    f = gait.facts
    return told((sketch.name, listed, violated(f["easy"]), f["cyclic_error"], f["speed"], *shares(gait), f["units"],
                 f"{f['endured']} of {f['disturbances']}", f["cpu_seconds"]))  # fmt: skip


def shares(gait: Gait) -> tuple[float, float]:
    """Percent of the modal energy of a gait's cycle that is in the priority modes of its sketch, by phase."""
    simulator, given, fix, _ = gait.driven()
    found = spectra(simulator, gait.sketch.palette(), gait.cycle[0], given, fix)
    return 100.0 * found[0].share(gait.sketch.flight), 100.0 * found[1].share(gait.sketch.ground)
