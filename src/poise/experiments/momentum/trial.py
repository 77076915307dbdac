"""What the experiments share: the two forms of the method, performances, and how long a segment took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from poise.character.load import load_character
from poise.methods.momentum import Momentum
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Push
from poise.take import Take

FORMS = ("printed", "ours")
EARLIEST = 1.0  # [s] before anything happens
AFTER = 5.05  # [s] that are watched after it


def method(form: str, settings: Mapping[str, Any] | None = None) -> Momentum:
    """The document's form or ours, with other settings on top."""
    return (Momentum.printed if form == "printed" else Momentum)(**(settings or {}))


def heavy(name: str) -> Clip:
    """A built-in clip on a body of 80 kg, that of chapter 3; chapter 4 states none."""
    return load_clip(name, character=load_character("human42", weight=80.0))


def performed(clip: Clip, form: str, seconds: float, events: Sequence[Any] = (),
              settings: Mapping[str, Any] | None = None, ground: Any = None, start: float = 0.0) -> Take:  # fmt: skip
    """The take of a clip by one of the two forms."""
    stage = replace(clip.stage(start, seconds), events=tuple(events))
    if ground is not None:
        stage = replace(stage, ground=ground)
    return perform(clip, method(form, settings), stage=stage, seconds=seconds, start=start, limp=False)


def push(force: float, direction: float, at: float, duration: float) -> Push:
    """A push on the chest of `force` [N] in a direction [degrees about Z] from `at` on [s]."""
    way = np.radians(direction)
    return Push("chest", (force * np.cos(way), force * np.sin(way), 0.0), at, duration)


def moment(clip: Clip, phase: int, phases: int) -> float:
    """Time [s] of a phase; a little off the even ones, which were used for tuning."""
    return EARLIEST + (phase + 0.13) / phases * clip.duration


def back(take: Take, at: float, calm: Take) -> bool:
    """Did it recover by the strict rule, 5 s after the time `at` [s]?"""
    return bool(take.time[-1] > at and take.recovered(at, calm))


@lru_cache(maxsize=32)
def _calm(clip: Clip, form: str, settings: tuple[tuple[str, Any], ...]) -> Take:
    return performed(clip, form, 2.0 * clip.duration + EARLIEST + AFTER, settings=dict(settings))


def calm_of(clip: Clip, form: str, settings: Mapping[str, Any] | None = None) -> Take:
    """The undisturbed take by a form, made once."""
    return _calm(clip, form, tuple(sorted((settings or {}).items())))


class Score:
    """How many of some disturbed takes of a form recovered; nothing is tried where it falls undisturbed."""

    def __init__(self, clip: Clip, form: str, settings: Mapping[str, Any] | None = None):
        self.clip, self.form, self.settings = clip, form, settings
        self.calm = calm_of(clip, form, settings)
        self.good, self.total = 0, 0
        self.efforts: list[float] = []  # [N] of each take

    def add(self, events: Sequence[Any], end: float, ground: Any = None, start: float = 0.0) -> Take | None:
        """Perform under events, or on a ground, that are over at a time `end` [s], and count it."""
        self.total += 1
        if not self.calm.ended.whole:
            return None
        take = performed(self.clip, self.form, end + AFTER, events, self.settings, ground, start)
        self.good += back(take, end, self.calm)
        self.efforts.append(effort(take))
        return take

    @property
    def cell(self) -> str:
        """For a table."""
        ended = self.calm.ended
        return f"{self.good}/{self.total}" if ended.whole else f"0/{self.total}, {ended} undisturbed"

    @property
    def force(self) -> str:
        """The mean effort, for a table."""
        return f"{np.mean(self.efforts):.0f}" if self.efforts else "-"


def effort(take: Take) -> float:
    """Rms over frames of the whole contact force [N]."""
    contacts, total = take.contacts, np.zeros((len(take), 3))
    np.add.at(total, contacts.frame, contacts.force)
    return float(np.sqrt(np.mean(np.sum(total**2, axis=1))))


def all_round(phases: int) -> list[tuple[int, float]]:
    """Phases with two directions [degrees] each: of eight phases all sixteen directions, each once."""
    return [(k, 22.5 * ((5 * k + 8 * side) % 16)) for k in range(phases) for side in (0, 1)]


def frames_of_segments(take: Take) -> np.ndarray:
    """How many frames each segment of the plan took, the first and the last left out."""
    index = take.traces["segment"]
    index = index[~np.isnan(index)]
    return np.array([int(np.sum(index == k)) for k in np.unique(index)[1:-1]])
