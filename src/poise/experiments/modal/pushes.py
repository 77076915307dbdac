"""Section 7.2: pushes on a walker, in eight directions and at as many phases as there are seeds, strictly judged."""

from __future__ import annotations

import numpy as np

from poise.experiments.modal.trial import performed, push
from poise.experiments.reproduce import Options, Table
from poise.motion.load import load_clip

FORCES = (100.0, 135.0, 175.0)  # [N] for ten frames
DIRECTIONS = tuple(45.0 * k for k in range(8))  # [degrees] from forward to the left
LASTS, AFTER = 10 / 120, 5.05  # [s]
CASES = (("footholds", {}), ("no footholds", {"footholds": False}), ("footholds, latency 0.2 s", {"latency": 0.2}))


def run(options: Options) -> Table:
    """Shares recovered by force, with and without footholds and with the paper's latency."""
    clip = load_clip("walk")
    rows = []
    for name, settings in CASES:
        calm = performed(clip, "modal update", 2.0 * clip.duration + 1.0 + AFTER, settings=settings)
        for force in FORCES:
            by = {d: 0 for d in DIRECTIONS}
            near = 0
            for direction in DIRECTIONS:
                for phase in range(options.seeds):
                    at = 1.0 + phase / options.seeds * clip.duration
                    take = performed(clip, "modal update", at + LASTS + AFTER,
                                     events=(push(force, direction, at, LASTS),), settings=settings)  # fmt: skip
                    if take.recovered(at + LASTS, calm):
                        by[direction] += 1
                        near += bool(np.linalg.norm(take.q[-1, :2] - take.q_ref[-1, :2]) < 0.2)
            total = len(DIRECTIONS) * options.seeds
            rows.append((name, force, f"{100 * sum(by.values()) / total:.0f} %", f"{100 * near / total:.0f} %",
                         " ".join(f"{by[d]}" for d in DIRECTIONS)))  # fmt: skip
    return Table("Pushes on the chest of a walker, 10 frames, torque limits on",
                 ("case", "force [N]", "recovered", "and within 20 cm of its track",
                  f"by direction, of {options.seeds}: front, then to the left"), tuple(rows),
                 ("Recovered: `take.recovered` 5 s after the push, bands from an undisturbed run.",))  # fmt: skip


def main() -> None:
    """Print the table."""
    print(run(Options(2)).text())


if __name__ == "__main__":
    main()
