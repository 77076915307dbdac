"""Where a clip could be supported: points of the body that are at the ground and at rest, and hands closed on bars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.skin import skin
from poise.judge.surface import clearance
from poise.judge.tolerances import DEFAULT, Tolerances
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import MARGIN, speeds
from poise.motion.resample import unrolled


@dataclass(frozen=True, eq=False)
class Support:
    """Points (C of them) over all frames: contact points, then balls of all other shapes, then hands that hold bars."""

    names: tuple[str, ...]  # (C,) of the body, or of the contact point
    body: np.ndarray  # (C,)
    place: Array  # (N, C, 3) world: where the point, or the ball's lowest place, is
    normal: Array  # (N, C, 3) of the ground below it
    height: Array  # (N, C) above the ground [m]
    speed: Array  # (N, C) [m/s]
    touching: np.ndarray  # (N, C) bool
    grip: np.ndarray  # (C,) bool: a closed hand, which can be pulled as well as pushed

    def friction(self, chosen: np.ndarray, ground: float) -> Array:
        """Friction (K,) of chosen points on a ground: without bound for closed hands."""
        return np.where(self.grip[chosen], np.inf, ground)


def support(clip: Clip, limits: Tolerances = DEFAULT) -> Support:
    """The places at which the ground could hold the body, by geometry alone; the clip's labels are not used."""
    character, points = clip.character, clip.character.contact_points
    balls = skin(character, without=points.bodies[points.feet])
    whole = unrolled(clip, frames(MARGIN, clip.dt))
    centres = np.concatenate([character.points(whole.q), balls.centres(character, whole.q)], axis=1)
    moving = speeds(centres, clip.dt) if len(clip) > 1 else np.zeros(centres.shape[:2])
    centres, moving = centres[whole.own], moving[whole.own]
    radius = np.concatenate([np.zeros(len(points)), balls.radius])
    normal = np.array(clip.ground.normal(centres[..., 0], centres[..., 1]))
    high = clearance(centres, clip.ground, radius)
    names = (*points.names, *(character.body_names[b] for b in balls.body))
    body = np.concatenate([points.bodies, balls.body]).astype(int)
    place = centres - radius[:, None] * normal
    grip = np.zeros(len(body), bool)
    ground = Support(
        names, body, place, normal, high, moving, (high < limits.contact_height) & (moving < limits.contact_speed), grip
    )
    return with_grips(clip, ground, limits)


def with_grips(clip: Clip, ground: Support, limits: Tolerances) -> Support:
    """The support with the hands that hold fixed bars (`clip.grips`): they give a force in any direction.

    A hand that is further from its bar than `grip_reach`, or moves along it, holds nothing.
    """
    held = [h for h in clip.grips if not h.carries and h.place is not None]
    if not held:
        return ground
    place = np.stack([h.path(clip) for h in held], axis=1)
    moving = speeds(place, clip.dt) if len(clip) > 1 else np.zeros(place.shape[:2])
    near = np.linalg.norm(place - np.array([h.place for h in held]), axis=-1) < limits.grip_reach
    on = np.stack([h.covers(clip.times) for h in held], axis=1) & near & (moving < limits.contact_speed)
    up = np.broadcast_to(np.array([0.0, 0.0, 1.0]), place.shape)
    return Support(
        (*ground.names, *(f"{h.hand} on its bar" for h in held)),
        np.concatenate([ground.body, [clip.character.body(h.hand) for h in held]]).astype(int),
        np.concatenate([ground.place, place], axis=1), np.concatenate([ground.normal, up], axis=1),
        np.concatenate([ground.height, np.full(place.shape[:2], np.inf)], axis=1),
        np.concatenate([ground.speed, moving], axis=1), np.concatenate([ground.touching, on], axis=1),
        np.concatenate([ground.grip, np.ones(len(held), bool)]),
    )  # fmt: skip


def tangents(normal: Array) -> tuple[Array, Array]:
    """Two unit vectors (..., 3) across a unit normal (..., 3) and each other."""
    away = np.where(np.abs(normal[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    first = np.cross(normal, away)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return first, np.cross(normal, first)


def contact_map(place: Array, normal: Array, centre: Array, length: float) -> Array:
    """Matrix (6, 3K) from forces (normal, tangent, tangent) at K places to force and torque / length about a centre."""
    axes = np.stack([normal, *tangents(normal)], axis=1)  # (K, 3, 3): rows are directions
    turning = np.cross((place - centre)[:, None], axes) / length
    return np.concatenate([axes, turning], axis=2).reshape(-1, 6).T


def beyond_support(place: Array, point: Array) -> tuple[float, Array]:
    """Distance [m] of a point (2,) of the ground from the hull of places (K, 2), and the way (2,) out of it."""
    from scipy.spatial import ConvexHull, QhullError

    corners = np.unique(np.round(place, 6), axis=0)
    if len(corners) >= 3:
        try:
            corners = corners[ConvexHull(corners).vertices]
        except QhullError:  # all in one line
            order = np.argsort(corners @ (corners[-1] - corners[0]))
            corners = corners[[order[0], order[-1]]]
    if len(corners) >= 3:
        edge = np.roll(corners, -1, axis=0) - corners
        side = edge[:, 0] * (point - corners)[:, 1] - edge[:, 1] * (point - corners)[:, 0]
        if np.all(side >= 0.0):
            return 0.0, np.zeros(2)
    ends = np.roll(corners, -1, axis=0)
    edge = ends - corners
    share = np.clip(np.einsum("ki,ki->k", point - corners, edge) / np.maximum((edge**2).sum(axis=1), 1e-12), 0.0, 1.0)
    away = point - (corners + share[:, None] * edge)
    k = int(np.argmin((away**2).sum(axis=1)))
    return float(np.linalg.norm(away[k])), away[k]


def name_of(character: Character, body: int) -> str:
    """The role of a body in words ("left foot"), or its own name."""
    own = character.body_names[body]
    return next((role for role, name in character.roles.items() if name == own), own).replace("_", " ")
