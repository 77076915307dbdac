"""How many times faster than real time the method walks and squats, in CPU time on one core."""

from __future__ import annotations

from poise.experiments.modal.trial import performed
from poise.experiments.reproduce import Options, Table
from poise.motion.load import load_clip

CASES = (("walk", 12), ("squat", 16))  # clip and window
SECONDS, RUNS = 10.0, 5


def run(options: Options) -> Table:
    """The best and the median of some runs of each; what other programs take from a core only makes it slower."""
    rows = []
    for name, window in CASES:
        clip = load_clip(name)
        performed(clip, "modal update", 0.5, settings={"window": window})  # compiles
        times = sorted(
            performed(clip, "modal update", SECONDS, settings={"window": window}).realtime_factor for _ in range(RUNS)
        )
        rows.append((name, window, times[-1], times[RUNS // 2]))
    return Table(f"Simulated seconds per CPU second, {RUNS} runs of {SECONDS:g} s, modal update",
                 ("clip", "window", "best", "median"), tuple(rows))  # fmt: skip
