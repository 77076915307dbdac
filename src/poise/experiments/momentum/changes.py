"""Section 4.8.3 and more: stairs, other step lengths and ice, all decided while it runs."""

from __future__ import annotations

from poise.experiments.momentum.timing import staircase
from poise.experiments.momentum.trial import AFTER, FORMS, back, moment, performed
from poise.experiments.reproduce import Options, Table
from poise.motion.load import load_clip
from poise.stage import Slippery

RISES = (0.3, 0.2, 0.1, -0.1, -0.2)  # [m]
LONGER = (0.15, 0.1, 0.05, -0.05, -0.1, -0.15)  # [m]; 15 cm are ours
ICE = (0.3, 0.2, 0.1)  # friction for half a second; ours


def run(options: Options) -> Table:
    """How many were mastered, by form."""
    clip, rows = load_clip("walk"), []
    calm = {form: performed(clip, form, 9.0) for form in FORMS}
    for rise in RISES:
        cells = []
        for form in FORMS:
            takes = [performed(clip, form, 8.0, ground=staircase(clip, rise, k)) for k in range(options.seeds)]
            cells.append(f"{sum(bool(t.ended.whole and t.recovered(6.0)) for t in takes)}/{len(takes)}")
        rows.append((f"stairs, three steps of {rise:+g} m", *cells))
    for longer in LONGER:
        cells = []
        for form in FORMS:
            good = 0
            for k in range(options.seeds):
                start = k / options.seeds * clip.duration
                take = performed(clip, form, 8.0, settings={"stride": (longer, 0.0, 0.0)}, start=start)
                good += bool(take.ended.whole)
            cells.append(f"{good}/{options.seeds}")
        rows.append((f"every step {100 * longer:+g} cm: upright", *cells))
    for friction in ICE:
        cells = []
        for form in FORMS:
            good = 0
            for k in range(options.seeds):
                at = moment(clip, k, options.seeds)
                take = performed(clip, form, at + 0.5 + AFTER, (Slippery(friction, at, 0.5),))
                good += back(take, at + 0.5, calm[form])
            cells.append(f"{good}/{options.seeds}")
        rows.append((f"ice of friction {friction:g} for 0.5 s", *cells))
    return Table("A walk on changed ground", ("what", *FORMS), tuple(rows),
                 ("Thesis: stairs +0.3 to -0.2 m; ice and steps by 15 cm are ours.",))  # fmt: skip
