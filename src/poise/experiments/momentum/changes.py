"""Section 4.8.3 and more: stairs, other step lengths and ice, all decided while it runs."""

from __future__ import annotations

import numpy as np

from poise.experiments.momentum.timing import PASSED, staircase
from poise.experiments.momentum.trial import FORMS, Score, method, moment
from poise.experiments.reproduce import Options, Table, told
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import begin
from poise.stage import Slippery
from poise.take import Take

RISES = (0.3, 0.2, 0.1, -0.1, -0.2)  # [m]
LONGER = (0.15, 0.1, 0.05, -0.05, -0.1, -0.15)  # [m]; 15 cm are ours
ICE = (0.3, 0.2, 0.1)  # friction for half a second; ours
_NEAR = 0.03  # [m] of what was asked for, that a step is


def run(options: Options) -> Table:
    """How many were mastered, by form."""
    clip = load_clip("walk")
    rows = [*(_row(options, f"stairs, three steps of {r:+g} m", clip, "stairs", r) for r in RISES),
            *(_row(options, f"every step {100 * x:+g} cm", clip, "steps", x) for x in LONGER),
            *(_row(options, f"ice of friction {mu:g} for 0.5 s", clip, "ice", mu) for mu in ICE)]  # fmt: skip
    return Table("A walk on changed ground", ("what", *FORMS), tuple(row for row in rows if row),
                 ("Thesis: stairs +0.3 to -0.2 m; ice and steps by 15 cm are ours.", "Stairs and ice: recovered by the "
                  "strict rule. Steps: upright for 6 s, and as long as asked for within 3 cm."))  # fmt: skip


def _row(options: Options, name: str, clip: Clip, kind: str, size: float) -> tuple[str, ...]:
    if not options.wants(name):
        return ()
    return told((name, *(_TRIED[kind](clip, form, size, options.seeds) for form in FORMS)))


def _stairs(clip: Clip, form: str, rise: float, phases: int) -> str:
    """Begun at another place of the clip each time, with the first step for the left and the right foot in turn."""
    score = Score(clip, form)
    for k in range(phases):
        score.add((), PASSED, staircase(clip, rise, k % 2), k / phases * clip.duration)
    return score.cell


def _ice(clip: Clip, form: str, friction: float, phases: int) -> str:
    score = Score(clip, form)
    for k in range(phases):
        at = moment(clip, k, phases)
        score.add((Slippery(friction, at, 0.5),), at + 0.5)
    return score.cell


def _steps(clip: Clip, form: str, longer: float, phases: int) -> str:
    """Other steps are asked for at a phase of a walk that is under way."""
    lengths = []
    for k in range(phases):
        show = begin(clip, method(form))
        show.run(moment(clip, k, phases))
        if show.ended is None:
            show.switch(method(form, {"stride": (longer, 0.0, 0.0)}))
            show.run(6.0)
        take = show.finish()
        if take.ended.whole:
            lengths.append(_length(take, clip))
    usual = float(np.linalg.norm(clip.cycle.shift[:2])) / 2.0 if clip.cycle is not None else 0.0
    change = np.array(lengths) - usual
    good = int(np.sum(np.abs(change - longer) < _NEAR))
    return f"{good}/{phases}" + (f" ({100 * change.mean():+.1f} cm)" if len(change) else "")


def _length(take: Take, clip: Clip) -> float:
    """How far [m] it went in each step of the reference during the last three seconds."""
    x, frames = take.q[:, :2], take.traces["td"]
    last = int(np.flatnonzero(~np.isnan(frames))[-1])
    steps = (frames[last] - frames[last - 360]) / (round(clip.duration * 120.0) / 2.0)
    return float(np.linalg.norm(x[last] - x[last - 360]) / steps)


_TRIED = {"stairs": _stairs, "steps": _steps, "ice": _ice}
