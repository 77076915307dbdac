"""Feet of a plan that was moved: where each foot stands beside its planned place, and where it will land.

Section 4.7.1 translates the next segment's reference and contacts to the goal of the present one and warps the swinging
foot's path to the new place. An offset (3,) [m] of each foot says how far it stands from where the unrolled course has
it. The body's offset at the beginning of the next segment is the mean of those of the feet that stand there; down a
step it goes with the lower one.

Departures: where a push asks for it the foothold is moved (departure `footholds`) by the law of the capture point.
The divergent component ξ goes away from the centre of pressure p as ξ(T) = p + (ξ - p) e^{ωT}; p is that of the plan,
moved with the foot that stands, and T is the time to touch-down at the clock's pace: a clock that waits gives ξ time to
get ahead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from poise.ground.ground import Ground
from poise.maths.rotations import Array
from poise.methods.momentum.timeline import Timeline
from poise.motion.feet.capture_point import Foothold

_REACHED = 0.85  # share of a swing at which the foot is over its new place
_RISEN = 0.6  # share of a swing at which it is at the height of a step up; a step down begins at 1 - this
_PATIENT = (0.06, 0.15)  # [m] of error along the way at touch-down: left to the clock, and none of it left
_DOWN = 0.002  # [m] above the ground up to which a point is down
_FELT = 0.5  # share of a change of it that is felt in a step
_CLEAR = 0.05  # [m] by which it is lifted above the higher of both places, half-way


class Balance(NamedTuple):
    """What the law of footholds wants to know."""

    here: Array  # (2,) [m] the divergent component ξ
    planned: Callable[[float], Array]  # that of the plan (2,) at a frame, unshifted
    frequency: float  # [1/s] ω
    heading: float  # [rad]
    rate: float  # of t_d

    def error(self, frame: float, landing: int, stand: Array, h: float) -> tuple[Array, float]:
        """Error (2,) [m] of ξ now that makes the one at touch-down, and the time [s] until then.

        `stand` (2,) [m]: how far the foot that stands is beside its planned place; `h` [s] between frames.
        """
        left = (landing - frame) * h / max(self.rate, 0.1)
        now, then, w = self.planned(frame), self.planned(landing), self.frequency
        usual, growth = np.exp(w * (landing - frame) * h), np.exp(w * left)
        pressure = (now * usual - then) / (usual - 1.0) if usual > 1.001 else now
        lands = pressure + stand + (self.here - pressure - stand) * growth
        return self._patient(lands - then - stand) / growth, left

    def _patient(self, off: Array) -> Array:
        """An error (2,) [m] at touch-down without what a step that takes longer or shorter mends along the way."""
        way = np.array([np.cos(self.heading), np.sin(self.heading)])
        ahead = float(off @ way)
        kept = min(max((abs(ahead) - _PATIENT[0]) / (_PATIENT[1] - _PATIENT[0]), 0.0), 1.0)
        return off - (1.0 - kept) * ahead * way


class Feet:
    """Offsets of two feet."""

    def __init__(self, timeline: Timeline, ground: Ground, level: float, frame: float, leg: float = 0.0):
        """`level` [m]: of the clip's ground; `leg` [m]: by which a body over feet far apart sinks, 0: it does not."""
        self.timeline, self.ground, self.level, self.leg = timeline, ground, level, leg
        self.base, self.goal = np.zeros((2, 3)), np.zeros((2, 3))
        self.asked = np.zeros(3)  # [m] that each step is longer, to the side and higher than planned
        self.shift = np.zeros((2, 2))  # [m] by which a push moves the next foothold
        self.lacking = 0.0  # [m] by which the next foothold is short of where a push asks for it
        self.moved = np.zeros((2, 2))  # [m] the share of the goals that pushes made, this step's and earlier ones'
        self._stood = [timeline.stands(int(np.floor(frame)), f) for f in (0, 1)]
        self.feet = timeline.course.feet
        self.carried = np.zeros(2)  # [m/s] of what carries the feet
        self._down, self._pins = np.zeros(len(self.feet), bool), np.zeros((len(self.feet), 3))

    def stand_at(self, frame: float, places: Array) -> None:
        """Take feet that stand at a frame where they are, points at places (P, 3); a swinging one goes with them."""
        line, planned = self.timeline, self.timeline.corners(frame)
        self._stood = [line.stands(int(np.floor(frame + 1e-9)), f) for f in (0, 1)]
        for f in (0, 1):
            down = (self.feet == f) & line.touching(frame)
            if down.any():
                self.base[f] = (places - planned)[down].mean(axis=0)
        if sum(self._stood) == 1:
            self.base[0 if self._stood[1] else 1] = self.base[1 if self._stood[1] else 0]
        self.goal[:] = self.base

    def plan_landings(self, frame: float, law: Foothold | None, balance: Balance | None, dt: float) -> None:
        """Where swinging feet will land: beside their planned place by as much as the standing foot, and more."""
        line = self.timeline
        now, self.lacking = int(np.floor(frame + 1e-9)), 0.0
        for f in (0, 1):
            if line.stands(now, f):
                self.goal[f], self.shift[f] = self.base[f], 0.0
                continue
            at = line.landing(frame, f)
            if at is None:
                self.goal[f] = self.base[f]
                continue
            other = 1 - f
            stand = self.base[other] if line.stands(now, other) else 0.5 * (self.base[f] + self.base[other])
            before = self.moved[other] if line.stands(now, other) else self.moved.mean(axis=0)
            plain = stand + self._turned(at, self.asked)
            if law is not None and balance is not None and line.stands(now, other):
                error, left = balance.error(frame, at, stand[:2], line.h)
                wanted = law.wanted(error, balance.frequency, left, balance.heading)
                landing, standing = self._centre(at, f)[:2] + plain[:2], self._centre(now, other)[:2] + stand[:2]
                wanted = law.uncrossed(wanted, landing, standing, 1.0 if f == 0 else -1.0, balance.heading)
                needed = error * np.exp(balance.frequency * min(left, law.horizon))
                self.lacking = float(np.linalg.norm(needed - wanted))
                self.shift[f] = law.towards(self.shift[f], wanted, dt)
            plain[:2] += self.shift[f]
            self.moved[f] = before + self.shift[f]
            place = self._centre(at, f) + plain
            plain[2] = float(self.ground.height(place[:1], place[1:2])[0]) - self.level
            self.goal[f] = plain

    def _turned(self, frame: int, asked: Array) -> Array:
        """What is asked of a step, turned to the way of the plan at a frame."""
        if not asked.any():
            return asked
        before, after = self.timeline.corners(frame - 30).mean(axis=0), self.timeline.corners(frame).mean(axis=0)
        way = np.arctan2(after[1] - before[1], after[0] - before[0])
        c, s = np.cos(way), np.sin(way)
        return np.array([c * asked[0] - s * asked[1], s * asked[0] + c * asked[1], asked[2]])

    def _centre(self, frame: int, foot: int) -> Array:
        """The middle (3,) of a foot's corners as planned."""
        return self.timeline.corners(frame)[self.feet == foot].mean(axis=0)

    def body_offset(self, frame: float) -> tuple[Array, Array]:
        """Offset (3,) of the plan at a frame that comes, and the share (2,) of it that the latest push adds.

        What was asked for is the mean of the feet that stand there; what pushes made goes with the foot that came last.
        """
        line = self.timeline
        if not np.isfinite(frame):
            return self.base.mean(axis=0), np.zeros(2)
        standing = [f for f in (0, 1) if line.stands(int(frame), f)] or [0, 1]
        asked = self.goal[standing].copy()
        asked[:, :2] -= self.moved[standing]
        out = asked.mean(axis=0)
        if len(asked) > 1 and asked[:, 2].min() < self.base[:, 2].min() - 1e-6:
            out[2] = asked[:, 2].min()
        if len(standing) > 1:
            out[2] -= self._sunk(int(frame))
        newest = max(standing, key=lambda f: line.came(int(frame), f))
        out[:2] += self.moved[newest]
        return out, self.moved[newest] - self.moved[1 - newest]

    def _sunk(self, frame: int) -> float:
        """How much lower [m] hips are over two feet that stand further apart than planned, on the same legs."""
        centres = [self._centre(frame, f) for f in (0, 1)]
        apart = float(np.linalg.norm((centres[0] - centres[1])[:2]))
        wide = float(np.linalg.norm((centres[0] + self.goal[0] - centres[1] - self.goal[1])[:2]))
        leg = self.leg
        if wide <= apart or leg <= 0.0:
            return 0.0
        return float(np.sqrt(leg**2 - min(apart / 2, leg) ** 2) - np.sqrt(max(leg**2 - (wide / 2) ** 2, 0.25 * leg**2)))

    def offsets(self, frame: float) -> Array:
        """Offsets (P, 3) of all points at a frame; a swinging foot is on its way from one place to the next."""
        out = np.empty((len(self.feet), 3))
        out[:] = self.base.mean(axis=0)
        for f in (0, 1):
            out[self.feet == f] = self._offset(frame, f)
        return out

    def _offset(self, frame: float, f: int) -> Array:
        line = self.timeline
        if line.stands(int(np.floor(frame + 1e-9)), f):
            return self.goal[f]
        at = line.landing(frame, f)
        if at is None:
            return self.base[f]
        lift = line.lift_off(frame, f)
        done = (frame - lift) / max(at - lift, 1)
        way = self.goal[f] - self.base[f]
        out = self.base[f] + _smooth(done / _REACHED) * way
        rise = way[2]
        u = done / _RISEN if rise > 0.0 else (done - 1.0 + _RISEN) / _RISEN
        out[2] = self.base[f, 2] + _smooth(u) * rise
        if abs(rise) > 0.01:
            out[2] += _CLEAR * 16.0 * (done * (1.0 - done)) ** 2
        return out

    def pinned(self, frame: float, places: Array, held: bool = False) -> tuple[np.ndarray, Array]:
        """Which points (P,) stand, and where (P, 3) each of them came down; points are at places (P, 3) now.

        `held`: a simulator's ground holds them itself, a little deeper than it is high and not quite where they came
        down. They stand where they are, for whoever pulls a foot back by a millimetre that the ground does not give
        pulls the whole body over; those that are not down yet are led straight down.
        """
        touch = self.timeline.touching(frame)
        new = touch & ~self._down
        if new.any():
            self._pins[new] = places[new]
            self._pins[new, 2] = self.ground.height(places[new, 0], places[new, 1])
        self._down = touch.copy()
        if held:
            ground = np.asarray(self.ground.height(places[:, 0], places[:, 1]), float)
            level = np.where(places[:, 2] > ground + _DOWN, ground, places[:, 2])
            return touch, np.column_stack([places[:, :2], level])
        return touch, self._pins

    def carry(self, frame: float, places: Array, moving: Array, dt: float) -> Array:
        """Speeds (P, 2) [m/s] of what carries the points that stand; they are at places and move at `moving` (P, 3).

        A platform is felt by the feet that stand on it: what they do is what it does. For dt [s] they go with it.
        """
        stands = self.timeline.touching(frame)
        down = stands & (places[:, 2] < self.ground.height(places[:, 0], places[:, 1]) + _DOWN)
        if down.any():
            self.carried += _FELT * (moving[down, :2].mean(axis=0) - self.carried)
        for f in (0, 1):
            if self._stood[f] and (down & (self.feet == f)).any():
                self.base[f, :2] += dt * self.carried
                self.goal[f, :2] += dt * self.carried
        return np.where(stands[:, None], self.carried, 0.0)

    def landed(self, before: float, after: float, places: Array) -> None:
        """Note feet that came down between two frames where they really are, points at places (P, 3)."""
        line = self.timeline
        for f in (0, 1):
            stands = line.stands(int(np.floor(after + 1e-9)), f)
            if stands and not self._stood[f]:
                down = (self.feet == f) & line.touching(after)
                planned = line.corners(after)[down].mean(axis=0)
                self.base[f] = self.goal[f]
                self.base[f, :2] = places[down].mean(axis=0)[:2] - planned[:2]
                self.moved[f] += self.base[f, :2] - self.goal[f, :2]
                self.goal[f] = self.base[f]
            self._stood[f] = stands


def _smooth(u: float) -> float:
    u = min(max(u, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)
