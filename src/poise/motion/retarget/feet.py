"""Feet of another body: where they stand, how they are turned there, and the way they take in between.

While a foot touches, the points of the target's foot that touch have constant places: those of its flat foot laid on
the ground at one spot and heading. A foothold is a chain of contacts of one foot that overlap in time (heel, then all,
then ball); it has one footprint, so that a foot that rolls from heel to ball does not slide, or several where a foot is
turned on its ball or pushed along. Between footholds the foot takes the source's way, moved by an offset that leads
smoothly from one foothold to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import distance_transform_edt, gaussian_filter1d

from poise.character import Character
from poise.character.roles import SIDES
from poise.ground.ground import Ground
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.feet.footprint import Footprint, laid_sole, unblocked
from poise.motion.retarget.pose import upright_zero

PARTS = ("heel", "ball", "tip")
PIVOT, SLIDE = np.radians(15.0), 0.08  # [rad], [m] a foot that turns and moves less while it touches stays put
TURNS = 3.0  # weight of what slides in a pivot against the recorded places of the foot
PUSHED = 0.1  # [m] a foot that slides further in the recording was pushed along: that counts less


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
    contact: np.ndarray  # (N, K) bool: held there, else only led
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
    prints = _pivoted(foot, _prints(foot, first, last))
    times = np.concatenate([[rows.start - first, rows.stop - 1 - first] for rows, _ in prints]).astype(float)
    heading = _between(times, np.repeat(np.unwrap([p.heading for _, p in prints]), 2), last - first)
    spots = []
    for rows, (facing, spot) in prints:
        tops, level = foot.tops[rows][np.isfinite(foot.tops[rows])], float(ground.height(spot[0], spot[1]))
        if len(tops) and ground.normal(spot[0], spot[1])[2] > 1.0 - 1e-9:
            level = float(np.median(tops))  # level ground: the step on which most of what touches stands
            spot = unblocked(spot, facing, foot.flat, ground, level)
        spots.append(np.array([spot[0], spot[1], level]))
    at = np.stack([_between(times, np.repeat([s[i] for s in spots], 2), last - first) for i in range(3)], axis=1)
    lean = rot.between(np.array([0.0, 0.0, 1.0]), ground.normal(spots[0][0], spots[0][1]))
    return laid_sole(foot.flat * np.array([1.0, 1.0, 0.0]), heading, at, lean)


def _prints(foot: Foot, first: int, last: int) -> list[tuple[slice, Footprint]]:
    """The frames and prints of one foothold, in order: one, or several where the foot turns or moves on the ground.

    Their spot is the middle of the ball (3,).
    """
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
        return [(slice(first + int(g[0]), first + int(g[-1]) + 1), Footprint(float(np.median(raw[g])), s))
                for g, s in zip(groups, spots, strict=True)]  # fmt: skip
    length = np.linalg.norm(way[:, :2], axis=1)  # a foot on its tip tells its heading badly
    heading = float(np.median(raw[length > 0.8 * length.max()]))
    if np.any(front):
        spot = np.median(foot.front[rows][front], axis=0)
    else:
        spot = np.median(foot.rear[rows], axis=0) - rot.rotate(rot.about_z(heading), foot.flat[heel].mean(axis=0))
    return [(rows, Footprint(heading, spot))]


def _pivoted(foot: Foot, prints: list[tuple[slice, Footprint]]) -> list[tuple[slice, Footprint]]:
    """The prints of one foothold, moved so that what stays down between two of them slides as little as may be.

    A foot that turns on its heel or ball turns about it. Its recorded place, which is the ankle's, is kept as well as
    that allows: the spots s minimise Σ |s_k - s_k recorded|² + w Σ |slide from k to k + 1|², w = `TURNS`, and less
    where the recording itself slides further than `PUSHED`.
    """
    if len(prints) < 2:
        return prints
    count = len(prints)
    A, b = np.eye(count), np.stack([p.spot[:2] for _, p in prints])
    for k in range(count - 1):
        (before, a), (after, c) = prints[k], prints[k + 1]
        down = foot.labels[before.stop - 1 : after.start + 1].mean(axis=0) > 0.5
        if not down.any():
            continue
        middle = foot.flat[down].mean(axis=0)
        turned = (rot.rotate(rot.about_z(c.heading), middle) - rot.rotate(rot.about_z(a.heading), middle))[:2]
        slide = float(np.linalg.norm(c.spot[:2] - a.spot[:2] + turned))
        weight = TURNS * min(1.0, PUSHED / max(slide, 1e-9)) ** 2
        A[k, k] += weight
        A[k + 1, k + 1] += weight
        A[k, k + 1] -= weight
        A[k + 1, k] -= weight
        b[k] += weight * turned
        b[k + 1] -= weight * turned
    spots = np.linalg.solve(A, b)
    return [(rows, Footprint(p.heading, np.array([*s, p.spot[2]]))) for (rows, p), s in zip(prints, spots, strict=True)]


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


LIFT = 0.06  # [m] height of the ball of a foot from which on it and its toes turn as recorded
ROLL = np.radians(15.0)  # by which a foot that touches may stand on its edge
LEAVE = 0.15  # [s] before and after a contact in which a foot comes to the heading it has there
FADE = 0.03  # [s] over which one leads to the other


def level_feet(turns: dict[str, Array], target: Character, source: Character, pos: Array, quat: Array, ground: Ground,
               labels: np.ndarray, dt: float) -> None:  # fmt: skip
    """Lay, in `turns` (world orientations by role), feet and toes level where the source's feet touch the ground.

    Toes are the noisiest joints of a recording, and some bodies have none: near the ground its contact is a better
    guide, and from a toe that points straight into the ground no small correction leads out. Feet keep their pitch and
    heading; only a foot on its edge is set down.
    """
    _, zero, _ = upright_zero(target)
    for side in SIDES:
        free = _free(source, pos, quat, ground, labels, side, dt)
        foot = target.body(f"{side}_foot")
        moved = rot.multiply(turns[f"{side}_foot"], rot.conjugate(zero[foot]))
        moved = rot.multiply(moved, rot.from_axis_angle(np.array([1.0, 0.0, 0.0]), -(1.0 - free) * _edge(moved)))
        turns[f"{side}_foot"] = rot.multiply(moved, zero[foot])
        if target.has(f"{side}_toes"):
            toes = target.body(f"{side}_toes")
            level = rot.multiply(rot.about_z(rot.heading(moved)), zero[toes])
            turns[f"{side}_toes"] = rot.slerp(level, turns[f"{side}_toes"], free)


def foot_turn(target: Character, q: Array, turns: dict[str, Array], side: str, contact: np.ndarray,
              dt: float) -> Array:  # fmt: skip
    """Displacement (N, 4) of a foot from its zero pose: as wanted in `turns`, but about as the ankle in q can head.

    Many ankles cannot turn about the vertical; such a foot shall not twist the whole leg to point as it was recorded.
    While it is in `contact` (N,) the difference in heading is constant, so that a foot that stands does not turn.
    """
    _, zero, _ = upright_zero(target)
    foot = target.body(f"{side}_foot")
    wanted = rot.multiply(turns[f"{side}_foot"], rot.conjugate(zero[foot]))
    found = rot.multiply(target.forward(q)[1][:, foot], rot.conjugate(zero[foot]))
    ahead = [rot.rotate(m, np.array([1.0, 0.0, 0.0]))[:, :2] for m in (wanted, found)]
    angle = (rot.heading(found) - rot.heading(wanted) + np.pi) % (2 * np.pi) - np.pi
    angle *= np.sum(ahead[0] ** 2, axis=1) * np.sum(ahead[1] ** 2, axis=1)  # a foot on its tip has no heading
    spans = runs(contact)
    if len(spans):
        ends = np.stack([spans[:, 0], spans[:, 1] - 1], axis=1).ravel()
        steady = np.interp(np.arange(len(q)), ends, np.repeat([float(np.median(angle[a:e])) for a, e in spans], 2))
        near = np.clip(1.0 - np.asarray(distance_transform_edt(~contact)) * dt / LEAVE, 0.0, 1.0)
        angle += near * near * (3.0 - 2.0 * near) * (steady - angle)
    return rot.multiply(rot.about_z(angle), wanted)


def _free(
    source: Character, pos: Array, quat: Array, ground: Ground, labels: np.ndarray, side: str, dt: float
) -> Array:
    """How free (N,) a foot is from the ground: 0 where it touches, 1 where its ball is `LIFT` above, smooth between."""
    own, front = source.contact_points, [*names(source, side, "ball"), *names(source, side, "tip")]
    if not front:
        return np.ones(len(pos))
    ball = names(source, side, "ball") or front
    places = source.place(pos, quat, own.bodies[ball], own.positions[ball])
    high = (places[..., 2] - ground.height(places[..., 0], places[..., 1])).min(axis=1)
    s = np.clip(high / LIFT, 0.0, 1.0)
    s[labels[:, front].any(axis=1)] = 0.0
    s = gaussian_filter1d(s, FADE / dt, mode="nearest")
    return s * s * (3.0 - 2.0 * s)


def _edge(moved: Array) -> Array:
    """Angle (N,) about its long axis by which a foot, displaced from the zero pose by `moved`, is rolled past `ROLL`.

    A foot that stands on its tip has no roll.
    """
    across = rot.rotate(moved, np.array([0.0, 1.0, 0.0]))[:, 2]
    up = rot.rotate(moved, np.array([0.0, 0.0, 1.0]))[:, 2]
    roll = np.arctan2(across, up)
    return (roll - np.clip(roll, -ROLL, ROLL)) * np.minimum(1.0, 2.0 * np.hypot(across, up))
