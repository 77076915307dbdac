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
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.footing import speeds
from poise.motion.footprints import unblocked
from poise.motion.ground import Ground
from poise.motion.runs import close_gaps, frames, runs

REST = 0.2  # [m/s] touching points that are slower rest
SHORTEST = 0.08  # [s] of rest that makes a print of its own
GAP = 0.03  # [s] shorter moves are none
MISFIT = 0.02  # [m] rms by which what touches may miss its print; a foot that fits one so well does not move on
TOLD = 0.1  # of what its touching points tell about a print's heading, told by the heading of the foot
UNDER = 0.02  # [m] ground that is further than this from a point that touches is not what it stands on


class Sole(NamedTuple):
    """One foot: its contact points, and where they are when it stands flat in the zero pose, seen from their middle."""

    points: np.ndarray  # (K,)
    body: int  # the foot itself, which tells the heading; not its toes
    zero: Array  # (4,) its orientation in the zero pose
    flat: Array  # (K, 2) [m]


class Print(NamedTuple):
    """A flat sole on the ground: its heading [rad] and its middle (2,) [m]."""

    heading: float
    spot: Array


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


def printed(clip: Clip, labels: np.ndarray) -> Array:
    """Where each contact point of the feet (N, P, 3) shall be while it touches; else where it is."""
    goals = clip.character.points(clip.q)
    for sole in soles(clip.character):
        on = labels[:, sole.points]
        if clip.cycle is None or len(clip) < 3:
            goals[:, sole.points] = _path(clip, clip.q, on, sole)
        else:
            goals[:, sole.points] = _round(clip, clip.cycle, on, sole)
    return goals


def _round(clip: Clip, cycle: Cycle, on: np.ndarray, sole: Sole) -> Array:
    """`_path` (N, K, 3) over one period of a loop, begun where the foot is in the air, if it ever is."""
    period = len(clip) - 1
    air = ~np.any(on[:-1], axis=1)
    order = (int(np.argmax(air)) if air.any() else 0) + np.arange(period)
    late = order >= period
    q = clip.q[order % period]
    q[late] = cycle.carry(q[late], 1)
    places = _path(clip, q, on[order % period], sole)
    places[late] = rot.rotate(rot.about_z(-cycle.turn), places[late] - cycle.shift)
    out = np.empty((len(clip), *places.shape[1:]))
    out[order % period] = places
    out[-1] = rot.rotate(rot.about_z(cycle.turn), out[0]) + cycle.shift
    return out


def _path(clip: Clip, q: Array, on: np.ndarray, sole: Sole) -> Array:
    """Where the points of a sole (N, K, 3) shall be in configurations q (N, nq), `on` (N, K) telling which touch."""
    character = clip.character
    pos, quat = character.forward(q)
    known = character.contact_points
    places = character.place(pos, quat, known.bodies[sole.points], known.positions[sole.points])
    for a, e in runs(np.any(on, axis=1)):
        turn = rot.multiply(quat[a:e, sole.body], rot.conjugate(sole.zero))
        places[a:e] = laid(places[a:e], turn, on[a:e], sole, clip.ground, clip.dt)
    return places


def laid(places: Array, turn: Array, on: np.ndarray, sole: Sole, ground: Ground, dt: float) -> Array:
    """Places (n, K, 3) of the flat sole over one stance.

    Given where its points (n, K, 3) were, which of them touch (n, K), and how the foot was turned (n, 4) from the zero
    pose. A foot that rolls over an edge turns about a level axis; its heading is what is left of its turn without that.
    """
    middle = places[on].mean(axis=0)
    up = np.array([0.0, 0.0, 1.0])
    lean = rot.between(up, ground.normal(middle[0], middle[1]))
    seen = rot.rotate(rot.conjugate(lean), places - middle)[..., :2]
    heading = np.unwrap(rot.twist_angle(rot.multiply(rot.conjugate(lean), turn), up))
    away = np.where(on[..., None], seen - _turned(sole.flat, heading), 0.0)
    spot = away.sum(axis=1) / on.sum(axis=1)[:, None]
    heading, spot = _held(heading, spot, seen, on, sole, dt)
    flat = np.column_stack([sole.flat, np.zeros(len(sole.flat))])
    at = rot.rotate(lean, np.column_stack([spot, np.zeros(len(spot))]))
    out = middle + at[:, None] + rot.rotate(rot.multiply(lean, rot.about_z(heading))[:, None], flat)
    return _on_ground(out, on, heading, flat, ground)


def _turned(flat: Array, heading: Array) -> Array:
    """The flat sole (K, 2) turned to headings (n,): (n, K, 2)."""
    c, s = np.cos(heading)[:, None], np.sin(heading)[:, None]
    return np.stack([c * flat[:, 0] - s * flat[:, 1], s * flat[:, 0] + c * flat[:, 1]], axis=-1)


def _held(heading: Array, spot: Array, seen: Array, on: np.ndarray, sole: Sole, dt: float) -> tuple[Array, Array]:
    """The path of the sole, brought to rest: constant on each of its prints, as recorded between them."""
    weight = on / (1.0 + (speeds(seen, dt) / REST) ** 2)  # a point that is about to leave tells less
    prints = _prints(heading, seen, weight, sole.flat, dt)
    turns, spots = heading.copy(), spot.copy()
    fits = [_fit(float(np.median(heading[r])), seen[r], weight[r], sole.flat) for r in prints]
    for (turn, place), rows in zip(fits, prints, strict=True):
        turns[rows], spots[rows] = turn, place
    for (rows, after), (one, two) in zip(pairwise(prints), pairwise(fits), strict=True):
        between = np.arange(rows[-1] + 1, after[0])
        if len(between):
            turns[between], spots[between] = _led(heading, between, one, two, on, sole.flat)
    return turns, spots


def _led(heading: Array, rows: np.ndarray, one: Print, two: Print, on: np.ndarray, flat: Array) -> tuple[Array, Array]:
    """Heading and middle of the sole in the frames `rows` between two prints.

    The foot turns as recorded, about that of its touching points which has the shortest way to go: the point that
    carries the body while the others brush over the ground.
    """
    share = np.linspace(0.0, 1.0, len(rows) + 2)[1:-1]
    share = share * share * (3.0 - 2.0 * share)
    before, after = one.heading - heading[rows[0] - 1], two.heading - heading[rows[-1] + 1]
    turn = heading[rows] + share * after + (1.0 - share) * before
    ends = [p.spot + _turned(flat, np.array([p.heading]))[0] for p in (one, two)]
    way = np.where(on[rows].any(axis=0), np.linalg.norm(ends[1] - ends[0], axis=1), np.inf)
    k = int(np.argmin(way))
    place = ends[0][k] + share[:, None] * (ends[1][k] - ends[0][k])
    return turn, place - _turned(flat[k : k + 1], turn)[:, 0]


def _prints(heading: Array, seen: Array, weight: Array, flat: Array, dt: float) -> list[np.ndarray]:
    """The frames of each print of a stance, in order; the first begins and the last ends with the stance."""
    n, count = len(heading), frames(SHORTEST, dt)
    if n < 3:
        return [np.arange(n)]
    on = weight > 0.0
    speed = np.where(on, speeds(seen, dt), 0.0).sum(axis=1) / on.sum(axis=1)
    found: list[np.ndarray] = []
    for a, e in runs(close_gaps(speed < REST, frames(GAP, dt))):
        if e - a < count:
            continue
        both = np.arange(a if not found else found[-1][0], e)
        if found and _misfit(heading, seen, weight, flat, both) < MISFIT:
            found[-1] = both
        else:
            found.append(np.arange(a, e))
    if not found:
        return [np.arange(n)]
    found[0] = np.arange(0, found[0][-1] + 1)
    found[-1] = np.arange(found[-1][0], n)
    return found


def _misfit(heading: Array, seen: Array, weight: Array, flat: Array, rows: np.ndarray) -> float:
    """Distance [m] rms of what touches in some frames from the one print that fits it best."""
    turn, spot = _fit(float(np.median(heading[rows])), seen[rows], weight[rows], flat)
    away = np.sum((seen[rows] - spot - _turned(flat, np.array([turn]))[0]) ** 2, axis=-1)
    return float(np.sqrt(np.sum(weight[rows] * away) / weight[rows].sum()))


def _fit(heading: float, seen: Array, weight: Array, flat: Array) -> Print:
    """The heading and the middle (2,) of the flat sole that fits points (n, K, 2) of these weights (n, K) best.

    What touches tells the heading badly on one corner or one edge: that of the foot counts a little as well.
    """
    share = weight / weight.sum()
    turned = _turned(flat, np.array([heading]))[0]
    was, own = np.einsum("nk,nki->i", share, seen), np.einsum("nk,ki->i", share, turned)
    d, f = seen - was, turned - own
    c = np.einsum("nk,nki,ki->", share, d, f) + TOLD * float(np.mean(np.sum(flat**2, axis=1)))
    s = np.einsum("nk,nk->", share, d[..., 1] * f[:, 0] - d[..., 0] * f[:, 1])
    turn = heading + float(np.arctan2(s, c))
    return Print(turn, np.einsum("nk,nki->i", share, seen - _turned(flat, np.array([turn]))[0]))


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
