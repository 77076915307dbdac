"""How fast the method is: simulated seconds per CPU second at a step of 1/1920 s, decided at every second step.

python -m poise.experiments.balance.speed
"""

from __future__ import annotations

from dataclasses import replace

from poise.character.load import load_character
from poise.experiments.balance.poses import one_foot, two_feet
from poise.experiments.balance.table import Options, Table, main
from poise.experiments.balance.trial import trial
from poise.methods.balance import Balance


def run(options: Options) -> Table:
    """The best of three runs of 2 s, on one core."""
    rows = []
    for name in ("human45", "human42"):
        character = load_character(name)
        for clip in (two_feet(character), one_foot(character)):
            for method in (Balance(), replace(Balance(), slider=0.0)):
                trial(clip, method, 0.1)
                best = max(trial(clip, method, 2.0).realtime_factor for _ in range(3))
                rows.append((name, int(character.model.nv), clip.name, method.slider is None, best))
    columns = ("character", "degrees of freedom", "pose", "simplified contact", "times real time")
    return Table("Simulated seconds per CPU second at a step of 1/1920 s", columns, tuple(rows))


if __name__ == "__main__":
    main(run)
