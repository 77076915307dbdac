"""Treads: the steps and boxes on which a recording stands, as rectangles around the footprints.

A tread begins and ends where the feet tell: it covers the footprints that stand on it, reaches back to the next higher
tread of the same flight, and is cut where any foot is ever found below its top (there the air is free). Footprints
are found without any floor: stretches of a clip in which a foot stands still and carries the body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character.roles import SIDES
from poise.ground.treads import Tread
from poise.maths.intervals import close_gaps, frames, runs
from poise.maths.rotations import Array
from poise.motion.contact.foot_motion import FootMotion

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
    """A foot on one spot from frame `first` to `last` - 1 of a `FootMotion`."""

    side: str
    first: int
    last: int
    place: np.ndarray  # (3,) of the lowest part of the foot, and the height of its lowest corner [m]
    weight: float  # [s], less for a foot that is never flat: the corner of a heel or of a ball says little of the floor
    drift: float  # [m] by which the lowest part of the foot moves on the ground


def stances(foot: FootMotion) -> list[Stance]:
    """The stances of both feet, in order of time; looser ideas of standing only where stricter ones find none."""
    for speed, shortest in SPEEDS:
        found = _stances(foot, speed, shortest)
        if found:
            return sorted(found, key=lambda s: s.first)
    return []


def _stances(foot: FootMotion, speed: float, shortest: float) -> list[Stance]:
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
    def of(foot: FootMotion, side: str, speed: float) -> _Track:
        pairs = foot.firm(side)
        lowest = pairs[foot.low[:, pairs].argmin(axis=1)]
        rows = np.arange(len(foot))
        slow = close_gaps(foot.speed[rows, lowest] < speed, frames(0.03, foot.dt))
        return _Track(foot.low[rows, lowest], lowest, slow, pairs)


def _stance(foot: FootMotion, side: str, track: _Track, rows: np.ndarray) -> Stance:
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


LEVEL = 0.04  # [m] a stance this close to a level stands on it
SOLE = 0.025  # [m] corners this close to the top of their tread leave a footprint
EDGE = 0.02  # [m] by which a tread reaches beyond the footprints along the way
WIDTH = 0.20  # [m] and to the sides
JOIN = 0.10  # [m] footprints this close along the way share a tread
BRIDGE = 0.90  # [m] and this close where no foot is ever found below the top between them
REACH = 0.45  # [m] over which a tread reaches back to the next higher one
FREE = 0.03  # [m] a corner this far below a top is in free air


@dataclass(frozen=True, eq=False)
class _Feet:
    """Heels and balls of the feet over the clip, along and across the way; recorded toes are too noisy to cut steps."""

    height: Array  # (N, F) [m]
    along: Array  # (N, F) [m]
    across: Array  # (N, F) [m]
    sides: np.ndarray  # (F,) "left" or "right"


@dataclass
class _Span:
    """A tread while it is made: extent along and across the way [m]."""

    low: float
    high: float
    core: tuple[float, float]  # along the way: must stay covered
    across: tuple[float, float]
    top: float


def treads(foot: FootMotion, found: list[Stance], levels: tuple[float, ...]) -> tuple[Tread, ...]:
    """Treads at the given heights [m] above a floor that is levelled, from the stances on them."""
    heading = _heading(found)
    feet = _feet(foot, heading)
    spans = [s for top in levels for s in _spans(feet, found, top)]
    if not spans:
        return ()
    spans.sort(key=lambda s: s.top)
    _reach_back(spans)
    sides = (min(s.across[0] for s in spans), max(s.across[1] for s in spans))
    for span in spans:
        _carve(span, sides, feet)
    return tuple(_rectangle(s, sides, heading) for s in spans if s.high - s.low > 0.02)


def _heading(found: list[Stance]) -> float:
    """Angle [rad] about Z of the way that the stances take: along their rise, or their longest spread."""
    place = np.array([s.place for s in found])
    away = place - place.mean(axis=0)
    _, axes = np.linalg.eigh(away[:, :2].T @ away[:, :2])
    way = axes[:, -1]
    return float(np.arctan2(way[1], way[0]))


def _feet(foot: FootMotion, heading: float) -> _Feet:
    columns = [(p, side) for side in SIDES for k in foot.firm(side) for p in foot.pairs[k]]
    points = foot.points[:, [p for p, _ in columns]]
    c, s = np.cos(heading), np.sin(heading)
    along, across = c * points[..., 0] + s * points[..., 1], -s * points[..., 0] + c * points[..., 1]
    return _Feet(points[..., 2], along, across, np.array([side for _, side in columns]))


def _spans(feet: _Feet, found: list[Stance], top: float) -> list[_Span]:
    """The treads at one height: footprints joined where they overlap along the way."""
    prints = []
    for stance in found:
        pick = np.ix_(np.arange(stance.first, stance.last), np.flatnonzero(feet.sides == stance.side))
        down = np.abs(feet.height[pick] - top) < SOLE
        if abs(stance.place[2] - top) > LEVEL or not down.any():
            continue
        x, y = feet.along[pick][down], feet.across[pick][down]
        middle = float(np.median(x))
        low, high = float(x.min()) - EDGE, float(x.max()) + EDGE
        prints.append(_Span(low, high, (middle - 0.03, middle + 0.03), (float(y.min()), float(y.max())), top))
    prints.sort(key=lambda p: p.low)
    joined: list[_Span] = []
    for p in prints:
        last = joined[-1] if joined else None
        if last is not None and p.low < last.high + (BRIDGE if _closed(last, p, feet) else JOIN):
            last.high = max(last.high, p.high)
            last.core = (min(last.core[0], p.core[0]), max(last.core[1], p.core[1]))
            last.across = (min(last.across[0], p.across[0]), max(last.across[1], p.across[1]))
        else:
            joined.append(p)
    return joined


def _closed(a: _Span, b: _Span, feet: _Feet) -> bool:
    """Is no foot ever found below the top between two footprints of one level?"""
    sides = (min(a.across[0], b.across[0]), max(a.across[1], b.across[1]))
    return len(_free(feet, (a.high, b.low), sides, a.top)) == 0


def _free(feet: _Feet, along: tuple[float, float], sides: tuple[float, float], top: float) -> Array:
    """Where along the way, in a range and between two sides, feet are found below a top (M,)."""
    inside = (feet.along > along[0]) & (feet.along < along[1])
    inside &= (feet.across > sides[0] - WIDTH) & (feet.across < sides[1] + WIDTH)
    return feet.along[inside & (feet.height < top - FREE)]


def _reach_back(spans: list[_Span]) -> None:
    """Let each tread reach, in place, to the nearest higher one on either side, so that no slit lies between them."""
    for span in spans:
        higher = [s for s in spans if s.top > span.top + LEVEL]
        ahead = [s.low for s in higher if span.high <= s.low < span.high + REACH]
        behind = [s.high for s in higher if span.low - REACH < s.high <= span.low]
        span.high = min(ahead, default=span.high)
        span.low = max(behind, default=span.low)


def _carve(span: _Span, sides: tuple[float, float], feet: _Feet) -> None:
    """Cut a tread, in place, back from its ends to where no foot is ever found below its top, but not its core."""
    free = _free(feet, (span.low, span.high), sides, span.top)
    span.low = float(max(free[free < span.core[0]], default=span.low))
    span.high = float(min(free[free > span.core[1]], default=span.high))


def _rectangle(span: _Span, sides: tuple[float, float], heading: float) -> Tread:
    c, s = np.cos(heading), np.sin(heading)
    x, y = 0.5 * (span.low + span.high), 0.5 * (sides[0] + sides[1])
    return Tread(
        x=float(c * x - s * y), y=float(s * x + c * y), half_length=0.5 * (span.high - span.low),
        half_width=0.5 * (sides[1] - sides[0]) + WIDTH, top=span.top, heading=float(np.degrees(heading)),
    )  # fmt: skip
