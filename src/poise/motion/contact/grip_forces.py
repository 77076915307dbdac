"""What closed hands give to a repair: points to hold in place, forces of any direction there, and loads to carry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.character import Character
from poise.dynamics.contact_cones import ContactCones
from poise.dynamics.wrench import NOTHING, Loads
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.hold import Hold


def bars(holds: Sequence[Hold]) -> list[Hold]:
    """The holds of fixed bars, whose places are known."""
    return [h for h in holds if not h.carries and h.place is not None]


def off_bars(clip: Clip) -> float:
    """Greatest distance [m] of a hand's point from the bar that it holds; 0 where no hand holds one."""
    away = [np.linalg.norm(h.path(clip) - np.asarray(h.place), axis=1)[h.covers(clip.times)] for h in bars(clip.grips)]
    return max((float(d.max(initial=0.0)) for d in away), default=0.0)


def held(clip: Clip) -> np.ndarray:
    """Boolean (N,): does a hand hold a fixed bar?"""
    return np.any([h.covers(clip.times) for h in bars(clip.grips)], axis=0) | np.zeros(len(clip), bool)


def gripped(ground: ContactCones, holds: Sequence[Hold], times: Array) -> ContactCones:
    """The ground with the bars that hands hold at these times (N,) [s]: a force in any direction at each."""
    closed = bars(holds)
    if not closed:
        return ground
    return ground.with_grips(np.array([h.place for h in closed]), np.column_stack([h.covers(times) for h in closed]))


def loads(character: Character, holds: Sequence[Hold], times: Array) -> Loads:
    """What the hands carry at these times (N,) [s]."""
    carried = [h for h in holds if h.carries]
    if not carried:
        return NOTHING
    return Loads(
        np.array([character.body(h.hand) for h in carried], np.int64),
        np.array([h.local(character) for h in carried]),
        np.ascontiguousarray(np.stack([h.mass * h.share(times) for h in carried], axis=1)),
    )
