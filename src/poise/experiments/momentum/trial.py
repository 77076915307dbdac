"""What the experiments share: the two forms of the method, performances, and how long a segment took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from poise.character.load import load_character
from poise.judge.metrics import deviations
from poise.methods.momentum import DEPARTURES, Momentum, MomentumTorques
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Push
from poise.take import Take

FORMS = ("printed", "ours")
SIMULATED = "torques"  # ours as torques in the simulator
EARLIEST = 1.0  # [s] before anything happens
AFTER = 5.05  # [s] that are watched after it
SETTLED = 2.0  # [s] after it in which forces and joints are looked at
CONDITIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "printed": ("printed", ()),
    "own steps": ("ours", ("footholds", "hurry")),
    "ours": ("ours", ()),
}
"""Conditions of a comparison: a form, and what of ours is left out. The thesis leaves steps where the clip has them."""


def method(form: str, settings: Mapping[str, Any] | None = None) -> Momentum | MomentumTorques:
    """The document's form or ours, or ours in the simulator, with other settings on top."""
    options = dict(settings or {})
    if form == SIMULATED:
        return MomentumTorques(**options)
    return Momentum.printed(**options) if form == "printed" else Momentum(**options)


def condition(name: str) -> tuple[str, dict[str, Any]]:
    """The form and the settings of a condition."""
    form, without = CONDITIONS[name]
    return form, {"departures": tuple(d for d in DEPARTURES if d not in without)} if without else {}


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
        self.strays: list[float] = []  # [degrees] of each take

    def add(self, events: Sequence[Any], end: float, ground: Any = None, start: float = 0.0) -> Take | None:
        """Perform under events, or on a ground, that are over at a time `end` [s], and count it.

        Forces and joints are looked at from the first event on, or from `EARLIEST`, to `SETTLED` after the end.
        """
        self.total += 1
        if not self.calm.ended.whole:
            return None
        take = performed(self.clip, self.form, end + AFTER, events, self.settings, ground, start)
        self.good += back(take, end, self.calm)
        first = min([event.at for event in events], default=EARLIEST)
        self.efforts.append(change_of_force(take, self.calm, self.clip, first, end + SETTLED))
        self.strays.append(stray(take, first, end + SETTLED))
        return take

    @property
    def cell(self) -> str:
        """For a table."""
        ended = self.calm.ended
        return f"{self.good}/{self.total}" if ended.whole else f"0/{self.total}, {ended} undisturbed"

    @property
    def cells(self) -> tuple[str, str, str]:
        """For a table: recovered, mean change of the contact force [N], mean largest joint error [degrees]."""
        return self.cell, _mean(self.efforts), _mean(self.strays)


MEASURED = ("Force: rms of the contact force less the undisturbed one at the same t_d, until 2 s after; joints: the "
            "largest error in that time; means over phases.")  # fmt: skip


def columns(*names: str) -> tuple[str, ...]:
    """Headings of the cells of several scores."""
    return tuple(x for name in names for x in (name, f"{name}: force [N]", f"{name}: joints [deg]"))


def _mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.0f}" if values else "-"


def contact_force(take: Take) -> np.ndarray:
    """The whole contact force (F, 3) [N] of each frame."""
    contacts, total = take.contacts, np.zeros((len(take), 3))
    np.add.at(total, contacts.frame, contacts.force)
    return total


def change_of_force(take: Take, calm: Take, clip: Clip, first: float, end: float) -> float:
    """Rms [N] of the contact force from `first` to `end` [s] less the undisturbed one at the same t_d.

    So much does the control add: a body's own weight, which all of them bear, is left out.
    """
    period = round(clip.duration * 120.0)

    def of(some: Take, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        td = some.traces["td"]
        seen = (some.time >= low) & (some.time <= high) & ~np.isnan(td)
        return td[seen] % period, contact_force(some)[seen]

    usual, forces = of(calm, EARLIEST, np.inf)
    now, changed = of(take, first, end)
    order = np.argsort(usual)
    plain = np.stack([np.interp(now, usual[order], forces[order, i], period=period) for i in range(3)], axis=1)
    return float(np.sqrt(np.mean(np.sum((changed - plain) ** 2, axis=1))))


def stray(take: Take, first: float, end: float) -> float:
    """The largest joint error [degrees] from `first` to `end` [s]."""
    seen = (take.time >= first) & (take.time <= end)
    return float(np.degrees(deviations(take.character, take.q[seen], take.q_ref[seen])["joints"].max()))


def all_round(phases: int) -> list[tuple[int, float]]:
    """Phases with two directions [degrees] each: of eight phases all sixteen directions, each once."""
    return [(k, 22.5 * ((5 * k + 8 * side) % 16)) for k in range(phases) for side in (0, 1)]


def frames_of_segments(take: Take) -> np.ndarray:
    """How many frames each segment of the plan took, the first and the last left out."""
    index = take.traces["segment"]
    index = index[~np.isnan(index)]
    return np.array([int(np.sum(index == k)) for k in np.unique(index)[1:-1]])
