"""When feet should touch, and where in the reference the character is.

Departures: the paper follows the reference by the clock and knows only the contacts of the moment. Here a foot that
lands early takes the reference on to its touch-down, and a foot that is late holds the reference for a while
(phase resynchronisation). The time that is gained or lost is given back in the steps that follow: a hundredth of a
second in every step would else add up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poise.character.roles import SIDES
from poise.motion.reference import Reference

_GRID = 1 / 120  # [s] of the table
_FAR = 2.0  # [s] beyond which a touch-down is not looked for
_LIMIT = round(_FAR / _GRID)  # the same in rows
_RETURN, _MOST = 0.8, 0.08  # [s] in which a clock comes back to real time, and share of its rate at most
_AHEAD = 0.04  # [s] by which an early landing may set it ahead
_AT_REST = 0.3  # [m/s] of the root below which a clip ends at rest
_BLOCK = 240  # rows that the table grows by


class Step(NamedTuple):
    """A foot at one time of the reference."""

    down: bool  # it should touch
    left: float  # [s] until it touches; inf where it does not within 2 s
    done: float  # share of the swing that is over, 1 in stance
    length: float  # [s] of this swing, 0 in stance


_STANCE, _FLYING = Step(True, 0.0, 1.0, 0.0), Step(False, math.inf, 0.0, math.inf)


class Schedule:
    """The contacts of a reference as a table that grows while it is followed."""

    def __init__(self, reference: Reference, since: float = 0.0):
        """`since` [s]: nothing before is asked for, but how long ago feet touched."""
        self.reference = reference
        points = reference.character.contact_points
        self._sides = [points.of(side) for side in SIDES]
        self._begin = math.floor(since / _GRID) - _LIMIT
        self._end = _end_of(reference)
        self._labels = np.zeros((0, len(points)), bool)
        # by row, of both feet; lists, which are read a number at a time ten times faster than arrays
        self._feet: list[list[bool]] = []
        self._next: list[list[int]] = []  # rows to the next contact
        self._last: list[list[int]] = []  # rows from the last one
        self._stays: list[list[int]] = []  # rows until it leaves
        self._known: list[tuple[float, Step]] = [(math.nan, _STANCE), (math.nan, _STANCE)]  # what was asked for last

    def _row(self, t: float) -> int:
        return max(0, math.floor(t / _GRID + 1e-6) - self._begin)

    def _reach(self, row: int) -> None:
        """Make the table at least so long."""
        if row < len(self._labels):
            return
        while len(self._labels) <= row:
            first = len(self._labels) + self._begin
            rows = [self.reference.contacts((first + k) * _GRID) for k in range(_BLOCK)]
            self._labels = np.concatenate([self._labels, np.array(rows, bool)])
        feet = np.stack([self._labels[:, side].any(axis=1) for side in self._sides], axis=1)
        feet[max(0, self._end - self._begin) :] = True
        rows, big = np.arange(len(self._labels))[:, None], 1 << 30
        self._feet = feet.tolist()
        self._next = (np.minimum.accumulate(np.where(feet, rows, big)[::-1], axis=0)[::-1] - rows).tolist()
        self._last = (rows - np.maximum.accumulate(np.where(feet, rows, -1), axis=0)).tolist()
        self._stays = (np.minimum.accumulate(np.where(feet, big, rows)[::-1], axis=0)[::-1] - rows).tolist()

    def points(self, t: float) -> np.ndarray:
        """Which points (P,) should touch at time t [s] of the reference."""
        row = self._row(t)
        self._reach(row)
        return self._labels[row]

    def foot(self, side: int, t: float) -> Step:
        """What a foot should be doing at time t [s] of the reference."""
        when, step = self._known[side]
        if when != t:
            step = self._foot(side, t)
            self._known[side] = (t, step)
        return step

    def _foot(self, side: int, t: float) -> Step:
        row = self._row(t)
        self._reach(row + _LIMIT)
        if self._feet[row][side]:
            return _STANCE
        next_, last = self._next[row][side], self._last[row][side]
        if next_ > _LIMIT:
            return _FLYING
        within = t / _GRID - math.floor(t / _GRID + 1e-6)
        return Step(False, max(0.0, (next_ - within) * _GRID), (last + within) / (last + next_), (last + next_) * _GRID)

    def stays(self, side: int, t: float) -> float:
        """How long [s] a foot that should touch at time t [s] of the reference stays down; inf for 2 s or more."""
        row = self._row(t)
        self._reach(row + _LIMIT)
        left = self._stays[row][side]
        return math.inf if left > _LIMIT else left * _GRID


def _end_of(reference: Reference) -> int:
    """The row at which a clip that breaks off in the middle of a step ends: feet in the air should land by then."""
    clip = reference.baked
    if clip.cycle is not None or float(np.linalg.norm(clip.velocity[-1, :3])) < _AT_REST:
        return 1 << 30
    return math.floor((clip.duration - reference.start) / _GRID)


class Clock:
    """The time of the reference that is followed: it hurries or waits at touch-downs, and comes back to real time."""

    def __init__(self, early: float, late: float):
        self.time = 0.0  # [s] of the reference
        self.early, self.late = early, late  # [s]
        self.held = 0.0  # [s] for which it has waited for the coming touch-down

    def advance(self, schedule: Schedule, touching: Sequence[bool], dt: float, now: float = 0.0) -> float:
        """One period later, at `now` [s]; gives the rate at which the reference runs now (0 while it waits)."""
        near = False
        for side in (0, 1):
            step = schedule.foot(side, self.time)
            if step.down or not step.left < _FAR:
                continue
            if touching[side] and step.done > 0.5 and step.left < min(self.early, _AHEAD - (self.time - now)):
                self.time += step.left + 1e-4
                self.held = 0.0
                return 1.0
            if step.left <= dt and not touching[side] and self.held < self.late:
                self.held += dt
                return 0.0
            near |= step.left < 0.05
        if not near:
            self.held = 0.0
        rate = 1.0 - min(max((self.time - now) / _RETURN, -_MOST), _MOST)
        self.time += rate * dt
        return rate
