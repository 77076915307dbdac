"""The slider from exact to superhuman: pushes recovered from, and how much of the balance was cheated, by both forms.

python -m poise.experiments.balance.slider
"""

from __future__ import annotations

from dataclasses import replace

from poise.character.load import load_character
from poise.experiments.balance.poses import two_feet
from poise.experiments.balance.pushing import DIRECTIONS, pushed, recovers
from poise.experiments.balance.table import Options, Table, main, say
from poise.judge.audit import audit
from poise.methods.balance import HONEST, Balance
from poise.methods.balance.hierarchy import hierarchy_of
from poise.methods.balance.memory import most_torque
from poise.motion.clip import Clip
from poise.simulate.guard import BlowUp

POSITIONS = (0.0, 0.2, 0.5, 0.8, 1.0)
IMPULSES = (20.0, 40.0, 80.0, 140.0)  # [N s]
FORWARDS = 40.0  # [N s] in which the artificial torque is measured


def run(options: Options) -> Table:
    """Pushes of four sizes in 8 directions that are recovered from, and the artificial torque in one forwards."""
    clip, rows = two_feet(load_character("human45")), []
    body = hierarchy_of(clip.character)
    forms = (("document's form", Balance.printed()), ("ours", Balance()))
    ways = [(n, f"{s:g}", replace(m, slider=s)) for s in POSITIONS for n, m in forms]
    for form, name, method in (*ways, ("ours", "honest", HONEST)):
        counts = [recovered(clip, method, size) for size in IMPULSES]
        rows.append((name, form, most_torque(method, body), *(f"{c}/8" for c in counts), f"{sum(counts)}/32",
                     cheated(clip, method)))  # fmt: skip
        say(rows[-1])
    return Table("Pushes on the chest of human45 on two feet recovered from, of 8 directions, by impulse [N s]",
                 ("slider", "form", "most a foot [N m]", *(f"{x:g}" for x in IMPULSES), "together", "assist [N m]"),
                 tuple(rows),
                 (f"assist: rms that the audit finds in a push forwards of {FORWARDS:g} N s, falls included. "
                  "Directions beyond 180 degrees are those of their mirror images.",)
                 )  # fmt: skip


def recovered(clip: Clip, method: Balance, impulse: float) -> int:
    """In how many of the 8 directions a push is recovered from."""
    half = {d: recovers(clip, method, impulse, d) for d in DIRECTIONS if d <= 180.0}
    return sum(half[min(d, 360.0 - d)] for d in DIRECTIONS)


def cheated(clip: Clip, method: Balance) -> float:
    """Artificial torque [N m, rms] in a push forwards; not a number where the simulation blew up."""
    try:
        return audit(pushed(clip, method, FORWARDS, 0.0)).assist_torque_rms
    except BlowUp:
        return float("nan")


if __name__ == "__main__":
    main(run)
