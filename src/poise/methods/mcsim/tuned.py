"""Gains that were tuned for a clip: they travel with it as a note of its source.

The paper names automatic tuning as future work; `poise.experiments.mcsim.tuning` does it by CMA-ES. A method whose own
settings are at their defaults takes the tuned ones from the clip that it performs.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from poise.motion.clip import Clip

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim

GAINS = ("kos", "k")  # of the method itself
SCALES = ("mass_gain", "swing_gain", "leg_swinging", "leg_standing")  # of its tasks, each as a factor
_WORDS = "gains of mcsim:"


def with_factors(way: McSim, factors: dict[str, float]) -> McSim:
    """The method with some of its gains multiplied; damping stays critical where it was."""
    tasks, changed = way.tasks, {}
    for name, factor in factors.items():
        if name in GAINS:
            changed[name] = getattr(way, name) * factor
        elif name == "mass_gain":
            gains, rates = (tuple(f * x for x in v) for f, v in
                            ((factor, tasks.mass_gain), (factor**0.5, tasks.mass_damping)))  # fmt: skip
            tasks = replace(tasks, mass_gain=gains, mass_damping=rates)
        elif name == "swing_gain":
            gain, damping = tasks.swing_gain * factor, tasks.swing_damping * factor**0.5
            tasks = replace(tasks, swing_gain=gain, swing_damping=damping)
        else:
            tasks = replace(tasks, **{name: getattr(tasks, name) * factor})
    return replace(way, tasks=tasks, **changed)


def kept(clip: Clip, factors: dict[str, float]) -> Clip:
    """The clip with tuned factors in the notes of its source, in place of those that it had."""
    notes = tuple(n for n in clip.source.notes if not n.startswith(_WORDS))
    told = _WORDS + " " + ", ".join(f"{name} x {factor:.4g}" for name, factor in factors.items())
    return replace(clip, source=replace(clip.source, notes=(*notes, told)))


def told(clip: Clip) -> dict[str, float]:
    """The tuned factors that a clip carries; empty where it was never tuned."""
    for note in clip.source.notes:
        if note.startswith(_WORDS):
            found = re.findall(r"(\w+) x ([-+.\de]+)", note)
            return {name: float(x) for name, x in found if name in (*GAINS, *SCALES)}
    return {}
