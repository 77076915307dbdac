"""Detection of contacts: height above the ground and speed with hysteresis, checked against the fall of the body.

1. Each pair of corners (heel, ball, tip of toes) touches while it is low and slow, with one threshold to begin and a
   looser one to go on. Soles do not fit recorded feet to the millimetre: the height at which a pair is usually found
   standing counts as its zero.
2. Short gaps are closed, short flickers dropped; a corner well above its mate is released (a foot on its edge).
3. A body that nothing holds falls with 9.81 m/s². Where no foot touches and the centre of mass does not fall, contacts
   are extended into the gap as long as the foot is near the ground, and a gap between two stances on the same spot is
   bridged (feet recorded floating in a deep squat). Where hands or a bar hold the body, the feet are far up or move,
   and stay free.
4. A body that leans far beyond all that touches falls over. Where it does not, a foot that rests near the ground
   without being found to touch stands there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.maths.intervals import close_gaps, drop_short, frames, hysteresis, runs, widened
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.detect_hands import averaged, hand_contacts, leaning
from poise.motion.contact.foot_motion import FootMotion, foot_motion


@dataclass(frozen=True)
class Thresholds:
    """What counts as touching."""

    height_on: float = 0.015  # [m] above the pair's usual standing height
    height_off: float = 0.025  # [m]
    speed_on: float = 0.30  # [m/s]
    speed_off: float = 0.45  # [m/s]
    misfit: float = 0.03  # [m] by which a sole may miss the ground
    rest_speed: float = 0.06  # [m/s] below which a pair within the misfit stands, whatever its usual height
    mate: float = 0.01  # [m] a corner that much above its mate is free
    gap: float = 0.04  # [s] shorter gaps are closed
    step: float = 0.06  # [s] in which no foot can leave the ground and come back
    shortest: float = 0.05  # [s] shorter contacts are dropped
    fall: float = 5.0  # [m/s²] a frame in which the body falls slower than this needs support
    flight: float = 7.0  # [m/s²] a gap in which it falls slower than this on average is no flight
    reach: float = 0.07  # [m] up to which a contact may be extended to support the body
    extend: float = 0.07  # [s] by which it may be extended
    extend_speed: float = 1.5  # [m/s] up to which it may be extended
    float_height: float = 0.25  # [m] up to which a foot may be recorded floating above the spot it stands on
    float_drift: float = 0.06  # [m] from where it leaves to where it comes back; twice as much on the way
    float_speed: float = 0.20  # [m/s] at which it may float there
    lean_time: float = 0.2  # [s] for which a foot must rest near the ground to be what a leaning body stands on


def contact_labels(clip: Clip) -> np.ndarray:
    """Labels (N, P) of the clip's contact points."""
    foot, limits = foot_motion(clip), Thresholds()
    points = clip.character.contact_points
    labels = np.zeros((len(clip), len(points)), bool)
    if not foot.pairs:
        return labels
    high = above_ground(clip, foot)
    on = _by_height_and_speed(foot, high, limits)
    _bridge_standing(foot, high, on, limits)
    _support(foot, high, on, limits)
    for k in range(on.shape[1]):
        on[:, k] = close_gaps(on[:, k], frames(limits.gap, foot.dt))
    _roll_off(foot, high, on, limits)
    labels[:, points.feet] = foot.trimmed(_corners(clip, foot, on, limits))
    if _lean_on(clip, foot, high, on, labels, limits):
        labels[:, points.feet] = foot.trimmed(_corners(clip, foot, on, limits))
    labels |= hand_contacts(clip, foot, labels)
    if clip.cycle is not None and len(labels) > 1:
        labels[-1] = labels[0]
    return labels


def above_ground(clip: Clip, foot: FootMotion) -> Array:
    """Height (N, K) of the lower corner of each pair above the ground, less the pair's usual standing height [m]."""
    heights = foot.points[..., 2] - clip.ground.height(foot.points[..., 0], foot.points[..., 1])
    high = np.stack([heights[:, p].min(axis=1) for p in foot.pairs], axis=1)
    return high - standing_height(high, foot.speed, foot.dt)


def standing_height(high: Array, speed: Array, dt: float) -> Array:
    """Height (K,) at which each pair is usually found when it stands, within `misfit` of zero [m]."""
    usual, limits = np.zeros(high.shape[1]), Thresholds()
    for k in range(high.shape[1]):
        still = high[(speed[:, k] < limits.speed_on) & (np.abs(high[:, k]) < limits.misfit), k]
        if len(still) * dt > 0.06:
            usual[k] = np.percentile(still, 30)
    return usual


def _by_height_and_speed(foot: FootMotion, high: Array, limits: Thresholds) -> np.ndarray:
    """Pairs that touch (N, K) by height and speed alone."""
    rests = (high < limits.misfit) & (foot.speed < limits.rest_speed)
    on = (high < limits.height_on) & (foot.speed < limits.speed_on) | rests
    stay = (high < limits.height_off) & (foot.speed < limits.speed_off) | rests
    gap, shortest, near = (frames(t, foot.dt) for t in (limits.gap, limits.shortest, limits.step))
    held = np.stack([close_gaps(hysteresis(on[:, k], stay[:, k]), gap) for k in range(on.shape[1])], axis=1)
    out = np.stack([drop_short(held[:, k], shortest) for k in range(on.shape[1])], axis=1)
    for k, name in enumerate(foot.names):
        if name.endswith("tip"):  # a foot rolls off over its toes: they may begin as they may go on, however short
            mates = np.any(held[:, [i for i in foot.of(foot.sides[k]) if i != k]], axis=1)
            rolls = close_gaps(hysteresis(on[:, k] | (widened(mates, near) & stay[:, k]), stay[:, k]), gap)
            out[:, k] = drop_short(rolls, shortest)
            for a, e in runs(rolls & ~out[:, k]):
                out[a:e, k] = np.any(mates[max(a - near, 0) : a])
    return out


def _bridge_standing(foot: FootMotion, high: Array, on: np.ndarray, limits: Thresholds) -> None:
    """Bridge, in place, gaps in which a whole foot floats slowly above the spot on which it stands before and after."""
    for side in dict.fromkeys(foot.sides):
        pairs = foot.of(side)
        touches = np.any(on[:, pairs], axis=1)
        for a, e in runs(~touches):
            if a == 0 or e == len(touches):
                continue
            lowest = pairs[high[a:e, pairs].argmin(axis=1)]
            rows = np.arange(a, e)
            slow = foot.speed[rows, lowest].max() < limits.float_speed
            if slow and _stays(foot, high, pairs, a, e, limits):
                _fill(high, on, pairs, a, e)


def _stays(foot: FootMotion, high: Array, pairs: np.ndarray, a: int, e: int, limits: Thresholds) -> bool:
    """Does the foot stay above its spot from a-1 to e, near enough to the ground?"""
    before = pairs[int(np.argmin(high[a - 1, pairs]))]
    drift = np.linalg.norm(foot.place[a - 1 : e + 1, before, :2] - foot.place[a - 1, before, :2], axis=-1)
    near = high[a:e, pairs].min(axis=1).max() < limits.float_height
    return bool(near and drift[-1] < limits.float_drift and drift.max() < 2 * limits.float_drift)


def _fill(high: Array, on: np.ndarray, pairs: np.ndarray, a: int, e: int) -> None:
    """Label, from a to e, the foot's pairs that are about as low as its lowest and that touch before or after."""
    around = on[a - 1, pairs] | on[min(e, len(on) - 1), pairs]
    low = high[a:e, pairs]
    close = low < low.min(axis=1, keepdims=True) + 0.02
    chosen = close & around
    lost = ~np.any(chosen, axis=1)
    chosen[lost] = close[lost]
    on[a:e, pairs] |= chosen


def _support(foot: FootMotion, high: Array, on: np.ndarray, limits: Thresholds) -> None:
    """Find contacts, in place, for frames in which nothing touches although the body does not fall."""
    _extend(foot, high, on, limits)
    for a, e in runs(~np.any(on, axis=1)):
        if foot.lift[a:e].mean() < -limits.flight:
            continue
        if a > 0 and e < len(on):
            for pairs in (foot.of(side) for side in dict.fromkeys(foot.sides)):
                both = on[a - 1, pairs].any() and on[e, pairs].any()
                if both and _stays(foot, high, pairs, a, e, limits):
                    _fill(high, on, pairs, a, e)
        if (e - a) * foot.dt < limits.extend and not on[a:e].any():  # too short for anything but a step
            near = (high[a:e] < limits.reach) & (foot.speed[a:e] < limits.extend_speed)
            on[a:e] |= near & (high[a:e] <= high[a:e].min(axis=1, keepdims=True))


def _extend(foot: FootMotion, high: Array, on: np.ndarray, limits: Thresholds) -> None:
    """Extend contacts, in place, from both sides into frames that lack support, while the foot is near the ground."""
    held = foot.lift > -limits.fall
    longest = frames(limits.extend, foot.dt)
    for a, e in runs(~np.any(on, axis=1)):
        for edge, step in ((a - 1, 1), (e, -1)):
            if not 0 <= edge < len(on):
                continue
            last = on[edge].copy()
            ahead = np.arange(edge + step, edge + step * (min(longest, e - a) + 1), step)
            fits = held[ahead, None] & (high[ahead] < limits.reach) & last & (foot.speed[ahead] < limits.extend_speed)
            on[ahead] |= np.logical_and.accumulate(fits, axis=0)


def _roll_off(foot: FootMotion, high: Array, on: np.ndarray, limits: Thresholds) -> None:
    """Close, in place, gaps that are too short for a step, between a contact of a foot and one of its toes alone.

    It rolls over its lowest pair: the ball may be free a moment before noisy toes are found touching.
    """
    tips = np.array([name.endswith("tip") for name in foot.names])
    for pairs in (foot.of(side) for side in dict.fromkeys(foot.sides)):
        for a, e in runs(~np.any(on[:, pairs], axis=1)):
            if a == 0 or e == len(on) or (e - a) * foot.dt >= limits.step or np.any(on[e, pairs] & ~tips[pairs]):
                continue
            lowest, rows = pairs[high[a:e, pairs].argmin(axis=1)], np.arange(a, e)
            if high[rows, lowest].max() < limits.reach:
                on[rows, lowest] = True


def _lean_on(clip: Clip, foot: FootMotion, high: Array, on: np.ndarray, labels: np.ndarray, limits: Thresholds) -> bool:
    """Find, in place, feet that rest near the ground under a body that leans far beyond what touches by the labels."""
    leans = leaning(clip, foot, averaged(foot.trimmed(foot.pull), clip.dt), labels, clip.character.height)
    leans, found = np.pad(leans, foot.lead, mode="wrap"), False
    for pairs in (foot.of(side) for side in dict.fromkeys(foot.sides)):
        lowest, rows = pairs[high[:, pairs].argmin(axis=1)], np.arange(len(high))
        rests = (high[rows, lowest] < limits.reach) & (foot.speed[rows, lowest] < limits.speed_on)
        for a, e in runs(~np.any(on[:, pairs], axis=1)):
            if a > 0 and e < len(on) and leans[a:e].mean() > 0.5 and _stays(foot, high, pairs, a, e, limits):
                spans = [(a, e)]  # on the spot all the time
            else:
                spans = [(b, c) for b, c in runs(rests[a:e]) + a
                         if (c - b) * foot.dt >= limits.lean_time and leans[b:c].mean() > 0.5]  # fmt: skip
            for b, c in spans:
                _fill(high, on, pairs, int(b), int(c))
                found = True
    return found


def _corners(clip: Clip, foot: FootMotion, on: np.ndarray, limits: Thresholds) -> np.ndarray:
    """Labels (N, P) of single points from labels (N, K) of pairs: a corner well above its mate is free."""
    labels = np.zeros(foot.points.shape[:2], bool)
    heights = foot.points[..., 2] - clip.ground.height(foot.points[..., 0], foot.points[..., 1])
    for k, pair in enumerate(foot.pairs):
        above = heights[:, pair] - heights[:, pair].min(axis=1, keepdims=True)
        usual = np.median(above[on[:, k]], axis=0) if on[:, k].any() else 0.0
        labels[:, pair] = on[:, k, None] & (above - usual < limits.mate)
    return labels
