"""Where the feet stand during the repair: constant places for what touches, and the ground that may push there."""

from __future__ import annotations

import numpy as np

from poise.character.roles import SIDES
from poise.maths.rotations import Array
from poise.motion import handstand
from poise.motion.clip import Clip
from poise.motion.footing import speeds
from poise.motion.runs import frames, runs
from poise.physical.prints import printed
from poise.physical.problem import Ground

TREMBLE = 0.008  # [m] a point that strays no further from its mean while it touches stands still; else it is led
FASTEST = 0.25  # [m/s] at which a point that is led may still be pushed
BRUSHES = 0.05  # [m/s] faster points of a foot that slides do not carry it
MOMENT = 0.04  # [s] for which a point touches at least
EDGE = 0.012 * np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])  # [m] around a point there must be ground
UNDER = 0.02  # [m] ground that is further than this from a point that touches is not what it stands on


def stance_goals(clip: Clip, labels: np.ndarray) -> Array:
    """Where each contact point (N, P, 3) of a clip with settled feet shall be.

    While it touches, at one place, unless its foot is turned or pushed over the ground; else where it is.
    """
    places = clip.character.points(clip.q)
    goals, points = places.copy(), clip.character.contact_points
    for limb in points.limbs:
        own = points.of(limb)
        for first, last in _stances(labels[:, own]):
            still = places[first:last].copy()
            spread = 0.0
            for i in own:
                for a, e in runs(labels[first:last, i]):
                    mean = places[first + a : first + e, i].mean(axis=0)
                    spread = max(spread, float(np.linalg.norm(places[first + a : first + e, i] - mean, axis=1).max()))
                    still[a:e, i] = mean
            if spread < TREMBLE:
                goals[first:last, own] = still[:, own]
    level = clip.ground.height(goals[..., 0], goals[..., 1])
    near = labels & (np.abs(level - goals[..., 2]) < UNDER)  # a corner over the edge of a step is as high as its foot
    goals[..., 2] = np.where(near, level, goals[..., 2])
    return goals


def standing_places(clip: Clip) -> Array:
    """Where each contact point (N, P, 3) of a recorded clip shall be: feet on their prints, hands where they rest."""
    goals = printed(clip, clip.contacts.labels)
    for point, place, on in handstand.goals(clip.character, clip.q, clip.contacts.labels, clip.ground):
        goals[on, point] = place
    return goals


def _stances(labels: np.ndarray) -> np.ndarray:
    """Stretches (R, 2) in which any of the points touches."""
    return runs(np.asarray(np.any(labels, axis=1))) if labels.shape[1] else np.zeros((0, 2), int)


def standing(goals: Array, labels: np.ndarray, dt: float) -> np.ndarray:
    """The labels (N, P) without points that are led over the ground too fast to be pushed by it."""
    return labels & (speeds(goals, dt) < FASTEST)


def carrying(clip: Clip, goals: Array, labels: np.ndarray) -> np.ndarray:
    """The labels (N, P) without points over the edge of a step, and those that slide while others carry the body.

    A foot that is turned or pushed over the ground stands on what moves least; the rest of it brushes over the floor,
    and so does all of it where it is fast and something else touches.
    """
    under = [clip.ground.height(goals[..., 0] + x, goals[..., 1] + y) for x, y in EDGE]
    out, speed = labels & np.all(np.abs(under - goals[..., 2]) < UNDER, axis=0), speeds(goals, clip.dt)
    for limb in clip.character.contact_points.limbs:
        own = clip.character.contact_points.of(limb)
        slowest = np.where(out[:, own], speed[:, own], np.inf).min(axis=1, keepdims=True)
        out[:, own] &= speed[:, own] < np.maximum(BRUSHES, 1.2 * slowest)
    slow = out & (speed < FASTEST)
    return np.where(slow.any(axis=1, keepdims=True), slow, out)


def enduring(clip: Clip, goals: Array, labels: np.ndarray) -> tuple[Array, np.ndarray]:
    """Goals and labels (N, P) in which every point of a foot that touches does so for a moment at least.

    A point that touches for three frames between others cannot be seen to rest. It is held longer while its foot
    stands; a whole foot that touches for so short a time does not stand.
    """
    goals, labels, least = goals.copy(), labels.copy(), frames(MOMENT, clip.dt)
    for side in SIDES:
        own = clip.character.contact_points.of(side)
        for first, last in _stances(labels[:, own]):
            cut = first == 0 or last == len(labels)
            if last - first < least and not cut:
                labels[first:last, own] = False
            for i in own:
                for a, e in runs(labels[first:last, i]) + first:
                    if e - a < least:
                        to = min(last, a + least)
                        rows = slice(max(first, to - least), to)
                        labels[rows, i], goals[rows, i] = True, goals[(a + e) // 2, i]
    return goals, labels


def pushing(clip: Clip, goals: Array, labels: np.ndarray, friction: float, margin: float) -> Ground:
    """The ground under contacts at `goals` (N, P, 3), each foot's drawn in towards the middle of what touches of it.

    Moments are taken about the root of the clip, N frames of it.
    """
    points, about = clip.character.contact_points, clip.q[:, :3].copy()
    places, length = goals.copy(), 0.3 * clip.character.height
    for limb in points.limbs:
        own = points.of(limb)
        on = labels[:, own, None].astype(float)
        middle = np.sum(on * goals[:, own], axis=1, keepdims=True) / np.maximum(on.sum(axis=1, keepdims=True), 1.0)
        places[:, own] = middle + (1.0 - margin) * (goals[:, own] - middle)
    normal = np.broadcast_to(clip.ground.normal(places[..., 0], places[..., 1]), places.shape)
    away = np.where(np.abs(normal[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    first = np.cross(normal, away)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    ways = np.stack([normal, first, np.cross(normal, first)], axis=2)  # (N, P, 3, 3)
    arms = np.cross((places - about[:, None])[:, :, None], ways) / length
    columns = np.ascontiguousarray(np.concatenate([arms, ways], axis=-1))
    return Ground(columns, np.ascontiguousarray(labels, bool), np.full(len(points), friction), about, length)
