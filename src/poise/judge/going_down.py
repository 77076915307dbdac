"""Going down: is a body that has not fallen yet about to, in the last frame of a take?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.ground.ground import Ground
from poise.judge.fall import FALL_HEIGHT, FALL_TIME, pelvis_height, pelvis_places
from poise.judge.support import beyond_support
from poise.maths.rotations import Array
from poise.take import Take

LOW = 0.75  # share of the reference's height of the pelvis above which it may be a landing
RECENT = 0.05  # [s] before the end over which speeds are taken
TOPPLED = 20.0  # [degrees] beyond the feet, more than in the clip, from which on a body that leans further comes down


class GoingDown(NamedTuple):
    """Somebody was about to go down when the take ended."""

    time: float  # [s] of the last frame
    how: str  # "sinking" or "toppling"
    value: float  # height of the pelvis as a share of that in the clip, or degrees beyond the feet


def going_down(take: Take, frames: int | None = None) -> GoingDown | None:
    """Is it going down in the last of the first `frames` of a take? None where it is not.

    Sinking: the pelvis is below 75 % of its reference height and, at its speed of the last 0.05 s, would be below 60 %
    within 0.2 s; so one that is below already, and does not come up again, is too. Toppling: the centre of mass is
    beyond the feet by 20 degrees more than in the reference, as seen from the ground below it, and moves on. Heights
    and speeds are those against the reference, so its own squats, jumps and strides count for nothing.
    """
    last = (len(take) if frames is None else frames) - 1
    if last < 0 or _held(take, last):
        return None
    first = max(0, last - round(RECENT / take.dt))
    ends = [first, last]
    span = float(take.time[last] - take.time[first])
    (high,), (wanted,) = pelvis_height(take, [last])
    place, place_ref = pelvis_places(take, ends)
    share = float(high / max(wanted, 1e-6))
    sinks = _rate(place[:, 2] - place_ref[:, 2], span) / max(wanted, 1e-6)
    if share < LOW and share + FALL_TIME * sinks < FALL_HEIGHT:
        return GoingDown(float(take.time[last]), "sinking", share)
    lean = leaning(take, ends)
    if lean[1] >= TOPPLED and _rate(lean, span) > 0.0:
        return GoingDown(float(take.time[last]), "toppling", float(lean[1]))
    return None


def leaning(take: Take, frames: list[int]) -> Array:
    """How far (K,) [degrees] the centre of mass is beyond the feet in some frames, more than in the reference."""
    out = []
    for k in frames:
        points = take.character.contact_points
        carry = np.union1d(points.feet, np.flatnonzero(take.scheduled[k])).astype(int)  # hands where they are meant to
        own = _beyond(take, take.q[k], take.ground, carry)
        out.append(own - _beyond(take, take.q_ref[k], take.clip.ground, carry))
    return np.array(out)


def _beyond(take: Take, q: Array, ground: Ground, carry: np.ndarray) -> float:
    """Angle [degrees] at the ground below the centre of mass between it and the nearest place of the support's hull."""
    if not len(carry):
        return 0.0
    centre = take.character.centre_of_mass(q[None])[0]
    high = float(centre[2] - ground.height(centre[0], centre[1]))
    off, _ = beyond_support(take.character.points(q[None])[0, carry, :2], centre[:2])
    return float(np.degrees(np.arctan2(off, max(high, 0.0))))


def _held(take: Take, last: int) -> bool:
    """Does something hold it up by its hands at the end, as a bar does and a load does not?"""
    rows = take.contacts
    grips = rows.bilateral & (rows.frame >= last - 1) & (rows.frame <= last)
    return float(rows.force[grips, 2].sum()) > 0.0


def _rate(values: Array, span: float) -> float:
    return float(values[1] - values[0]) / span if span > 0.0 else 0.0
