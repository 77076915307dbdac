"""Figures 27 and 28: how much of the space of poses a search sees in 3000 nodes, the thesis's baseline and the
improved one.
"""

from __future__ import annotations

import numpy as np

from poise.experiments.reproduce import Options, Table, told
from poise.methods.hands.problem import prepare
from poise.methods.hands.scenes import table2
from poise.methods.hands.search import Search
from poise.methods.hands.settings import Hands

NODES, CELL, FRAMES = 3000, 2.0, 230  # nodes; [degrees] of a cell; frames
JOINTS = {"index MCP": (1, 3), "ring PIP": (3, 4)}  # finger, joint


def cells(settings: Hands, seed: int, nodes: int = NODES) -> tuple[dict[str, int], int]:
    """Cells of one frame by 2 degrees that nodes of a search lie in, and how many solutions it found."""
    search = Search(prepare(table2.plate_2(FRAMES)), settings, seed)
    search.counts.trace = []
    solutions, r = 0, 0
    while search.counts.nodes < nodes:
        solutions += len(search.round(r))
        r += 1
    trace = search.counts.trace[:nodes]
    return {
        name: len({(t, int(np.degrees(q[0, f, j]) // CELL)) for t, q in trace}) for name, (f, j) in JOINTS.items()
    }, solutions


def run(options: Options) -> Table:
    """Occupied cells after 3000 nodes of a motion of 230 frames."""
    forms = {
        "baseline (3 branches every 5 frames)": Hands.printed(
            improved=False, round_nodes=round(NODES / (FRAMES / 100)), round_solutions=10**5
        ),
        "thesis, improved": Hands.printed(),
        "ours": Hands(),
    }
    rows, means = [], {}
    for form, settings in forms.items():
        got = [cells(settings, seed) for seed in range(options.seeds)]
        counts = {name: [g[0][name] for g in got] for name in JOINTS}
        means[form] = {name: float(np.mean(c)) for name, c in counts.items()}
        rows.append(
            told(
                (
                    form,
                    *(f"{np.mean(c):.0f} ({min(c)}-{max(c)})" for c in counts.values()),
                    float(np.mean([g[1] for g in got])),
                )
            )
        )
    base = means["baseline (3 branches every 5 frames)"]
    times = {form: min(means[form][n] / base[n] for n in JOINTS) for form in forms}
    return Table(
        "Figures 27 and 28: cells of (frame, 2 degrees) seen in 3000 nodes of 230 frames",
        ("search", *JOINTS, "solutions"),
        tuple(rows),
        (
            f"Times the baseline, the smaller of both joints: thesis improved {times['thesis, improved']:.1f}, ours "
            f"{times['ours']:.1f}. {options.seeds} seeds, mean (least-most).",
        ),
    )
