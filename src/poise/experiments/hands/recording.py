"""Figure 26: fingers found from the wrist and the object of a real recording, beside the recording's own fingers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.character.library.hand import FINGERS
from poise.errors import BadValue
from poise.experiments.hands.table2 import solved
from poise.experiments.reproduce import Options, Table, told
from poise.maths.rotations import Array
from poise.methods.hands.problem import prepare
from poise.methods.hands.recorded import Recorded, load_recorded
from poise.methods.hands.solution import Solution
from poise.methods.hands.thing import Piece, Thing

FILE = "relocate_mustard_seq.npz"
BOTTLE = Thing("mustard bottle", (Piece("box", (0.029, 0.0475, 0.095)),), 0.43)  # 6 x 9.5 x 19 cm


def distances(recorded: Recorded, solution: Solution) -> Array:
    """(5,) [m] mean distance of each fingertip from the recording's own while the object is carried."""
    scene = recorded.scene
    tips = solution.tips(prepare(scene))[0]  # in the object's frame
    world = scene.centre.place[:, None] + np.einsum("tij,tkj->tki", scene.centre.matrix, tips)
    return np.linalg.norm(world - recorded.tips, axis=-1)[recorded.carried].mean(0)


def _drawn(recorded: Recorded, nearest: Solution, path: Path) -> None:
    """The nearest of ten solutions with the recording's own fingertips as dots, at four moments from two sides."""
    from PIL import Image

    from poise.export.hands import still

    times = np.flatnonzero(recorded.carried)[[0, 10, 20, -1]]
    rows = [
        [still(recorded.scene, nearest, int(t), around=a, marks=[(recorded.tips[t], (0.8, 0.1, 0.1))]) for t in times]
        for a in (35.0, 125.0)
    ]
    Image.fromarray(np.concatenate([np.concatenate(r, 1) for r in rows])).save(path)


def run(options: Options) -> Table:
    """Ten solutions of one recording; how far their fingertips are from the recorded ones."""
    found = [] if options.recordings is None else sorted(options.recordings.rglob(FILE))
    if not found:
        raise BadValue(f"There is no {FILE} under the folder of recordings.")
    recorded = load_recorded(found[0], BOTTLE)
    rows, figures = [], ()
    for seed in range(options.seeds):
        got, checks = solved(recorded.scene, seed=seed)
        each = np.array([distances(recorded, s) for s in got.solutions]).reshape(-1, 5)
        best = each[np.argmin(each.mean(1))] if len(each) else np.full(5, np.nan)
        rows.append(
            told(
                (
                    seed,
                    len(got.solutions),
                    round(got.cpu, 1),
                    sum(v.valid for v in checks),
                    1e3 * float(each.mean()) if len(each) else float("nan"),
                    1e3 * float(best.mean()),
                    *(round(1e3 * float(d)) for d in best),
                )
            )
        )
        if options.out is not None and seed == 0 and got.solutions:
            path = options.out / "hands-recording.png"
            _drawn(recorded, got.solutions[int(np.argmin(each.mean(1)))], path)
            figures = (str(path),)
    notes = (
        f"Frames: {len(recorded.scene)}, {int(recorded.carried.sum())} of them carried; the hand was moved by "
        f"{1e3 * recorded.moved:.0f} mm onto the object; the recording's own fingertips are then "
        f"{1e3 * recorded.apart:.1f} mm (rms) from its surface.",
        "The bottle is a box, friction 1, 30 frames a second: the file names none of them.",
    )
    columns = ("seed", "solutions", "CPU [s]", "valid", "mean of all [mm]", "nearest of all [mm]")
    return Table("Fingers found, and fingers recorded", (*columns, *FINGERS), tuple(rows), notes, figures)
