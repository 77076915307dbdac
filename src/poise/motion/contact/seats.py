"""Seats: what a body sits on, put under it as a box on the ground.

Where something that a clip does not tell of carries the pelvis (`missing_props`), it is as high as the lowest places of
buttocks and hips are there, and reaches no further than to feet and hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.ground.ground import level_of
from poise.ground.treads import Tread, Treads
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.contact.missing_props import MissingProp
from poise.motion.contact.resting_parts import parts, resting

HIP = 0.15  # [m] from the hip joint up to which a thigh is sat on
ONE = 0.3  # [m] seats that are nearer to each other are one
AROUND, AHEAD = 0.1, 0.25  # [m] by which a seat reaches beyond what sits on it, and under the thighs
CLEAR = 0.03  # [m] between a seat and the feet
RAISED = 0.15  # [m] above the floor: lower boxes are stood on


def hips(character: Character) -> np.ndarray:
    """Boolean (G,): which of the `parts` of a character it sits on: its pelvis and the upper ends of its thighs."""
    every, names = parts(character), [n for n in ("pelvis", "left_thigh", "right_thigh") if character.has(n)]
    pelvis, *thighs = [character.body(n) for n in names] if names else [1]
    return (every.body == pelvis) | (np.isin(every.body, thighs) & (np.linalg.norm(every.local, axis=1) < HIP))


def seat_pushes(clip: Clip, props: Sequence[MissingProp], rests: np.ndarray) -> np.ndarray:
    """Boolean (N, G): which parts of a body are pushed: those that rest (N, G), or sit on a seat (`with_seats`).

    Where something carries the pelvis and no seat could be put there, the hips.
    """
    own, sits = hips(clip.character), resting(clip).on if props else rests
    on = rests | (sits & own)
    for prop in props:
        rows = slice(prop.first, prop.last + 1)
        if not on[rows][:, own].any():
            on[rows] |= own
    return on


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
    places = resting(clip).places[rows][:, hips(clip.character)]
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
