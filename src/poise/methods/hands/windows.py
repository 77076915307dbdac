"""When and where fingers first touch (5.3.1.1): contact windows from their range of motion, and a pool of first
contacts.

A window is the longest span in which a share of the poses of a finger puts the belly of its last phalanx into the
object.
The pool of its first frame is made by closing the finger on the object, joint after joint, as a hand does.

Departures: the thesis samples the object's surface uniformly within reach of the belly (`surface_pool`, for the
printed form). That gives splayed fingers; fingers that close bring their pads to the object with a natural bend.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character.library.hand import FINGERS
from poise.kernels import njit
from poise.maths.distance import onto_surface, to_point, to_segment
from poise.maths.rotations import Array
from poise.methods.hands.finger import PAIR, Weights, place_links, reach
from poise.methods.hands.pose_test import CONTACT, HAND_POINT, LINK, NORMAL, OBJECT_POINT, touching
from poise.methods.hands.problem import Problem

_NOBODY = np.zeros((1, 7))
THICK = 0.006  # [m] from the object within which a belly counts as overlapping it: a handle is thinner than a finger
ARRIVED = 0.85  # share of the usual overlap with which a hand is there, and closes
CALM = 0.06  # [m/s] of the wrist over the object, below which fingers close
LATER = 12  # frames by which a window may begin later, until the finger can close


class First(NamedTuple):
    """First contacts of a finger: poses and the pair that guides each."""

    q: Array  # (N, 6) [rad]
    pair: Array  # (N, PAIR)


def belly(F, f: int) -> Array:
    """The belly of the last phalanx (3,) [m], in its own axes."""
    b = F.links[f] - 1
    return np.array([0.75 * F.end[f, b], 0.0, -F.radius[f, b]])


@njit(cache=True)
def _bellies(F, f, q, out):
    """Belly of the last phalanx (N, 3) in the wrist's frame for poses q (N, 6)."""
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    R, p, b = np.eye(3), np.zeros(3), F.links[f] - 1
    for n in range(q.shape[0]):
        place_links(F, f, q[n], R, p, turn, place, axes, points)
        for i in range(3):
            out[n, i] = place[b, i] + turn[b, i, 0] * 0.75 * F.end[f, b] - turn[b, i, 2] * F.radius[f, b]


@njit(cache=True)
def _overlap(solid, points, turn, place, out):
    """Share of points (N, 3) of the wrist's frame that are in the object, at each frame (T,)."""
    g = np.empty(3)
    for t in range(turn.shape[0]):
        inside = 0
        for n in range(points.shape[0]):
            x = np.empty(3)
            for i in range(3):
                x[i] = place[t, i]
                for k in range(3):
                    x[i] += turn[t, i, k] * points[n, k]
            inside += to_point(solid, x[0], x[1], x[2], g) < THICK
        out[t] = inside / points.shape[0]


def open_pose(F) -> Array:
    """(5, 6) [rad] a hand about to take something."""
    out = F.rest.copy()
    out[1:, 3:] = np.radians([12.0, 24.0, 14.0])
    out[0, 1] = np.radians(-15.0)
    return out


def clear_pose(problem: Problem, h: int, f: int, times: tuple[int, ...], rng: np.random.Generator) -> Array:
    """(6,) [rad] an open pose of a finger that is in nothing at these frames, the nearest to ease of those tried."""
    F = problem.hands[h]
    start = open_pose(F)[f]
    spread = np.radians([8, 25 if f == 0 else 0, 8, 25, 25, 15])
    tried = [start, *(np.clip(start + rng.normal(size=6) * spread, F.low[f], F.high[f]) for _ in range(150))]
    tried += list(rng.uniform(F.low[f], F.high[f], (400, 6)))
    for q in sorted(tried, key=lambda q: float(np.linalg.norm(q - start))):
        if all(
            close_finger(
                F, problem.solid, problem.plane[t], f, problem.turn[h, t], problem.place[h, t], q.copy(), np.zeros(6), 1
            )
            for t in times
        ):
            return q
    return start


def overlaps(problem: Problem, rng: np.random.Generator, samples: int = 500) -> Array:
    """(H, 5, T) share of each finger's range of motion that is in the object."""
    out = np.zeros((len(problem.hands), 5, problem.frames))
    for h, F in enumerate(problem.hands):
        for f in range(5):
            q, x = rng.uniform(F.low[f], F.high[f], (samples, 6)), np.empty((samples, 3))
            _bellies(F, f, q, x)
            _overlap(problem.solid, x, problem.turn[h], problem.place[h], out[h, f])
    return out


def windows(problem: Problem, overlap: Array, least: float = 0.01, share: float = 0.35) -> np.ndarray:
    """(H, 5, 2) first frame and the one after the last of each finger's contact window; equal where there is none."""
    out = np.zeros((*overlap.shape[:2], 2), int)
    scene = problem.scene
    speed = np.linalg.norm(np.gradient(problem.place, axis=1), axis=-1) * scene.fps
    for h, side in enumerate(scene.sides):
        for f, finger in enumerate(FINGERS):
            given = scene.windows.get(f"{side}_{finger}")
            if given is not None:
                out[h, f] = np.clip(np.round(np.array(given) * scene.fps), 0, problem.frames).astype(int)
                continue
            there = overlap[h, f][overlap[h, f] > least]
            on = overlap[h, f] > max(least, share * float(np.median(there)) if len(there) else 1.0)
            edges = np.flatnonzero(np.diff(np.r_[False, on, False].astype(int))).reshape(-1, 2)
            if len(edges):
                a, b = edges[np.argmax(edges[:, 1] - edges[:, 0])]
                arrived = np.flatnonzero(overlap[h, f, a:b] > ARRIVED * float(np.median(overlap[h, f, a:b])))
                begin = a + min(arrived[0], LATER) if len(arrived) else a
                slow = np.flatnonzero(speed[h, begin:b] < CALM)
                out[h, f] = (begin + slow[0] if len(slow) else begin), b
    return out


@njit(cache=True)
def close_finger(F, solid, plane, f, R, p, q, way, steps):
    """Bend q (6,) along `way` (6,) in small steps; joints before a link that touches stop. False where it begins
    inside.

    The finger wraps: the first phalanx stops at the object, the next ones go on.
    """
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    a, b, g, trial = np.empty(3), np.empty(3), np.empty(3), np.empty(6)
    stopped, first = 0, True
    for _ in range(steps):
        moving = False
        for j in range(6):
            trial[j] = q[j]
            if j >= stopped and way[j] != 0.0 and not first:
                trial[j] = min(max(q[j] + way[j] / steps, F.low[f, j]), F.high[f, j])
                moving = moving or trial[j] != q[j]
        if not first and not moving:
            break
        place_links(F, f, trial, R, p, turn, place, axes, points)
        struck = -1
        for link in range(F.links[f]):
            low = 1e3
            for i in range(3):
                a[i] = place[link, i] + turn[link, i, 0] * F.begin[f, link]
                b[i] = place[link, i] + turn[link, i, 0] * F.end[f, link]
            for k in range(solid.kind.shape[0]):
                d, _ = to_segment(solid, k, a, b, F.radius[f, link] + 0.004, g)
                low = min(low, d - F.radius[f, link])
            for e in range(2):
                x = a if e == 0 else b
                low = min(low, x[0] * plane[0] + x[1] * plane[1] + x[2] * plane[2] - plane[3] - F.radius[f, link])
            if low < 1e-4:
                struck = link
        if first:
            if struck >= 0:
                return False
            first = False
            continue
        if struck >= 0:
            stopped = F.last[f, struck] + 1
            if stopped >= 6:
                break
        else:
            q[:] = trial
    return True


def _open_and_way(F, f: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """A pose of a finger that is open, and how it closes (6,) [rad]."""
    degrees = np.pi / 180
    if f == 0:
        q = (
            np.array(
                [
                    rng.uniform(-8, 33),
                    rng.uniform(-48, -14),
                    rng.uniform(-20, 25),
                    0.0,
                    rng.uniform(-5, 10),
                    rng.uniform(0, 15),
                ]
            )
            * degrees
        )
        way = np.array([0.0, 80.0, 0.0, 0.0, rng.uniform(20, 50), rng.uniform(25, 70)]) * degrees
    else:
        q = F.rest[f].copy()
        q[2] += rng.uniform(-5, 5) * degrees
        q[3:] = np.array([rng.uniform(-8, 12), rng.uniform(2, 18), 5.0]) * degrees
        way = np.array([0.0, 0.0, 0.0, rng.uniform(50, 110), rng.uniform(70, 120), 0.0]) * degrees
        way[5] = 0.67 * way[4]
    return np.clip(q, F.low[f], F.high[f]), way


def closed_pool(
    problem: Problem,
    h: int,
    f: int,
    t: int,
    W: Weights,
    rng: np.random.Generator,
    want: int = 60,
    tries: int = 240,
    facing: float = 0.3,
) -> First:
    """First contacts of a finger at frame t by closing it; at most `want` of so many tries."""
    F, R, p, plane = problem.hands[h], problem.turn[h, t], problem.place[h, t], problem.plane[t]
    found_q, found = [], []
    contacts = np.zeros((8, CONTACT))
    for _ in range(tries):
        q, way = _open_and_way(F, f, rng)
        if not close_finger(F, problem.solid, plane, f, R, p, q, way, 200):
            continue
        n = touching(F, problem.solid, h, f, q, R, p, 1.5e-3, contacts, 0)
        good = [k for k in range(n) if contacts[k, LINK] > 0]
        if not good:
            continue
        c = contacts[max(good, key=lambda k: contacts[k, LINK])]
        pair = np.zeros((1, PAIR))
        pair[0] = np.r_[
            c[LINK], c[HAND_POINT : HAND_POINT + 3], c[OBJECT_POINT : OBJECT_POINT + 3], c[NORMAL : NORMAL + 3]
        ]
        before = q.copy()
        _, deep, gap = reach(
            F, problem.solid, plane, f, q, F.low[f], F.high[f], R, p, pair, 1, before, before, _NOBODY, 0, W, 25
        )
        if deep > 3e-4 or gap > 8e-4 or _facing(F, f, q, R, p, pair[0]) < facing:
            continue
        found_q.append(q)
        found.append(pair[0])
        if len(found) >= want:
            break
    pool = First(np.array(found_q).reshape(-1, 6), np.array(found).reshape(-1, PAIR))
    return _opposed(problem, h, t, pool) if f == 0 else pool


def _opposed(problem: Problem, h: int, t: int, pool: First, share: float = 0.4) -> First:
    """The thumb's contacts that lie most nearly across from index and middle finger."""
    if len(pool.q) < 10:
        return pool
    across = (pool.pair[:, 4:7] - problem.place[h, t]) @ problem.turn[h, t][:, 1]
    F = problem.hands[h]
    middle = 0.5 * (F.base[1] + F.turn[1] @ [F.step[1, 1], 0, 0] + F.base[2] + F.turn[2] @ [F.step[2, 1], 0, 0])[1]
    best = np.argsort(np.abs(across - middle), kind="stable")[: max(8, int(share * len(across)))]
    return First(pool.q[best], pool.pair[best])


def surface_pool(
    problem: Problem, h: int, f: int, t: int, W: Weights, rng: np.random.Generator, want: int = 100
) -> First:
    """First contacts as the thesis has them: points of the surface within reach of the belly that pass the test."""
    F, R, p, plane = problem.hands[h], problem.turn[h, t], problem.place[h, t], problem.plane[t]
    low, high = problem.scene.thing.extent
    poses, x = rng.uniform(F.low[f], F.high[f], (4000, 6)), np.empty((4000, 3))
    _bellies(F, f, poses, x)
    x = x @ R.T + p
    found_q, found = [], []
    for _ in range(1500):
        point, normal = rng.uniform(low - 0.003, high + 0.003), np.empty(3)
        onto_surface(problem.solid, point, normal)
        away = np.linalg.norm(x - point, axis=1)
        near = int(np.argmin(away))
        if away[near] > 0.008:
            continue
        q = poses[near].copy()
        pair = np.r_[F.links[f] - 1, belly(F, f), point, normal][None]
        _, deep, gap = reach(
            F, problem.solid, plane, f, q, F.low[f], F.high[f], R, p, pair, 1, q.copy(), F.rest[f], _NOBODY, 0, W, 40
        )
        if deep < 3e-4 and gap < 8e-4 and _facing(F, f, q, R, p, pair[0]) > 0:
            found_q.append(q)
            found.append(pair[0])
        if len(found) >= want:
            break
    return First(np.array(found_q).reshape(-1, 6), np.array(found).reshape(-1, PAIR))


def _facing(F, f: int, q: Array, R: Array, p: Array, pair: Array) -> float:
    """Cosine between the back of the guided phalanx and the outward normal, g·n of (35)."""
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    place_links(F, f, q, R, p, turn, place, axes, points)
    return float(turn[int(pair[0])][:, 2] @ pair[7:10])
