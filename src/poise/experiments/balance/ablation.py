"""The five virtual terms, one removed at a time: the largest push survived in 8 directions.

python -m poise.experiments.balance.ablation
"""

from __future__ import annotations

from poise.character.load import load_character
from poise.experiments.balance.poses import two_feet
from poise.experiments.balance.pushing import DIRECTIONS, largest
from poise.experiments.balance.table import Options, Table, main, say
from poise.methods.balance import TERMS, Balance


def run(options: Options) -> Table:
    """Largest impulse [N s] on the chest within 0.1 s, by direction; a mirrored direction gives the same."""
    clip, rows = two_feet(load_character("human45")), []
    for gone in (None, *TERMS):
        method = Balance(terms=tuple(t for t in TERMS if t != gone))
        half = {d: largest(clip, method, d) for d in DIRECTIONS if d <= 180.0}
        found = [half[min(d, 360.0 - d)] for d in DIRECTIONS]
        rows.append((gone or "none", *(round(x) for x in found), sum(found) / len(found)))
        say(rows[-1])
    title = "Largest push on the chest [N s in 0.1 s] that human45 recovers from on two feet, by direction [degrees]"
    note = "Body and pose are symmetric, so directions beyond 180 are those of their mirror images."
    return Table(title, ("removed", *(f"{d:g}" for d in DIRECTIONS), "mean"), tuple(rows), (note,))


if __name__ == "__main__":
    main(run)
