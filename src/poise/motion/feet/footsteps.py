"""Footsteps: where the feet of a clip stand, when, and when the body passes over them.

A stance is a stretch of time in which any contact point of a foot is labelled. Rolling from heel to toe, the foot
turns, but whatever touches rests; so a stance may be moved by one rigid motion, and nothing in it will slide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.maths.intervals import close_gaps, frames, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.fades import smooth
from poise.motion.resample import unrolled

_GAP = 0.05  # [s] shorter gaps in a stance are flickers of the labels
_STROLL = 0.2  # [m/s] below about this speed the middle of a stance counts more than where the body is
_LONGEST = 2.0  # [s] the longest period of a gait
_SIGHT = 2.2  # gait periods to either side that the averages of an edit may look at
_PERIOD = 1.0  # [s] taken for the period of a gait where fewer than two stances tell one


@dataclass(frozen=True, eq=False)
class Footstep:
    """One stance of one foot; frames are those of `Footsteps`, and lie outside for one guessed beyond a clip's ends."""

    side: str
    first: int
    last: int  # the last frame, included
    centre: Array  # (3,) middle of the sole where most of it touches, at the height of the ground [m]
    outline: Array  # (C, 3) its contact points then, seen from the centre [m]
    moment: int  # frame at which the body passes over it; beyond an open clip's end where it has not got there yet


@dataclass(frozen=True, eq=False)
class Footsteps:
    """A clip laid out so that every stance is seen whole: a loop with some periods before and after.

    Frame `first` is the clip's own first frame; `keep` cuts the clip's frames out again.
    """

    clip: Clip
    q: Array  # (M, nq)
    labels: np.ndarray  # (M, P) bool
    first: int
    around: int = 0  # periods before, and as many after

    @classmethod
    def of(cls, clip: Clip) -> Footsteps:
        """The footsteps of a clip."""
        labels = clip.contacts.labels
        if clip.cycle is None or len(clip) < 3:
            return cls(clip, clip.q, labels, 0)
        # far enough that no average over time in any edit sees the ends: it then treats all periods alike
        count = int(np.ceil((_SIGHT * float(np.clip(clip.duration, _PERIOD, _LONGEST)) + 0.5) / clip.duration))
        whole = unrolled(clip, count * (len(clip) - 1))
        return cls(clip, whole.q, labels[whole.frame], whole.own.start, count)

    def __len__(self) -> int:
        return len(self.q)

    @property
    def looping(self) -> bool:
        """Are there periods before and after?"""
        return self.first > 0

    def keep(self, x: Array) -> Array:
        """The rows of x (M, ...) that are the clip's own."""
        return x[self.first : self.first + len(self.clip)]

    @cached_property
    def times(self) -> Array:
        """Time of each frame (M,) [s]; zero at the clip's first."""
        return (np.arange(len(self)) - self.first) * self.clip.dt

    @cached_property
    def places(self) -> tuple[Array, Array]:
        """World positions (M, B, 3) and orientations (M, B, 4) of all bodies."""
        return self.clip.character.forward(self.q)

    @cached_property
    def points(self) -> Array:
        """World positions (M, P, 3) of the contact points."""
        own = self.clip.character.contact_points
        return self.clip.character.place(*self.places, own.bodies, own.positions)

    @cached_property
    def _spans(self) -> dict[str, np.ndarray]:
        """For each side its stances as rows (first, one past the last)."""
        own, gap = self.clip.character.contact_points, frames(_GAP, self.clip.dt)
        found = {s: np.any(self.labels[:, own.of(s)], axis=1) for s in SIDES if len(own.of(s))}
        return {side: runs(close_gaps(touch, gap)) for side, touch in found.items()}

    @cached_property
    def period(self) -> float:
        """Time between two stances of the same foot [s]; 1 s where that is not known."""
        gaps = [np.diff(rows[:, 0]) for rows in self._spans.values() if len(rows) > 1]
        found = float(np.median(np.concatenate(gaps))) * self.clip.dt if gaps else _PERIOD
        return float(np.clip(found, 0.3, _LONGEST))

    @cached_property
    def path(self) -> Array:
        """The way of the root over the ground (M, 2) [m], without the sway of single steps."""
        return smooth(self.q[:, :2], frames(self.period, self.clip.dt))

    @cached_property
    def direction(self) -> Array:
        """Unit vector (2,) from the beginning to the end of the clip's path; where it does not travel, its facing."""
        own = self.keep(self.path)
        way = own[-1] - own[0]
        if np.linalg.norm(way) < 0.1:
            w, x, y, z = self.keep(self.q)[:, 3:7].mean(axis=0)
            way = np.array([w * w + x * x - y * y - z * z, 2 * (x * y + w * z)])
        return way / np.linalg.norm(way)

    @cached_property
    def all(self) -> tuple[Footstep, ...]:
        """All stances, in the order in which the body passes over them."""
        found = [self._stance(side, int(a), int(b) - 1) for side, rows in self._spans.items() for a, b in rows
                 if not self._copied(int(a), int(b) - 1)]  # fmt: skip
        found += self._copies(found) if self.looping else self._guessed(found)
        return tuple(sorted(found, key=lambda p: (p.moment, p.first)))

    def _copied(self, first: int, last: int) -> bool:
        """Is this stance that of another period, so that it will be copied from the clip's own?"""
        whole = first > 0 and last < len(self) - 1
        cut_off = not whole and last - first < len(self.clip)
        return self.looping and (cut_off or (whole and not 0 <= first - self.first < len(self.clip) - 1))

    def _copies(self, own: list[Footstep]) -> list[Footstep]:
        """The clip's own stances in the other periods, equal up to the cycle."""
        cycle, size = self.clip.cycle, len(self.clip) - 1
        assert cycle is not None
        out = []
        for p in own:
            for k in range(-self.around, self.around + 1) if p.last - p.first < len(self) - 1 else ():
                first, last = p.first + k * size, p.last + k * size
                if k == 0 or last < 0 or first > len(self) - 1:
                    continue
                place = cycle.carry(np.concatenate([p.centre, [1.0, 0.0, 0.0, 0.0]]), k)[:3]
                outline = rot.rotate(rot.about_z(k * cycle.turn), p.outline)
                inside = lambda row: int(np.clip(row, 0, len(self) - 1))  # noqa: E731
                out.append(Footstep(p.side, inside(first), inside(last), place, outline, inside(p.moment + k * size)))
        return out

    def _stance(self, side: str, first: int, last: int) -> Footstep:
        own = self.clip.character.contact_points.of(side)
        touch = self.labels[first : last + 1][:, own].sum(axis=1)
        most = np.flatnonzero(touch == touch.max()) + first
        spot = self.points[most[len(most) // 2]]
        back, front = self.ends(side)
        centre = 0.5 * (spot[back].mean(axis=0) + spot[front].mean(axis=0))
        centre[2] = float(self.clip.ground.height(centre[0], centre[1]))
        rows = np.arange(first, last + 1)
        away = np.sum((self.path[rows] - centre[:2]) ** 2, axis=1)
        away += (_STROLL * self.clip.dt * (rows - 0.5 * (first + last))) ** 2
        nearest = int(rows[np.argmin(away)])
        return Footstep(side, first, last, centre, spot[own] - centre, nearest + self._beyond(nearest, centre[:2]))

    def _beyond(self, row: int, place: Array) -> int:
        """Frames from `row`, an end of an open clip, to the moment beyond it at which the body passes over a place.

        Zero at any other row, and where the body is already past it: a clip that ends as a foot comes down ends before
        the body is over that foot.
        """
        if self.looping or row not in (0, len(self) - 1) or len(self) < 2:
            return 0
        span = min(frames(0.5 * self.period, self.clip.dt), len(self) - 1)
        step = (self.path[span] - self.path[0] if row == 0 else self.path[-1] - self.path[-1 - span]) / span
        speed = float(np.linalg.norm(step))
        if speed < _STROLL * self.clip.dt:
            return 0
        away = float((place - self.path[row]) @ step) / speed**2
        return int(np.clip(np.round(away), -span if row == 0 else 0, 0 if row == 0 else span))

    def _guessed(self, own: list[Footstep]) -> list[Footstep]:
        """Where a foot that is in the air at an end of an open clip came from, or is going: a usual stride away."""
        out = []
        for side in self._spans:
            mine = [p for p in own if p.side == side]
            if not mine:
                continue
            swings = [b.first - a.last for a, b in pairwise(mine)]
            swing = int(np.median(swings)) if swings else frames(0.4 * self.period, self.clip.dt)
            whole = [
                p for p in mine if p.first > 0 and p.last < len(self) - 1
            ]  # the others began or go on beyond the clip
            stance = int(np.median([p.last - p.first for p in whole or mine]))
            for p, sign in ((mine[0], -1), (mine[-1], 1)):
                if p.first == 0 if sign < 0 else p.last == len(self) - 1:
                    continue
                gone = swing + stance
                rate = self.path[-1] - self.path[0] if len(whole) < 2 else whole[-1].centre[:2] - whole[0].centre[:2]
                time = len(self) - 1 if len(whole) < 2 else whole[-1].first - whole[0].first
                place = p.centre[:2] + sign * gone * rate / max(time, 1)
                centre = np.array([*place, float(self.clip.ground.height(*place))])
                end = p.first - swing if sign < 0 else p.last + swing + stance
                out.append(Footstep(side, end - stance, end, centre, p.outline, p.moment + sign * gone))
        return out

    def ends(self, side: str) -> tuple[np.ndarray, np.ndarray]:
        """Indices of the contact points at the back and at the front end of a foot."""
        character, own = self.clip.character, self.clip.character.contact_points.of(side)
        x = character.points(character.zero_pose())[0, own, 0]
        return own[x < x.min() + 0.01], own[x > x.max() - 0.01]

    def stride(self) -> float:
        """Median distance [m] over the ground between two successive prints of the same foot, zero with fewer."""
        found: list[float] = []
        for side in SIDES:
            own = np.array([p.centre[:2] for p in self.all if p.side == side and p.first >= 0]).reshape(-1, 2)
            found += np.linalg.norm(np.diff(own, axis=0), axis=1).tolist()
        return float(np.median(found)) if found else 0.0
