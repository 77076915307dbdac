"""Footprints for the repair: one flat print for every stance, or several where a foot is turned or pushed on its way.

A foot that rolls over its heel, its ball or an edge keeps what touches where its flat sole would be. So the print of a
stance is the flat sole laid on the ground where it fits all that touches best: a turn and a shift, in closed form. A
recorded foot trembles and slides a little; only one that rests, moves on by more than a few centimetres or degrees
without leaving the ground, and rests again has several prints, and is led from one to the next as recorded.
Stances of a loop run on over its seam.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.ground.ground import Ground
from poise.maths import rotations as rot
from poise.maths.intervals import close_gaps, frames, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.contact.foot_motion import speeds
from poise.motion.contact.grip_forces import held
from poise.motion.feet.footprint import Footprint, laid_sole, unblocked
from poise.motion.resample import carried_rows

REST = 0.2  # [m/s] touching points that are slower rest
SHORTEST = 0.08  # [s] of rest that makes a print of its own
GAP = 0.03  # [s] shorter moves are none
MISFIT = 0.02  # [m] rms by which what touches may miss its print; a foot that fits one so well does not move on
RETURNS, STRAYS = 0.06, 0.3  # [m] a loaded foot that is back so near, and strayed no further, stood
BEGINS = 0.1  # [s] at both ends of its time under load that are compared
FAR = 0.06  # [m] by which what touches may miss the first or last print before it rests, or after
TOLD = 0.1  # of what its touching points tell about a print's heading, told by the heading of the foot


def turned(flat: Array, heading: Array) -> Array:
    """The flat sole (K, 2) turned to headings (n,): (n, K, 2)."""
    c, s = np.cos(heading)[:, None], np.sin(heading)[:, None]
    return np.stack([c * flat[:, 0] - s * flat[:, 1], s * flat[:, 0] + c * flat[:, 1]], axis=-1)


def strays(heading: Array, seen: Array, on: np.ndarray, loaded: np.ndarray, flat: Array, dt: float) -> Array:
    """How far (n,) [m] a foot was recorded to stray and to come back while it carried the body; 0 where it did not.

    Friction holds a loaded foot: what strays and returns under load (rolling ankles in deep flexion) was recorded
    badly. A foot that turns on its toes ends elsewhere.
    """
    out, count = np.zeros(len(heading)), frames(BEGINS, dt)
    weight = on.astype(float)
    for a, e in runs(close_gaps(loaded & on.any(axis=1), frames(GAP, dt))):
        rows = np.arange(a, e)[on[a:e].any(axis=1)]
        if len(rows) < 3:
            continue
        one, two = (fitted(float(np.median(heading[r])), seen[r], weight[r], flat)
                    for r in (rows[:count], rows[-count:]))  # fmt: skip
        apart = max(float(np.linalg.norm(d)) for d in np.subtract(*_ends(one, two, flat)))
        if apart < RETURNS:
            out[a:e] = max(_farthest(heading, seen, weight, flat, rows, rows), 1e-6)
    return out


def feet_stray(clip: Clip, labels: np.ndarray, loaded: np.ndarray) -> Array:
    """`strays` (N, feet) [m] of the feet of a clip that touch by labels (N, P) and are `loaded` (N, feet)."""
    out, (pos, quat), known = np.zeros(loaded.shape), clip.character.forward(clip.q), clip.character.contact_points
    for k, sole in enumerate(soles(clip.character)):
        on = labels[:, sole.points]
        places = clip.character.place(pos, quat, known.bodies[sole.points], known.positions[sole.points])
        for a, e in runs(np.any(on, axis=1)):
            turn = rot.multiply(quat[a:e, sole.body], rot.conjugate(sole.zero))
            heading = np.unwrap(rot.twist_angle(turn, np.array([0.0, 0.0, 1.0])))
            out[a:e, k] = strays(heading, places[a:e, :, :2], on[a:e], loaded[a:e, k], sole.flat, clip.dt)
    return out


def found_prints(heading: Array, seen: Array, weight: Array, alone: np.ndarray, flat: Array,
            dt: float, steady: np.ndarray | None = None) -> list[np.ndarray]:  # fmt: skip
    """The frames of each print of a stance, in order; what comes before the first or after the last is on its way.

    Where a foot is known to be `steady` (n,), it has one print however it was recorded.
    """
    steady = np.zeros(len(heading), bool) if steady is None else steady
    n, count = len(heading), frames(SHORTEST, dt)
    if n < 3:
        return [np.arange(n)]
    on = weight > 0.0
    speed = np.where(on, speeds(seen, dt), 0.0).sum(axis=1) / on.sum(axis=1)
    rests = [np.arange(a, e) for a, e in runs(close_gaps((speed < REST) | steady, frames(GAP, dt))) if e - a >= count]
    found: list[np.ndarray] = []
    whole = [[rest] if steady[rest].mean() > 0.5 else _parted(heading, seen, weight, flat, rest, count)
             for rest in rests]  # fmt: skip
    for rows in (part for parts in whole for part in parts):
        both = np.arange(rows[0] if not found else found[-1][0], rows[-1] + 1)
        if found and _misfit(heading, seen, weight, flat, both) < MISFIT:
            found[-1] = both
        else:
            found.append(rows)
    if not found:
        return [np.arange(n)]
    return _to_the_ends(found, heading, seen, weight, alone, flat, count)


def _parted(heading: Array, seen: Array, weight: Array, flat: Array, rows: np.ndarray, count: int) -> list[np.ndarray]:
    """A rest in parts of at least `count` frames, each of which one print fits."""
    if len(rows) < 2 * count or _farthest(heading, seen, weight, flat, rows, rows) < FAR:
        return [rows]
    cuts = np.unique(np.linspace(count, len(rows) - count, 16).astype(int))
    parts = [(rows[:k], rows[k:]) for k in cuts]
    costs = [sum(len(r) * _misfit(heading, seen, weight, flat, r) ** 2 for r in pair) for pair in parts]
    one, two = parts[int(np.argmin(costs))]
    while len(one) > count and _farthest(heading, seen, weight, flat, one[-1:], one[:-1]) > 0.5 * FAR:
        one = one[:-1]
    while len(two) > count and _farthest(heading, seen, weight, flat, two[:1], two[1:]) > 0.5 * FAR:
        two = two[1:]
    return [part for half in (one, two) for part in _parted(heading, seen, weight, flat, half, count)]


def _to_the_ends(found: list[np.ndarray], heading: Array, seen: Array, weight: Array, alone: np.ndarray,
                 flat: Array, count: int) -> list[np.ndarray]:  # fmt: skip
    """The prints with what comes before the first and after the last rest of a stance.

    That belongs to these prints, unless what touches is far from them: a foot that comes down turning, or leaves so. It
    is on its way then, or, where nothing else carries the body, has a print of its own, unless that would be one of
    fewer than `count` frames not much further away.
    """
    n, first, last = len(heading), found[0], found[-1]
    before, after, out = np.arange(first[0]), np.arange(last[-1] + 1, n), list(found)
    far = [_farthest(heading, seen, weight, flat, *pair) for pair in ((before, first), (after, last))]
    own = [bool(alone[rows].any()) for rows in (before, after)]
    near = [f < FAR or (o and len(rows) < count and f < 2 * FAR)
            for f, o, rows in zip(far, own, (before, after), strict=True)]  # fmt: skip
    if near[0]:
        out[0] = np.arange(first[-1] + 1)
    elif own[0]:
        out.insert(0, before[: (len(before) + 1) // 2])
    if near[1]:
        out[-1] = np.arange(out[-1][0], n)
    elif own[1]:
        out.append(after[len(after) // 2 :])
    return out


def _farthest(heading: Array, seen: Array, weight: Array, flat: Array, rows: np.ndarray, of: np.ndarray) -> float:
    """Greatest distance [m] of what touches in some frames from the print of the frames `of`."""
    turn, spot = fitted(float(np.median(heading[of])), seen[of], weight[of], flat)
    away = np.linalg.norm(seen[rows] - spot - turned(flat, np.array([turn]))[0], axis=-1)
    return float(np.where(weight[rows] > 0.0, away, 0.0).max(initial=0.0))


def _misfit(heading: Array, seen: Array, weight: Array, flat: Array, rows: np.ndarray) -> float:
    """Distance [m] rms of what touches in some frames from the one print that fits it best."""
    turn, spot = fitted(float(np.median(heading[rows])), seen[rows], weight[rows], flat)
    away = np.sum((seen[rows] - spot - turned(flat, np.array([turn]))[0]) ** 2, axis=-1)
    return float(np.sqrt(np.sum(weight[rows] * away) / weight[rows].sum()))


def fitted(heading: float, seen: Array, weight: Array, flat: Array) -> Footprint:
    """The heading and the middle (2,) of the flat sole that fits points (n, K, 2) of these weights (n, K) best.

    What touches tells the heading badly on one corner or one edge: that of the foot counts a little as well.
    """
    share = weight / weight.sum()
    laid = turned(flat, np.array([heading]))[0]
    was, own = np.einsum("nk,nki->i", share, seen), np.einsum("nk,ki->i", share, laid)
    d, f = seen - was, laid - own
    c = np.einsum("nk,nki,ki->", share, d, f) + TOLD * float(np.mean(np.sum(flat**2, axis=1)))
    s = np.einsum("nk,nk->", share, d[..., 1] * f[:, 0] - d[..., 0] * f[:, 1])
    turn = heading + float(np.arctan2(s, c))
    return Footprint(turn, np.einsum("nk,nki->i", share, seen - turned(flat, np.array([turn]))[0]))


SLIDE = 0.1  # [m/s] at which a foot that alone carries the body is led at most
MOVES = 4  # frames in which something else carries the body are enough to move a foot on
UNDER = 0.02  # [m] ground that is further than this from a point that touches is not what it stands on


class Sole(NamedTuple):
    """One foot: its contact points, and where they are when it stands flat in the zero pose, seen from their middle."""

    points: np.ndarray  # (K,)
    body: int  # the foot itself, which tells the heading; not its toes
    zero: Array  # (4,) its orientation in the zero pose
    flat: Array  # (K, 2) [m]


def soles(character: Character) -> list[Sole]:
    """The feet of a character."""
    points, rest = character.contact_points, character.model.qpos0[None]
    places, turns = character.points(rest)[0], character.forward(rest)[1][0]
    out = []
    for side in SIDES:
        own = points.of(side)
        if len(own):
            bodies, counts = np.unique(points.bodies[own], return_counts=True)
            body = int(bodies[np.argmax(counts)])
            out.append(Sole(own, body, turns[body], places[own, :2] - places[own, :2].mean(axis=0)))
    return out


def printed(clip: Clip, labels: np.ndarray, carrying: np.ndarray | None = None,
            loaded: np.ndarray | None = None) -> Array:  # fmt: skip
    """Where each contact point of the feet (N, P, 3) shall be while it touches; else where it is.

    A foot that alone touches does not slide, nor one that is said to be `carrying` (N, feet) the body; one that is
    `loaded` (N, feet) and comes back to where it was did not move.
    """
    goals, barred = clip.character.points(clip.q), held(clip)
    for k, sole in enumerate(soles(clip.character)):
        on = labels[:, sole.points]
        alone = ~np.any(np.delete(labels, sole.points, axis=1), axis=1) & ~barred
        if carrying is not None:
            alone |= carrying[:, k]
        state = _State(on, alone, np.zeros(len(on), bool) if loaded is None else loaded[:, k])
        if clip.cycle is None or len(clip) < 3:
            goals[:, sole.points] = _path(clip, clip.q, state, sole)
        else:
            goals[:, sole.points] = _round(clip, clip.cycle, state, sole)
    return goals


class _State(NamedTuple):
    """A foot, frame by frame."""

    on: np.ndarray  # (n, K) which of its points touch
    alone: np.ndarray  # (n,) nothing else does
    loaded: np.ndarray  # (n,) it carries a good part of the body

    def rows(self, rows: np.ndarray | slice) -> _State:
        """Some frames of it."""
        return _State(self.on[rows], self.alone[rows], self.loaded[rows])


def _round(clip: Clip, cycle: Cycle, state: _State, sole: Sole) -> Array:
    """`_path` (N, K, 3) over one period of a loop, begun where the foot is in the air, if it ever is."""
    period = len(clip) - 1
    air = ~np.any(state.on[:-1], axis=1)
    order = (int(np.argmax(air)) if air.any() else 0) + np.arange(period)
    count, frame = np.divmod(order, period)
    late = count > 0
    places = _path(clip, carried_rows(cycle, clip.q[frame], count), state.rows(frame), sole)
    places[late] = rot.rotate(rot.about_z(-cycle.turn), places[late] - cycle.shift)
    out = np.empty((len(clip), *places.shape[1:]))
    out[frame] = places
    out[-1] = rot.rotate(rot.about_z(cycle.turn), out[0]) + cycle.shift
    return out


def _path(clip: Clip, q: Array, state: _State, sole: Sole) -> Array:
    """Where the points of a sole (N, K, 3) shall be in configurations q (N, nq)."""
    character = clip.character
    pos, quat = character.forward(q)
    known = character.contact_points
    places = character.place(pos, quat, known.bodies[sole.points], known.positions[sole.points])
    for a, e in runs(np.any(state.on, axis=1)):
        turn = rot.multiply(quat[a:e, sole.body], rot.conjugate(sole.zero))
        on, alone, loaded = state.rows(slice(a, e))
        places[a:e] = laid(places[a:e], turn, on, alone, sole, clip.ground, clip.dt, loaded)
    return places


def laid(places: Array, turn: Array, on: np.ndarray, alone: np.ndarray, sole: Sole, ground: Ground,
         dt: float, loaded: np.ndarray | None = None) -> Array:  # fmt: skip
    """Places (n, K, 3) of the flat sole over one stance.

    Given where its points (n, K, 3) were, which of them touch (n, K), where nothing else does (n,) and where it is
    loaded (n,), and how the foot was turned (n, 4) from the zero pose. A foot that rolls over an edge turns about a
    level axis; its heading is what is left of its turn without that.
    """
    state = _State(on, alone, np.zeros(len(on), bool) if loaded is None else loaded)
    middle = places[on].mean(axis=0)
    up = np.array([0.0, 0.0, 1.0])
    lean = rot.between(up, ground.normal(middle[0], middle[1]))
    seen = rot.rotate(rot.conjugate(lean), places - middle)[..., :2]
    heading = np.unwrap(rot.twist_angle(rot.multiply(rot.conjugate(lean), turn), up))
    away = np.where(on[..., None], seen - turned(sole.flat, heading), 0.0)
    spot = away.sum(axis=1) / on.sum(axis=1)[:, None]
    heading, spot = _held(heading, spot, seen, state, sole, dt)
    flat = np.column_stack([sole.flat, np.zeros(len(sole.flat))])
    at = rot.rotate(lean, np.column_stack([spot, np.zeros(len(spot))]))
    out = laid_sole(flat, heading, middle + at, lean)
    return _on_ground(out, on, heading, flat, ground)


def _held(heading: Array, spot: Array, seen: Array, state: _State, sole: Sole,
          dt: float) -> tuple[Array, Array]:  # fmt: skip
    """The path of the sole, brought to rest: constant on each of its prints, as recorded between them."""
    on, alone, _ = state
    away = strays(heading, seen, on, state.loaded, sole.flat, dt)
    steady = (away > 0.0) & (away < STRAYS)
    fast = np.where(steady[:, None], 0.0, speeds(seen, dt) / REST)
    weight = on / (1.0 + fast**2)  # a point that is about to leave tells less
    prints = found_prints(heading, seen, weight, alone, sole.flat, dt, steady)
    turns, spots = heading.copy(), spot.copy()
    fits = [fitted(float(np.median(heading[r])), seen[r], weight[r], sole.flat) for r in prints]
    gaps = [np.arange(a[-1] + 1, b[0]) for a, b in pairwise(prints)]
    pivots = [_pivot(on, rows, *pair, sole.flat) for rows, pair in zip(gaps, pairwise(fits), strict=True)]
    for i, (rows, k) in enumerate(zip(gaps, pivots, strict=True)):
        if alone[rows].any() and np.sum(~alone[rows]) < MOVES:
            fits = _drawn(fits, [len(r) for r in prints], i, k, SLIDE * (len(rows) + 1) * dt / 1.5, sole.flat)
    for (turn, place), rows in zip(fits, prints, strict=True):
        turns[rows], spots[rows] = turn, place
    for rows, (one, two), k in zip(gaps, pairwise(fits), pivots, strict=True):
        if len(rows):
            turns[rows], spots[rows] = _led(heading, rows, alone[rows], one, two, sole.flat[k])
    for rows, edge, own in ((np.arange(prints[0][0]), prints[0][0], fits[0]),
                            (np.arange(prints[-1][-1] + 1, len(turns))[::-1], prints[-1][-1], fits[-1])):  # fmt: skip
        share = np.linspace(0.0, 1.0, len(rows) + 1)[:-1]  # of the way from what was recorded to the print
        turns[rows] += share * (own.heading - heading[edge])
        spots[rows] += share[:, None] * (own.spot - spot[edge])
    return turns, spots


def _ends(one: Footprint, two: Footprint, flat: Array) -> list[Array]:
    """Where the points of the sole (K, 2) are in two prints."""
    return [p.spot + turned(flat, np.array([p.heading]))[0] for p in (one, two)]


def _pivot(on: np.ndarray, rows: np.ndarray, one: Footprint, two: Footprint, flat: Array) -> int:
    """That of the points touching longest between two prints which has the shortest way to go.

    It carries the body while the others brush over the ground.
    """
    ends = _ends(one, two, flat)
    way = np.linalg.norm(ends[1] - ends[0], axis=1)
    touches = on[rows].sum(axis=0)
    return int(np.argmin(np.where(touches >= 0.9 * touches.max(), way, np.inf)))


def _drawn(
    fits: list[Footprint], counts: list[int], i: int, pivot: int, longest: float, flat: Array
) -> list[Footprint]:
    """The prints, all up to the i-th and all after it brought near enough for the way of a point to be `longest` [m].

    A foot that alone carries the body does not slide away under it: so its prints were recorded too far apart. Those of
    more frames, `counts`, move less.
    """
    ends = _ends(fits[i], fits[i + 1], flat)
    way = ends[1][pivot] - ends[0][pivot]
    size = float(np.linalg.norm(way))
    gap = max(0.0, 1.0 - longest / size) * way if size > 0.0 else way
    share = sum(counts[: i + 1]) / sum(counts)
    return [p._replace(spot=p.spot + ((1.0 - share) * gap if j <= i else -share * gap)) for j, p in enumerate(fits)]


def _led(heading: Array, rows: np.ndarray, alone: np.ndarray, one: Footprint, two: Footprint,
         point: Array) -> tuple[Array, Array]:  # fmt: skip
    """Heading and middle of the sole in frames between two prints: turned as recorded, about a point (2,) of it.

    The point moves while something else carries the body, if there is time for it.
    """
    free = ~alone if np.sum(~alone) >= MOVES else np.ones(len(rows), bool)
    share, moved = (s * s * (3.0 - 2.0 * s) for s in (np.linspace(0.0, 1.0, len(rows) + 2)[1:-1],
                                                      (np.cumsum(free) - 0.5 * free) / free.sum()))  # fmt: skip
    before, after = one.heading - heading[rows[0] - 1], two.heading - heading[rows[-1] + 1]
    turn = heading[rows] + share * after + (1.0 - share) * before
    start, end = (places[0] for places in _ends(one, two, point[None]))
    place = start + moved[:, None] * (end - start)
    return turn, place - turned(point[None], turn)[:, 0]


def _on_ground(places: Array, on: np.ndarray, heading: Array, flat: Array, ground: Ground) -> Array:
    """The laid sole (n, K, 3) at the height of the ground; over the edge of a step it is as high as its foot."""
    out = places.copy()
    level = ground.height(out[..., 0], out[..., 1])
    if not np.all(ground.normal(out[..., 0], out[..., 1])[..., 2] > 1.0 - 1e-9):  # a slope, not steps
        out[..., 2] = level
        return out
    for a, e in _still(heading, out):
        told = np.where(on[a:e], level[a:e], np.nan)
        top = float(np.nanmedian(told)) if np.isfinite(told).any() else float(np.median(level[a:e]))
        if np.ptp(level[a:e]) > UNDER:  # at a step: not into it
            spot = np.append(out[a:e].mean(axis=(0, 1))[:2], top)
            out[a:e, :, :2] += (unblocked(spot, float(heading[a]), flat, ground, top) - spot)[:2]
            level[a:e] = ground.height(out[a:e, :, 0], out[a:e, :, 1])
        out[a:e, :, 2] = np.where(np.abs(level[a:e] - top) < UNDER, level[a:e], top)
    return out


def _still(heading: Array, places: Array) -> list[tuple[int, int]]:
    """Stretches of frames in which the sole does not move."""
    moves = np.any(np.abs(np.diff(places[..., :2], axis=0)) > 1e-9, axis=(1, 2))
    edges = [0, *(np.flatnonzero(moves) + 1).tolist(), len(heading)]
    return [(a, e) for a, e in pairwise(edges) if e > a]
