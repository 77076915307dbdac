"""Seats: what a body sits on, put under it as a box on the ground.

Where something that a clip does not tell of carries the pelvis (`missing_props`), it is as high as the lowest places of
buttocks and hips are there, and reaches no further than to feet and hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.character.skin import Skin, skin
from poise.ground.ground import level_of
from poise.ground.treads import Tread, Treads
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import speeds
from poise.motion.contact.missing_props import SEAT_FRICTION, MissingProp

FRICTION = SEAT_FRICTION
HIP = 0.15  # [m] from the hip joint up to which a thigh is sat on
ONE = 0.3  # [m] seats that are nearer to each other are one
AROUND, AHEAD = 0.1, 0.25  # [m] by which a seat reaches beyond what sits on it, and under the thighs
CLEAR = 0.03  # [m] between a seat and the feet
DEEP, REACH = -0.03, 0.02  # [m] what is so high above a seat, or in it, is pushed by it
SLOW = 0.25  # [m/s] what is faster has left it, or not come down
RAISED = 0.15  # [m] above the floor: lower boxes are stood on


def sat_on(character: Character) -> Skin:
    """The places on which a character sits: the balls of its pelvis and of the upper ends of its thighs."""
    every, names = skin(character), [n for n in ("pelvis", "left_thigh", "right_thigh") if character.has(n)]
    pelvis, *thighs = [character.body(n) for n in names] if names else [1]
    own = (every.body == pelvis) | (np.isin(every.body, thighs) & (np.linalg.norm(every.local, axis=1) < HIP))
    return Skin(every.body[own], every.local[own], every.radius[own])


def seat_places(clip: Clip) -> Array:
    """Where a seat would push (N, G, 3) [m]: below the places on which a body sits."""
    own = sat_on(clip.character)
    out = own.centres(clip.character, clip.q)
    out[..., 2] -= own.radius
    return out


def seated(clip: Clip) -> tuple[Array, np.ndarray]:
    """`seat_places` (N, G, 3), and which of them (N, G) rest on a box of the ground that is high enough to sit on."""
    places = seat_places(clip)
    on = np.zeros(places.shape[:2], bool)
    if isinstance(clip.ground, Treads):
        for t in (t for t in clip.ground.treads if t.top > clip.ground.level + RAISED):
            above = places[..., 2] - t.top
            on |= np.asarray(t.covers(places[..., 0], places[..., 1]), bool) & (above > DEEP) & (above < REACH)
    return places, on


def seat_pushes(clip: Clip, props: Sequence[MissingProp]) -> np.ndarray:
    """Boolean (N, G): which of the places that are sat on are pushed where something carries the pelvis.

    Those that rest on a seat of the clip's ground; all, where there is none.
    """
    places, on = seated(clip)
    slow = speeds(places, clip.dt) < SLOW
    carried = np.zeros((len(clip), 1), bool)
    for prop in props:
        carried[prop.first : prop.last + 1] = True
    return carried & on & slow if on.any() else np.repeat(carried, on.shape[1], axis=1)


def with_seats(clip: Clip, props: Sequence[MissingProp]) -> tuple[Clip, list[float]]:
    """The clip with seats where something carries its pelvis, and how high [m] they are.

    None is put where feet would be in it, nor on ground that is neither level nor boxes.
    """
    level = level_of(clip.ground)
    known = clip.ground if isinstance(clip.ground, Treads) else None if level is None else Treads((), level)
    if not props or known is None:
        return clip, []
    floor = known.level
    found = [seat for seat in (_seat(clip, own, floor) for own in _grouped(props)) if seat is not None]
    if not found:
        return clip, []
    return replace(clip, ground=Treads((*known.treads, *found), floor)), [seat.top - floor for seat in found]


def _grouped(props: Sequence[MissingProp]) -> list[list[MissingProp]]:
    """Stretches of sitting at one place each."""
    out: list[list[MissingProp]] = []
    for prop in props:
        near = [own for own in out if np.linalg.norm(np.subtract(own[0].place, prop.place)) < ONE]
        if near:
            near[0].append(prop)
        else:
            out.append([prop])
    return out


def _seat(clip: Clip, props: Sequence[MissingProp], floor: float) -> Tread | None:
    """The box under a body that sits at one place; None where its feet are in the way, or it is too low."""
    rows = np.concatenate([np.arange(p.first, p.last + 1) for p in props])
    places = seat_places(clip)[rows]
    turns = rot.heading(clip.q[rows, 3:7])
    way = float(np.arctan2(np.sin(turns).mean(), np.cos(turns).mean()))
    ahead, aside = np.array([np.cos(way), np.sin(way)]), np.array([-np.sin(way), np.cos(way)])
    top = float(np.median(places[..., 2].min(axis=1)))
    along, across = places[..., :2] @ ahead, places[..., :2] @ aside
    points = clip.character.points(clip.q).reshape(-1, 3)
    points = points[points[:, 2] < top]
    far, wide = points[:, :2] @ ahead, points[:, :2] @ aside
    back = float(along.min()) - AROUND
    beside = (far > back) & (far < along.max())  # hands that hang down
    high = min(float(across.max()) + AROUND, float(wide[beside & (wide > across.max())].min(initial=np.inf)) - CLEAR)
    low = max(float(across.min()) - AROUND, float(wide[beside & (wide < across.min())].max(initial=-np.inf)) + CLEAR)
    feet = float(far[(wide > low) & (wide < high)].min(initial=np.inf))
    front = min(float(along.max()) + AHEAD, feet - CLEAR)
    if front < float(np.median(along)) or top < floor + RAISED:
        return None
    x, y = 0.5 * (back + front) * ahead + 0.5 * (low + high) * aside
    return Tread(float(x), float(y), 0.5 * (front - back), 0.5 * (high - low), top, float(np.degrees(way)))
