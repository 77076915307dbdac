"""Section 6.2: the paper's own search, CMA-ES inside multipliers, open loop: how near it comes to a cycle."""

from __future__ import annotations

from pathlib import Path

from poise.errors import NoSolution
from poise.experiments.reproduce import Options, Table, told
from poise.methods.vibration.design import cpu_seconds
from poise.methods.vibration.printed import STARTS, printed_design
from poise.methods.vibration.score import violated
from poise.methods.vibration.sketch import find_sketch

COLUMNS = ("gait", "start", "seed", "violated", "least max |φ| of what violates nothing", "max |φ|", "speed [m/s]",
           "units in open loop", "runs", "evaluations", "CPU [s]")  # fmt: skip


def run(options: Options) -> Table:
    """One search a seed from the sketch and one from a random vector; with a folder, the gait files too."""
    rows = []
    for start in STARTS:
        for seed in range(options.seeds if options.wants(start) else 0):
            begun = cpu_seconds()
            try:
                gait = printed_design(find_sketch("runner"), seed, start)
            except NoSolution:
                nothing = [float("nan")] * 6
                rows.append(told(("runner", start, seed, "falls at once", *nothing, cpu_seconds() - begun)))
                continue
            f = gait.facts
            rows.append(told(("runner", start, seed, violated(f["easy"]), f["least_cyclic_error"], f["cyclic_error"],
                              f["speed"], f["open_loop_units"], f["runs"], f["evaluations"],
                              f["cpu_seconds"])))  # fmt: skip
            if options.out is not None:
                gait.save(Path(options.out) / f"printed-{start}-{seed}.toml")
    note = "A unit is half a cycle. Amplitudes of the sketch are led over to Φ ψ (`printed.in_modes`)."
    return Table("The printed form", COLUMNS, tuple(rows), (note,))
