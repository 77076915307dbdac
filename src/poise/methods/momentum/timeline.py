"""A plan laid out in time: segments, contacts and corners of any frame of the unrolled course."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.momentum.plan import Plan, Segment, turned
from poise.motion.reference import Shift


class Placed(NamedTuple):
    """A segment at its place in the unrolled course."""

    segment: Segment
    first: int  # frame of the unrolled course
    turn: Array  # (3, 3) from the plan's world
    shift: Array  # (3,) [m]

    @property
    def final(self) -> int:
        """The last frame t_f."""
        return self.first + self.segment.steps


class Timeline:
    """Frames of a plan; of a loop in any period, of an open clip held at its ends."""

    def __init__(self, plan: Plan, moved: Shift | None = None):
        """`moved`: how the whole course is turned and shifted in the world."""
        base = moved or Shift()
        c, s = np.cos(base.turn), np.sin(base.turn)
        self._base = (np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.asarray(base.shift, float))
        course = plan.course
        self.plan, self.course, self.frames = plan, course, course.frames
        self.loops = course.cycle is not None
        self.h = course.h
        self._placed: dict[int, Placed] = {}
        self._turns: dict[int, tuple[Array, Array]] = {}
        self._stands = np.stack([course.touching[:, course.feet == f].any(axis=1) for f in (0, 1)], axis=1)
        period = self.frames if self.loops else 0
        self._stays, self._stood = _lasting(self._stands, period), _lasting(self._stands, period, back=True)
        self._away, self._gone = _lasting(~self._stands, period), _lasting(~self._stands, period, back=True)

    def placed(self, index: int) -> Placed:
        """Segment number `index`, counted over all periods; of an open clip the nearest there is."""
        count = len(self.plan.segments)
        if not self.loops:
            index = min(max(index, 0), count - 1)
        known = self._placed.get(index)
        if known is None:
            period, k = divmod(index, count)
            segment = self.plan.segments[k]
            known = Placed(segment, segment.first + period * self.frames, *self.turned(period))
            self._placed[index] = known
        return known

    def following(self, index: int) -> float:
        """Frame at which the segment after `index` begins; never, after the last of an open clip."""
        if not self.loops and index >= len(self.plan.segments) - 1:
            return np.inf
        return self.placed(index + 1).first

    def index_at(self, frame: float) -> int:
        """The segment that is in charge at a frame."""
        count = len(self.plan.segments)
        period = int(np.floor(frame / self.frames)) if self.loops else 0
        index = (period - 1) * count
        while self.following(index) <= frame + 1e-9:
            index += 1
        return index if self.loops else max(index, 0)

    def turned(self, period: int) -> tuple[Array, Array]:
        """Rotation (3, 3) and shift (3,) of a period."""
        known = self._turns.get(period)
        if known is None:
            (R, shift), (B, b) = turned(self.course, period), self._base
            known = self._turns[period] = (B @ R, B @ shift + b)
        return known

    def _row(self, frame: int) -> tuple[int, int]:
        if self.loops:
            period, row = divmod(frame, self.frames)
            return period, row
        return 0, min(max(frame, 0), self.frames)

    def touching(self, frame: float) -> np.ndarray:
        """Which points (P,) may push at a frame."""
        return self.course.touching[self._row(int(np.floor(frame + 1e-9)))[1]]

    def same_support(self, frame: float, low: int, high: int) -> tuple[int, int]:
        """The part of frames low .. high around a frame in which the body stands as it does then, or flies."""
        now = int(np.floor(frame + 1e-9))
        stands, first, last = bool(self.touching(now).any()), now, now
        while first > low and bool(self.touching(first - 1).any()) == stands:
            first -= 1
        while last < high and bool(self.touching(last + 1).any()) == stands:
            last += 1
        return first, last

    def stands(self, frame: int, foot: int) -> bool:
        """Does a foot stand at a frame?"""
        return bool(self._stands[self._row(frame)[1], foot])

    def carrying(self, frame: float) -> int | None:
        """The foot that stands at a frame and stays there longest; None: no foot stands."""
        stays = self._stays[self._row(int(np.floor(frame + 1e-9)))[1]]
        return None if not stays.any() else int(stays[1] > stays[0])

    def corners(self, frame: float) -> Array:
        """Places (P, 3) of the points at a frame, between two of them in proportion."""
        low = int(np.floor(frame))
        share = frame - low
        (period, row), (after, next_row) = self._row(low), self._row(low + 1)
        R, s = self.turned(period)
        out = self.course.corners[row] @ R.T + s
        if share > 0.0:
            if after != period:
                R, s = self.turned(after)
            out = (1.0 - share) * out + share * (self.course.corners[next_row] @ R.T + s)
        return out

    def landing(self, frame: float, foot: int, most: float = 2.5) -> int | None:
        """The next frame at which a swinging foot stands; None: not within `most` seconds, or it stands now."""
        first = int(np.floor(frame + 1e-9))
        away = int(self._away[self._row(first)[1], foot])
        if not 0 < away < int(most / self.h) or not (self.loops or first + away <= self.frames):
            return None
        return first + away

    def lift_off(self, frame: float, foot: int, most: float = 2.5) -> int:
        """The frame at which a swinging foot left the ground."""
        first = int(np.floor(frame + 1e-9))
        gone = int(self._gone[self._row(first)[1], foot])
        return first - gone + 1 if gone < int(most / self.h) and (self.loops or first >= gone) else first

    def came(self, frame: int, foot: int) -> int:
        """The frame at which a foot that stands at `frame` came down; `frame` itself where it does not stand."""
        return frame - max(int(self._stood[self._row(frame)[1], foot]) - 1, 0)


def _lasting(mask: np.ndarray, period: int, back: bool = False) -> np.ndarray:
    """For how many frames (F + 1, 2) a mask goes on from each frame, or back from it; of a loop over two periods."""
    rows = np.concatenate([mask[:period], mask]) if period else mask
    rows = rows[::-1] if back else rows
    out = np.zeros(rows.shape, int)
    out[-1] = rows[-1]
    for k in range(len(rows) - 2, -1, -1):
        out[k] = np.where(rows[k], out[k + 1] + 1, 0)
    out = out[::-1] if back else out
    return out[-len(mask) :] if back else out[: len(mask)]
