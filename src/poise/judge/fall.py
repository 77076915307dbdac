"""Falls: when a character went down, and by which part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.character.skin import skin
from poise.ground.ground import parts_of
from poise.judge.surface import clearance
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.take import Take
from poise.take.own import own_of

FALL_HEIGHT = 0.6  # share of the reference's height of the pelvis below which it counts as down
FALL_TIME = 0.2  # [s] for which it has to stay there
SCHEDULED_HEIGHT = 0.05  # [m] within which a body of the clip is meant to touch the ground
SCHEDULED_TIME = 0.25  # [s] before and after, in which it may do so


class Fall(NamedTuple):
    """Somebody went down."""

    time: float  # [s]
    how: str  # "touched": a body that is neither a foot nor meant to; "sank": the pelvis stayed low
    body: int  # which


def fall(take: Take, frames: int | None = None) -> Fall | None:
    """The first fall in a take, in the first `frames` of it; None where there is none.

    It is down when a body that is neither a foot nor meant to touch touches the ground, or when the pelvis stays below
    60 % of its reference height for 0.2 s. A body is meant to touch where its surface comes within 5 cm of the ground
    in the user's own clip, or in what was followed, 0.25 s before to 0.25 s after.
    """
    count = len(take) if frames is None else frames
    if _on_several_grounds(take):
        parts = [(p.frame, take.part(k)) for k, p in enumerate(take.segments) if p.frame < count]
        down = [f for first, part in parts if (f := fall(part, min(len(part), count - first))) is not None]
        return min(down) if down else None
    found = [f for f in (_touched(take, count), _sank(take, count)) if f is not None]
    return min(found) if found else None


def _on_several_grounds(take: Take) -> bool:
    """Was the ground changed under way?"""
    grounds = [p.stage.get("ground") if isinstance(p.stage, Mapping) else None for p in take.segments]
    return any(g != grounds[0] for g in grounds)


def feet_of(character: Character) -> np.ndarray:
    """Ids of the bodies that may stand on the ground: feet, toes, and all that have contact points of feet."""
    named = [character.body(r) for r in character.roles if r.endswith(("_foot", "_toes"))]
    points = character.contact_points
    return np.unique([*named, *points.bodies[points.feet]]).astype(int)


def _touched(take: Take, count: int) -> Fall | None:
    rows, character = take.contacts, take.character
    pressing = np.einsum("ki,ki->k", rows.force, rows.normal) > 0.0
    bad = rows.on_ground() & ~rows.bilateral & pressing & ~np.isin(rows.body, feet_of(character)) & (rows.frame < count)
    found = []
    if bad.any():
        bodies = np.unique(rows.body[bad])
        meant = meant_to_touch(take, bodies)
        for k, body in enumerate(bodies):
            frames = rows.frame[bad & (rows.body == body)]
            frames = frames[~meant[frames, k]]
            found += [Fall(float(take.time[frames[0]]), "touched", int(body))] if len(frames) else []
    return min(found) if found else None


def meant_to_touch(take: Take, bodies: np.ndarray) -> np.ndarray:
    """Boolean (F, B): is it no surprise that these bodies (B,) touch the ground?"""
    own, character = own_of(take), take.character
    balls, low = skin(character), np.full((len(take), len(bodies)), np.inf)
    motions = [(own.q, own.ground)]
    if own.q is not take.q_ref:
        motions.append((take.q_ref, take.clip.ground))
    for q, ground in motions:
        high = clearance(balls.centres(character, q), ground, balls.radius)
        for k, body in enumerate(bodies):
            low[:, k] = np.minimum(low[:, k], high[:, balls.body == body].min(axis=1, initial=np.inf))
    first = np.searchsorted(take.time, take.time - SCHEDULED_TIME - 1e-9)
    last = np.searchsorted(take.time, take.time + SCHEDULED_TIME + 1e-9, side="right")
    near = np.concatenate([np.zeros((1, len(bodies)), int), np.cumsum(low <= SCHEDULED_HEIGHT, axis=0)])
    return near[last] > near[first]


def _sank(take: Take, count: int) -> Fall | None:
    if not count:
        return None
    high, wanted = pelvis_height(take, range(count))
    for a, e in runs(high < FALL_HEIGHT * wanted):
        if take.time[e - 1] - take.time[a] >= FALL_TIME - 1e-9:
            return Fall(float(take.time[a]), "sank", pelvis_of(take.character))
    return None


def pelvis_of(character: Character) -> int:
    """The body whose height tells a fall: the pelvis, or the root where none is named."""
    return character.body("pelvis") if character.has("pelvis") else int(character.model.jnt_bodyid[0])


def pelvis_places(take: Take, frames: Sequence[int]) -> tuple[Array, Array]:
    """Where (K, 3) [m] the pelvis is in some frames: as performed, and in the reference."""
    pelvis = pelvis_of(take.character)
    place, place_ref = (take.character.forward(q[list(frames)])[0][:, pelvis] for q in (take.q, take.q_ref))
    return place, place_ref


def pelvis_height(take: Take, frames: Sequence[int]) -> tuple[Array, Array]:
    """Heights (K,) [m] of the pelvis above the ground in some frames: as performed, and in the reference."""
    place, place_ref = pelvis_places(take, frames)
    high = place[:, 2] - take.ground.height(place[:, 0], place[:, 1]) - _tipped(take, place, np.array(frames, int))
    return high, place_ref[:, 2] - take.clip.ground.height(place_ref[:, 0], place_ref[:, 1])


def _tipped(take: Take, place: Array, rows: np.ndarray) -> Array:
    """How much higher (K,) [m] than at rest a seesaw is under places (K, 3): who walks down with it has not sunk."""
    hinged = [take.props[p.name] for p in parts_of(take.ground) if p.joint == "hinge" and p.name in take.props]
    if not hinged:
        return np.zeros(len(place))
    rest, pose = hinged[0][0], hinged[0][rows]
    turn = rot.multiply(pose[:, 3:], rot.conjugate(rest[3:]))
    up, pivot = rot.rotate(turn, np.array([0.0, 0.0, 1.0])), pose[:, :3] - rot.rotate(turn, rest[:3])
    lean = -np.einsum("fi,fi->f", up[:, :2], place[:, :2] - pivot[:, :2]) / up[:, 2] + pivot[:, 2]
    rests = take.ground.height(place[:, 0], place[:, 1]) >= -1e-9  # on the plank, not on the floor beside it
    return np.where(rests, lean, 0.0)
