"""Single contacts of a take against what contacts can do: push, not pull; hold, not slide; touch where things are."""

from __future__ import annotations

import numpy as np

from poise.dynamics import Dynamics
from poise.ground.ground import moves
from poise.judge.surface import distance, off_ground
from poise.judge.tolerances import DEFAULT, Tolerances
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.take import Take
from poise.take.record import ContactRecord


def parts(take: Take) -> tuple[Array, Array]:
    """Normal force (K,) and size of the tangential force (K,) of each contact [N]."""
    return parts_of(take.contacts)


def parts_of(rows: ContactRecord) -> tuple[Array, Array]:
    """The same of a record."""
    normal = np.einsum("ki,ki->k", rows.force, rows.normal)
    return normal, np.linalg.norm(rows.force - normal[:, None] * rows.normal, axis=1)


def outside_cone(take: Take) -> Array:
    """By how much each contact (K,) leaves its friction cone [N]; 0 for grips, which may pull."""
    return outside_cones(take.contacts)


def outside_cones(rows: ContactRecord) -> Array:
    """The same of a record."""
    normal, tangent = parts_of(rows)
    over = np.maximum(tangent - rows.friction * np.maximum(normal, 0.0), -normal)
    return np.where(rows.bilateral, 0.0, np.maximum(over, 0.0))


def sliding(take: Take) -> tuple[Array, np.ndarray]:
    """Tangential velocity (K, 3) of each contact over what it touches [m/s], and whether it lasts (K,).

    The body's own point at the contact is followed from the frame to the next, and so is that of the other body where
    its poses are recorded. A contact lasts if the same two bodies touch in the frame before and in the one after:
    only then has the point touched during the whole interval.
    """
    rows, frames = take.contacts, len(take)
    if not len(rows) or frames < 2:
        return np.zeros((len(rows), 3)), np.zeros(len(rows), bool)
    now = np.minimum(rows.frame, frames - 2)
    pos, quat = take.character.forward(take.q)
    shift = _carried(pos, quat, now, rows.body, rows.point) - rows.point
    for code, name in enumerate(rows.others):
        chosen = np.flatnonzero(rows.other == code)
        pose = take.props.get(name.removeprefix("ground "))
        if len(chosen) and pose is not None:
            one = np.zeros(len(chosen), int)
            place = rows.point[chosen]
            shift[chosen] -= _carried(pose[:, None, :3], pose[:, None, 3:7], now[chosen], one, place) - place
    shift -= np.einsum("ki,ki->k", shift, rows.normal)[:, None] * rows.normal
    return shift / (take.time[now + 1] - take.time[now])[:, None], _lasting(take)


def _carried(pos: Array, quat: Array, now: np.ndarray, body: np.ndarray, point: Array) -> Array:
    """Where points (K, 3), fixed at frames `now` in bodies with poses (F, B, 3) and (F, B, 4), are one frame later."""
    local = rot.rotate(rot.conjugate(quat[now, body]), point - pos[now, body])
    return pos[now + 1, body] + rot.rotate(quat[now + 1, body], local)


def _lasting(take: Take) -> np.ndarray:
    """Boolean (K,): do the same two bodies touch in the frame before and in the frame after?"""
    rows = take.contacts
    together, pair = _together(take, np.ones(len(rows), bool))
    before = together[np.maximum(rows.frame - 1, 0), pair] & (rows.frame > 0)
    after = together[np.minimum(rows.frame + 1, len(take) - 1), pair]
    return before & (after | (rows.frame >= len(take) - 2))  # nothing is recorded after the last interval


def _together(take: Take, good: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Boolean (F, pairs): do two bodies touch, with `good` (K,) contacts only; and the pair (K,) of each contact."""
    rows = take.contacts
    _, pair = np.unique(rows.body * len(rows.others) + rows.other, return_inverse=True)
    out = np.zeros((len(take), int(pair.max(initial=-1)) + 1), bool)
    out[rows.frame, pair] = True
    out[rows.frame[~good], pair[~good]] = False
    return out, pair


def held(take: Take, limits: Tolerances = DEFAULT) -> np.ndarray:
    """Boolean (K,): contacts that should not slide: they carry, well inside their cones, and have settled.

    Coulomb's friction holds a foot until the tangential force reaches friction · normal; below `slip_cone` of it a foot
    that slides is carried by something else. A soft contact needs some hundredths of a second to stop a foot that has
    landed or slid, so the two bodies must have touched, with all their contacts inside, for `settling` [s] before. One
    that is deeper by `landing` than in the frame before has landed, though it may have been up for less than a frame.
    """
    rows, frames = take.contacts, len(take)
    normal, tangent = parts(take)
    inside = (tangent < limits.slip_cone * rows.friction * normal) & ~rows.bilateral
    steady, pair = _together(take, inside & ~_landing(take, limits.landing))
    broken = np.where(steady, -1, np.arange(frames)[:, None])
    np.maximum.accumulate(broken, axis=0, out=broken)
    age = rows.frame - broken[rows.frame, pair]
    weight = take.character.mass * GRAVITY
    return _lasting(take) & inside & (age > limits.settling / take.dt) & (normal > limits.slip_load * weight)


def _landing(take: Take, deeper: float) -> np.ndarray:
    """Boolean (K,): contacts of two bodies that are deeper in each other by so much [m] than in the frame before.

    A simulator with soft contacts does not see how a contact turns away (see `creep`): a loaded toe over which a foot
    rolls can leave the ground for a single step, within a frame, and strikes it at a metre a second.
    """
    rows, frames = take.contacts, len(take)
    together, pair = _together(take, np.ones(len(rows), bool))
    depth = np.zeros(together.shape)
    np.maximum.at(depth, (rows.frame, pair), rows.depth)
    rise = np.diff(depth, axis=0, prepend=depth[:1])
    return rise[rows.frame, pair] > deeper if frames else np.zeros(len(rows), bool)


def creep(take: Take, chosen: np.ndarray, softness: float = DEFAULT.softness) -> Array:
    """Speed (len(chosen),) [m/s] at which soft contacts, by their row numbers, may give way while their body turns.

    A simulator with soft contacts sees the velocity of a contact but not how it turns away (J' v, the centripetal
    part of its acceleration), and lets it slide by that times its time constant `softness` [s].
    """
    dynamics, rows, out = Dynamics(take.character), take.contacts, np.zeros(len(chosen))
    now, frame = dynamics.at(take.q[0], take.v[0]), 0
    for i, k in enumerate(chosen):
        if rows.frame[k] != frame:
            frame = int(rows.frame[k])
            now = dynamics.at(take.q[frame], take.v[frame])
        turning = now.jacobian_bias(int(rows.body[k]), rows.point[k])
        out[i] = softness * np.linalg.norm(turning - (turning @ rows.normal[k]) * rows.normal[k])
    return out


def misplaced(take: Take) -> Array:
    """How far (K,) each contact that carries lies from the body it acts on, or from a ground that stays [m].

    The point is a mean over the interval, so the body's pose at either end may be the nearer one, and half of the way
    that the point goes in between is allowed for.
    """
    rows = take.contacts
    if not len(rows):
        return np.zeros(0)
    pos, quat = take.character.forward(take.q)
    away, local = [], []
    for frame in (rows.frame, np.minimum(rows.frame + 1, len(take) - 1)):
        own = rot.rotate(rot.conjugate(quat[frame, rows.body]), rows.point - pos[frame, rows.body])
        away.append(distance(take.character, rows.body, own))
        local.append(own)
    way = np.linalg.norm(local[1] - local[0], axis=1)
    near = np.maximum(np.minimum(*away) - 0.5 * way, 0.0)
    near[~np.isfinite(near)] = 0.0  # a body without shapes: nothing to compare with
    if not moves(take.ground):
        ground = rows.on_ground()
        near[ground] = np.maximum(near[ground], off_ground(rows.point[ground], take.ground))
    carries = np.linalg.norm(rows.force, axis=1) > 0.0
    return np.where(rows.bilateral | ~carries, 0.0, near)


def excess_moment(take: Take, limits: Tolerances = DEFAULT) -> Array:
    """The part (K, 3) of each contact's moment that its force and size cannot make [N m]; grips are let be.

    About its centre of pressure a contact has no moment across its normal, and along it only that of friction.
    """
    rows = take.contacts
    force = np.linalg.norm(rows.force, axis=1)
    along = np.einsum("ki,ki->k", rows.moment, rows.normal)
    across = rows.moment - along[:, None] * rows.normal
    size = np.linalg.norm(across, axis=1)
    beyond = np.maximum(1.0 - limits.off_centre * force / np.maximum(size, 1e-300), 0.0)[:, None] * across
    twist = np.sign(along) * np.maximum(np.abs(along) - rows.friction * limits.twist * force, 0.0)
    return np.where(rows.bilateral, 0.0, 1.0)[:, None] * (beyond + twist[:, None] * rows.normal)
