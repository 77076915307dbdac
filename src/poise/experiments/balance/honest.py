"""The controller in exact physics, without artificial torque, before and after the search of `search.py`.

python -m poise.experiments.balance.honest
"""

from __future__ import annotations

from poise.character.load import load_character
from poise.experiments.balance.poses import two_feet
from poise.experiments.balance.pushing import FINE, largest
from poise.experiments.balance.search import SOLE, TASKS
from poise.experiments.balance.table import Options, Table, main, say
from poise.methods.balance import HONEST, Balance

WAYS = (0.0, 45.0, 90.0, 135.0, 180.0)  # [degrees]; the search saw none of them


def run(options: Options) -> Table:
    """Gains, and the largest push of three controllers without artificial torque."""
    clip, rows = two_feet(load_character("human45")), []
    before = TASKS["honest"].base
    for name, method in (("default gains", Balance(slider=0.0)),
                         ("start of the search", Balance(slider=0.0, sole=before.sole, give=before.give)),
                         ("honest", HONEST)):  # fmt: skip
        found = [largest(clip, method, d, FINE) for d in WAYS]
        rows.append((name, *(f"{getattr(method, n):.4g}" for n in SOLE), *(round(x) for x in found),
                     sum(found) / len(found)))  # fmt: skip
        say(rows[-1])
    return Table("Largest push on the chest [N s in 0.1 s] of human45 on two feet in exact physics, by direction",
                 ("", *SOLE, *(f"{d:g}" for d in WAYS), "mean"), tuple(rows))  # fmt: skip


if __name__ == "__main__":
    main(run)
