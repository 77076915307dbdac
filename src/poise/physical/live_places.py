"""Where feet and hands shall stand in the half second ahead of what is being followed."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.ground import Ground

KNOWN = 3  # frames that are not unknowns: one before the beginning, one at it, and the next, for the acceleration there
PIVOT = 0.03  # [m] a foot whose points stray further while they touch turns, and is led over the ground, not held
SLID = 0.15  # [m] so is one that is pushed over the ground further than badly joined motions push it
UNDER = 0.05  # [m] ground that is further than this from a point that touches is not what it stands on


def places_ahead(character: Character, ground: Ground, wanted: Array, now: Array, labels: np.ndarray,
                 mixed: np.ndarray) -> Array:  # fmt: skip
    """Where contact points (M, P, 3) shall be while they touch: at one place for each stretch of contact.

    That is where the edited motion `wanted` (M, nq) puts them, at the end if it slides them; frames that are `mixed`
    (M,) of two motions may slide them any way. A foot that stands in the configuration `now` (nq,), that of frame 1,
    stays where it is, all of it.
    """
    goals, points = character.points(wanted), character.contact_points
    here = character.points(now[None])[0]
    for limb in points.limbs:
        own = points.of(limb)
        for first, last in runs(np.asarray(labels[:, own].any(axis=1))):
            rows, stands = slice(first, last), labels[1, own]
            places, still = _planted(goals[rows, own], labels[rows, own], bool(mixed[rows].any()))
            if first < KNOWN and stands.any():
                old = places[1 - first, stands].mean(axis=0)
                turn = _turned(character, limb, wanted[1], now) if still else 0.0
                places = here[own][stands].mean(axis=0) + rot.rotate(rot.about_z(turn), places - old)
                if still:
                    places[:, stands] = here[own][stands]
            goals[rows, own] = places
    level = ground.height(goals[..., 0], goals[..., 1])
    near = labels & (np.abs(level - goals[..., 2]) < UNDER)  # a corner over the edge of a step is as high as its foot
    goals[..., 2] = np.where(near, level, goals[..., 2])
    return goals


def _planted(places: Array, labels: np.ndarray, mixed: bool) -> tuple[Array, bool]:
    """The points (M, K, 3) of one stance, each at one place while it touches; as they are where they do not rest."""
    where, slid = _without_slide(places, labels)
    out = where.copy()
    for k in range(labels.shape[1]):
        for a, e in runs(labels[:, k]):
            out[a:e, k] = np.median(where[a:e, k], axis=0)
    still = mixed or bool(slid < SLID and np.linalg.norm(out - where, axis=-1).max() < PIVOT)
    return (out, True) if still else (places, False)


def _without_slide(places: Array, labels: np.ndarray) -> tuple[Array, float]:
    """The points (M, K, 3) of a foot without what it is moved over the ground while it stands, and how far that is.

    The last frame stays as it is.
    """
    both, moved = labels[1:] & labels[:-1], np.diff(places, axis=0) * np.array([1.0, 1.0, 0.0])
    least = np.argmin(np.where(both, np.linalg.norm(moved, axis=-1), np.inf), axis=1)  # a foot that turns rests there
    slide = np.where(np.any(both, axis=1)[:, None], moved[np.arange(len(moved)), least], 0.0)
    left = np.concatenate([np.cumsum(slide[::-1], axis=0)[::-1], np.zeros((1, 3))])
    return places + left[:, None], float(np.linalg.norm(left, axis=1).max())


def _turned(character: Character, limb: str, wanted: Array, now: Array) -> float:
    """Angle [rad] about Z from the foot of one configuration (nq,) to that of another; none for hands."""
    if not character.has(f"{limb}_foot"):
        return 0.0
    old, new = character.forward(np.stack([wanted, now]))[1][:, character.body(f"{limb}_foot")]
    return float(rot.heading(new) - rot.heading(old))
