"""Pushes on a standing body: without each virtual term, without artificial torque, and along the slider."""

from __future__ import annotations

from dataclasses import replace

from poise.character.load import load_character
from poise.experiments.balance.search import SOLE, TASKS
from poise.experiments.balance.trial import (
    DIRECTIONS,
    FINE,
    FORMS,
    MIRRORED,
    all_round,
    largest,
    pushed,
    recovers,
    two_feet,
)
from poise.experiments.reproduce import Options, Table, told
from poise.judge.audit import audit
from poise.methods.balance import HONEST, TERMS, Balance
from poise.methods.balance.hierarchy import hierarchy_of
from poise.methods.balance.memory import most_torque
from poise.motion.clip import Clip
from poise.simulate.guard import BlowUp

WAYS = (0.0, 45.0, 90.0, 135.0, 180.0)  # [degrees] that the search for honest gains did not see
POSITIONS = (0.0, 0.2, 0.5, 0.8, 1.0)  # of the slider
IMPULSES = (20.0, 40.0, 80.0, 140.0)  # [N s]
FORWARDS = 40.0  # [N s] in which the artificial torque is measured


def ablation(options: Options) -> Table:
    """The five virtual terms, one removed at a time: the largest impulse [N s] within 0.1 s, by direction."""
    clip, rows = two_feet(load_character("human45")), []
    for gone in (None, *TERMS):
        method = Balance(terms=tuple(t for t in TERMS if t != gone))
        found = all_round(lambda way, m=method: largest(clip, m, way))
        rows.append(told((gone or "none", *(round(x) for x in found), sum(found) / len(found))))
    title = "Largest push on the chest [N s in 0.1 s] that human45 recovers from on two feet, by direction [degrees]"
    return Table(title, ("removed", *(f"{d:g}" for d in DIRECTIONS), "mean"), tuple(rows), (MIRRORED,))


def honest(options: Options) -> Table:
    """Gains and the largest push of three controllers in exact physics, before and after the search of `search`."""
    clip, rows = two_feet(load_character("human45")), []
    before = TASKS["honest"].base
    for name, method in (("default gains", Balance(slider=0.0)),
                         ("start of the search", Balance(slider=0.0, sole=before.sole, give=before.give)),
                         ("honest", HONEST)):  # fmt: skip
        found = [largest(clip, method, d, FINE) for d in WAYS]
        rows.append(told((name, *(f"{getattr(method, n):.4g}" for n in SOLE), *(round(x) for x in found),
                          sum(found) / len(found))))  # fmt: skip
    return Table("Largest push on the chest [N s in 0.1 s] of human45 on two feet in exact physics, by direction",
                 ("", *SOLE, *(f"{d:g}" for d in WAYS), "mean"), tuple(rows))  # fmt: skip


def slider(options: Options) -> Table:
    """From exact to superhuman, by both forms: pushes recovered from, and the artificial torque in one forwards."""
    clip, rows = two_feet(load_character("human45")), []
    body = hierarchy_of(clip.character)
    ways = [(n, f"{s:g}", replace(m, slider=s)) for s in POSITIONS for n, m in FORMS]
    for form, name, method in (*ways, ("ours", "honest", HONEST)):
        counts = [sum(all_round(lambda way, m=method, size=size: recovers(clip, m, size, way))) for size in IMPULSES]
        rows.append(told((name, form, most_torque(method, body), *(f"{c}/8" for c in counts), f"{sum(counts)}/32",
                          cheated(clip, method))))  # fmt: skip
    return Table("Pushes on the chest of human45 on two feet recovered from, of 8 directions, by impulse [N s]",
                 ("slider", "form", "most a foot [N m]", *(f"{x:g}" for x in IMPULSES), "together", "assist [N m]"),
                 tuple(rows),
                 (f"assist: rms that the audit finds in a push forwards of {FORWARDS:g} N s, falls included.", MIRRORED)
                 )  # fmt: skip


def cheated(clip: Clip, method: Balance) -> float:
    """Artificial torque [N m, rms] in a push forwards; not a number where the simulation blew up."""
    try:
        return audit(pushed(clip, method, FORWARDS, 0.0)).assist_torque_rms
    except BlowUp:
        return float("nan")
