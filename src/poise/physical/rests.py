"""The prints of one stance: where a foot rests, and where it only comes down, turns, or leaves.

Seen from above, a stance is the path of the touching points of a flat sole. It rests where they are slow; a rest that
no single print fits (feet turn on their toes, slowly) is parted; rests that one print fits are one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.maths.intervals import close_gaps, frames, runs
from poise.maths.rotations import Array
from poise.motion.contacts.foot_motion import speeds

REST = 0.2  # [m/s] touching points that are slower rest
SHORTEST = 0.08  # [s] of rest that makes a print of its own
GAP = 0.03  # [s] shorter moves are none
MISFIT = 0.02  # [m] rms by which what touches may miss its print; a foot that fits one so well does not move on
FAR = 0.06  # [m] by which what touches may miss the first or last print before it rests, or after
TOLD = 0.1  # of what its touching points tell about a print's heading, told by the heading of the foot


class Print(NamedTuple):
    """A flat sole on the ground: its heading [rad] and its middle (2,) [m]."""

    heading: float
    spot: Array


def turned(flat: Array, heading: Array) -> Array:
    """The flat sole (K, 2) turned to headings (n,): (n, K, 2)."""
    c, s = np.cos(heading)[:, None], np.sin(heading)[:, None]
    return np.stack([c * flat[:, 0] - s * flat[:, 1], s * flat[:, 0] + c * flat[:, 1]], axis=-1)


def found_prints(heading: Array, seen: Array, weight: Array, alone: np.ndarray, flat: Array,
            dt: float) -> list[np.ndarray]:  # fmt: skip
    """The frames of each print of a stance, in order; what comes before the first or after the last is on its way."""
    n, count = len(heading), frames(SHORTEST, dt)
    if n < 3:
        return [np.arange(n)]
    on = weight > 0.0
    speed = np.where(on, speeds(seen, dt), 0.0).sum(axis=1) / on.sum(axis=1)
    rests = [np.arange(a, e) for a, e in runs(close_gaps(speed < REST, frames(GAP, dt))) if e - a >= count]
    found: list[np.ndarray] = []
    for rows in (part for rest in rests for part in _parted(heading, seen, weight, flat, rest, count)):
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


def fitted(heading: float, seen: Array, weight: Array, flat: Array) -> Print:
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
    return Print(turn, np.einsum("nk,nki->i", share, seen - turned(flat, np.array([turn]))[0]))
