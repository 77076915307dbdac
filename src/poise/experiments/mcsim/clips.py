"""mcsim/clips: whole clips in three dimensions: the built-in ones, and recordings made physical."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from poise.character.load import load_character
from poise.errors import PoiseError
from poise.experiments.mcsim.runs import COLUMNS, film, length, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical import library

BUILT_IN: dict[str, tuple[str, dict[str, float]]] = {
    **{name: (name, {}) for name in ("march", "sneak", "backward", "turn", "run", "jump", "punch", "wave", "kick",
                                     "squat")},
    "soldier's march": ("march", {"speed": 1.2, "height": 80.0}),
    "long stride": ("walk", {"speed": 1.6, "stride": 1.8}),
}  # fmt: skip
UNSEEN = 200  # first seed: steps of slow gaits were worked on with those from 100 on
RECORDED = {
    "march": "91_19_f0240-0780", "sneak": "120_08_f0180-0780", "limp": "91_16_f0300-0840",
    "backward": "136_25_f0180-0780", "long stride": "08_07", "stand to walk": "136_20_f0180-0720",
    "walk to stand": "16_33", "90 degree turn": "16_17_f0000-0460", "run": "09_01", "jog": "02_03",
    "forward jump": "16_05", "punch": "02_05_f0060-0480",
}  # fmt: skip


def run(options: Options) -> Table:
    """Every clip from several starts: built-in ones on two characters, recordings on their own body and on human57."""
    rows, figures = [], []
    for name, source, body in _sources(options.folder):
        try:
            outcomes = _outcomes(source, body, options.seeds)
        except PoiseError as error:
            rows.append((f"{name}, {body}", "-", str(error)[:60], float("nan"), float("nan"), float("nan")))
            continue
        rows.append(row(f"{name}, {body}", outcomes))
        figures += film(outcomes[0], options.out, f"mcsim-clip-{name}-{body}")
    notes = (
        "Loops for 10 s; open clips to their end, and 1 s after where they end at rest.",
        "Seeds from 200 on, that nothing was chosen on; noise of 0.1 rad/s and m/s on all starting velocities.",
    )
    return Table("Whole clips", COLUMNS, tuple(rows), notes, tuple(figures))


def _sources(folder: Path | None) -> list[tuple[str, str, str]]:
    """Name, what is loaded, and the body: one that is built in, or "its own body"."""
    out = [(name, name, body) for body in ("human42", "human57") for name in BUILT_IN]
    if folder is not None:
        files = [(f"{n} ({f.split('_f')[0]})", str(folder / "cmu" / f"{f}.bvh")) for n, f in RECORDED.items()]
        out += [(name, path, body) for body in ("its own body", "human57") for name, path in files]
    return out


def _outcomes(source: str, body: str, seeds: int) -> list[Any]:
    if source in BUILT_IN:
        name, how = BUILT_IN[source]
        clip: Clip = library.make(name, load_character(body), **how)
    else:
        clip = load_clip(source)
        if body != "its own body":
            clip = clip.retarget(load_character(body))
    physical = clip.make_physical()
    return run_seeds(physical, McSim(), seeds, length(physical, 10.0), first=UNSEEN)
