"""How hard a push can be: the largest impulse from which a standing character recovers, direction by direction."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from poise.experiments.balance.trial import outlasts, trial
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.stage.events import Push
from poise.take import Take

AT, DURATION, AFTER = 0.2, 0.1, 2.5  # [s]: when, how long, and how long it is watched afterwards
RUNGS = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 100.0, 120.0, 140.0, 160.0)  # [N s] that are tried
FINE = tuple(5.0 * k for k in range(1, 17))  # [N s] for who stands less
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


def largest(clip: Clip, method: Balance, direction: float, rungs: Iterable[float] = RUNGS) -> float:
    """Largest of the impulses [N s], from below, up to which every smaller one is recovered from too; 0 for none.

    Who falls at 60 and happens to stand at 80 has 50.
    """
    best = 0.0
    for impulse in rungs:
        if not recovers(clip, method, impulse, direction):
            break
        best = impulse
    return best
