"""Section 7.2: pushes on a walker, in eight directions and at as many phases as there are seeds, strictly judged."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from poise.experiments.modal.trial import performed, push
from poise.experiments.reproduce import Options, Table
from poise.motion.clip import Clip
from poise.motion.load import load_clip

FORCES = (100.0, 135.0, 175.0)  # [N] for ten frames
DIRECTIONS = tuple(45.0 * k for k in range(8))  # [degrees] from forward to the left
LASTS, AFTER = 10 / 120, 5.05  # [s]
OTHERS = (("no footholds", {"footholds": False}), ("footholds, latency 0.2 s", {"latency": 0.2}))
MIDDLE = 135.0  # [N] for the other cases
RECORDED = "cmu/12_01.bvh"  # in the folder of recordings, where one is given: a walk on its own character


def run(options: Options) -> Table:
    """Shares recovered by force: with and without footholds, with the paper's latency, and by a recorded walker."""
    walk = load_clip("walk")
    cases = [(walk, "footholds", {}, force) for force in FORCES]
    cases += [(walk, name, settings, MIDDLE) for name, settings in OTHERS]
    if options.folder is not None:
        cases.append((load_clip(options.folder / RECORDED).loop().make_physical(), "footholds", {}, MIDDLE))
    rows = [_row(*case, options.seeds) for case in cases]
    return Table("Pushes on the chest of a walker, 10 frames, legs colliding, torque limits on",
                 ("clip", "case", "force [N]", "recovered", "and within 20 cm of its track",
                  f"by direction, of {options.seeds}: front, then to the left"), tuple(rows),
                 ("Recovered: `take.recovered` 5 s after the push, bands from an undisturbed run.",))  # fmt: skip


def _row(clip: Clip, name: str, settings: dict[str, Any], force: float, phases: int) -> tuple[Any, ...]:
    """One force in all directions and at all phases."""
    calm = performed(clip, "modal update", 2.0 * clip.duration + 1.0 + AFTER, settings=settings)
    by, near = dict.fromkeys(DIRECTIONS, 0), 0
    for direction in DIRECTIONS:
        for phase in range(phases):
            at = 1.0 + phase / phases * clip.duration
            take = performed(clip, "modal update", at + LASTS + AFTER, events=(push(force, direction, at, LASTS),),
                             settings=settings)  # fmt: skip
            if take.recovered(at + LASTS, calm):
                by[direction] += 1
                near += bool(np.linalg.norm(take.q[-1, :2] - take.q_ref[-1, :2]) < 0.2)
    total = len(DIRECTIONS) * phases
    row = (f"{clip.name}, {clip.character.name}", name, force, f"{100 * sum(by.values()) / total:.0f} %",
           f"{100 * near / total:.0f} %", " ".join(f"{by[d]}" for d in DIRECTIONS))  # fmt: skip
    print(*row, sep="  ", file=sys.stderr, flush=True)  # a row takes a minute
    return row


def main() -> None:
    """Print the table."""
    print(run(Options(2)).text())


if __name__ == "__main__":
    main()
