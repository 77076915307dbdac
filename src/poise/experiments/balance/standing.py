"""Quiet standing from a careless start: on two feet and on one, with the simplified contact, without, and then without.

python -m poise.experiments.balance.standing [--seeds N] [--out FOLDER]
"""

from __future__ import annotations

from poise.character.load import load_character
from poise.experiments.balance.poses import careless, one_foot, two_feet
from poise.experiments.balance.table import Options, Table, main, picture, say
from poise.experiments.balance.trial import outlasts, trial
from poise.methods.balance import Balance

SECONDS = 60.0
FIRST = 300  # seed; those below were looked at while the controller was made
WAYS = (("with", Balance()), ("with for 3 s, then without", Balance(until=3.0)), ("without", Balance(slider=0.0)))


def run(options: Options) -> Table:
    """How many of the seeds stand for a minute, and when the others went down."""
    character = load_character("human45")
    clips = (two_feet(character), one_foot(character, "left"), one_foot(character, "right"))
    rows, seeds = [], range(FIRST, FIRST + options.seeds)
    for name, method in WAYS:
        for clip in clips:
            fell = [outlasts(clip, method, SECONDS, q=careless(clip, seed)) for seed in seeds]
            down = sorted(t for t in fell if t is not None)
            rows.append((clip.name, name, f"{fell.count(None)}/{len(fell)}", ", ".join(f"{t:.1f}" for t in down)))
            say(rows[-1])
    for clip in clips:
        picture(options, trial(clip, Balance(), 6.0, q=careless(clip, FIRST)), clip.name.replace(" ", "-"))
    return Table(f"Standing for {SECONDS:g} s from careless starts: joints off by 6 degrees, dropped by up to 3 cm, on "
                 "one foot leaned to 4 cm beside it",
                 ("pose", "simplified contact", "stand", "went down at [s]"), tuple(rows))  # fmt: skip


if __name__ == "__main__":
    main(run)
