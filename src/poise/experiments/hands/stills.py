"""Stills of ten scenes on one sheet, to be looked at: do fingers wrap or pinch as a person's would?"""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from poise.experiments.hands.table2 import solved
from poise.experiments.reproduce import Options, Table, told
from poise.export.hands import still
from poise.methods.hands.scene import Scene
from poise.methods.hands.scenes import scene as authored
from poise.methods.hands.solution import Solution

SHOWN = (
    "turning-milk",
    "pickup-1",
    "pickup-3",
    "small-bottle",
    "plate-1",
    "spatula-2",
    "pot",
    "two-hand-big-1",
    "bunny",
    "cup",
)
VIEWS = (35.0, 125.0, 215.0, 305.0)  # [degrees] about the vertical
SIZE = (250, 215)


def held_moment(scene: Scene, solution: Solution) -> int:
    """The frame in the middle of the time in which the hand carries anything."""
    on = np.flatnonzero([len(load.contacts) > 0 for load in solution.loads])
    return int(on[len(on) // 2]) if len(on) else len(scene) // 2


def strip(scene: Scene, solution: Solution, label: str) -> np.ndarray:
    """One solution (H, W, 3) at its held moment from four sides."""
    t = held_moment(scene, solution)
    wide = 0.5 if len(scene.sides) > 1 else 0.3
    row = Image.fromarray(np.concatenate([still(scene, solution, t, around=a, size=SIZE, span=wide) for a in VIEWS], 1))
    ImageDraw.Draw(row).text((6, 4), label, fill=(30, 30, 30))
    return np.asarray(row)


def run(options: Options) -> Table:
    """Ten scenes, two solutions each, of seed 1, when they are held, from four sides."""
    rows, strips = [], []
    for name in SHOWN:
        if not options.wants(name):
            continue
        scene = authored(name)
        found, _ = solved(scene, seed=1, count=2)
        rows.append(told((name, len(found.solutions), round(found.cpu, 1))))
        if options.out is not None:
            shown = [strip(scene, s, f"{name} {k + 1}") for k, s in enumerate(found.solutions[:2])]
            blank = np.full((SIZE[1], len(VIEWS) * SIZE[0], 3), 255, np.uint8)
            strips.append(np.concatenate([*shown, blank, blank][:2], 1))
    figures = ()
    if options.out is not None and strips:
        path = options.out / "hands-stills.png"
        Image.fromarray(np.concatenate(strips)).save(path)
        figures = (str(path),)
    return Table("Ten scenes to look at", ("scene", "solutions", "CPU [s]"), tuple(rows), (), figures)
