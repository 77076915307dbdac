"""Transitions: how one clip passes into another over a whole step, and by way of which speeds.

Two loops are joined where pose, velocity and contacts go best together: the moments are looked for in both, so that the
feet are in step. What comes out is an open clip, a piece of the first motion, the blend and a piece of the second one.
Methods make it physical as a whole before it is followed: only so a body shifts its weight before its first step,
leans before it is faster, and its centre of mass never changes its speed at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion import edit as edits
from poise.motion.clip import Clip
from poise.motion.fades import fade
from poise.motion.loop import distances, features
from poise.motion.reference import Reference
from poise.performance.pace import FASTEST, SLOWEST, paced, speed_of

LEAD, TAIL = 0.5, 1.0  # [s] of both motions on either side of the blend: room to prepare for it and to recover
SPARE = 0.7  # [s] more of both that are never seen: at its ends nothing holds the repair of a clip
MEET = 0.3  # [s] in which the loops are blended with the transition, of which they are a part
_FPS = 120.0  # of the transition
_RESTING = 0.8  # [s] of the blend from or to a body that does not travel
WAIT = 1.2  # [s] in which the best moment to leave is looked for, and of an open clip the best one to enter
_FASTER, _SLOWER = 1.5, 1.4  # ratios of speeds in one transition: it is easier to get faster than to brake
_GENTLE = 0.6  # [m/s] to which a body at rest passes at once
_STEP_APART = 0.1  # [m, as distances of poses] that all contacts being different costs


class Moments(NamedTuple):
    """When a clip is left and another one is entered."""

    leave: float  # [s] in the first clip
    enter: float  # [s] in the second one
    over: float  # [s] how long they are mixed


class Joined(NamedTuple):
    """A transition as a clip."""

    clip: Clip
    enter: float  # [s] in this clip, at which it takes over from the first one
    leave: float  # [s] in this clip, at which the second one takes over from it
    then: float  # [s] in the second one, then


def ways(before: Clip, after: Clip) -> tuple[Clip, ...]:
    """The clips by way of which one passes into another, `after` the last: speeds that one transition can change."""
    slow, fast = speed_of(before), speed_of(after)
    base = after if fast >= slow else before
    own = speed_of(base)
    low, high = sorted((max(slow, _GENTLE), max(fast, _GENTLE))) if min(slow, fast) == 0.0 else sorted((slow, fast))
    ratio = np.log(_FASTER if fast >= slow else _SLOWER)
    count = int(np.ceil(np.log(high / low) / ratio - 1e-6)) if high > low else 0
    first = 0 if min(slow, fast) == 0.0 else 1
    steps = [low * (high / low) ** (k / count) for k in range(first, count)] if count else []
    speeds = [float(np.clip(s, SLOWEST * own, FASTEST * own)) for s in steps]
    between = [paced(base, s, 0.0) for s in speeds if abs(s - own) > 1e-6]
    return (*(between if fast >= slow else between[::-1]), after)


def length(before: Clip, after: Clip) -> float:
    """How long [s] two clips are mixed: a whole step, the mean of theirs."""
    both = [0.5 * c.duration if speed_of(c) else _RESTING for c in (before, after)]
    return _RESTING if _RESTING in both else 0.5 * sum(both)


def moments(before: Clip, earliest: float, after: Clip, over: float, enter: float | None = None,
            wait: float = WAIT) -> Moments:  # fmt: skip
    """Where a clip is best left, from its time `earliest` to `wait` [s] later, and where the other is best entered."""
    width = round(over * _FPS)
    loops = before.cycle is not None
    wait = min(before.duration, wait) if loops else max(0.0, min(wait, before.duration - earliest - over - 0.1))
    a = Reference(before).between(earliest, earliest + wait + over + 2.0 / _FPS, _FPS)
    if enter is None:
        latest = after.duration if after.cycle is not None else max(0.0, min(WAIT, after.duration - over - 0.1))
        b = Reference(after).between(0.0, latest + over + 2.0 / _FPS, _FPS)
    else:
        b = Reference(after).between(enter, enter + over + 1.0 / _FPS, _FPS)
    apart = distances(features(a), features(b))
    differ = a.contacts.labels[:, None] != b.contacts.labels[None]
    apart = apart + _STEP_APART * differ.mean(axis=-1) if differ.shape[-1] else apart
    rows, columns = len(a) - width, len(b) - width
    cost = np.zeros((rows, columns))
    for k in range(width + 1):
        cost += apart[k : k + rows, k : k + columns]
    i, j = np.unravel_index(int(np.argmin(cost)), cost.shape)
    return Moments(earliest + i / _FPS, (enter or 0.0) + j / _FPS, width / _FPS)


def joined(before: Clip, after: Clip, when: Moments) -> Joined:
    """Both clips as one, from well before the blend to well after it, as far as there are frames."""
    lead = LEAD + (SPARE if before.cycle is not None else float(np.clip(when.leave - LEAD, 0.0, SPARE)))
    most = np.inf if after.cycle is not None else after.duration - when.enter - when.over
    tail = min(TAIL + SPARE, most)
    if not tail > MEET:
        raise BadValue(f"{after.name or 'The clip'} lasts {after.duration:.2f} s, too short to pass into it.")
    first, width = round(lead * _FPS), round(when.over * _FPS)
    begin = when.leave - first / _FPS
    head = Reference(before).between(begin, when.leave + when.over + 2.0 / _FPS, _FPS)
    other = Reference(after).between(when.enter, when.enter + when.over + tail, _FPS)
    head, other = _one_path(head, other, first, width)
    clip = edits.Blend(other, at=first / _FPS, over=when.over, start=0.0).apply(head)
    taken = min(TAIL, tail) - MEET
    return Joined(clip, first / _FPS - LEAD, first / _FPS + when.over + taken, when.enter + when.over + taken)


def _one_path(head: Clip, other: Clip, first: int, width: int) -> tuple[Clip, Clip]:
    """Both motions on one path while they are mixed, whose velocity passes from one's into the other's.

    Places that are mixed would go back and forth: of two bodies of which one is faster, it is first behind the other
    one and then before it.
    """
    here, there = head.q[first : first + width + 1], other.q[: width + 1]
    turn = float(rot.heading(here[width // 2, 3:7]) - rot.heading(there[width // 2, 3:7]))
    c, s = np.cos(turn), np.sin(turn)
    R = np.array([[c, -s], [s, c]])
    w = fade((np.arange(width) + 0.5) / width)[:, None]
    steps = (1.0 - w) * np.diff(here[:, :2], axis=0) + w * np.diff(there[:, :2], axis=0) @ R.T
    path = here[0, :2] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    back = (path - path[width // 2]) @ R + there[width // 2, :2]  # as the second motion sees it
    return _shifted(head, first, path - here[:, :2]), _shifted(other, 0, back - there[:, :2])


def _shifted(clip: Clip, first: int, shift: Array) -> Clip:
    """The clip with its root moved by (K, 2) [m] from a frame on, and after these frames as by the last of them."""
    q = clip.q.copy()
    rows = np.clip(np.arange(first, len(q)) - first, 0, len(shift) - 1)
    q[first:, :2] += shift[rows]
    return clip.with_q(q, labels=clip.contacts.labels, holds=clip.grips)
