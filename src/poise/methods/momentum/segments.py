"""Where a course is cut into segments, each with a controller of its own (section 4.7.1).

A walk is cut in the middle of each double support. A segment must end in stance, for in flight no force could meet its
final constraint: a run or a hop, which has no double support, is cut in the middle of its stances.
"""

from __future__ import annotations

import numpy as np

from poise.errors import BadValue
from poise.maths.intervals import runs
from poise.methods.momentum.course import Course

LONGEST = 0.9  # [s] of a segment before it is cut once more, where it may be
SHORTEST = 0.2  # [s] between two cuts


def cuts_of(course: Course) -> list[int]:
    """Frames at which segments begin; of a loop those of one period, of an open course also its ends.

    Departures: the document cuts by hand at key events; here events are found from the contacts.
    """
    stands = np.stack([course.touching[:, course.feet == f].any(axis=1) for f in (0, 1)], axis=1)
    other = course.touching[:, course.feet < 0].any(axis=1) if np.any(course.feet < 0) else np.zeros(len(stands), bool)
    support = stands.sum(axis=1) + other
    if not support.any():
        raise BadValue("The clip never stands on anything: there is no frame at which a segment could end.")
    last, loops = course.frames, course.cycle is not None
    both = _middles(np.asarray(stands.all(axis=1)), last, loops, course.h)
    flights = bool((support == 0).any())
    single = _middles((support > 0) & ~stands.all(axis=1), last, loops, course.h) if flights or not both else []
    found = sorted(set(both) | set(single if flights or not both else []))
    if not loops:
        found = sorted({0, *found, _last_stand(support)})
    return _apart(found, last, loops, course.h)


def _middles(mask: np.ndarray, last: int, loops: bool, h: float) -> list[int]:
    """Middles of the runs of a mask (F + 1,); a long run is cut several times."""
    out = []
    span = np.concatenate([mask[:last], mask[:last], mask[:last]]) if loops else mask
    for first, end in runs(span):
        if loops and end - first >= 3 * last:  # always
            first, end = last, 2 * last
            pieces = max(1, int(np.ceil((end - first) * h / LONGEST)))
            out += [int(first + (end - first) * k / pieces) % last for k in range(pieces)]
            continue
        pieces = max(1, int(np.ceil((end - first) * h / LONGEST)))
        for k in range(pieces):
            middle = int(first + (end - first) * (k + 0.5) / pieces)
            if not loops:
                out.append(middle)
            elif last <= middle < 2 * last:
                out.append(middle - last)
    return out


def _last_stand(support: np.ndarray) -> int:
    return int(np.flatnonzero(support > 0)[-1])


def _apart(found: list[int], last: int, loops: bool, h: float) -> list[int]:
    """Cuts without those that follow another too soon."""
    out: list[int] = []
    for k in found:
        if not out or (k - out[-1]) * h >= SHORTEST:
            out.append(k)
        elif not loops and k == found[-1]:
            out[-1] = k
    while loops and len(out) > 1 and (out[0] + last - out[-1]) * h < SHORTEST:
        out.pop()
    return out
