"""Section 7.2 and 7.3 on a bar: swinging and chin-ups, undisturbed and pushed, hands on a grip that lets them turn.

Effort is measured from nothing (`feedforward` off), as in the paper: a body that swings freely is better left alone.
"""

from __future__ import annotations

import numpy as np

from poise.experiments.modal.trial import performed, push
from poise.experiments.reproduce import Options, Table
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.take import Take

FORCES = (75.0, 125.0, 175.0)  # [N] for twenty frames
DIRECTIONS = (0.0, 90.0, 180.0, 270.0)  # [degrees] from forward to the left
LASTS, AFTER, WINDOW = 20 / 120, 5.05, 24


def _pushed(clip: Clip, force: float, direction: float, at: float, latency: float = 0.0) -> Take:
    seconds = at + LASTS + AFTER
    events = (push(force, direction, at, LASTS),)
    settings = {"window": WINDOW, "latency": latency, "feedforward": False}
    return performed(clip, "modal update", seconds, events=events, settings=settings)


def run(options: Options) -> Table:
    """One row a clip, a force and a latency: how many pushes in four directions were recovered from."""
    rows = []
    for name in ("swing", "chin-up"):
        clip = load_clip(name)
        length = 2.0 + clip.duration + LASTS + AFTER
        calm = performed(clip, "modal update", length, settings={"window": WINDOW, "feedforward": False})
        for latency in (0.0, 0.2):
            for force in FORCES:
                by = {d: 0 for d in DIRECTIONS}
                for direction in DIRECTIONS:
                    for phase in range(options.seeds):
                        at = 1.0 + (phase + 0.5) / options.seeds * clip.duration
                        take = _pushed(clip, force, direction, at, latency)
                        by[direction] += bool(take.recovered(at + LASTS, calm))
                total = len(DIRECTIONS) * options.seeds
                rows.append((name, latency, force, f"{100 * sum(by.values()) / total:.0f} %",
                             " ".join(str(by[d]) for d in DIRECTIONS)))  # fmt: skip
        off = calm.tracking_error()
        rows.append((name, 0.0, 0.0, "undisturbed", f"joints {np.degrees(off.joints):.1f} degrees, root "
                     f"{100 * off.root_position:.1f} cm"))  # fmt: skip
    return Table("Pushes on the chest of a hanging body, 20 frames",
                 ("clip", "latency [s]", "force [N]", "recovered", f"by direction, of {options.seeds}: front, left"),
                 tuple(rows))  # fmt: skip


def main() -> None:
    """Print the table."""
    print(run(Options(1)).text())


if __name__ == "__main__":
    main()
