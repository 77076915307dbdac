"""Feet set down: what is labelled as touching rests on the ground, and nothing is below it.

Every edit that moves footprints starts from settled feet, and keeps them so: it moves each stance rigidly. Settling
is the correction that retargeting makes, from a character onto itself; then the last millimetres of tremble are taken
out of the feet. Each contact point that touches shall stay where it is on average during that contact. The foot is
moved as a rigid body, and its toes about their hinge, to have it so in the sense of least squares, with a weight that
fades in and out with the contact; then the leg is bent to follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.character import Character
from poise.character.roles import REQUIRED, SIDES
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.check.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.fades import fade
from poise.motion.feet.footsteps import Footsteps
from poise.motion.ik.legs import Feet, plant

_SLIDING = 0.02  # [m/s] mean speed of touching points up to which feet count as settled
_BELOW = 0.005  # [m] depth up to which they do


@dataclass(frozen=True)
class Settle:
    """The clip with feet that neither slide while they touch nor sink into the ground; one that has them is kept."""

    def apply(self, clip: Clip) -> Clip:
        """The settled clip."""
        return settled(clip)


def is_settled(clip: Clip) -> bool:
    """Do touching points rest, and is none below the ground?"""
    return skating(clip) <= _SLIDING and penetration(clip) <= _BELOW


@lru_cache(maxsize=16)
def settled(clip: Clip) -> Clip:
    """The clip with settled feet; remembered, since edits of one clip are tried many times over."""
    character = clip.character
    walks = all(character.has(r) for r in REQUIRED) and len(character.contact_points) > 0
    if not walks or character.tree.kind[0] != FREE or not clip.contacts.labels.any() or is_settled(clip):
        return clip
    from poise.motion.retarget.retarget import retarget

    moved = retarget(clip, character, scale=1.0)
    q = np.array(clip.q)
    named = set(character.roles.values())
    for j, kind in enumerate(character.tree.kind):
        if character.body_names[int(character.model.jnt_bodyid[j])] in named:
            a = int(character.tree.qadr[j])
            rows = slice(a, a + {FREE: 7, BALL: 4}.get(int(kind), 1))
            q[:, rows] = moved.q[:, rows]
    if clip.cycle is not None:
        q[-1] = clip.cycle.carry(q[0], 1)
    nearly = clip.with_q(q, labels=clip.contacts.labels)
    still = at_rest(nearly)
    # where contacts contradict each other, bringing one point to rest may push another into the ground
    return still if penetration(still) <= max(_BELOW, penetration(nearly)) else nearly


_EASE = 0.04  # [s] over which a contact takes hold and lets go
_PRIOR = 0.1  # weight of leaving a foot as it is, against 1 for each point that touches
_ARM = 0.1  # [m] at which a turn of the foot counts like a shift of it


def at_rest(clip: Clip) -> Clip:
    """The clip with its touching points at rest; labels, root and all but the legs are kept."""
    steps, character = Footsteps.of(clip), clip.character
    q = np.array(steps.q)
    feet = {}
    for side in SIDES:
        own = character.contact_points.of(side)
        if character.has(f"{side}_foot") and steps.labels[:, own].any():
            feet[side], bend, toes = _foot(steps, side, own)
            if toes is not None:
                q[:, toes] += bend
    rows = slice(steps.first, steps.first + len(clip))
    q = plant(character, q[rows], {s: f.rows(rows) for s, f in feet.items()}, clip.cycle)
    if clip.cycle is not None:
        q[-1] = clip.cycle.carry(q[0], 1)
    return clip.with_q(q, labels=clip.contacts.labels)


def _foot(steps: Footsteps, side: str, own: np.ndarray) -> tuple[Feet, Array, int | None]:
    """The corrected foot, the extra angle (M,) [rad] of its toes and where it goes in q."""
    character = steps.clip.character
    body = character.body(f"{side}_foot")
    place, turn = steps.places[0][:, body], steps.places[1][:, body]
    points = steps.points[:, own]
    weight, goal = _goals(steps, own, points)
    jac = np.zeros((*points.shape[:2], 3, 7))  # of each point: shift and turn of the foot about its origin, toes
    arm = points - place[:, None]
    jac[..., 0, 0] = jac[..., 1, 1] = jac[..., 2, 2] = 1.0
    jac[..., :, 3:6] = -_cross(arm)
    toes = _toes(character, side)
    if toes is not None:
        joint, carried = toes
        axis = rot.rotate(steps.places[1][:, carried], character.tree.axis[joint])
        lever = points - steps.places[0][:, None, carried]
        on = character.contact_points.bodies[own] == carried
        jac[..., 6] = np.where(on[:, None], np.cross(axis[:, None], lever), 0.0)
    normal = np.einsum("mp,mpia,mpib->mab", weight, jac, jac)
    normal += np.diag(_PRIOR * np.array([1.0] * 3 + [_ARM**2] * 4))
    right = np.einsum("mp,mpia,mpi->ma", weight, jac, goal - points)
    x = np.linalg.solve(normal, right[..., None])[..., 0]
    spin = rot.exp(x[:, 3:6])
    stands = np.asarray(np.any(steps.labels[:, own], axis=1))
    where = None if toes is None else int(character.tree.qadr[toes[0]])
    return Feet(place + x[:, :3], rot.multiply(spin, turn), stands), x[:, 6], where


def _goals(steps: Footsteps, own: np.ndarray, points: Array) -> tuple[Array, Array]:
    """For each frame and point its weight (M, C), and its mean place (M, C, 3) over the contact it is in."""
    weight, goal = np.zeros(points.shape[:2]), np.array(points)
    dt = steps.clip.dt
    for k, i in enumerate(own):
        for a, e in runs(steps.labels[:, i]):
            n = np.arange(e - a)
            into = np.ones(e - a) if a == 0 else fade((n + 1) * dt / _EASE)
            out = np.ones(e - a) if e == len(steps) else fade((e - a - n) * dt / _EASE)
            weight[a:e, k] = into * out
            goal[a:e, k] = np.average(points[a:e, k], axis=0, weights=weight[a:e, k] + 1e-6)
    return weight, goal


def _toes(character: Character, side: str) -> tuple[int, int] | None:
    """Joint and body of the toes where they turn on one hinge of the foot."""
    if not character.has(f"{side}_toes"):
        return None
    body = character.body(f"{side}_toes")
    joints = character.tree.joints(body)
    if len(joints) != 1 or character.tree.kind[joints[0]] != HINGE:
        return None
    if character.tree.parent[body] != character.body(f"{side}_foot") or np.any(character.tree.anchor[joints[0]]):
        return None
    return joints[0], body


def _cross(v: Array) -> Array:
    """Matrices (..., 3, 3) with _cross(v) w = v × w."""
    out = np.zeros((*v.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    return out - np.swapaxes(out, -1, -2)
