"""What is drawn over the plain shapes of a body so that one sees who it is: a face, hands with fingers, shoes.

It is for the eye alone: masses, contacts and degrees of freedom are those of the plain shapes. Only bodies that poise
itself shaped are dressed (an ellipsoid for head and hand, boxes for the feet), in whose zero pose arms hang down.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import mujoco
import numpy as np

from poise.character.character import Character
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

ELLIPSOID, CAPSULE, BOX = (int(getattr(mujoco.mjtGeom, f"mjGEOM_{k}")) for k in ("ELLIPSOID", "CAPSULE", "BOX"))
_EYE, _SOLE = (0.16, 0.17, 0.20), (0.24, 0.25, 0.29)
_RELAXED, _FIST = (0.25, 0.55), (1.35, 1.75)  # [rad] by which the two bones of a finger are bent from the palm
_RUNS = 2.2  # [m/s]: who goes faster closes the hands


class Extra(NamedTuple):
    """A shape in the frame of a body, in MuJoCo's kinds and sizes; without a colour it has that of its side."""

    body: int
    kind: int
    place: Array  # (3,) [m]
    turn: Array  # (4,)
    size: Array  # (3,) [m]
    colour: tuple[float, float, float] | None = None


class Dress(NamedTuple):
    """The geoms that are not drawn as they are, and what is drawn besides."""

    hidden: frozenset[int]
    extras: tuple[Extra, ...]


def dressed(character: Character, fists: Collection[str] = ()) -> Dress:
    """The dress of a character; `fists` are the sides ("left", "right") whose hand is closed."""
    hidden: set[int] = set()
    extras: list[Extra] = []
    if character.has("head"):
        extras += _face(character, character.body("head"))
    for side in ("left", "right"):
        if character.has(f"{side}_hand"):
            palm = _first(character, character.body(f"{side}_hand"), ELLIPSOID)
            if palm is not None and character.model.geom_size[palm, 2] > 2.0 * character.model.geom_size[palm, 1]:
                hidden.add(palm)
                extras += _hand(character, palm, side, side in fists)
        for role in (f"{side}_foot", f"{side}_toes"):
            if character.has(role):
                extras += _shoe(character, character.body(role))
    return Dress(frozenset(hidden), tuple(extras))


def fists_of(clip: Clip) -> tuple[str, ...]:
    """The sides whose hand is closed: those that hold something, and both of somebody who runs."""
    gone = np.linalg.norm(np.diff(clip.q[:, :2], axis=0), axis=1).sum() if clip.q.shape[1] >= 7 else 0.0
    if gone > _RUNS * max(clip.duration, 1e-9):
        return "left", "right"
    return tuple(side for side in ("left", "right") if any(h.hand.startswith(side) for h in clip.holds or ()))


def _first(character: Character, body: int, kind: int) -> int | None:
    model = character.model
    return next((int(g) for g in np.flatnonzero(model.geom_bodyid == body) if model.geom_type[g] == kind), None)


def _face(character: Character, body: int) -> list[Extra]:
    """A nose and two eyes, where the head is an ellipsoid along the axes of its body."""
    model, skull = character.model, _first(character, body, ELLIPSOID)
    if skull is None or abs(model.geom_quat[skull, 0]) < 0.999:
        return []
    centre, (deep, wide, tall) = np.array(model.geom_pos[skull]), np.array(model.geom_size[skull])
    nose = Extra(body, ELLIPSOID, centre + np.array([0.99 * deep, 0.0, -0.12 * tall]), rot.IDENTITY,
                 np.array([0.16 * deep, 0.15 * wide, 0.20 * tall]))  # fmt: skip
    eyes = [Extra(body, ELLIPSOID, centre + np.array([0.88 * deep, y * wide, 0.13 * tall]), rot.IDENTITY,
                  np.array([0.08 * deep, 0.13 * wide, 0.08 * tall]), _EYE) for y in (-0.36, 0.36)]  # fmt: skip
    return [nose, *eyes]


def _hand(character: Character, palm: int, side: str, closed: bool) -> list[Extra]:
    """A palm and four fingers of two bones each, bent towards the body; the thumb is the body's own."""
    model, body = character.model, int(character.model.geom_bodyid[palm])
    wide, thick, long = np.array(model.geom_size[palm])
    centre = np.array(model.geom_pos[palm])
    inward = -1.0 if side == "left" else 1.0
    half = 0.50 * long
    middle = centre + np.array([0.0, 0.0, long - half])
    out = [Extra(body, ELLIPSOID, middle, rot.IDENTITY, np.array([wide, 0.95 * thick, 1.15 * half]))]
    first, second = _FIST if closed else _RELAXED
    radius = 0.24 * wide
    for k, share in enumerate((0.95, 1.0, 0.96, 0.8)):
        start = middle + np.array([wide * (0.68 - 0.45 * k), 0.0, -0.92 * half])
        for bend, part in ((first, 0.52), (first + second, 0.46)):
            length = part * share * long
            way = np.array([0.0, inward * np.sin(bend), -np.cos(bend)])
            end = start + length * way
            out.append(Extra(body, CAPSULE, 0.5 * (start + end), rot.between(np.array([0.0, 0.0, 1.0]), way),
                             np.array([radius, 0.5 * length, 0.0])))  # fmt: skip
            start = end
    return out


def _shoe(character: Character, body: int) -> list[Extra]:
    """A dark sole just around each box of a foot, and a rounded upper on it."""
    model, out = character.model, []
    for g in np.flatnonzero((model.geom_bodyid == body) & (model.geom_type == BOX)):
        place, turn, half = np.array(model.geom_pos[g]), np.array(model.geom_quat[g]), np.array(model.geom_size[g])
        low, up = np.array([0.0, 0.0, -0.45 * half[2]]), np.array([0.0, 0.0, 0.6 * half[2]])
        sole = half * [1.03, 1.05, 0.56]
        out.append(Extra(body, BOX, place + rot.rotate(turn, low), turn, sole, _SOLE))
        upper = np.array([1.05 * half[0], 0.97 * half[1], max(0.022, 1.2 * half[2])])
        out.append(Extra(body, ELLIPSOID, place + rot.rotate(turn, up), turn, upper))
    return out
