"""Contacts that a repair believes: a part of a foot recorded well above the rest of it does not stand on the ground.

Detection of contacts is generous, since soles do not fit recorded feet to the millimetre. A repair pins what touches,
and a heel that is pinned though it was raised costs degrees of posture. The lowest part of a foot that touches always
keeps its contact, so no support is lost altogether.

Labels that come with a clip, from a file or by hand, are believed, whatever detection says, but for the moments at
which a foot lands or leaves: where the recording contradicts them there, the moment is moved to where the recording has
it, and reported. Longer disagreements stay as they were given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character.roles import SIDES
from poise.maths.intervals import close_gaps, drop_short, frames, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.contacts import detect
from poise.motion.contact.foot_motion import speeds

LIFTED = 0.008  # [m] above the lowest touching point of its foot
SUNK = 0.005  # [m] a point that is deeper in the ground does not tell how high the others are
SHORTEST = 0.04  # [s] of contact, and of a gap in it
MOVED = 0.06  # [m] a touching point that had to be moved further may not have touched
RESTS = (0.005, 0.03)  # [m], [m/s] so near to the ground and so slow are points that were put there
DEEP = 0.03  # [m] in the ground at most, where heels of a body that is made anew may be
REACH = (0.015, 0.3)  # [m], [m/s] as near and slow as the audit asks of what may push
LOW, SLOW, LONG = 0.01, 0.08, 0.08  # [m], [m/s], [s] a foot so low and slow for so long seems to stand


def believed(clip: Clip, lifted: float = LIFTED) -> np.ndarray:
    """The clip's labels (N, P) without points that are lifted [m] off the ground by the rest of their foot."""
    labels, points = np.array(clip.contacts.labels), clip.character.contact_points
    places = clip.character.points(clip.q)
    height = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    count = frames(SHORTEST, clip.dt)
    for side in SIDES:
        own = points.of(side)
        on = labels[:, own]
        if not on.any():
            continue
        kept = _lowest(height[:, own], on, points.bodies[own], lifted)
        for k in range(len(own)):
            kept[:, k] = drop_short(close_gaps(kept[:, k], count), count) & on[:, k]
        lost = on.any(axis=1) & ~kept.any(axis=1)
        kept[lost] = _lowest(height[:, own], on, points.bodies[own], lifted)[lost]
        labels[:, own] = kept
    if clip.cycle is not None and len(labels) > 1:
        labels[-1] = labels[0]
    return labels


def _lowest(height: Array, on: np.ndarray, bodies: np.ndarray, lifted: float) -> np.ndarray:
    """Which points (N, K) of a foot that touches by the labels `on` are near enough to what is lowest of it.

    A body is rigid: one of its points in the ground says how high the others are. How toes are bent is recorded badly:
    toes in the ground do not say that the rest of the foot is above it, and the other way round.
    """
    low = np.stack([height[:, bodies == b].min(axis=1) for b in bodies], axis=1)  # of the body of each point
    above = height - low + np.maximum(low, -SUNK)
    near = (height < low + lifted) & (above < above.min(axis=1, keepdims=True) + lifted)
    kept = on & near
    none = on.any(axis=1) & ~kept.any(axis=1)
    kept[none] = near[none]  # a foot that stands, stands on what is lowest of it
    return kept


def within_reach(clip: Clip) -> np.ndarray:
    """Boolean (N, P): which points are near enough to the ground, or in it, and slow enough, for it to push them."""
    places = clip.character.points(clip.q)
    height = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    return (height > -DEEP) & (height < REACH[0]) & (speeds(places, clip.dt) < REACH[1])


def put_down(clip: Clip) -> bool:
    """Do the feet of a clip rest on the ground, neither in it nor above it, like those of one that was repaired before?

    A body that is made anew from a file may have other heels: those that roll over them may sink. What rests tells.
    """
    places = clip.character.points(clip.q)
    height = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    rests = height[(speeds(places, clip.dt) < RESTS[1]) & (np.abs(height) < REACH[0])]
    return len(rests) == 0 or abs(float(np.median(rests))) < RESTS[0]


class Doubt(NamedTuple):
    """Frames whose contacts do not fit the recording."""

    first: int
    last: int  # included
    reason: str


def doubts(before: Clip, after: Clip) -> list[Doubt]:
    """Where labels and recording disagree, given a clip and its repaired twin, whose labels are meant."""
    points, labels = before.character.contact_points, after.contacts.labels
    was, now = before.character.points(before.q), after.character.points(after.q)
    away = labels & (np.linalg.norm(now - was, axis=-1) > MOVED)
    height = was[..., 2] - before.ground.height(was[..., 0], was[..., 1])
    rests = (height < LOW) & (speeds(was, before.dt) < SLOW) if len(before) > 1 else np.zeros(labels.shape, bool)
    out = []
    for side in SIDES:
        own = points.of(side)
        if not len(own):
            continue
        moved, idle = away[:, own].any(axis=1), rests[:, own].any(axis=1) & ~labels[:, own].any(axis=1)
        out += [Doubt(int(a), int(e) - 1, f"the {side} foot is said to stand, but was recorded elsewhere")
                for a, e in runs(close_gaps(moved, 3))]  # fmt: skip
        out += [Doubt(int(a), int(e) - 1, f"the {side} foot is said to be in the air, but seems to stand")
                for a, e in runs(np.asarray(idle)) if (e - a) * before.dt > LONG]  # fmt: skip
    return sorted(out)


SOONEST, LATEST = 0.03, 0.25  # [s] a switch that is told wrongly is off by more than the first, at most by the second
HIGH, FAST = 0.025, 0.5  # [m], [m/s] a foot whose lowest point is higher or faster does not stand


def corrected(clip: Clip) -> tuple[np.ndarray, list[Doubt]]:
    """Labels (N, P) of a clip with the given ones that are clearly wrong moved, and what was moved."""
    labels = np.array(clip.contacts.labels)
    if clip.labels is None:
        return labels, []
    seen, points = detect(clip).labels, clip.character.contact_points
    places = clip.character.points(clip.q)
    height = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    told: list[Doubt] = []
    for side in SIDES:
        own = points.of(side)
        if not len(own):
            continue
        given, found = (np.any(x[:, own], axis=1) for x in (labels, seen))
        lowest = own[np.argmin(height[:, own], axis=1)]
        rows = np.arange(len(clip))
        high, speed = height[rows, lowest], speeds(places, clip.dt)[rows, lowest]
        wrong = np.zeros(len(clip), bool)
        for a, e in runs(given != found):
            short = frames(SOONEST, clip.dt) < e - a <= frames(LATEST, clip.dt)
            if short and _contradicted(high[a:e], speed[a:e], bool(given[a])):
                wrong[a:e] = True
                what = "to stand, but is seen in the air" if given[a] else "to be in the air, but is seen to stand"
                told.append(Doubt(int(a), int(e) - 1, f"the {side} foot was said {what}: corrected"))
        _adopt(labels, seen, own, wrong)
    if clip.cycle is not None and len(labels) > 1:
        labels[-1] = labels[0]
    return labels, told


def _contradicted(high: np.ndarray, speed: np.ndarray, standing: bool) -> bool:
    """Is what a label says of a foot at these heights and speeds clearly wrong?"""
    away = float(np.mean((high > HIGH) | (speed > FAST)))
    return away > 0.5 if standing else away < 0.7  # a foot about to leave is on its way for a part of the time


def _adopt(labels: np.ndarray, seen: np.ndarray, own: np.ndarray, wrong: np.ndarray) -> None:
    """Take over, in place, what is seen of a foot in the stances whose switches were told wrongly."""
    given = np.any(labels[:, own], axis=1)
    right = np.where(wrong, ~given, given)
    for a, e in runs(given | right):
        if wrong[a:e].any():
            block = np.ix_(np.arange(a, e), own)
            new = seen[block] & right[a:e, None]
            bare = right[a:e] & ~np.any(new, axis=1)  # said to stand, and not clearly wrong
            labels[block] = np.where(bare[:, None], labels[block], new)
