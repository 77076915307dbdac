"""mcsim/surroundings: section 7.1: slopes, a moving platform, a seesaw, blocks in the way, thrown balls."""

from __future__ import annotations

from poise.experiments.mcsim.runs import COLUMNS, NOTE, film, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.load import load_clip
from poise.stage import Ball, Blocks, Platform, PlatformMotion, Seesaw, Slope, Stage


def stages() -> dict[str, Stage]:
    """The surroundings by name."""
    thrown = {part: Stage(events=[Ball(mass=2.0, at=at, speed=8.0, toward=part, direction=way)
                                  for at, way in ((1.5, (0.0, 1.0, 0.0)), (4.0, (-1.0, 0.0, 0.0)))])
              for part in ("head", "chest", "left_thigh")}  # fmt: skip
    shaken = Platform(size=(40.0, 6.0, 0.1), motion=PlatformMotion(0.08, 0.5, (0.0, 1.0, 0.0), at=1.0))
    places = [(1.6 + 1.7 * k, 0.1 * (-1) ** k, 20.0 * k, 0.2, 0.12) for k in range(5)]
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
    """The walk of human42 in each of them."""
    clip, rows, figures = load_clip("walk"), [], []
    for name, stage in stages().items():
        outcomes = run_seeds(clip, McSim(), options.seeds, 10.0 if "seesaw" not in name else 4.5, stage)
        rows.append(row(name, outcomes))
        figures += film(outcomes[0], options.out, f"mcsim-{name.split(',')[0].replace(' ', '-')}-{len(rows)}")
    notes = ("human42, 10 s (seesaw: 4.5 s, the way to its end); two balls a run, from the side and from ahead.", NOTE)
    return Table("New surroundings (section 7.1)", COLUMNS, tuple(rows), notes, tuple(figures))
