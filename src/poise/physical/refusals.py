"""Clips and options that a repair refuses, each in one sentence that says what is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from poise.character import Character
from poise.errors import BadValue, ClipMismatch
from poise.maths import rotations as rot
from poise.maths.configuration import FREE
from poise.motion.clip import Clip
from poise.motion.footing import footing
from poise.motion.runs import runs
from poise.physical.holds import held

SHORTEST = 8  # frames
HELD, FALL = 0.8, 5.0  # [s] without any contact, [m/s²] slower than which a body in the air is held by something
LIGHT = 0.5  # [kg]


def must_fit(clip: Clip, change: float, friction: float, margin: float) -> None:
    """Refuse what cannot be repaired, in clear words."""
    _must_be_sensible(change, friction, margin)
    _must_have_feet(clip.character)
    if len(clip) < SHORTEST:
        raise BadValue(f"A repair needs at least {SHORTEST} frames, and this clip has {len(clip)}.")
    labels, gripped = clip.contacts.labels, held(clip)
    if not labels.any() and not gripped.any():
        raise BadValue(_untouched(clip))
    lift = footing(clip)
    rising = lift.trimmed(lift.lift)
    for a, e in runs(~np.any(labels, axis=1) & ~gripped):
        if (e - a) * clip.dt > HELD and float(np.mean(rising[a:e])) > -FALL:
            raise BadValue(f"From {a * clip.dt:.2f} to {(e - 1) * clip.dt:.2f} s no foot touches and the body does not "
                           "fall: something that the clip does not tell of (hands, a bar) holds it.")  # fmt: skip


def bodies_to_keep(character: Character, keep: str | Iterable[str]) -> tuple[int, ...]:
    """Ids of the bodies whose names (roles) are given; one that does not exist is refused with those that do."""
    names = [keep] if isinstance(keep, str) else list(keep)
    return tuple(dict.fromkeys(character.body(str(name)) for name in names))


def _must_be_sensible(change: float, friction: float, margin: float) -> None:
    for name, value, least, most in (("change", change, 0.0, 100.0), ("friction", friction, 0.0, 10.0)):
        if not (math.isfinite(value) and least < value <= most):
            raise BadValue(f"The {name} of a repair must be a number above {least:g} and up to {most:g}, not {value}.")
    if not 0.0 <= margin < 1.0:
        raise BadValue(f"The margin of a repair is a share from 0 to below 1, not {margin}.")


def _must_have_feet(character: Character) -> None:
    if not len(character.tree.kind) or character.tree.kind[0] != FREE:
        raise ClipMismatch(f"{character.name} has no free root: nothing about its balance can be repaired.")
    if not len(character.contact_points):
        raise ClipMismatch(f"{character.name} has no feet or hands with contact points, so no ground can hold it; "
                           "name its feet by roles (left_foot, right_foot).")  # fmt: skip
    if not (character.mass > LIGHT and np.linalg.norm(character.model.opt.gravity) > 0.1):
        raise ClipMismatch(f"{character.name} weighs {character.mass:.3g} kg: without weight there is no balance to "
                           "repair.")  # fmt: skip


def _untouched(clip: Clip) -> str:
    """Why no contact was found."""
    character = clip.character
    places = character.points(clip.q)
    above = float(np.min(places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])))
    body = character.body("pelvis") if character.has("pelvis") else 1
    up = rot.rotate(character.forward(clip.q)[1][:, body], np.array([0.0, 0.0, 1.0]))[:, 2]
    if float(np.median(up)) < -0.5:
        why = "the body is upside down: is the file's up axis another one (up=...)?"
    elif above > 0.02:
        why = (f"the feet are {100 * above:.0f} cm or more above it: is the clip lifted off the floor (load it "
               "levelled), or is its unit wrong?")  # fmt: skip
    elif above < -0.05:
        why = f"the feet are up to {-100 * above:.0f} cm in it: is the floor elsewhere, or the unit wrong?"
    else:
        why = "the feet never rest on it: see clip.check()."
    return f"No foot ever touches the ground, so the ground cannot explain this motion; {why}"
