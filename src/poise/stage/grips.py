"""Grips: a hand that holds a bar or a barbell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from poise.checks import number, vector
from poise.errors import BadValue


@dataclass(frozen=True)
class Grip:
    """A hand closed round a bar from `start` to `end`: it does not leave, whichever way it is pulled.

    As a fist does, it slides along the bar and turns about every axis against dry friction, so the body swings in
    both planes. It closes when the hand's point is within `reach` of the bar; a hand that is too far at the beginning
    is refused, one that comes later is waited for.
    """

    hand: str = "left_hand"  # role or name
    to: str = "bar"  # name of a Bar or Barbell
    at: float | None = None  # [m] along the bar from its middle; where the hand is, if not given
    start: float = 0.0  # [s]
    end: float | None = None  # [s]; for ever where not given
    point: Sequence[float] | None = None  # (3,) [m] in the hand's frame; its centre of mass where not given
    slide_friction: float = 150.0  # [N]
    turn_friction: float = 1.0  # [N m]
    reach: float = 0.06  # [m]

    def __post_init__(self) -> None:
        number(f"The start of the grip of {self.hand}", self.start, "s", least=0.0)
        if self.end is not None and not self.end > self.start:
            raise BadValue(
                f"The grip of {self.hand} must end after its start at {self.start:g} s, not at {self.end} s."
            )
        if self.at is not None:
            number(f"The place of the grip of {self.hand}", self.at, "m")
        if self.point is not None:
            object.__setattr__(self, "point", vector(f"The point of the grip of {self.hand}", self.point, "m"))
        number(f"The sliding friction of the grip of {self.hand}", self.slide_friction, "N", least=0.0)
        number(f"The turning friction of the grip of {self.hand}", self.turn_friction, "N m", least=0.0)
        number(f"The reach of the grip of {self.hand}", self.reach, "m", above=0.0)

    def covers(self, time: float) -> bool:
        """Should the hand be closed at this time [s]?"""
        return time >= self.start and (self.end is None or time < self.end)
