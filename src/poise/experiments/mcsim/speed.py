"""mcsim/speed: CPU time of the whole loop beside that of the same simulation without a controller that thinks."""

from __future__ import annotations

from typing import Any

from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.performance import perform
from poise.simulate.loop import Action
from poise.take import Take

_REPEATS = 3  # of which the median is told


class Watched:
    """A method whose actions are kept."""

    name = "mcsim"

    def __init__(self, way: McSim):
        self.way, self.period, self.actions = way, way.period, []

    def start(self, *given: Any) -> Any:
        """As the method itself."""
        return self.way.start(*given)

    def act(self, *given: Any) -> Action:
        """As the method itself."""
        self.actions.append(self.way.act(*given))
        return self.actions[-1]


class Replay:
    """Gives actions that were kept: the same motion to the last bit, without a thought."""

    name = "replay"

    def __init__(self, watched: Watched):
        self.period, self.actions = watched.period, iter(watched.actions)

    def start(self, *given: Any) -> None:
        """Nothing to remember."""

    def act(self, *given: Any) -> Action:
        """The next action."""
        return next(self.actions)


def run(options: Options) -> Table:
    """Both characters, with departures and as printed."""
    rows = []
    for name in ("human42", "human57"):
        ready = Reference(load_clip("walk", character=name))
        for words, way, seconds in (("with departures", McSim(), 6.0), ("as printed", McSim.printed(), 1.0)):
            perform(ready, way, seconds=0.2)  # compiled now
            pairs = sorted(_pair(ready, way, seconds) for _ in range(_REPEATS))
            own, bare = pairs[_REPEATS // 2]
            rate = f"{1 / way.plan:.0f} Hz"
            rows.append((name, words, rate, round(own, 1), round(bare, 1), round(bare / own, 2)))
    columns = ("character", "method", "programs", "x real time", "bare loop, x real time", "times its CPU")
    notes = ("Bare loop: the same motion to the last bit, simulated and recorded under the servos that mcsim gave. "
             f"Medians of {_REPEATS} runs, each beside its own bare loop.",)  # fmt: skip
    return Table("Speed, CPU time of one core", columns, tuple(rows), notes)


def _pair(reference: Reference, way: McSim, seconds: float) -> tuple[float, float]:
    """Real-time factors of the method and of the bare loop."""
    watched = Watched(way)
    take = perform(reference, watched, seconds=seconds)
    again: Take = perform(reference, Replay(watched), seconds=seconds)
    if not (take.q == again.q).all():
        raise AssertionError("The bare loop did not repeat the motion.")
    return take.realtime_factor, again.realtime_factor
