"""mcsim/surroundings: section 7.1: slopes, a moving platform, a seesaw, blocks in the way, thrown balls.

The document's form on its own planar character and in three dimensions, and ours. mcsim/slopes: the level walk put on
slopes as it is, beside the walk that was refitted to them. A level walk cannot begin upright on a slope: from most of
its poses one foot would be in the ground and the other one above it. It begins leaned with the slope, its feet on it
as they are on the level; the reference stays level.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.experiments.mcsim.planar import sagittal, way_of
from poise.experiments.mcsim.runs import FORMS, GLANCE, HELD_OUT, NOISE, NOTE, Outcome, error, phase, run_seeds, up
from poise.experiments.reproduce import Options, Table
from poise.ground.ground import plane_of
from poise.maths import rotations as rot
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.simulate import loop
from poise.simulate.guard import BlowUp
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import Ball, Blocks, Platform, PlatformMotion, Seesaw, Slope, Stage
from poise.take import Recorder

DEGREES = (5.0, 2.0, -2.0, -5.0, -10.0)  # uphill positive
SECONDS = 10.0
DOWNHILL = {"k": 0.02, "kos": 300.0}  # table 1


def level(way: McSim) -> McSim:
    """The method without the departure by which a clip is refitted to a slope."""
    return replace(way, departures=tuple(d for d in way.departures if d != "slope"))


def put(clip: Clip, way: McSim, degrees: float, start: float, seed: int, seconds: float) -> Outcome:
    """A level clip on a slope along X, from a pose that is leaned with it; noise as in all runs."""
    stage = Stage(ground=Slope(degrees))
    reference, _ = level(way).prepare(Reference(clip, start=start), stage)
    first = reference.sample(0.0)
    lean = rot.from_axis_angle((0.0, 1.0, 0.0), -np.radians(degrees))
    q = np.array(first.q)
    v = first.v + NOISE * np.random.default_rng(seed).standard_normal(len(first.v))
    q[:3], q[3:7], v[:3] = rot.rotate(lean, q[:3]), rot.multiply(lean, q[3:7]), rot.rotate(lean, v[:3])
    simulator = MujocoSimulator(clip.character, stage, dt=way.step_size)
    simulator.reset(q, v)
    recorder = Recorder(reference, start=start, method=way.name, settings=way, stage=stage, seed=seed)
    try:
        return Outcome(loop.run(simulator, level(way), reference, seconds=seconds, recorder=recorder, stage=stage,
                                decimation=max(1, round(way.period / simulator.dt))))  # fmt: skip
    except BlowUp as error:
        if error.take is None:
            raise
        return Outcome(error.take)


def put_seeds(clip: Clip, way: McSim, degrees: float, seeds: int, seconds: float) -> list[Outcome]:
    """One run a seed, each from another phase of a loop; only those that are up after a glance go on."""
    out = []
    for k in range(seeds):
        start, seed = phase(k, seeds) * clip.duration, HELD_OUT + k
        seen = put(clip, way, degrees, start, seed, min(GLANCE, seconds))
        out.append(put(clip, way, degrees, start, seed, seconds) if seen.ok and seconds > GLANCE else seen)
    return out


def stages(planar: bool = False) -> dict[str, Stage]:
    """The surroundings by name; for a planar body the platform moves along its way and nothing comes from the side."""
    aside = (1.0, 0.0, 0.0) if planar else (0.0, 1.0, 0.0)
    thrown = {part: Stage(events=[Ball(mass=2.0, at=at, speed=8.0, toward=part, direction=way)
                                  for at, way in ((1.5, aside), (4.0, (-1.0, 0.0, 0.0)))])
              for part in ("head", "chest", "left_thigh")}  # fmt: skip
    shaken = Platform(size=(40.0, 6.0, 0.1), motion=PlatformMotion(0.08, 0.5, aside, at=1.0))
    places = [(1.6 + 1.7 * k, 0.0 if planar else 0.1 * (-1) ** k, 0.0 if planar else 20.0 * k, 0.2,
               0.6 if planar else 0.12) for k in range(5)]  # fmt: skip
    return {
        "slope, 5 degrees up": Stage(ground=Slope(5.0)),
        "slope, 10 degrees down": Stage(ground=Slope(-10.0)),
        "platform, 8 cm at 0.5 Hz": Stage(ground=shaken),
        "seesaw": Stage(ground=Seesaw(length=12.0, width=4.0, above=0.6, limit=4.0, damping=4000.0, mass=80.0)),
        "blocks of 5 cm, 0.5 kg": Stage(ground=Blocks([(*p, 0.05, 0.5) for p in places])),
        "blocks of 8 cm, 1 kg": Stage(ground=Blocks([(*p, 0.08, 1.0) for p in places])),
        "2 kg at 8 m/s, head": thrown["head"],
        "2 kg at 8 m/s, chest": thrown["chest"],
        "2 kg at 8 m/s, thigh": thrown["left_thigh"],
    }


def run(options: Options) -> Table:
    """The walk in each of them, by both forms."""
    walk, rows, figures = load_clip("walk"), [], []
    flat, plane = sagittal(walk), stages(planar=True)
    for name, stage in stages().items():
        seconds = 10.0 if "seesaw" not in name else 4.5
        plain, whole = (_documents(clip, way, options.seeds, seconds, where) for clip, way, where in (
            (flat, way_of(name.split(",")[0]), plane[name]), (walk, McSim.printed(), stage)))  # fmt: skip
        ours = run_seeds(walk, McSim(), options.seeds, seconds, stage)
        rows.append((name, up(plain), up(whole), up(ours), error(ours)))
        figures += options.film(ours[0].take, f"mcsim-{name.split(',')[0]}-{len(rows)}")
    notes = ("Stayed up, and the first fall. 10 s (seesaw: 4.5 s, the way to its end), human42, in the plane biped18; "
             "two balls a run, from the side and from ahead (in the plane: from behind and from ahead).",
             "Ours refits the walk to a slope before it is performed; the document's form is put on it as it is: "
             "mcsim/slopes has more.", NOTE)  # fmt: skip
    return Table("New surroundings (section 7.1)", ("surroundings", *FORMS, "joint error, ours [rad]"), tuple(rows),
                 notes, tuple(figures))  # fmt: skip


def _documents(clip: Clip, way: McSim, seeds: int, seconds: float, stage: Stage) -> list[Outcome]:
    """Runs of the document's form; on a slope the level walk is put as it is."""
    plane = plane_of(stage.ground)
    if plane is not None and plane.incline is not None:
        return put_seeds(clip, way, plane.incline[0], seeds, seconds)
    return run_seeds(clip, way, seeds, seconds, stage, glance=GLANCE)


def slopes(options: Options) -> Table:
    """One row a slope: the level walk by the document's form and by ours, and the refitted walk by ours."""
    walk, rows = load_clip("walk"), []
    flat = sagittal(walk)
    for degrees in DEGREES:
        printed = {"as the level walk": way_of("walk"), "table 1": replace(way_of("walk"), **DOWNHILL)}
        cells = [
            *(put_seeds(flat, way, degrees, options.seeds, SECONDS) for way in printed.values()),
            put_seeds(walk, McSim.printed(), degrees, options.seeds, SECONDS),
            put_seeds(walk, McSim(), degrees, options.seeds, SECONDS),
            run_seeds(walk, McSim(), options.seeds, SECONDS, Stage(ground=Slope(degrees))),
        ]
        rows.append((f"{abs(degrees):g} degrees {'up' if degrees > 0 else 'down'}", *(up(c) for c in cells)))
    notes = ("Stayed up for 10 s, and the first fall; human42, in the plane biped18, with gains of the level walk "
             "(k 0.2, k_os 1000) and those of table 1 for downhill (0.02, 300). The paper: 5 degrees up and 10 down, "
             "with the motion of level ground.",
             "The level walk begins leaned with the slope, feet on it; its reference stays level.", NOTE)  # fmt: skip
    columns = ("slope", f"{FORMS[0]}, level walk", "same, gains of table 1", f"{FORMS[1]}, level walk",
               f"{FORMS[2]}, level walk", "ours, 3D, refitted walk")  # fmt: skip
    return Table("The walk on slopes", columns, tuple(rows), notes)
