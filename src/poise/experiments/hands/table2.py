"""Table 2: every row with its solutions, CPU time and validity, beside the thesis; and how many can be performed
forward.
"""

from __future__ import annotations

from typing import Any

from poise.experiments.reproduce import Options, Table, told
from poise.judge.hands.forward import Performed, perform_forward
from poise.judge.hands.validity import Checker, Validity
from poise.methods.hands.delivery import Found, find
from poise.methods.hands.scene import Scene
from poise.methods.hands.scenes.table2 import ROWS, Row
from poise.methods.hands.settings import Hands

SECONDS = 60.0  # of CPU on one core, a scene
WANTED = 10  # solutions
TRIED, FIRST = (0, 1, 2, 3), 11  # seeds on which the search was tried, and the first of those that are reported


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
    """Solutions in 60 s of CPU on one core, each valid by MuJoCo's own measures, and how many can be performed."""
    rows, kept, every, figures = [], [], [0, 0], ()
    for row in ROWS:
        if not options.wants(row.name):
            continue
        scene = row.make()
        found = [solved(scene, seed=seed) for seed in range(FIRST, FIRST + options.seeds)]
        checks = [v for _, of in found for v in of]
        tried = [[perform_forward(scene, s) for s in f.solutions[:WANTED]] for f, _ in found]
        kept.append([any(p.kept for p in of) for of in tried])
        every[0] += sum(p.kept for of in tried for p in of)
        every[1] += sum(len(of) for of in tried)
        rows.append(told(_row(row, scene, found, checks, tried)))
        if options.out is not None and found[0][0].solutions:
            from poise.export.hands import contact_sheet

            path = options.out / f"{row.name}.png"
            contact_sheet(scene, found[0][0].solutions[:3], path)
            figures = (*figures, str(path))
    short = [r[0] for r in rows if min(r[5]) < WANTED]
    share = [f"{sum(k[s] for k in kept)} of {len(kept)}" for s in range(options.seeds)]
    notes = (
        f"{len(rows) - len(short)} of {len(rows)} scenes have at least {WANTED} solutions that differ by more than 5 "
        f"mm with every seed; short: {', '.join(short) or 'none'}.",
        f"Performed forward, best of ten: the object stays within 1 cm and 10 degrees in {', '.join(share)} scenes "
        f"(one number a seed); of all solutions in {every[0]} of {every[1]}.",
        f"Seeds {FIRST} to {FIRST + options.seeds - 1}; the search was tried on seeds {', '.join(map(str, TRIED))}. "
        "Motions, frame rate (30/s) and hand are ours.",
    )
    return Table("Table 2 of the thesis, authored anew", COLUMNS, tuple(rows), notes, figures)


COLUMNS = (
    "scene",
    "µ",
    "mass [kg]",
    "T",
    "thesis [solutions in s]",
    "solutions",
    "CPU [s]",
    "penetration [mm]",
    "slip [mm/frame]",
    "slip of a life [mm]",
    "gap [mm]",
    "Newton [%]",
    "Euler [%]",
    "fastest [rad/s]",
    "kept forward",
    "best [mm]",
    "best [degrees]",
)


def _row(
    row: Row,
    scene: Scene,
    found: list[tuple[Found, list[Validity]]],
    checks: list[Validity],
    tried: list[list[Performed]],
) -> tuple[Any, ...]:
    """One row of the table: the worst of all solutions of all seeds, and the best performed."""

    def worst(name: str) -> float:
        return max((getattr(v, name) for v in checks), default=float("nan"))

    best = min((p for of in tried for p in of), key=lambda p: p.worst, default=None)
    return (
        row.label,
        scene.friction,
        scene.thing.mass,
        len(scene),
        f"{row.solutions} in {row.seconds:g}",
        [len(f.solutions) for f, _ in found],
        [round(f.cpu) for f, _ in found],
        1e3 * max(worst(n) for n in ("penetration", "fingers", "table")),
        1e3 * worst("slip"),
        1e3 * worst("creep"),
        1e3 * worst("gap"),
        100 * worst("force"),
        100 * worst("torque"),
        worst("speed"),
        [sum(p.kept for p in of) for of in tried],
        float("nan") if best is None else 1e3 * float(best.place.max()),
        float("nan") if best is None else float(best.angle.max()),
    )
