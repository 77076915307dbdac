"""mcsim/clips: whole clips in three dimensions: the built-in ones, and recordings made physical."""

from __future__ import annotations

from poise.errors import PoiseError
from poise.experiments.mcsim.runs import COLUMNS, film, length, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.load import load_clip

BUILT_IN = ("march", "sneak", "backward", "turn", "run", "hop", "jump", "punch", "wave", "kick", "squat")
RECORDED = {
    "march": "91_19_f0240-0780", "sneak": "120_08_f0180-0780", "limp": "91_16_f0300-0840",
    "backward": "136_25_f0180-0780", "long stride": "08_07", "stand to walk": "136_20_f0180-0720",
    "walk to stand": "16_33", "90 degree turn": "16_17_f0000-0460", "run": "09_01", "forward jump": "16_05",
    "punch": "02_05_f0060-0480",
}  # fmt: skip


def run(options: Options) -> Table:
    """Every clip from several starts."""
    rows, figures = [], []
    sources = [(name, name) for name in BUILT_IN]
    if options.folder is not None:
        sources += [(f"{n} ({f[:6]})", str(options.folder / "cmu" / f"{f}.bvh")) for n, f in RECORDED.items()]
    for name, source in sources:
        try:
            clip = load_clip(source)
            outcomes = run_seeds(clip, McSim(), options.seeds, length(clip, 10.0))
        except PoiseError as error:
            rows.append((name, "-", str(error)[:60], float("nan"), float("nan"), float("nan")))
            continue
        rows.append(row(name, outcomes))
        figures += film(outcomes[0], options.out, f"mcsim-clip-{name.split(' (')[0].replace(' ', '-')}")
    notes = ("Loops for 10 s; open clips to their end, and 1 s after where they end at rest.",)
    return Table("Whole clips", COLUMNS, tuple(rows), notes, tuple(figures))
