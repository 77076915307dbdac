"""Quiet standing from a careless start: on two feet and on one, with the simplified contact, without, and then without.

python -m poise.experiments.balance.standing [--seeds N] [--out FOLDER]
"""

from __future__ import annotations

from poise.character.load import load_character
from poise.experiments.balance.poses import careless, one_foot, two_feet
from poise.experiments.balance.table import Options, Table, main, picture, say
from poise.experiments.balance.trial import outlasts, trial
from poise.methods.balance import Balance

FIRST = 300  # seed; those below were looked at while the controller was made
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
            rows.append((pose, name, seconds, f"{fell.count(None)}/{len(fell)}", ", ".join(f"{t:.1f}" for t in down)))
            say(rows[-1])
    for clip in (both, *ones):
        picture(options, trial(clip, Balance(), 6.0, q=careless(clip, FIRST)), clip.name.replace(" ", "-"))
    return Table("Standing from careless starts: joints off by 6 degrees, dropped by up to 3 cm, on one foot leaned to "
                 "4 cm beside it",
                 ("pose", "simplified contact", "seconds", "stand", "went down at [s]"), tuple(rows))  # fmt: skip


if __name__ == "__main__":
    main(run)
