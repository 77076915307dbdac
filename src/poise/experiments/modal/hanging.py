"""Section 7.2 on a bar: swinging, undisturbed and pushed, hands on a grip that lets them turn.

Effort is measured from nothing (`feedforward` off), as in the paper: a body that swings freely is better left alone.
"""

from __future__ import annotations

import numpy as np

from poise.experiments.modal.trial import TRACKING, WAYS, performed, push, tracking_row
from poise.experiments.reproduce import Options, Table
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.take import Take

FORCES = (75.0, 125.0, 175.0)  # [N] for twenty frames
DIRECTIONS = (0.0, 90.0, 180.0)  # [degrees] from forward to the left; a push to the right is its mirror image
LASTS, AFTER, WINDOW = 20 / 120, 5.05, 24
LATENCIES = (0.0, 0.2)  # [s]
SECONDS = 20.0
BEGUN = 0.3  # [s] before a push at which a performance begins


def _pushed(clip: Clip, force: float, direction: float, at: float, latency: float = 0.0) -> Take:
    events = (push(force, direction, BEGUN, LASTS),)
    settings = {"window": WINDOW, "latency": latency, "feedforward": False}
    start = (at - BEGUN) % clip.duration
    return performed(clip, "modal update", BEGUN + LASTS + AFTER, events=events, settings=settings, start=start)


def _pushes(clip: Clip, calm: Take, latency: float, seeds: int) -> list[str]:
    """One sentence a force: outcomes by direction and phase, and the errors in the two seconds after the push."""
    out = []
    for force in FORCES:
        told, count, errors = [], 0, []
        for direction in DIRECTIONS:
            marks = ""
            for phase in range(seeds):
                take = _pushed(clip, force, direction, (phase + 0.5) / seeds * clip.duration, latency)
                back = bool(take.recovered(BEGUN + LASTS, calm))
                later = (take.time > BEGUN + LASTS) & (take.time < BEGUN + LASTS + 2.0)
                errors.append(float(np.mean(take.tracking_error().series["joints"][later] ** 2)))
                marks, count = marks + ("+" if back else "-"), count + back
            told.append(f"{direction:g} degrees {marks}")
        total, off = seeds * len(DIRECTIONS), np.degrees(np.sqrt(np.mean(errors)))
        out.append(f"{force:g} N, latency {1000 * latency:g} ms: {count} of {total} recovered ({', '.join(told)}); "
                   f"joints in the two seconds after {off:.1f} degrees rms.")  # fmt: skip
    return out


def run(options: Options) -> Table:
    """The swing undisturbed by both ways, then pushes at as many phases as there are seeds, known at once and late."""
    clip = load_clip("swing")
    takes = {way: performed(clip, way, SECONDS, settings={"window": WINDOW, "feedforward": False}) for way in WAYS}
    rows = tuple(("swing", *tracking_row(take, way)) for way, take in takes.items())
    notes = [line for latency in LATENCIES for line in _pushes(clip, takes["modal update"], latency, options.seeds)]
    return Table("A swing on a bar for 20 s, and pushes of 20 frames on its chest", ("clip", *TRACKING), rows,
                 tuple(notes))  # fmt: skip


def main() -> None:
    """Print the table."""
    print(run(Options(1)).text())


if __name__ == "__main__":
    main()
