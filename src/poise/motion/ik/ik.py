"""Inverse kinematics of whole clips: the smallest smooth correction of a motion that meets its targets.

Given configurations q (N, nq) and targets, `solve` finds the corrections δ_n that minimise

    ½ Σ_n [ Σ_d w_d (δ_nd² + s⁴ (δ_{n+1,d} - 2 δ_nd + δ_{n-1,d})²)  +  targets ]

w_d are the posture weights, s is the time [frames] over which a correction spreads. Only the correction is smoothed, so
the detail of the motion stays. The sum over frames is block-pentadiagonal and solved by `poise.solve.gauss_newton`;
degrees of freedom that no target moves keep their values exactly and cost nothing. A `Barrier` gives the targets that
keep points out of the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from poise.character import Character
from poise.character.character import ContactPoints
from poise.errors import BadValue, ClipMismatch
from poise.ground.ground import Ground
from poise.maths import tree as kin
from poise.maths.configuration import BALL, FREE
from poise.maths.rotations import Array
from poise.motion.clip import Cycle
from poise.motion.ik.problem import SETTINGS, IkProblem
from poise.motion.ik.terms import Terms
from poise.solve.gauss_newton import Settings

POINT_COST = 1e4  # [1/m²] of a point target of weight 1: a miss of 1 cm costs as much as a joint turned by 1 rad
TURN_COST = 1e2  # [1/rad²] of a turn target of weight 1: a miss of 0.1 rad costs as much as a joint turned by 1 rad
LIMIT_COST = 1e2  # [1/rad²] past a joint limit
_POSTURE = {"abdomen": 4.0, "chest": 4.0, "neck": 4.0, "head": 4.0, "clavicle": 4.0, "toes": 10.0}
_BENDING = ("shin", "forearm", "toes")


@dataclass(frozen=True, eq=False)
class PointTarget:
    """A point fixed in a body shall be at world positions; weight 0 leaves a frame free."""

    body: int
    local: ArrayLike  # (3,) in the body's frame [m]
    positions: ArrayLike  # (N, 3) or (3,) [m]
    weight: ArrayLike = 1.0  # (N,) or one number


@dataclass(frozen=True, eq=False)
class TurnTarget:
    """A body shall have world orientations."""

    body: int
    quats: ArrayLike  # (N, 4) or (4,)
    weight: ArrayLike = 1.0  # (N,) or one number


@dataclass(frozen=True, eq=False)
class FloorTarget:
    """A point fixed in a body shall not be below a plane: normal · p >= height; above it costs nothing."""

    body: int
    local: ArrayLike  # (3,) in the body's frame [m]
    heights: ArrayLike  # (N,) or one number [m]
    normals: ArrayLike = (0.0, 0.0, 1.0)  # (N, 3) or (3,)
    weight: ArrayLike = 1.0  # (N,) or one number


Target = PointTarget | TurnTarget | FloorTarget


def default_posture(character: Character) -> Array:
    """Weights (nv,) by which limbs move before the trunk and the trunk before the root [1/rad², 1/m² on the root].

    Knees, elbows and toes that are ball joints bend about the lateral axis (Y in the zero pose) before any other.
    """
    weight = np.ones(character.model.nv)
    for role in character.roles:
        dofs, part = character.dofs(role), role.split("_", 1)[-1]
        weight[dofs] = _POSTURE.get(part, 1.0)
        if (
            part in _BENDING
            and len(dofs) == 3
            and character.tree.kind[character.tree.jntadr[character.body(role)]] == BALL
        ):
            weight[dofs[[0, 2]]] *= 20.0
    if len(character.tree.kind) and character.tree.kind[0] == FREE:
        weight[character.tree.vadr[0] : character.tree.vadr[0] + 6] = 30.0
    return weight


def solve(character: Character, q: ArrayLike, points: Sequence[PointTarget | FloorTarget],
          turns: Sequence[TurnTarget] = (), *, posture: ArrayLike | None = None, smooth: float = 10.0,
          limits: float = 0.0, cycle: Cycle | None = None, settings: Settings = SETTINGS) -> Array:  # fmt: skip
    """Configurations (N, nq) near q that bring points and bodies where the targets say; see `build`."""
    problem = build(character, q, points, turns, posture=posture, smooth=smooth, limits=limits, cycle=cycle)
    return problem.solve(settings).q


def build(character: Character, q: ArrayLike, points: Sequence[PointTarget | FloorTarget],
          turns: Sequence[TurnTarget] = (), *, posture: ArrayLike | None = None, smooth: float = 10.0,
          limits: float = 0.0, cycle: Cycle | None = None) -> IkProblem:  # fmt: skip
    """The problem that `solve` solves.

    q (N, nq) or (nq,) is the motion to stay near. `posture` (nv,) or (N, nv) weighs its degrees of freedom, by default
    `default_posture`. `smooth` is the time over which corrections spread, in frames; 0 treats each frame alone.
    `limits` weighs going past joint limits. With `cycle` the last frame is the first one of the next period: the
    correction runs on through the seam, and the targets of the last frame are not read.
    """
    q = np.atleast_2d(np.asarray(q, float))
    if q.ndim != 2 or q.shape[1] != character.model.nq:
        raise ClipMismatch(f"{character.name} needs q of shape (N, {character.model.nq}), not {q.shape}.")
    if not np.all(np.isfinite(q)) or not smooth >= 0.0 or not limits >= 0.0:
        raise BadValue("Inverse kinematics needs finite configurations and weights that are not negative.")
    everything: list[Target] = [*points, *turns]
    for target in everything:
        if not 0 < target.body < character.model.nbody:
            raise BadValue(f"There is no body with id {target.body} in {character.name}.")
    weight = default_posture(character) if posture is None else np.asarray(posture, float)
    if not np.all(weight > 0):
        raise BadValue("Every posture weight must be positive: a zero would let that joint go anywhere.")
    frames = len(q) - 1 if cycle is not None and len(q) > 1 else len(q)
    terms = _flatten(character, q, frames, everything, limits)
    weight = np.broadcast_to(weight, (len(q), character.model.nv))[:frames]
    return IkProblem(character, q, terms, weight, float(smooth), cycle if frames < len(q) else None)


def _flatten(character: Character, q: Array, frames: int, targets: Sequence[Target], limits: float) -> Terms:
    """The targets as flat arrays over the free frames."""
    rows = len(q)
    points = [t for t in targets if isinstance(t, PointTarget)]
    turns = [t for t in targets if isinstance(t, TurnTarget)]
    floors = [t for t in targets if isinstance(t, FloorTarget)]

    def series(values: Sequence[ArrayLike], *shape: int) -> Array:
        """(T, M, ...) from one value or one row a frame each."""
        out = np.empty((len(values), frames, *shape))
        for i, value in enumerate(values):
            value = np.asarray(value, float)
            if value.shape not in (shape, (rows, *shape)):
                raise BadValue(f"A target has values of shape {value.shape}; expected {shape} or {(rows, *shape)}.")
            if not np.all(np.isfinite(value)):
                raise BadValue("A target holds numbers that are not finite.")
            out[i] = value if value.shape == shape else value[:frames]
        return out

    ids = lambda some: np.array([t.body for t in some], np.int64)  # noqa: E731
    local = lambda some: np.array([t.local for t in some], float).reshape(len(some), 3)  # noqa: E731
    reached = np.zeros(character.model.nv, bool)
    for t in targets:
        reached |= kin.moved_by(character.tree)[t.body]
    joints, ranges = _limited_joints(character, q, reached) if limits > 0 else (np.zeros(0, np.int64), np.zeros((0, 2)))
    return Terms(
        ids(points), local(points), series([t.positions for t in points], 3),
        POINT_COST * series([t.weight for t in points]),
        ids(turns), series([t.quats for t in turns], 4), TURN_COST * series([t.weight for t in turns]),
        ids(floors), local(floors), series([t.normals for t in floors], 3), series([t.heights for t in floors]),
        POINT_COST * series([t.weight for t in floors]),
        joints, ranges, LIMIT_COST * limits,
    )  # fmt: skip


def _limited_joints(character: Character, q: Array, reached: np.ndarray) -> tuple[np.ndarray, Array]:
    """Ids (L,) of the joints to hold to their ranges, and the ranges (L, 2) [rad or m]; a ball's is (0, largest angle).

    Joints that no target reaches and that q keeps within their ranges need no term: nothing would move them.
    """
    model, layout = character.model, character.layout
    ids = []
    for j in np.flatnonzero((model.jnt_limited != 0) & (model.jnt_type != FREE)):
        a, (low, high) = int(layout.qadr[j]), model.jnt_range[j]
        if layout.kind[j] == BALL:
            past = bool(np.any(2.0 * np.arccos(np.clip(np.abs(q[:, a]), 0.0, 1.0)) > high))
        else:
            past = bool(np.any((q[:, a] < low) | (q[:, a] > high)))
        if past or reached[layout.vadr[j]]:
            ids.append(int(j))
    return np.array(ids, np.int64), model.jnt_range[ids].astype(float).reshape(-1, 2)


DEEP = 0.015  # [m] a point this deep in the ground may be beside a step rather than under it
NEAR = 0.2  # [m] a point that never comes nearer cannot get into the ground
MARGIN = 0.008  # [m] from a wall
WAYS = 2 * np.pi * np.arange(32) / 32  # directions and distances in which free air is looked for
RADII = 0.01 * np.arange(1, 16)  # [m]


@dataclass(frozen=True, eq=False)
class Barrier:
    """The ground as planes that points (P) may not pass over frames (N): the floor under each and the walls met so far.

    Seen from a point, the ground is the plane under it. A point deep in a step may be nearer to the free air beside the
    step than to its top: then it gets a wall as well, through the edge of the step, and is kept in front of it.
    """

    ground: Ground
    height: Array  # (N, P) normal . p must be at least this [m]
    normal: Array  # (N, P, 3)
    wall: Array  # (N, P, 3) outward normals, zero where there is none
    reach: Array  # (N, P) wall . p must be at least this [m]
    near: np.ndarray  # (P,) bool: points that ever come near the ground; others need no planes

    @staticmethod
    def around(ground: Ground, places: Array) -> Barrier:
        """The barrier seen from places (N, P, 3)."""
        none = np.zeros(places.shape)
        near = np.zeros(places.shape[1], bool)
        return Barrier(ground, none[..., 0], none, none, none[..., 0], near).seen_from(places)

    def depth(self, places: Array) -> float:
        """Greatest depth [m] of a place in the ground."""
        if places.shape[1] == 0:
            return 0.0
        return float(np.max(self.ground.height(places[..., 0], places[..., 1]) - places[..., 2]))

    def seen_from(self, places: Array) -> Barrier:
        """The barrier seen from other places, the walls met before kept where no new ones are met."""
        under = self.ground.height(places[..., 0], places[..., 1])
        deep = under - places[..., 2] > DEEP
        wall, reach = self.wall.copy(), self.reach.copy()
        if deep.any():
            way, edge, found = _nearest_air(self.ground, places[deep])
            rows = np.argwhere(deep)[found]
            wall[rows[:, 0], rows[:, 1]] = way[found]
            reach[rows[:, 0], rows[:, 1]] = edge[found] + MARGIN
        # the floor of a point that a wall keeps out is that in front of the wall
        inside = np.maximum(0.0, reach - np.sum(wall * places, axis=-1))
        free = places + inside[..., None] * wall
        level = self.ground.height(free[..., 0], free[..., 1])
        normal = np.array(self.ground.normal(free[..., 0], free[..., 1]))
        height = np.sum(normal * np.concatenate([free[..., :2], level[..., None]], axis=-1), axis=-1)
        near = self.near | np.any(np.sum(normal * places, axis=-1) - height < NEAR, axis=0)
        return replace(self, height=height, normal=normal, wall=wall, reach=reach, near=near)

    def targets(self, points: ContactPoints, weight: float) -> list[FloorTarget]:
        """The planes as one-sided targets of inverse kinematics."""
        out = []
        for i in np.flatnonzero(self.near):
            body, local = int(points.bodies[i]), points.positions[i]
            out.append(FloorTarget(body, local, self.height[:, i], self.normal[:, i], weight))
            walled = self.wall[:, i].any(axis=-1)
            if walled.any():
                out.append(FloorTarget(body, local, self.reach[:, i], self.wall[:, i], np.where(walled, weight, 0.0)))
        return out


def _nearest_air(ground: Ground, places: Array) -> tuple[Array, Array, np.ndarray]:
    """For places (K, 3) in the ground: the level way (K, 3) to free air, where the edge lies on it, and if it is near.

    It is near when it is nearer than the surface above.
    """
    ways = np.stack([np.cos(WAYS), np.sin(WAYS), 0 * WAYS], axis=-1)
    tried = places[:, None, None] + RADII[:, None, None] * ways  # (K, R, W, 3)
    air = ground.height(tried[..., 0], tried[..., 1]) <= places[:, None, None, 2]
    first = np.where(air.any(axis=1), air.argmax(axis=1), len(RADII))  # (K, W)
    best = first.argmin(axis=1)
    ring = first[np.arange(len(places)), best]
    found = ring < len(RADII)
    way, far = ways[best], RADII[np.minimum(ring, len(RADII) - 1)]
    near = far - RADII[0]
    for _ in range(7):  # the edge by bisection
        half = 0.5 * (near + far)
        there = places + half[:, None] * way
        free = ground.height(there[:, 0], there[:, 1]) <= places[:, 2]
        near, far = np.where(free, near, half), np.where(free, half, far)
    up = ground.height(places[:, 0], places[:, 1]) - places[:, 2]
    return way, np.sum(way * places, axis=-1) + far, found & (far < up)
