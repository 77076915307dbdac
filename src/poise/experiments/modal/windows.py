"""Section 9: tracking and push recovery against the length of the window."""

from __future__ import annotations

import numpy as np

from poise.experiments.modal.trial import performed, push
from poise.experiments.reproduce import Options, Table
from poise.motion.load import load_clip

WINDOWS = (1, 2, 4, 8, 12, 16, 24, 36, 60)
SECONDS, FORCE, LASTS = 6.0, 100.0, 10 / 120


def run(options: Options) -> Table:
    """A walk of 6 s, and pushes of 100 N in four directions at as many phases as there are seeds."""
    clip, rows = load_clip("walk"), []
    for law in (True, False):
        for window in WINDOWS:
            settings = {"window": window, "feedforward": law, "footholds": False}
            calm = performed(clip, "modal update", 8.0, settings=settings)
            off, kept, total = calm.tracking_error(), 0, 0
            for direction in (0.0, 90.0, 180.0, 270.0):
                for phase in range(options.seeds if calm.fell is None else 0):
                    at = 1.0 + phase / options.seeds * clip.duration
                    take = performed(clip, "modal update", at + LASTS + 5.05, settings=settings,
                                     events=(push(FORCE, direction, at, LASTS),))  # fmt: skip
                    kept += bool(take.recovered(at + LASTS, calm))
                    total += 1
            end = "-" if calm.fell is None and calm.duration > 7.9 else f"{calm.fell or calm.duration:.1f}"
            rows.append(("reference's" if law else "nothing (paper)", window, end, float(np.degrees(off.joints)),
                         100.0 * off.root_position, f"{kept}/{total}", calm.realtime_factor))  # fmt: skip
    return Table("The length of the window, walking without footholds",
                 ("effort from", "window", "fell [s]", "joints [deg]", "root [cm]", "pushes of 100 N recovered",
                  "x real time"), tuple(rows))  # fmt: skip


def main() -> None:
    """Print the table."""
    print(run(Options(1)).text())


if __name__ == "__main__":
    main()
