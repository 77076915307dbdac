"""Footprints: where the feet of another body shall stand, and the way they take in between.

While a foot touches, the points of the target's foot that touch have constant places: those of its flat foot laid on
the ground at one spot and heading. A foothold is a chain of contacts of one foot that overlap in time (heel, then all,
then ball); it has one spot, so that a foot that rolls from heel to ball does not slide. Its heading may change between
contacts of the heel, so that a foot may still be turned on the ball. Between footholds the foot takes the source's way,
moved by an offset that leads smoothly from one foothold to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.ground import Ground
from poise.motion.runs import runs

PARTS = ("heel", "ball", "tip")
CLEAR = 0.01  # [m] ground this much above a foot's own level blocks it
PIVOT = np.radians(15.0)  # a foot that turns less than this while its ball stays down is not turned at all
ROOM = 0.01  # [m] around a foot
SHIFTS = 0.01 * np.arange(0, 16)  # [m] by which a foothold may be moved away from what blocks it


def names(character: Character, side: str, part: str) -> list[int]:
    """Indices of the contact points "<side>_<part>..." of a character."""
    return [
        i
        for i, n in enumerate(character.contact_points.names)
        if n == f"{side}_{part}" or n.startswith(f"{side}_{part}_")
    ]


def mapped_labels(source: Character, labels: np.ndarray, target: Character) -> np.ndarray:
    """Labels (N, P') of the target's contact points from those (N, P) of the source's, by name.

    A foot without toes stands on its ball where the source stands on ball or tip of the toes; toes that the source does
    not have touch with its ball. Points of other names touch when any point of their side does.
    """
    out = np.zeros((len(labels), len(target.contact_points)), bool)
    own = {n: i for i, n in enumerate(source.contact_points.names)}
    for i, name in enumerate(target.contact_points.names):
        side, _, rest = name.partition("_")
        part, _, edge = rest.partition("_")
        if part not in PARTS or side not in SIDES:
            out[:, i] = labels[:, source.contact_points.of(side)].any(axis=1) if side in SIDES else False
            continue
        wanted = [part]
        if part == "ball" and not names(target, side, "tip"):
            wanted.append("tip")
        if part == "tip" and not names(source, side, "tip"):
            wanted = ["ball"]
        for p in wanted:
            same = own.get(f"{side}_{p}_{edge}")
            columns = [same] if same is not None else names(source, side, p)
            out[:, i] |= labels[:, columns].any(axis=1)
    return out


@dataclass(frozen=True, eq=False)
class FootPath:
    """What one foot of the target shall do, over N frames."""

    points: np.ndarray  # (K,) indices of its contact points
    places: Array  # (N, K, 3) where they shall be [m]
    touching: np.ndarray  # (N, K) bool: held there, else only led
    ankle: Array  # (N, 3) about where that puts the ankle [m]


@dataclass(frozen=True, eq=False)
class Foot:
    """One foot of the target, moving as the source's does."""

    labels: np.ndarray  # (N, K) contacts of the target's points
    flat: Array  # (K, 3) the target's points in its zero pose, seen from the middle of its ball, facing X [m]
    ankle: Array  # (3,) the target's ankle, likewise
    heel: np.ndarray  # (K,) bool: which of them belong to the heel
    front: Array  # (N, 3) the middle of its ball if it moved as recorded [m]
    rear: Array  # (N, 3) the middle of its heel
    turn: Array  # (N, 4) displacement of the foot's orientation from the upright zero pose
    tops: Array  # (N, C) height of the ground under the source's points that touch, NaN where they do not [m]


def foot_path(foot: Foot, points: np.ndarray, ground: Ground) -> FootPath:
    """The path of a foot over the (scaled) ground."""
    rolled = rot.rotate(foot.turn[:, None], foot.flat)  # (N, K, 3) the points seen from the ball, foot as recorded
    offset = np.full((len(foot.front), 3), np.nan)  # from the recorded ball to the target's
    places = np.empty_like(rolled)
    for first, last in runs(np.any(foot.labels, axis=1)):
        rows = slice(first, last)
        laid = _laid(foot, first, last, ground)
        held = foot.labels[rows]
        # where the ball must be for the foot, turned as recorded, to have its touching points on their prints
        ball = np.sum(np.where(held[..., None], laid - rolled[rows], 0.0), axis=1) / held.sum(axis=1, keepdims=True)
        offset[rows] = ball - foot.front[rows]
        places[rows] = np.where(held[..., None], laid, ball[:, None] + rolled[rows])
    offset = _bridged(offset)
    free = ~foot.labels.any(axis=1)
    ball = foot.front + offset
    places[free] = ball[free][:, None] + rolled[free]
    return FootPath(points, places, foot.labels, ball + rot.rotate(foot.turn, foot.ankle))


def _laid(foot: Foot, first: int, last: int, ground: Ground) -> Array:
    """Places (n, K, 3) of the flat foot's points on the ground over one foothold, constant while each touches."""
    rows = slice(first, last)
    labels, heel = foot.labels[rows], foot.heel
    heading = _headings(foot, first, last)
    front = labels[:, ~heel].any(axis=1)
    flat = front & labels[:, heel].any(axis=1)
    if front.any():
        spot = np.median(foot.front[rows][flat if flat.any() else front], axis=0)
    else:
        ahead = -foot.flat[heel].mean(axis=0)
        spot = np.median(foot.rear[rows], axis=0) + rot.rotate(rot.about_z(np.median(heading)), ahead)
    normal = ground.normal(spot[0], spot[1])
    tops = foot.tops[rows][np.isfinite(foot.tops[rows])]
    if len(tops) and normal[2] > 1.0 - 1e-9:  # level ground: the step on which most of what touches stands
        level = float(np.median(tops))
        spot = _unblocked(spot, float(np.median(heading)), foot.flat, ground, level)
    else:
        level = float(ground.height(spot[0], spot[1]))
    lean = rot.between(np.array([0.0, 0.0, 1.0]), normal)
    turn = rot.multiply(lean, rot.about_z(heading))
    return np.array([spot[0], spot[1], level]) + rot.rotate(turn[:, None], foot.flat * np.array([1.0, 1.0, 0.0]))


def _headings(foot: Foot, first: int, last: int) -> Array:
    """Heading (n,) [rad] of the flat foot: constant over each contact of the heel, turning smoothly in between."""
    way = foot.front[first:last] - foot.rear[first:last]
    raw = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    labels = foot.labels[first:last]
    flat = labels[:, foot.heel].any(axis=1) & labels[:, ~foot.heel].any(axis=1)
    spans = [(a, e) for a, e in runs(np.asarray(flat)) if e - a >= 3]
    if not spans:
        length = np.linalg.norm(way[:, :2], axis=1)  # a foot on its tip tells its heading badly
        best = length > 0.8 * length.max()
        return np.full(last - first, float(np.median(raw[best])))
    steady = np.array([float(np.median(raw[a:e])) for a, e in spans])
    if np.ptp(steady) < PIVOT:
        steady[:] = np.median(raw[flat])
    times = np.concatenate([[a, e - 1] for a, e in spans]).astype(float)
    return np.interp(np.arange(last - first), times, np.repeat(steady, 2))


def _unblocked(spot: Array, heading: float, flat: Array, ground: Ground, level: float) -> Array:
    """The spot, moved as little as needed along or across the foot so that no corner stands in a higher step."""
    along = np.array([np.cos(heading), np.sin(heading), 0.0])
    across = np.array([-along[1], along[0], 0.0])
    outward = ROOM * np.sign(flat - flat.mean(axis=0)) * np.array([1.0, 1.0, 0.0])
    corners = rot.rotate(rot.about_z(heading), flat + outward)
    for shift in SHIFTS:
        for way in (-along, along, across, -across):
            places = spot + shift * way + corners
            if np.all(ground.height(places[:, 0], places[:, 1]) < level + CLEAR):
                return spot + shift * way
    return spot


def _bridged(offset: Array) -> Array:
    """Offsets (N, 3) with gaps (NaN) filled: held at the ends, else led from one side to the other."""
    known = np.flatnonzero(np.isfinite(offset[:, 0]))
    if len(known) == 0:
        return np.zeros_like(offset)
    out = offset.copy()
    out[: known[0]], out[known[-1] + 1 :] = offset[known[0]], offset[known[-1]]
    for a, e in runs(~np.isfinite(out[:, 0])):
        s = (np.arange(a, e) - a + 1.0)[:, None] / (e - a + 1.0)
        share = s**3 * (10 - 15 * s + 6 * s**2)
        out[a:e] = (1 - share) * out[a - 1] + share * out[e]
    return out
