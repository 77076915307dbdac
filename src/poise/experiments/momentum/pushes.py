"""Section 4.8.5: pushes of all sizes from all sides on a walker, sustained ones, and other methods under the same."""

from __future__ import annotations

import sys
from typing import Any

from poise.experiments.momentum.trial import AFTER, FORMS, back, heavy, moment, performed, push
from poise.experiments.reproduce import Options, Table
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Stage

FORCES, LASTS = (50.0, 100.0, 150.0, 200.0), (0.1, 0.2, 0.3)  # [N], [s]
SIDES = 16  # directions of the largest push; ours, the thesis says "all directions"
SUSTAINED = (40.0, 1.0, 8)  # [N], [s], directions
OTHERS = ("modal", "mcsim", "momentum")
_BODIES = ("human42, 70 kg", "human42, 80 kg")


def _clips() -> tuple[Clip, Clip]:
    return load_clip("walk"), heavy("walk")


def _count(clip: Clip, form: str, force: float, lasts: float, sides: int, phases: int) -> tuple[int, int]:
    """How many recovered, and of how many."""
    calm = performed(clip, form, 2.0 * clip.duration + 1.0 + AFTER)
    if not calm.ended.whole:
        return 0, sides * phases
    good = 0
    for side in range(sides):
        for phase in range(phases):
            at = moment(clip, phase, phases)
            take = performed(clip, form, at + lasts + AFTER, (push(force, 360.0 * side / sides, at, lasts),))
            good += back(take, at + lasts, calm)
    return good, sides * phases


def run(options: Options) -> Table:
    """The grid: the largest push in 16 directions, the others in 8 and at a quarter of the phases."""
    rows = []
    for name, clip in zip(_BODIES, _clips(), strict=True):
        for lasts in LASTS:
            for force in FORCES:
                most = force == FORCES[-1] and lasts == LASTS[-1]
                sides, phases = (SIDES, options.seeds) if most else (8, max(1, options.seeds // 4))
                cells = [_count(clip, form, force, lasts, sides, phases) for form in FORMS]
                rows.append((name, force, lasts, *(f"{good}/{total}" for good, total in cells)))
                print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return Table("Pushes on the chest of a walker", ("body", "force [N]", "lasts [s]", "printed", "ours"), tuple(rows),
                 _NOTES)  # fmt: skip


def sustained(options: Options) -> Table:
    """40 N for a second from eight directions."""
    force, lasts, sides = SUSTAINED
    rows = []
    for name, clip in zip(_BODIES, _clips(), strict=True):
        cells = [_count(clip, form, force, lasts, sides, options.seeds) for form in FORMS]
        rows.append((name, *(f"{good}/{total}" for good, total in cells)))
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return Table("Sustained pushes, 40 N for 1 s", ("body", "printed", "ours"), tuple(rows), _NOTES)


def compared(options: Options) -> Table:
    """Three methods under the same pushes."""
    clip, rows = load_clip("walk"), []
    for force, lasts in ((50.0, 0.2), (100.0, 0.2), (100.0, 0.3), (200.0, 0.3)):
        cells = [_by(clip, name, force, lasts, max(1, options.seeds // 4)) for name in OTHERS]
        rows.append((force, lasts, *cells))
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return Table("The same pushes by other methods, walk on human42", ("force [N]", "lasts [s]", *OTHERS), tuple(rows),
                 _NOTES)  # fmt: skip


def _by(clip: Clip, name: str, force: float, lasts: float, phases: int) -> Any:
    calm = perform(clip, name, seconds=2.0 * clip.duration + 1.0 + AFTER)
    good = 0
    for side in range(8):
        for phase in range(phases):
            at = moment(clip, phase, phases)
            stage = Stage(events=(push(force, 45.0 * side, at, lasts),))
            take = perform(clip, name, stage=stage, seconds=at + lasts + AFTER)
            good += back(take, at + lasts, calm)
    return f"{good}/{8 * phases}"


_NOTES = ("Recovered: `take.recovered` 5 s after the push, bands from an undisturbed run of the same form, the clock "
          "back at its pace within 5 %.", "Phases differ from those of tuning. 16 directions are ours.",
          "Printed: `Momentum.printed()`, without repair of the clip, footholds or orientation feedback.")  # fmt: skip
