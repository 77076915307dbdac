"""Single contacts of a take against what contacts can do: push, not pull; hold, not slide; touch where things are."""

from __future__ import annotations

import numpy as np

from poise.judge.surface import clearance, distance
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.take import Take

STILL = {"Flat", "Slope", "Stairs", "Treads", "HeightField", "Patches"}
"""Grounds that stay where they are, so that geometry alone tells who is in them."""

REACH = 0.2  # [m] moment over force that a contact can have about its point: half a foot of friction round the normal


def parts(take: Take) -> tuple[Array, Array]:
    """Normal force (K,) and size of the tangential force (K,) of each contact [N]."""
    rows = take.contacts
    normal = np.einsum("ki,ki->k", rows.force, rows.normal)
    return normal, np.linalg.norm(rows.force - normal[:, None] * rows.normal, axis=1)


def outside_cone(take: Take) -> Array:
    """By how much each contact (K,) leaves its friction cone [N]; 0 for grips, which may pull."""
    normal, tangent = parts(take)
    over = np.maximum(tangent - take.contacts.friction * np.maximum(normal, 0.0), -normal)
    return np.where(take.contacts.bilateral, 0.0, np.maximum(over, 0.0))


def sliding(take: Take) -> tuple[Array, np.ndarray]:
    """Tangential speed (K,) of each contact over what it touches [m/s], and whether it lasts (K,).

    The body's own point at the contact is followed from the frame to the next, and so is that of the other body where
    its poses are recorded. A contact lasts if the same two bodies touch in the frame before and in the one after:
    only then has the point touched during the whole interval.
    """
    rows, frames = take.contacts, len(take)
    if not len(rows) or frames < 2:
        return np.zeros(len(rows)), np.zeros(len(rows), bool)
    now = np.minimum(rows.frame, frames - 2)
    pos, quat = take.character.forward(take.q)
    shift = _carried(pos[:, rows.body], quat[:, rows.body], now, rows.point) - rows.point
    for code, name in enumerate(rows.others):
        chosen = np.flatnonzero(rows.other == code)
        if len(chosen) and name in take.props:
            pose = take.props[name]
            place, turn = pose[:, None, :3], pose[:, None, 3:7]
            wide = np.zeros(len(chosen), int)
            shift[chosen] -= _carried(place[:, wide], turn[:, wide], now[chosen], rows.point[chosen]) - rows.point[chosen]
    shift -= np.einsum("ki,ki->k", shift, rows.normal)[:, None] * rows.normal
    speed = np.linalg.norm(shift, axis=1) / (take.time[now + 1] - take.time[now])
    return speed, _lasting(take)


def _carried(pos: Array, quat: Array, now: np.ndarray, point: Array) -> Array:
    """Where points (K, 3), fixed in bodies with poses (F, K, 3) and (F, K, 4) at frames `now`, are one frame later."""
    k = np.arange(len(now))
    local = rot.rotate(rot.conjugate(quat[now, k]), point - pos[now, k])
    return pos[now + 1, k] + rot.rotate(quat[now + 1, k], local)


def _lasting(take: Take) -> np.ndarray:
    """Boolean (K,): do the same two bodies touch in the frame before and in the frame after?"""
    rows = take.contacts
    together = _together(take)
    before = together[np.maximum(rows.frame - 1, 0), rows.body, rows.other] & (rows.frame > 0)
    after = together[np.minimum(rows.frame + 1, len(take) - 1), rows.body, rows.other]
    return before & (after | (rows.frame >= len(take) - 2))  # nothing is recorded after the last interval


def _together(take: Take) -> np.ndarray:
    """Boolean (F, B, O): does a body touch something, frame by frame?"""
    rows = take.contacts
    out = np.zeros((len(take), take.character.model.nbody, len(rows.others)), bool)
    out[rows.frame, rows.body, rows.other] = True
    return out


def held(take: Take, settling: float = 0.1, margin: float = 0.8) -> np.ndarray:
    """Boolean (K,): contacts that should not slide: they carry, well inside their cones, and have settled.

    Coulomb's friction holds a foot until the tangential force reaches friction · normal; below `margin` of it a foot
    that slides is carried by something else. A soft contact needs some hundredths of a second to stop a foot that has
    landed or slid, so the two bodies must have touched, with all their contacts inside, for `settling` [s] before.
    """
    rows, frames = take.contacts, len(take)
    normal, tangent = parts(take)
    inside = (tangent < margin * rows.friction * normal) & ~rows.bilateral
    steady = _together(take)
    steady[rows.frame[~inside], rows.body[~inside], rows.other[~inside]] = False
    broken = np.where(steady, -1, np.arange(frames)[:, None, None])
    np.maximum.accumulate(broken, axis=0, out=broken)
    age = rows.frame - broken[rows.frame, rows.body, rows.other]
    weight = take.character.mass * 9.81
    return _lasting(take) & inside & (age > settling / take.dt) & (normal > 0.02 * weight)


def misplaced(take: Take) -> Array:
    """How far (K,) each contact that carries lies from the body it acts on, or from a ground that stays [m]."""
    rows = take.contacts
    if not len(rows):
        return np.zeros(0)
    pos, quat = take.character.forward(take.q)
    own = rot.rotate(rot.conjugate(quat[rows.frame, rows.body]), rows.point - pos[rows.frame, rows.body])
    away = distance(take.character, rows.body, own)
    away[~np.isfinite(away)] = 0.0  # a body without shapes: nothing to compare with
    if type(take.ground).__name__ in STILL:
        ground = rows.on_ground()
        away[ground] = np.maximum(away[ground], np.abs(clearance(rows.point[ground], take.ground)))
    moved = np.linalg.norm(take.v[rows.frame, :3], axis=1) * take.dt  # the point is a mean over the interval
    carries = np.linalg.norm(rows.force, axis=1) > 0.0
    return np.where(rows.bilateral | ~carries, 0.0, np.maximum(away - moved, 0.0))


def excess_moment(take: Take) -> Array:
    """The part (K, 3) of each contact's moment that its force and size cannot make [N m]; grips are let be."""
    rows = take.contacts
    most = REACH * np.linalg.norm(rows.force, axis=1)
    size = np.linalg.norm(rows.moment, axis=1)
    share = np.maximum(1.0 - most / np.maximum(size, 1e-300), 0.0)
    return np.where(rows.bilateral, 0.0, share)[:, None] * rows.moment
