"""Table 2: every row with its solutions, CPU time and validity, beside the thesis; and how many can be performed
forward.
"""

from __future__ import annotations

import numpy as np

from poise.experiments.reproduce import Options, Table, told
from poise.judge.hands.forward import perform_forward
from poise.judge.hands.validity import Checker, Validity
from poise.methods.hands.delivery import Found, find
from poise.methods.hands.scene import Scene
from poise.methods.hands.scenes.table2 import ROWS
from poise.methods.hands.settings import Hands

SECONDS = 60.0  # of CPU on one core, a scene
WANTED = 10  # solutions


def solved(
    scene: Scene, settings: Hands | None = None, *, seed: int = 0, count: int = WANTED, seconds: float = SECONDS
) -> tuple[Found, list[Validity]]:
    """Valid solutions of a scene, and what MuJoCo measured of each."""
    checker, seen = Checker(scene), {}

    def valid(solution: object) -> bool:
        seen[id(solution)] = checker(solution)  # type: ignore[arg-type]
        return seen[id(solution)].valid

    found = list(find(scene, settings, count=count, seed=seed, seconds=seconds, check=valid))[-1]
    return found, [seen[id(s)] for s in found.solutions]


def run(options: Options) -> Table:
    """Solutions in 60 s of CPU on one core, each valid by MuJoCo's own measures."""
    rows, figures = [], ()
    for row in ROWS:
        if not options.wants(row.name):
            continue
        scene = row.make()
        found, checks = solved(scene)
        worst = lambda name, of=checks: max((getattr(v, name) for v in of), default=float("nan"))  # noqa: E731
        rows.append(
            told(
                (
                    row.label,
                    scene.friction,
                    scene.thing.mass,
                    len(scene),
                    f"{row.solutions} in {row.seconds:g}",
                    len(found.solutions),
                    round(found.cpu, 1),
                    found.nodes,
                    1e3 * worst("penetration"),
                    1e3 * worst("slip"),
                    1e3 * worst("creep"),
                    worst("speed"),
                )
            )
        )
        if options.out is not None and found.solutions:
            from poise.export.hands import contact_sheet

            path = options.out / f"{row.name}.png"
            contact_sheet(scene, found.solutions[:3], path)
            figures = (*figures, str(path))
    columns = (
        "scene",
        "µ",
        "mass [kg]",
        "T",
        "thesis [solutions in s]",
        "solutions",
        "CPU [s]",
        "nodes",
        "penetration [mm]",
        "slip [mm/frame]",
        "slip of a life [mm]",
        "fastest joint [rad/s]",
    )
    short = [r[0] for r in rows if r[5] < WANTED]
    notes = (
        f"{len(rows) - len(short)} of {len(rows)} scenes have at least {WANTED} solutions that differ by more than 5 "
        f"mm; "
        f"short: {', '.join(short) or 'none'}.",
        "Seed 0. Motions, frame rate (30/s) and hand are ours.",
    )
    return Table("Table 2 of the thesis, authored anew", columns, tuple(rows), notes, figures)


def forward(options: Options) -> Table:
    """Solutions performed forward in MuJoCo: finger servos, the object free; best of ten and share of all."""
    rows = []
    for row in ROWS:
        if not options.wants(row.name):
            continue
        scene = row.make()
        found, _ = solved(scene)
        tried = [perform_forward(scene, s) for s in found.solutions[:WANTED]]
        kept = [p.kept for p in tried]
        best = min(tried, key=lambda p: max(p.place.max() / 0.01, p.angle.max() / 10), default=None)
        rows.append(
            told(
                (
                    row.label,
                    len(tried),
                    sum(kept),
                    "yes" if any(kept) else "no",
                    float("nan") if best is None else 1e3 * float(best.place.max()),
                    float("nan") if best is None else float(best.angle.max()),
                )
            )
        )
    columns = (
        "scene",
        "performed",
        "kept",
        "one of ten kept",
        "best: off its track [mm]",
        "best: turned off [degrees]",
    )
    share = np.mean([r[3] == "yes" for r in rows]) if rows else 0.0
    every = sum(r[2] for r in rows), sum(r[1] for r in rows)
    return Table(
        "Solutions performed forward: the object within 1 cm and 10 degrees of its track",
        columns,
        tuple(rows),
        (f"{100 * share:.0f} % of the scenes; {every[0]} of {every[1]} solutions.",),
    )
