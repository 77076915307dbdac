"""The slider from exact to superhuman: largest push and how much of the balance was cheated, and the honest controller.

python -m poise.experiments.balance.slider
"""

from __future__ import annotations

from poise.character.load import load_character
from poise.experiments.balance.poses import two_feet
from poise.experiments.balance.pushing import largest, pushed
from poise.experiments.balance.table import Options, Table, main, say
from poise.judge.audit import audit
from poise.methods.balance import HONEST, Balance
from poise.methods.balance.contact import Cylinder

POSITIONS = (0.0, 0.2, 0.5, 0.8, 1.0)
DIRECTIONS = (0.0, 90.0, 180.0)
FORWARDS = (10.0, 20.0, 40.0)  # [N s] in which the artificial torque is measured


def run(options: Options) -> Table:
    """Largest impulse [N s] by direction and the artificial torque in pushes forwards of three sizes."""
    clip, rows = two_feet(load_character("human45")), []
    ways = [(f"{s:g}", Balance(slider=s)) for s in POSITIONS] + [("honest", HONEST)]  # fmt: skip
    for name, method in ways:
        found = [largest(clip, method, d) for d in DIRECTIONS]
        cheated = [audit(pushed(clip, method, size, 0.0)).assist_torque_rms for size in FORWARDS]
        most = Cylinder.at(method.slider or 0.0, clip.character.mass).torque
        rows.append((name, most, *(round(x) for x in found), sum(found) / len(found), *cheated))
        say(rows[-1])
    return Table("Largest push on the chest [N s in 0.1 s] of human45 on two feet, by direction [degrees]",
                 ("slider", "most a foot [N m]", *(f"{d:g}" for d in DIRECTIONS), "mean",
                  *(f"assist at {x:g}" for x in FORWARDS)), tuple(rows),
                 ("assist: rms [N m] that the audit finds in pushes forwards of so many N s, falls included.",)
                 )  # fmt: skip


if __name__ == "__main__":
    main(run)
