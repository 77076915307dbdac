"""Quiet standing from a careless start, on two feet and on one, with the simplified contact and without; its speed."""

from __future__ import annotations

from poise.character.load import load_character
from poise.experiments.balance.trial import FIRST, careless, one_foot, outlasts, trial, two_feet
from poise.experiments.reproduce import Options, Table, told
from poise.methods.balance import Balance

WAYS = (("with for 3 s, then without", Balance(until=3.0), 10.0), ("without", Balance(slider=0.0), 5.0),
        ("with", Balance(), 60.0))  # fmt: skip


def run(options: Options) -> Table:
    """How many of the seeds stand for how long, and when the others went down."""
    character = load_character("human45")
    both, ones = two_feet(character), [one_foot(character, side) for side in ("left", "right")]
    poses = (("two feet", [both, both]), ("one foot, left and right in turn", ones))
    rows, seeds = [], range(FIRST, FIRST + options.seeds)
    for name, method, seconds in WAYS:
        for pose, clips in poses:
            fell = [outlasts(clips[s % 2], method, seconds, q=careless(clips[s % 2], s)) for s in seeds]
            down = sorted(t for t in fell if t is not None)
            stood, ends = f"{fell.count(None)}/{len(fell)}", ", ".join(f"{t:.1f}" for t in down)
            rows.append(told((pose, name, seconds, stood, ends)))
    figures: list[str] = []
    for clip in (both, *ones) if options.out is not None else ():
        figures += options.film(trial(clip, Balance(), 6.0, q=careless(clip, FIRST)), f"balance-{clip.name}")
    return Table("Standing from careless starts: joints off by 6 degrees, dropped by up to 3 cm, on one foot leaned to "
                 "4 cm beside it",
                 ("pose", "simplified contact", "seconds", "stand", "went down at [s]"), tuple(rows),
                 (), tuple(figures))  # fmt: skip


def speed(options: Options) -> Table:
    """Simulated seconds per CPU second: the best of three runs of 2 s, on one core."""
    rows = []
    for name in ("human45", "human42"):
        character = load_character(name)
        for clip in (two_feet(character), one_foot(character)):
            for method in (Balance(), Balance(slider=0.0)):
                trial(clip, method, 0.1)
                best = max(trial(clip, method, 2.0).realtime_factor for _ in range(3))
                rows.append((name, int(character.model.nv), clip.name, method.slider is None, best))
    columns = ("character", "degrees of freedom", "pose", "simplified contact", "times real time")
    return Table("Simulated seconds per CPU second at a step of 1/1920 s", columns, tuple(rows))
