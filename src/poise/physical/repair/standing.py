"""Where the feet stand during the repair: constant places for what touches, and the ground that may push there."""

from __future__ import annotations

import numpy as np

from poise.character.roles import SIDES
from poise.dynamics.contact_cones import ContactCones
from poise.maths import rotations as rot
from poise.maths.intervals import drop_short, frames, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import foot_motion, speeds
from poise.motion.contact.grip_forces import held
from poise.motion.ik import hands
from poise.physical.repair.footprints import printed, soles

TREMBLE = 0.008  # [m] a point that strays no further from its mean while it touches stands still; else it is led
FASTEST = 0.25  # [m/s] at which a point that is led may still be pushed
BRUSHES = 0.05  # [m/s] faster points of a foot that slides do not carry it
STILL = 0.001  # [m] a point that is led no further keeps its place
MOMENT = 0.04  # [s] for which a point touches at least
BRIDGED, FALL = 0.1, 5.0  # [s], [m/s²] a body that falls slower for so short a time is held by what touches around it
EDGE = 0.012 * np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])  # [m] around a point there must be ground
LOOSE = 0.04  # of the usual hold on a point at its first and last moment
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


def standing_places(clip: Clip, loaded: np.ndarray | None = None) -> Array:
    """Where each contact point (N, P, 3) of a recorded clip shall be: feet on their prints, hands where they rest.

    `loaded` (N, feet) tells which feet carry a good part of the body.
    """
    labels = clip.contacts.labels
    goals = printed(clip, labels, loaded=loaded)
    carrying = _carriers(clip, goals, labels)
    if carrying.any():
        goals = printed(clip, labels, carrying, loaded)
    for point, place, on in hands.goals(clip.character, clip.q, clip.contacts.labels, clip.ground):
        goals[on, point] = place
    return goals


def _carriers(clip: Clip, goals: Array, labels: np.ndarray) -> np.ndarray:
    """Boolean (N, feet): where all that touches slides, the slowest foot, which carries the body."""
    feet = [sole.points for sole in soles(clip.character)]
    speed = np.where(labels, speeds(goals, clip.dt), np.inf)
    out = np.zeros((len(labels), len(feet)), bool)
    for a, e in runs(labels.any(axis=1) & (speed.min(axis=1, initial=np.inf) > FASTEST) & ~held(clip)):
        usual = [np.median(speed[a:e, own].min(axis=1)) for own in feet]
        out[a:e, int(np.argmin(usual))] = True
    return out


def _stances(labels: np.ndarray) -> np.ndarray:
    """Stretches (R, 2) in which any of the points touches."""
    return runs(np.asarray(np.any(labels, axis=1))) if labels.shape[1] else np.zeros((0, 2), int)


def standing(goals: Array, labels: np.ndarray, dt: float) -> np.ndarray:
    """The labels (N, P) without points that are led over the ground too fast to be pushed, or rest too shortly."""
    slow = labels & (speeds(goals, dt) < FASTEST)
    out, least = slow.copy(), frames(MOMENT, dt)
    for i in np.flatnonzero((slow != labels).any(axis=0)):
        out[:, i] = drop_short(slow[:, i], least)
    return np.where(out.any(axis=1, keepdims=True), out, slow)


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
    stands there, or not at all if it moves on; a whole foot that touches for so short a time does not stand.
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
                        _lengthen(goals, labels, i, (int(first), int(last)), (int(a), int(e)), least)
    return goals, labels


def _lengthen(goals: Array, labels: np.ndarray, point: int, stance: tuple[int, int], touch: tuple[int, int],
              least: int) -> None:  # fmt: skip
    """Let, in place, a point touch for `least` frames of a stance, or else not at all, if others do."""
    (first, last), (a, e) = stance, touch
    place = goals[(a + e) // 2, point]
    near = np.linalg.norm(goals[first:last, point] - place, axis=-1) < STILL
    stays = next((r for r in runs(near) + first if r[0] <= (a + e) // 2 < r[1]), (a, e))
    to = min(int(stays[1]), a + least)
    rows = slice(max(int(stays[0]), to - least), to)
    if rows.stop - rows.start < least and np.delete(labels[a:e], point, axis=1).any(axis=1).all():
        labels[a:e, point] = False
    else:
        labels[rows, point], goals[rows, point] = True, place


def supported(clip: Clip, goals: Array, labels: np.ndarray) -> tuple[Array, np.ndarray]:
    """Goals and labels (N, P) without short gaps in which nothing touches and yet the recorded body does not fall.

    What touches before such a gap stays, and what touches after it comes, where that is nearest to the recording.
    """
    seen = foot_motion(clip)
    lift, places = seen.trimmed(seen.lift), clip.character.points(clip.q)
    goals, labels = goals.copy(), labels.copy()
    for a, e in runs(~labels.any(axis=1) & ~held(clip)):
        ends = [k for k in (a - 1, e) if 0 <= k < len(labels)]
        cut = len(ends) < 2
        if not ends or (cut and clip.cycle is not None) or (e - a) * clip.dt > BRIDGED or lift[a:e].mean() < -FALL:
            continue
        away = [np.linalg.norm(places[a:e][:, labels[k]] - goals[k, labels[k]], axis=-1).min(axis=1) for k in ends]
        split = [away[0][:k].sum() + away[-1][k:].sum() for k in range(e - a + 1)]
        middle = a + int(np.argmin(split))
        for rows, k in ((slice(a, middle), ends[0]), (slice(middle, e), ends[-1])):
            labels[rows] = labels[k]
            goals[rows] = np.where(labels[k][:, None], goals[k], goals[rows])
    return goals, labels


def firmly(labels: np.ndarray, dt: float, glide: float) -> Array:
    """How firmly (N, P) points are held that touch by labels (N, P): 1, less within `glide` [s] of landing and leaving.

    Recorded feet glide into their stance and out of it: to stop one within a frame costs posture. At the ends of a clip
    nothing lands or leaves.
    """
    out = labels.astype(float)
    if glide <= 0.0:
        return out
    for i in range(labels.shape[1]):
        for a, e in runs(labels[:, i]):
            since, until = np.arange(e - a) + 0.5, np.arange(e - a)[::-1] + 0.5
            near = np.minimum(since if a > 0 else np.inf, until if e < len(labels) else np.inf)
            out[a:e, i] = np.minimum(LOOSE + (near * dt / glide) ** 2, 1.0)
    return out


def closed(clip: Clip, goals: Array, labels: np.ndarray) -> tuple[Array, np.ndarray]:
    """Goals and labels (N, P) whose last frame, of a loop, is the first one carried on."""
    cycle = clip.cycle
    if cycle is None or len(labels) < 2:
        return goals, labels
    goals, labels = goals.copy(), labels.copy()
    goals[-1] = rot.rotate(rot.about_z(cycle.turn), goals[0]) + cycle.shift
    labels[-1] = labels[0]
    return goals, labels


def pushing(clip: Clip, goals: Array, labels: np.ndarray, friction: float, margin: float) -> ContactCones:
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
    return ContactCones.on_ground(places, normal, labels, friction, about, length)
