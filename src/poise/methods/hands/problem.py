"""The scene as the search sees it: wrists, table and the wrench that the object needs, in the object's own frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character.library.hand import Fingers, fingers, joint_names
from poise.maths import GRAVITY
from poise.maths.distance import Solid, to_point
from poise.maths.rotations import Array, conjugate, log, multiply
from poise.methods.hands.scene import Scene, Stand, Track

TABLE_COLUMNS = 10  # point, normal, 1 and the direction of friction where it slides
STANDING = 1e-3  # [m] below which a point of the object is on the table
SLIDING = 3e-3  # [m/s] above which it slides


@dataclass(frozen=True, eq=False)
class Problem:
    """T frames of a scene with H hands."""

    scene: Scene
    hands: tuple[Fingers, ...]
    solid: Solid
    turn: Array  # (H, T, 3, 3) the wrists' axes in the object's
    place: Array  # (H, T, 3) [m]
    plane: Array  # (T, 4) the table's normal and height in the object's frame
    wrench: Array  # (T, 6) [N, N m] that the contacts must give, G of (38)
    table: tuple[Array, ...]  # T x (n, TABLE_COLUMNS) points on the table
    stands: Array  # (T, S, 7) capsules in place of stands, which fingers keep clear of

    @property
    def frames(self) -> int:
        """T."""
        return len(self.scene)


def accelerations(track: Track, dt: float) -> tuple[Array, Array, Array]:
    """Linear acceleration (T, 3), angular velocity and acceleration (T, 3) in the body's axes, by central
    differences.
    """
    p, n = track.place, len(track)
    a = np.zeros((n, 3))
    a[1:-1] = (p[2:] - 2 * p[1:-1] + p[:-2]) / dt**2
    half = log(multiply(conjugate(track.turn[:-1]), track.turn[1:])) / dt  # between frames
    w, al = np.zeros((n, 3)), np.zeros((n, 3))
    w[1:-1], al[1:-1] = (half[1:] + half[:-1]) / 2, (half[1:] - half[:-1]) / dt
    w[0], w[-1] = half[0], half[-1]
    return a, w, al


def needed_wrench(scene: Scene) -> Array:
    """(T, 6) force [N] and torque [N m] about the centre of mass, object's axes: G of (38), with gravity."""
    a, w, al = accelerations(scene.centre, 1 / scene.fps)
    R, inertia = scene.centre.matrix, scene.thing.inertia
    force = np.einsum("tji,tj->ti", R, scene.thing.mass * (a + np.array([0.0, 0.0, GRAVITY])))
    return np.concatenate([force, al @ inertia.T + np.cross(w, w @ inertia.T)], axis=1)


def standing_points(scene: Scene) -> tuple[Array, ...]:
    """Points of the object on the table or a stand at each frame, with the direction of friction where they slide."""
    dt, R, p = 1 / scene.fps, scene.centre.matrix, scene.centre.place
    _, w, _ = accelerations(scene.centre, dt)
    v = np.gradient(p, dt, axis=0)
    out = []
    for t in range(len(scene)):
        local = scene.thing.lowest(R[t])
        at = p[t] + local @ R[t].T
        on = np.zeros(len(at), bool)
        if scene.table is not None:
            on |= at[:, 2] < scene.table + STANDING
        for stand in scene.stands:
            on |= stand.under(at) & (np.abs(at[:, 2] - stand.top) < STANDING)
        local = np.concatenate(
            [_spread(local[on]), *(_corners_below(scene, stand, R[t], p[t]) for stand in scene.stands)]
        )
        rows = np.zeros((len(local), TABLE_COLUMNS))
        rows[:, :3], rows[:, 3:6] = local, R[t][2]
        speed = (v[t] + np.cross(w[t], local) @ R[t].T) * (1.0, 1.0, 0.0)
        size = np.linalg.norm(speed, axis=1)
        slides = size > SLIDING
        rows[slides, 6] = 1.0
        rows[slides, 7:] = -(speed[slides] / size[slides, None]) @ R[t]
        out.append(rows)
    return tuple(out)


def _corners_below(scene: Scene, stand: Stand, R: Array, p: Array) -> Array:
    """Corners (n, 3) of a stand's top that touch the object from below, in the object's frame."""
    half = np.array(stand.size[:2]) / 2
    found, g = [], np.empty(3)
    for sx, sy in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        x = R.T @ (np.array([stand.place[0] + sx * half[0], stand.place[1] + sy * half[1], stand.top]) - p)
        if abs(to_point(scene.thing.solid, x[0], x[1], x[2], g)) < STANDING and g @ R[2] < -0.9:
            found.append(x)
    return np.array(found).reshape(-1, 3)


def _spread(points: Array, most: int = 8) -> Array:
    """At most so many of the points, far from one another: a mesh may stand on hundreds."""
    if len(points) <= most:
        return points
    chosen = [int(np.argmax(np.linalg.norm(points - points.mean(0), axis=1)))]
    away = np.linalg.norm(points - points[chosen[0]], axis=1)
    while len(chosen) < most:
        chosen.append(int(np.argmax(away)))
        away = np.minimum(away, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return points[chosen]


def stand_capsules(scene: Scene) -> Array:
    """(T, S, 7) ends and radius of upright capsules that fill the stands, four each, in the object's frame."""
    R, p, out = scene.centre.matrix, scene.centre.place, []
    for stand in scene.stands:
        half = np.array(stand.size) / 2
        radius = float(min(half)) * 0.55
        for sx, sy in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            inner = half - radius
            ends = [np.einsum("tji,tj->ti", R, stand.place + inner * np.array([sx, sy, e]) - p) for e in (-1.0, 1.0)]
            out.append(np.c_[ends[0], ends[1], np.full(len(p), radius)])
    return np.ascontiguousarray(np.stack(out, 1)) if out else np.zeros((len(p), 0, 7))


def _with_fixed(scene: Scene, side: str) -> Fingers:
    """The fingers of a hand, joints that the scene holds with limits at their angle."""
    F, names = fingers(side), joint_names(side)
    for name, angle in scene.fixed.items():
        if name in names:
            f, j = divmod(names.index(name), 6)
            held = float(np.clip(angle, F.low[f, j], F.high[f, j]))
            F.low[f, j] = F.high[f, j] = F.rest[f, j] = held
    return F


def prepare(scene: Scene) -> Problem:
    """The problem of a scene."""
    R, p = scene.centre.matrix, scene.centre.place
    sides = scene.sides
    turn = np.stack([np.einsum("tji,tjk->tik", R, scene.wrists[s].matrix) for s in sides])
    place = np.stack([np.einsum("tji,tj->ti", R, scene.wrists[s].place - p) for s in sides])
    plane = np.zeros((len(scene), 4))
    plane[:, :3], plane[:, 3] = R[:, 2], (-1e3 if scene.table is None else scene.table) - p[:, 2]
    return Problem(
        scene,
        tuple(_with_fixed(scene, s) for s in sides),
        scene.thing.solid,
        np.ascontiguousarray(turn),
        np.ascontiguousarray(place),
        plane,
        needed_wrench(scene),
        standing_points(scene),
        stand_capsules(scene),
    )
