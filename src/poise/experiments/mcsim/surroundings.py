"""mcsim/surroundings: section 7.1: slopes, a moving platform, a seesaw, blocks in the way, thrown balls.

The document's form on its own planar character and in three dimensions, and ours.
"""

from __future__ import annotations

from poise.experiments.mcsim.planar import sagittal
from poise.experiments.mcsim.planar_walks import way_of
from poise.experiments.mcsim.runs import FORMS, GLANCE, NOTE, Outcome, error, film, run_seeds, up
from poise.experiments.mcsim.slopes import put_seeds
from poise.experiments.reproduce import Options, Table
from poise.ground.ground import plane_of
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.stage import Ball, Blocks, Platform, PlatformMotion, Seesaw, Slope, Stage


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
        figures += film(ours[0], options.out, f"mcsim-{name.split(',')[0].replace(' ', '-')}-{len(rows)}")
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
