"""Detection of holds: hands that must hold something, since no foot touches and the body does not fall.

A body that nothing touches falls with 9.81 m/s². Where it does not, and a hand at or above the shoulders stays at one
spot, the hand holds a bar there. Hands of people on a swing, a trapeze or rings move with what they hold: then the
point that stays at its spot lies beyond the hand, up to `HANDLE` away and fixed in its frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.maths.intervals import close_gaps, frames, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import foot_motion
from poise.motion.hold import Hold

SHORTEST = 0.4  # [s] shorter stretches without support say too little
GAP = 0.25  # [s] in which the body may seem to fall without having let go
FALL = 5.0  # [m/s²] a body that falls faster is not held
HELD = 3.0  # [m/s²] one that falls slower than this on average is
BELOW = 0.10  # [m] below its shoulder at which a hand may still hold a bar
OFTEN = 0.8  # share of the time for which it must be that high
STILL = 0.04  # [m] rms by which a hand on a bar may seem to move
HANDLE = 0.55  # [m] from the wrist to the bar that a handle hangs on
SWAY = 0.08  # [m] rms by which the upper end of a handle may seem to move
RIDGE = 0.1  # how strongly the point of a handle is drawn to the palm, against what it moves; it is badly told else
NEAR = 0.06  # [m] within which a hand is still at its bar while a foot touches


def detect_holds(clip: Clip) -> tuple[Hold, ...]:
    """The bars that hands must hold, in order of time; none where every moment is explained by ground or fall."""
    character = clip.character
    hands = [f"{s}_hand" for s in SIDES if character.has(f"{s}_hand") and character.has(f"{s}_upper_arm")]
    if not hands or len(clip) * clip.dt < SHORTEST:
        return ()
    free = ~np.any(clip.contacts.labels, axis=1)
    if free.sum() * clip.dt < SHORTEST:
        return ()
    foot = foot_motion(clip)
    lift = foot.trimmed(foot.lift)
    held = close_gaps(free & (lift > -FALL), frames(GAP, clip.dt)) & free
    pos, quat = character.forward(clip.q)
    found: list[Hold] = []
    for a, e in runs(held):
        if (e - a) * clip.dt >= SHORTEST and lift[a:e].mean() > -HELD:
            tracks = [_Track.of(clip, hand, pos, quat) for hand in hands]
            kept = [f for t in tracks if (f := t.fitted(int(a), int(e))) is not None]
            found += _one_bar([_outlasting(t, h, clip) for t, h in kept], clip, pos)
    return tuple(sorted(_merged(found), key=lambda h: (h.start, h.hand)))


@dataclass(frozen=True, eq=False)
class _Track:
    """One hand over a clip."""

    hand: str
    palm: Array  # (3,) in its frame [m]
    wrist: Array  # (N, 3)
    turn: Array  # (N, 4)
    above: Array  # (N,) height of the palm above the shoulder [m]
    dt: float

    @classmethod
    def of(cls, clip: Clip, hand: str, pos: Array, quat: Array) -> _Track:
        character = clip.character
        own, shoulder = character.body(hand), character.body(hand.replace("hand", "upper_arm"))
        palm = Hold(hand).local(character)
        place = pos[:, own] + rot.rotate(quat[:, own], palm)
        return cls(hand, palm, pos[:, own], quat[:, own], place[:, 2] - pos[:, shoulder, 2], clip.dt)

    def at(self, point: Array) -> Array:
        """Places (N, 3) of a point of the hand."""
        return self.wrist + rot.rotate(self.turn, point)

    def fitted(self, a: int, e: int) -> tuple[_Track, Hold] | None:
        """The hold of frames a .. e - 1: at the palm if that stays, else at the upper end of a handle."""
        if np.mean(self.above[a:e] > -BELOW) < OFTEN:
            return None
        spread, place = _spread(self.at(self.palm)[a:e])
        if spread < STILL:
            return self, Hold(self.hand, a * self.dt, (e - 1) * self.dt, tuple(place))
        point = self._handle(a, e)
        sway, place = _spread(self.at(point)[a:e])
        far = float(np.linalg.norm(point))
        if far > HANDLE or sway > min(SWAY, 0.5 * spread) or place[2] < self.at(self.palm)[a:e, 2].mean():
            return None
        return self, Hold(self.hand, a * self.dt, (e - 1) * self.dt, tuple(place), point=tuple(point))

    def _handle(self, a: int, e: int) -> Array:
        """The point of the hand's frame that moves least over frames a .. e - 1."""
        R, count = rot.to_matrix(self.turn[a:e]), e - a
        rows = (R - R.mean(axis=0)).reshape(-1, 3)
        goal = -(self.wrist[a:e] - self.wrist[a:e].mean(axis=0)).reshape(-1)
        soft = RIDGE**2 * count * np.eye(3)
        return np.linalg.solve(rows.T @ rows + soft, rows.T @ goal + soft @ self.palm)


def _spread(places: Array) -> tuple[float, Array]:
    """Rms distance [m] of places (N, 3) from their middle, and that."""
    middle = np.median(places, axis=0)
    return float(np.sqrt(np.mean(np.sum((places - middle) ** 2, axis=1)))), middle


def _outlasting(track: _Track, hold: Hold, clip: Clip) -> Hold:
    """The hold with the frames before and after in which the hand is still at the bar, though a foot may touch."""
    near = np.linalg.norm(track.at(hold.local(clip.character)) - np.array(hold.place), axis=1) < NEAR
    first, last = round(hold.start / clip.dt), round((hold.end or 0.0) / clip.dt)
    near[first : last + 1] = True
    a, e = next((int(a), int(e)) for a, e in runs(near) if a <= first < e)
    return replace(hold, start=a * clip.dt, end=None if e == len(clip) else (e - 1) * clip.dt)


def _one_bar(holds: list[Hold], clip: Clip, pos: Array) -> list[Hold]:
    """Both hands' holds brought onto one level line; that of one hand lies across the body."""
    if not holds:
        return []
    places = np.array([h.place for h in holds], float)
    way = places[0] - places[-1]
    if np.linalg.norm(way[:2]) < 0.1:
        body = clip.character.body
        rows = Hold("", holds[0].start, holds[0].end).covers(clip.times)
        way = (pos[rows, body("left_upper_arm")] - pos[rows, body("right_upper_arm")]).mean(axis=0)
    axis = np.array([way[0], way[1], 0.0]) / max(float(np.linalg.norm(way[:2])), 1e-9)
    middle = places.mean(axis=0)
    if abs(places[0, 2] - places[-1, 2]) > 0.3:  # hands at two heights do not hold one level bar
        return [replace(h, axis=tuple(axis)) for h in holds]
    along = (places - middle) @ axis
    return [replace(h, place=tuple(middle + s * axis), axis=tuple(axis)) for h, s in zip(holds, along, strict=True)]


def _merged(holds: list[Hold]) -> list[Hold]:
    """Holds of one hand at one place that overlap or follow each other at once are one."""
    out: list[Hold] = []
    for h in sorted(holds, key=lambda h: (h.hand, h.start)):
        last = out[-1] if out else None
        if last is not None and last.hand == h.hand and (last.end is None or last.end >= h.start):
            out[-1] = replace(last, end=None if last.end is None or h.end is None else max(last.end, h.end))
        else:
            out.append(h)
    return out
