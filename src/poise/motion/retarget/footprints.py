"""Footprints: where the feet of another body shall stand, and the way they take in between.

While a foot touches, the points of the target's foot that touch have constant places: those of its flat foot laid on
the ground at one spot and heading. A foothold is a chain of contacts of one foot that overlap in time (heel, then all,
then ball); it has one print, so that a foot that rolls from heel to ball does not slide, or several where a foot is
turned on its ball or pushed along. Between footholds the foot takes the source's way, moved by an offset that leads
smoothly from one foothold to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.ground.ground import Ground
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array

PARTS = ("heel", "ball", "tip")
CLEAR = 0.01  # [m] ground this much above a foot's own level blocks it
PIVOT, SLIDE = np.radians(15.0), 0.08  # [rad], [m] a foot that turns and moves less while it touches stays put
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
    not have touch with its ball. Points of hands are those of the same name, or else touch when any of their hand's
    does; points of other names touch when any point of their foot does.
    """
    out = np.zeros((len(labels), len(target.contact_points)), bool)
    own = {n: i for i, n in enumerate(source.contact_points.names)}
    for i, name in enumerate(target.contact_points.names):
        hand = next((f"{s}_hand" for s in SIDES if name.startswith(f"{s}_hand")), None)
        if hand is not None:
            columns = [own[name]] if name in own else source.contact_points.of(hand)
            out[:, i] = labels[:, columns].any(axis=1)
            continue
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
    """Places (n, K, 3) of the flat foot's points over one foothold: on its prints, and moving on between them."""
    marks = _prints(foot, first, last)
    times = np.concatenate([[m.first - first, m.last - 1 - first] for m in marks]).astype(float)
    heading = _between(times, np.repeat(np.unwrap([m.heading for m in marks]), 2), last - first)
    spots = []
    for m in marks:
        tops = foot.tops[m.first : m.last][np.isfinite(foot.tops[m.first : m.last])]
        spot, level = m.spot, float(ground.height(m.spot[0], m.spot[1]))
        if len(tops) and ground.normal(spot[0], spot[1])[2] > 1.0 - 1e-9:
            level = float(np.median(tops))  # level ground: the step on which most of what touches stands
            spot = unblocked(spot, m.heading, foot.flat, ground, level)
        spots.append(np.array([spot[0], spot[1], level]))
    at = np.stack([_between(times, np.repeat([s[i] for s in spots], 2), last - first) for i in range(3)], axis=1)
    lean = rot.between(np.array([0.0, 0.0, 1.0]), ground.normal(spots[0][0], spots[0][1]))
    turn = rot.multiply(lean, rot.about_z(heading))
    return at[:, None] + rot.rotate(turn[:, None], foot.flat * np.array([1.0, 1.0, 0.0]))


@dataclass(frozen=True, eq=False)
class _Print:
    """A foot laid flat from frame `first` to `last` - 1: the middle of its ball [m] and its heading [rad]."""

    first: int
    last: int
    spot: Array
    heading: float


def _prints(foot: Foot, first: int, last: int) -> list[_Print]:
    """The prints of one foothold, in order of time: one, or several where the foot turns or moves on the ground."""
    rows, heel = slice(first, last), foot.heel
    way = foot.front[rows] - foot.rear[rows]
    raw = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    down = foot.labels[rows]
    front, back = np.any(down[:, ~heel], axis=1), np.any(down[:, heel], axis=1)
    flat = np.asarray(front & back)
    groups: list[np.ndarray] = []
    for a, e in runs(flat):
        frames = np.arange(a, e)
        if groups and _same(foot.front[rows], raw, groups[-1], frames):
            groups[-1] = np.concatenate([groups[-1], frames])
        elif e - a >= 3:
            groups.append(frames)
    if groups:
        spots = [np.median(foot.front[rows][g], axis=0) for g in groups]
        return [_Print(first + int(g[0]), first + int(g[-1]) + 1, s, float(np.median(raw[g])))
                for g, s in zip(groups, spots, strict=True)]  # fmt: skip
    length = np.linalg.norm(way[:, :2], axis=1)  # a foot on its tip tells its heading badly
    heading = float(np.median(raw[length > 0.8 * length.max()]))
    if np.any(front):
        spot = np.median(foot.front[rows][front], axis=0)
    else:
        spot = np.median(foot.rear[rows], axis=0) - rot.rotate(rot.about_z(heading), foot.flat[heel].mean(axis=0))
    return [_Print(first, last, spot, heading)]


def _same(front: Array, heading: Array, a: np.ndarray, b: np.ndarray) -> bool:
    """Do frames a and b of a foothold stand on one print?"""
    moved = np.median(front[a, :2], axis=0) - np.median(front[b, :2], axis=0)
    return abs(np.median(heading[a]) - np.median(heading[b])) < PIVOT and float(np.linalg.norm(moved)) < SLIDE


def _between(times: Array, values: Array, count: int) -> Array:
    """Values (count,) that are constant within pairs of times and lead smoothly from pair to pair."""
    frames = np.arange(count)
    k = np.clip(np.searchsorted(times, frames, side="right") - 1, 0, len(times) - 2)
    s = np.clip((frames - times[k]) / np.maximum(times[k + 1] - times[k], 1e-9), 0.0, 1.0)
    return values[k] + s**3 * (10 - 15 * s + 6 * s**2) * (values[k + 1] - values[k])


def unblocked(spot: Array, heading: float, flat: Array, ground: Ground, level: float) -> Array:
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
