"""Spheres thrown at somebody who follows a recording, as in section 7: the document's form and ours.

python -m poise.experiments.balance.struck --recordings MOCAP [--seeds N]
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from poise.character.load import load_character
from poise.experiments.balance.spheres import sphere
from poise.experiments.balance.table import Options, Table, main, say
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.simulate.guard import BlowUp
from poise.stage import Stage

FORMS = (("document's form", Balance.printed()), ("ours", Balance()))
RECORDED = ("02_05*", "02_01*")  # punch, walk
BUILT_IN = ("punch",)
DENSITIES = (None, 100.0, 125.0, 200.0)  # [kg/m³]; None: nothing is thrown
SECONDS = 4.0
FIRST = 500  # seed of the first sphere; those of `spheres` are below


def stays_up(clip: Clip, method: Balance, seed: int, density: float | None) -> bool:
    """Is somebody up to the end of a clip who is struck once, between a fifth and three fifths of it?"""
    length = min(SECONDS, clip.duration)
    rng = np.random.default_rng(seed)
    at = length * rng.uniform(0.2, 0.6)
    events = [] if density is None else [replace(sphere(seed, density), at=at)]
    try:  # each start has noise of its own
        take = perform(clip, method, seconds=length, stage=Stage(ground=clip.ground, events=events), noise=0.05,
                       seed=seed)  # fmt: skip
    except BlowUp:
        return False
    return take.fell is None and bool(np.all(np.isfinite(take.q)))


def run(options: Options) -> Table:
    """One row a clip and density: how many stay up to its end, by both forms."""
    rows = []
    for clip in _clips(options.folder):
        for density in DENSITIES:
            cells = []
            for _, method in FORMS:
                up = [stays_up(clip, method, FIRST + k, density) for k in range(options.seeds)]
                cells.append(f"{sum(up)}/{len(up)}")
            rows.append((clip.name, "nothing thrown" if density is None else f"{density:g}", *cells))
            say(rows[-1])
    notes = ("human45; radius 10 to 20 cm, 7 to 15 m/s, at random parts from random sides, once between 0.2 and 0.6 "
             f"of the clip (at most {SECONDS:g} s); starts with noise of 0.05 rad/s and m/s. Stays up: to its end.",
             "The paper: stands 100 kg/m³ and falls at about 125; it prints no radius.")  # fmt: skip
    return Table("Spheres thrown while a recording is followed", ("clip", "density [kg/m³]", *(n for n, _ in FORMS)),
                 tuple(rows), notes)  # fmt: skip


def _clips(folder: Path | None) -> list[Clip]:
    """Recordings on the body of the paper's size; without a folder a clip of our own."""
    body = load_character("human45")
    if folder is None:
        return [load_clip(name, character="human45") for name in BUILT_IN]
    found = [sorted(Path(folder).glob(f"cmu/{pattern}.bvh")) for pattern in RECORDED]
    return [load_clip(files[0]).retarget(body) for files in found if files]


if __name__ == "__main__":
    main(run)
