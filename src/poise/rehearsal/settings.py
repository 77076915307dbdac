"""Settings of a rehearsal: how much is tried, with which servos, and what counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from poise.errors import BadValue
from poise.methods.rehearse.controller import WINDOW
from poise.methods.rehearse.cost import Scales
from poise.settings import PART, check, flag, number, whole


@dataclass(frozen=True)
class Settings:
    """How a clip is rehearsed."""

    samples: int = whole(200, "simulations for each window", 4, 100000, printed=2000, said="1000 to 2000")
    keep: int = whole(50, "states that are kept of them", 1, 10000, printed=200)
    window: int = whole(WINDOW, "steps of a window, an even number", 2, 240, "1/240 s", printed=24)
    passes: int = whole(3, "times that the clip is gone through at most", 1, 100)
    retries: int = whole(8, "times that a pass may go back where it is lost", 0, 1000)
    most: float = number(3.0, "samples that a pass may draw, in those of one way through the clip", 1, 1000)
    full: float = number(0.35, "error at which a servo gives the mean strength of its joint", 0.001, 10, "rad")
    lag: float = number(0.06, "damping over stiffness", 0.0001, 1, "s")
    feedforward: bool = flag(True, "torques of the clip by inverse dynamics are given beside the servos")
    scales: Scales = field(default_factory=Scales, metadata=PART)

    name = "rehearse"

    def __post_init__(self) -> None:
        check(self, self.name)
        if self.window % 2:
            raise BadValue(f"A window is an even number of steps of 1/240 s, since frames are two of them, not "
                           f"{self.window}.")  # fmt: skip
