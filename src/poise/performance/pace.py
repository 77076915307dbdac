"""Pace: how a walk or a run comes from one speed and turn to another.

Nobody walks at full speed from one step to the next. A change goes in steps that a body can follow: each half second
the speed changes by an eighth and the way bends by 8 degrees/s more at most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from poise.checks import number
from poise.errors import BadValue
from poise.motion import edit as edits
from poise.motion.clip import Clip

SLOWEST, FASTEST = 0.3, 1.6  # factors of a clip's own speed within which it is steered
BENT = 45.0  # [degrees] of a period
_EVERY = 0.5  # [s] between two steps
_FACTOR, _TURN = 1.12, 8.0  # of speed, and [degrees/s], in one step


def speed_of(clip: Clip) -> float:
    """[m/s] over the ground of a loop; 0 for all that does not travel."""
    if clip.cycle is None or clip.duration <= 0.0:
        return 0.0
    fast = float(np.linalg.norm(clip.cycle.shift[:2])) / clip.duration
    return fast if fast > 0.1 else 0.0


@lru_cache(maxsize=64)
def paced(base: Clip, speed: float, turn: float) -> Clip:
    """A loop at another speed [m/s] that turns by so much [degrees/s]: strides and their rate change alike."""
    ratio, clip = float(np.sqrt(speed / speed_of(base))), base
    if abs(ratio - 1.0) > 1e-6:
        clip = edits.Warp(speed=ratio).apply(edits.Stride(scale=ratio).apply(clip))
    return edits.Turn(turn * clip.duration).apply(clip) if abs(turn) > 1e-6 else clip


@dataclass(frozen=True, eq=False)
class Pace:
    """Where a loop is on its way to a speed and a turn."""

    base: Clip
    speed: float = -1.0  # [m/s] now; the clip's own where it is not given
    turn: float = 0.0  # [degrees/s] now
    goal: tuple[float, float] = (-1.0, 0.0)  # speed and turn
    over: float = 0.5  # [s] in which each step is blended in
    last: float = -np.inf  # [s] when the last step was made

    def __post_init__(self) -> None:
        own = speed_of(self.base)
        if self.speed < 0.0:
            object.__setattr__(self, "speed", own)
        if self.goal[0] < 0.0:
            object.__setattr__(self, "goal", (self.speed, self.turn))

    def pack(self) -> dict[str, Any]:
        """Its fields."""
        return dict(vars(self))

    @classmethod
    def unpack(cls, packed: dict[str, Any]) -> Pace:
        """What `pack` took apart."""
        return cls(**packed)

    @property
    def clip(self) -> Clip:
        """What is followed now."""
        return paced(self.base, self.speed, self.turn) if speed_of(self.base) else self.base

    def steered(self, speed: float, turn: float, over: float) -> Pace:
        """On the way to another speed and turn; refused where the clip cannot go so."""
        own, name = speed_of(self.base), self.base.name or "The clip"
        if not own:
            raise BadValue(f"{name} is no loop that travels, and cannot be steered; walks and runs can, after loop().")
        speed, turn = number("A speed", speed, "m/s"), number("A turn", turn, "degrees/s")
        if not SLOWEST * own <= speed <= FASTEST * own:
            raise BadValue(f"{name} goes {own:.2f} m/s and can be steered from {SLOWEST * own:.2f} to "
                           f"{FASTEST * own:.2f} m/s, not to {speed:.2f}.")  # fmt: skip
        if abs(turn) * self.base.duration > BENT:
            raise BadValue(f"{name} can turn by {BENT / self.base.duration:.0f} degrees/s, not by {turn:.0f}.")
        return replace(self, goal=(float(speed), float(turn)), over=over)

    def due(self, time: float) -> bool:
        """Is there another step to be made, and is it time?"""
        return self.goal != (self.speed, self.turn) and time - self.last >= _EVERY - 1e-6

    def next(self, time: float) -> Pace:
        """One step nearer to the goal."""
        speed = float(np.clip(self.goal[0], self.speed / _FACTOR, self.speed * _FACTOR))
        turn = float(np.clip(self.goal[1], self.turn - _TURN, self.turn + _TURN))
        return replace(self, speed=speed, turn=turn, last=time)
