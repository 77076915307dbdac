"""Given contacts that the recording contradicts at the moments at which a foot lands or leaves.

Labels that come with a clip, from a file or by hand, are believed, whatever detection says, but for their switches: a
foot that is said to stand a moment before it lands, or to have left while it still rests, is seen to do otherwise. Such
a switch is moved to where the recording has it, and told. Longer disagreements stay as they were given.
"""

from __future__ import annotations

import numpy as np

from poise.character.roles import SIDES
from poise.maths.intervals import frames, runs
from poise.motion.clip import Clip
from poise.motion.contacts.detect import touching
from poise.motion.contacts.evidence import Evidence
from poise.motion.contacts.foot_motion import speeds
from poise.physical.repair.labels import Doubt

SHORTEST, LONGEST = 0.03, 0.25  # [s] a switch that is told wrongly is off by more than the first, at most by the second
HIGH, FAST = 0.025, 0.5  # [m], [m/s] a foot whose lowest point is higher or faster does not stand


def corrected(clip: Clip) -> tuple[np.ndarray, list[Doubt]]:
    """Labels (N, P) of a clip with the given ones that are clearly wrong moved, and what was moved."""
    labels = np.array(clip.contacts.labels)
    if clip.labels is None:
        return labels, []
    seen, points = touching(clip), clip.character.contact_points
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
            short = frames(SHORTEST, clip.dt) < e - a <= frames(LONGEST, clip.dt)
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


def contradicted(clip: Clip, seen: Evidence) -> list[Doubt]:
    """Where given labels of a clip were not followed, since height, speed and force say otherwise."""
    if clip.labels is None:
        return []
    points, out = clip.character.contact_points, []
    for side in SIDES:
        own = points.of(side)
        if len(own):
            given, found = (np.any(x[:, own], axis=1) for x in (clip.labels, seen.labels))
            for a, e in runs(given != found):
                if (e - a) * clip.dt > SHORTEST:
                    what = "to stand, but is in the air" if given[a] else "to be in the air, but stands"
                    out.append(Doubt(int(a), int(e) - 1, f"the {side} foot was said {what} by its force: corrected"))
    return out
