"""Section 4.8.5: pushes of all sizes from all sides on a walker, repeated and sustained ones, and other methods."""

from __future__ import annotations

from poise.experiments.momentum.trial import AFTER, EARLIEST, FORMS, Score, all_round, back, heavy, moment, push
from poise.experiments.reproduce import Options, Table, told
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Stage

FORCES, LASTS = (50.0, 100.0, 150.0, 200.0), (0.1, 0.2, 0.3)  # [N], [s]
SIDES = 16  # directions of the largest push; ours, the thesis says "all directions"
SUSTAINED = (40.0, 1.0, 8)  # [N], [s], directions
REPEATED = ((100.0, 0.2, 1.0), (150.0, 0.2, 1.5), (200.0, 0.3, 3.0))  # [N], [s], [s] from one to the next
TIMES = 4  # repeated pushes
OTHERS = ("modal", "mcsim", "momentum")
SAME = ((50.0, 0.2), (100.0, 0.2), (100.0, 0.3), (150.0, 0.3), (200.0, 0.3))  # [N], [s]


def _clips(options: Options) -> list[tuple[str, Clip]]:
    made = {"70 kg": lambda: load_clip("walk"), "80 kg": lambda: heavy("walk")}
    return [
        (name, make())
        for name, make in made.items()
        if options.wants(name) or any(x.startswith(name) for x in options.only)
    ]


def _cell(clip: Clip, form: str, force: float, lasts: float, cases: list[tuple[int, float]], phases: int) -> str:
    """How many recovered of pushes at some phases in some directions [degrees]."""
    score = Score(clip, form)
    for phase, side in cases:
        at = moment(clip, phase, phases)
        score.add((push(force, side, at, lasts),), at + lasts)
    return score.cell


def run(options: Options) -> Table:
    """The grid: the largest push in 16 directions at each phase, the others in two that differ from phase to phase."""
    rows, phases = [], options.seeds
    grid = [(force, lasts) for lasts in LASTS[::-1] for force in FORCES[::-1]]
    for name, clip in _clips(options):
        for force, lasts in grid:
            if not options.wants(f"{name}, {force:g} N, {lasts:g} s"):
                continue
            all_of_them = [(k, 360.0 * side / SIDES) for k in range(phases) for side in range(SIDES)]
            cases = all_of_them if (force, lasts) == grid[0] else all_round(phases)
            cells = [_cell(clip, form, force, lasts, cases, phases) for form in FORMS]
            rows.append(told((f"{name}, {force:g} N, {lasts:g} s", *cells)))
    return Table("Pushes on the chest of a walker", ("push", *FORMS), tuple(rows), _NOTES)


def repeated(options: Options) -> Table:
    """Four pushes one after another, each from another side."""
    rows = []
    for name, clip in _clips(options):
        for force, lasts, apart in REPEATED:
            cells = []
            for form in FORMS:
                score = Score(clip, form)
                for phase, side in all_round(options.seeds):
                    at = moment(clip, phase, options.seeds)
                    events = [push(force, side + 112.5 * k, at + apart * k, lasts) for k in range(TIMES)]
                    score.add(events, at + apart * (TIMES - 1) + lasts)
                cells.append(score.cell)
            rows.append(told((name, f"{TIMES} x {force:g} N, {lasts:g} s, every {apart:g} s", *cells)))
    return Table("Repeated pushes from sides that change by 112.5 degrees", ("body", "pushes", *FORMS), tuple(rows),
                 _NOTES)  # fmt: skip


def sustained(options: Options) -> Table:
    """40 N for a second from eight directions."""
    force, lasts, sides = SUSTAINED
    rows = []
    for name, clip in _clips(options):
        cases = [(k, 360.0 * side / sides) for k in range(options.seeds) for side in range(sides)]
        rows.append(told((name, *(_cell(clip, form, force, lasts, cases, options.seeds) for form in FORMS))))
    return Table("Sustained pushes, 40 N for 1 s", ("body", *FORMS), tuple(rows), _NOTES)


def compared(options: Options) -> Table:
    """Three methods under the same pushes."""
    clip, rows = load_clip("walk"), []
    calm = {name: perform(clip, name, seconds=2.0 * clip.duration + EARLIEST + AFTER) for name in OTHERS}
    for force, lasts in SAME:
        cells = []
        for name in OTHERS:
            good, cases = 0, all_round(options.seeds)
            for phase, side in cases:
                at = moment(clip, phase, options.seeds)
                stage = Stage(events=(push(force, side, at, lasts),))
                take = perform(clip, name, stage=stage, seconds=at + lasts + AFTER, limp=False)
                good += back(take, at + lasts, calm[name])
            cells.append(f"{good}/{len(cases)}")
        rows.append(told((force, lasts, *cells)))
    return Table("The same pushes by other methods, walk on human42", ("force [N]", "lasts [s]", *OTHERS), tuple(rows),
                 _NOTES)  # fmt: skip


_NOTES = ("Recovered: `take.recovered` 5 s after the push, bands from an undisturbed run of the same form, the clock "
          "back at its pace within 5 %.", "Phases differ from those of tuning. 16 directions are ours.",
          "Printed: `Momentum.printed()`, without repair of the clip, footholds or orientation feedback.")  # fmt: skip
