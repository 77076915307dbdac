"""How hard a push can be: the largest impulse from which a standing character recovers, direction by direction."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from poise.experiments.balance.trial import outlasts, trial
from poise.maths.rotations import Array
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.stage.events import Push
from poise.take import Take

AT, DURATION, AFTER = 0.5, 0.1, 4.0  # [s]: when, how long, and how long it is watched afterwards
DIRECTIONS = tuple(45.0 * k for k in range(8))  # [degrees] from forward to the left


def pushed(clip: Clip, method: Balance, impulse: float, direction: float, body: str = "chest",
           seconds: float = AT + DURATION + AFTER) -> Take:  # fmt: skip
    """The take of somebody who is pushed with an impulse [N s] in a direction [degrees]."""
    return trial(clip, method, seconds, events=[push(impulse, direction, body)])


def push(impulse: float, direction: float, body: str = "chest") -> Push:
    """A push with an impulse [N s] in a direction [degrees]."""
    way = np.radians(direction)
    force = impulse / DURATION * np.array([np.cos(way), np.sin(way), 0.0])
    return Push(body, tuple(force), AT, DURATION)


def recovers(clip: Clip, method: Balance, impulse: float, direction: float, body: str = "chest") -> bool:
    """Does somebody pushed so stand upright and at rest at the end?"""
    return outlasts(clip, method, AT + DURATION + AFTER, events=[push(impulse, direction, body)]) is None


def largest(clip: Clip, method: Balance, direction: float, *, most: float = 160.0, within: float = 3.0,
            body: str = "chest") -> float:  # fmt: skip
    """Largest impulse [N s] recovered from, up to `most`, by halving to `within`; 0 where it does not even stand."""
    low, high = 0.0, most
    if not recovers(clip, method, low + within, direction, body):
        return 0.0
    low = within
    while high - low > within:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if recovers(clip, method, middle, direction, body) else (low, middle)
    return low


def limits(clip: Clip, method: Balance, directions: Iterable[float] = DIRECTIONS, within: float = 3.0) -> Array:
    """The largest impulse [N s] in each direction."""
    return np.array([largest(clip, method, d, within=within) for d in directions])
