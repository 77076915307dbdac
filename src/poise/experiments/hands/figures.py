"""Figures 19, 24, 25 and 29: contact points over time, grips near and far from the palm, objects swapped, variety."""

from __future__ import annotations

import numpy as np
from PIL import Image

from poise.experiments.hands.stills import SIZE, held_moment, strip
from poise.experiments.hands.table2 import FIRST, solved
from poise.experiments.reproduce import Options, Table, told
from poise.export.hands import still
from poise.maths.rotations import Array
from poise.methods.hands.pose_test import FINGER, OBJECT_POINT
from poise.methods.hands.scene import Scene
from poise.methods.hands.scenes import more, table2
from poise.methods.hands.solution import Solution

COLOURS = ((0.85, 0.1, 0.1), (0.95, 0.6, 0.1), (0.1, 0.6, 0.2), (0.6, 0.1, 0.7), (0.1, 0.1, 0.1))  # thumb first
GRIPS = {
    "figure-24": (("at the fingertips", table2.spatula_1), ("in the palm", table2.spatula_2)),
    "figure-25": (("box", more.low_box), ("mug", more.mug), ("bunny", more.swapped_bunny)),
}
VARIETY = 8  # solutions of figure 29


def contact_marks(scene: Scene, solution: Solution, t: int, every: int = 3) -> list[tuple[Array, tuple]]:
    """All contact points of a solution on the object as it lies at frame t, in a colour for each finger."""
    c, out = scene.centre, []
    for finger, colour in enumerate(COLOURS):
        points = [row[OBJECT_POINT : OBJECT_POINT + 3] for load in solution.loads[::every] for row in load.contacts
                  if int(row[FINGER]) == finger]  # fmt: skip
        out.append((c.place[t] + np.array(points).reshape(-1, 3) @ c.matrix[t].T, colour))
    return out


def run(options: Options) -> Table:
    """Each figure as a sheet; without a folder only how many solutions there are."""
    rows, pictures = [], {}
    for figure, scenes in GRIPS.items():
        for label, make in scenes:
            scene = make()
            found, _ = solved(scene, seed=FIRST, count=1, seconds=30.0)
            rows.append(told((figure, label, len(found.solutions))))
            pictures.setdefault(figure, []).extend(strip(scene, s, label) for s in found.solutions[:1])
    scene = table2.pickup_3()
    found, _ = solved(scene, seed=FIRST, count=VARIETY, seconds=30.0)
    rows.append(told(("figure-29", "a box taken from above", len(found.solutions))))
    pictures["figure-29"] = [strip(scene, s, f"{k + 1}") for k, s in enumerate(found.solutions[:VARIETY])]
    scene = more.cup()
    found, _ = solved(scene, seed=FIRST + 1, count=1, seconds=60.0)  # the first of these seeds has none
    rows.append(told(("figure-19", "contact points on a turned cup", len(found.solutions))))
    for s in found.solutions[:1]:
        t = held_moment(scene, s)
        marks = contact_marks(scene, s, t)
        views = [
            still(scene, s, t, around=a, size=SIZE, span=0.16, marks=marks, hands=False) for a in range(35, 395, 90)
        ]
        pictures["figure-19"] = [np.concatenate(views, 1)]
    figures = ()
    if options.out is not None:
        for name, strips in pictures.items():
            path = options.out / f"hands-{name}.png"
            Image.fromarray(np.concatenate(strips)).save(path)
            figures = (*figures, str(path))
    return Table("Figures of chapter 5", ("figure", "scene", "solutions"), tuple(rows), (), figures)
