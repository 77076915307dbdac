"""Stances: the stretches of a clip in which a foot stands still and carries the body; no floor is needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character.roles import SIDES
from poise.maths.intervals import close_gaps, frames, runs
from poise.motion.contacts.foot_motion import Footing

SPEEDS = ((0.40, 0.10), (0.70, 0.08), (1.00, 0.05))  # [m/s] a foot stands below, [s] at least; the first that finds any
LONGEST = 0.5  # [s] a longer stance says no more about the floor
LEG = 0.15  # [m] the root of a standing body is at least this much above its feet
FALL = 5.0  # [m/s²] a body that falls faster is not carried by its feet
LOWER = 0.04  # [m] a foot that stands this much lower than the other carries the body
FLAT = 0.02  # [m] heel and ball of a flat foot are at most this far apart in height
ROLLING = 0.4  # weight of a foot that is never flat
CARRIES = 0.08  # [s] for which a foot must carry the body to count as standing


@dataclass(frozen=True, eq=False)
class Stance:
    """A foot on one spot from frame `first` to `last` - 1 of a footing."""

    side: str
    first: int
    last: int
    place: np.ndarray  # (3,) of the lowest part of the foot, and the height of its lowest corner [m]
    weight: float  # [s], less for a foot that is never flat: the corner of a heel or of a ball says little of the floor
    drift: float  # [m] by which the lowest part of the foot moves on the ground


def stances(foot: Footing) -> list[Stance]:
    """The stances of both feet, in order of time; looser ideas of standing only where stricter ones find none."""
    for speed, shortest in SPEEDS:
        found = _stances(foot, speed, shortest)
        if found:
            return sorted(found, key=lambda s: s.first)
    return []


def _stances(foot: Footing, speed: float, shortest: float) -> list[Stance]:
    tracks = {side: _Track.of(foot, side, speed) for side in SIDES if len(foot.of(side))}
    out = []
    for side, track in tracks.items():
        others = [t for s, t in tracks.items() if s != side]
        carries = track.stands & (foot.root[:, 2] - track.low > LEG) & (foot.lift > -FALL)
        for other in others:
            carries &= ~(other.stands & (other.low < track.low - LOWER))
        for a, e in runs(track.stands):
            if (e - a) * foot.dt < shortest or carries[a:e].sum() * foot.dt < min(CARRIES, 0.7 * shortest):
                continue
            out.append(_stance(foot, side, track, np.arange(a, e)))
    return out


@dataclass(frozen=True, eq=False)
class _Track:
    """One foot over time: the height of its lowest pair, which pair that is, and whether the foot stands."""

    low: np.ndarray  # (N,) [m]
    lowest: np.ndarray  # (N,) index of the pair
    stands: np.ndarray  # (N,) bool
    pairs: np.ndarray

    @staticmethod
    def of(foot: Footing, side: str, speed: float) -> _Track:
        pairs = foot.firm(side)
        lowest = pairs[foot.low[:, pairs].argmin(axis=1)]
        rows = np.arange(len(foot))
        slow = close_gaps(foot.speed[rows, lowest] < speed, frames(0.03, foot.dt))
        return _Track(foot.low[rows, lowest], lowest, slow, pairs)


def _stance(foot: Footing, side: str, track: _Track, rows: np.ndarray) -> Stance:
    """The stance of a foot in some frames, its place taken from those in which it is flat, where there are any."""
    flat = rows[np.ptp(foot.low[rows][:, track.pairs], axis=1) < FLAT]
    level = len(flat) * foot.dt > CARRIES
    told = flat if level else rows
    under = foot.place[told, track.lowest[told], :2].mean(axis=0)
    spot = foot.place[rows, np.bincount(track.lowest[rows]).argmax(), :2]
    drift = float(np.linalg.norm(np.ptp(spot, axis=0)))
    place = np.array([*under, np.median(track.low[told])])
    weight = min(len(rows) * foot.dt, LONGEST) * (1.0 if level else ROLLING)
    return Stance(side, int(rows[0]), int(rows[-1]) + 1, place, weight, drift)
