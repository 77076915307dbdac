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

AT, DURATION, AFTER = 0.5, 0.1, 2.5  # [s]: when, how long, and how long it is watched afterwards
DIRECTIONS = tuple(45.0 * k for k in range(8))  # [degrees] from forward to the left


def pushed(clip: Clip, method: Balance, impulse: float, direction: float, body: str = "chest",
           seconds: float = AT + DURATION + AFTER) -> Take:  # fmt: skip
    """The take of somebody who is pushed with an impulse [N s] in a direction [degrees]."""
    return trial(clip, method, seconds, events=[push(impulse, direction, body)])


def push(impulse: float, direction: float, body: str = "chest", at: float = AT) -> Push:
    """A push with an impulse [N s] in a direction [degrees], from `at` [s] on."""
    way = np.radians(direction)
    force = impulse / DURATION * np.array([np.cos(way), np.sin(way), 0.0])
    return Push(body, tuple(force), at, DURATION)


def recovers(clip: Clip, method: Balance, impulse: float, direction: float, body: str = "chest") -> bool:
    """Does somebody pushed so stand upright and at rest at the end?"""
    return outlasts(clip, method, AT + DURATION + AFTER, events=[push(impulse, direction, body)]) is None


def largest(clip: Clip, method: Balance, direction: float, *, most: float = 160.0, step: float = 10.0,
            body: str = "chest") -> float:  # fmt: skip
    """Largest impulse [N s], a multiple of `step` up to `most`, up to which every smaller one is recovered from too.

    Counted from below: who falls at 60 and happens to stand at 80 has 50. It is 0 where already `step` fells him.
    """
    best = 0.0
    while best < most and recovers(clip, method, best + step, direction, body):
        best += step
    return best


def limits(clip: Clip, method: Balance, directions: Iterable[float] = DIRECTIONS, step: float = 10.0) -> Array:
    """The largest impulse [N s] in each direction."""
    return np.array([largest(clip, method, d, step=step) for d in directions])
