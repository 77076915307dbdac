"""Clips and options that a repair refuses, each in one sentence that says what is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from poise.character import Character
from poise.errors import BadValue, ClipMismatch
from poise.maths import rotations as rot
from poise.maths.configuration import FREE
from poise.maths.intervals import runs
from poise.motion.cleaning import LEAP
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import foot_motion
from poise.motion.contact.grip_forces import held
from poise.motion.contact.resting_parts import resting

SHORTEST = 8  # frames
HELD, FALL = 0.8, 5.0  # [s] without any contact, [m/s²] slower than which a body in the air is held by something
LIGHT = 0.5  # [kg]
FLOATS, LIFTED = 0.1, 0.02  # [m] a limb, and a body, that is never lower does not touch the ground
SLOWEST, QUICKEST = 4.0, 20000.0  # frames a second between which feet and forces can be told


def must_fit(clip: Clip, change: float, friction: float, margin: float, force: float) -> None:
    """Refuse what cannot be repaired, in clear words."""
    if not 0.0 <= force <= 1.0:
        raise BadValue(f"`force` goes from 0 (the recorded force is not kept) to 1, not to {force}.")
    _must_be_sensible(change, friction, margin)
    _must_have_feet(clip.character)
    if len(clip) < SHORTEST:
        raise BadValue(f"A repair needs at least {SHORTEST} frames, and this clip has {len(clip)}.")
    if not SLOWEST <= clip.fps <= QUICKEST:
        raise BadValue(f"This clip has {clip.fps:.3g} frames a second; between {SLOWEST:g} and {QUICKEST:g} a motion "
                       "tells where feet stand and what forces it needs: is its frame time wrong?")  # fmt: skip
    _must_be_above_ground(clip)


def must_touch(clip: Clip, seen: np.ndarray | None = None, rests: np.ndarray | None = None) -> None:
    """Refuse a clip that something untold of holds, or whose contacts cannot be.

    `seen` (N, P) are other contacts that were found, `rests` (N,) tells where other parts lie on the ground.
    """
    labels, gripped = clip.contacts.labels, held(clip) | (resting(clip).on.any(axis=1) if rests is None else rests)
    if not labels.any() and not gripped.any():
        raise BadValue(_untouched(clip))
    _must_reach_ground(clip)
    lift = foot_motion(clip)
    rising = lift.trimmed(lift.lift)
    on = np.any(labels, axis=1) if seen is None else np.any(labels | seen, axis=1)
    for a, e in runs(~on & ~gripped):
        if (e - a) * clip.dt > HELD and float(np.mean(rising[a:e])) > -FALL:
            raise BadValue(f"From {a * clip.dt:.2f} to {(e - 1) * clip.dt:.2f} s no foot touches and the body does not "
                           "fall: something that is not in the clip (hands, a bar) holds it.")  # fmt: skip


def must_hang_together(clip: Clip) -> None:
    """Refuse a clip, cleaned of spikes, whose body is suddenly elsewhere: two motions in one."""
    step = np.linalg.norm(np.diff(clip.q[:, :3], axis=0), axis=1)
    at = int(np.argmax(step))
    speed = float(step[at]) / clip.dt
    if speed > LEAP * math.sqrt(max(clip.character.height, 1e-3) / 1.75):
        raise BadValue(f"Around {at * clip.dt:.2f} s (frame {at}) the body is suddenly elsewhere: its hips move at "
                       f"{speed:.0f} m/s, and no force explains that; cut the clip there.")  # fmt: skip


def bodies_to_keep(character: Character, keep: str | Iterable[str]) -> tuple[int, ...]:
    """Ids of the bodies whose names (roles) are given; one that does not exist is refused with those that do."""
    if not isinstance(keep, Iterable):
        raise BadValue(f"keep takes names of bodies, not {keep!r}.")
    names = [keep] if isinstance(keep, str) else list(keep)
    return tuple(dict.fromkeys(character.body(str(name)) for name in names))


def _must_be_sensible(change: float, friction: float, margin: float) -> None:
    for name, value, least, most in (("change", change, 0.0, 100.0), ("friction", friction, 0.0, 10.0)):
        if not (_is_number(value) and least < value <= most):
            raise BadValue(
                f"The {name} of a repair must be a number above {least:g} and up to {most:g}, not {value!r}."
            )
    if not (_is_number(margin) and 0.0 <= margin < 1.0):
        raise BadValue(f"The margin of a repair is a share from 0 to below 1, not {margin!r}.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and math.isfinite(float(value))


def _must_be_above_ground(clip: Clip) -> None:
    """Refuse a body whose pelvis is below the ground most of the time: it hangs from it by its feet."""
    pelvis = clip.character.body("pelvis") if clip.character.has("pelvis") else 1
    place = clip.character.forward(clip.q)[0][:, pelvis]
    below = clip.ground.height(place[:, 0], place[:, 1]) - place[:, 2]
    if float(np.median(below)) > 0.0 and not held(clip).any():
        why = "the body is upside down: is the file's up axis another one (up=...)?" if _upside_down(clip) else (
            "is the floor elsewhere, or the unit wrong?")  # fmt: skip
        raise BadValue(f"The hips are {100 * float(np.median(below)):.0f} cm below the ground, so the ground cannot "
                       f"explain this motion; {why}")  # fmt: skip


def _must_reach_ground(clip: Clip) -> None:
    """Refuse contacts that were given for a foot or a hand that is nowhere near the ground."""
    points, places = clip.character.contact_points, clip.character.points(clip.q)
    above = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    above = np.where(clip.contacts.labels, above, np.inf)
    lifted = clip.labels is not None and LIFTED < above.min(initial=np.inf) < np.inf  # all that touches hovers
    for limb in points.limbs:
        lowest = float(above[:, points.of(limb)].min(initial=np.inf))
        if (LIFTED if lifted else FLOATS) < lowest < np.inf:
            name = limb.replace("_", " ") if "_" in limb else f"{limb} foot"
            raise BadValue(f"The {name} is said to touch the ground, but is always {100 * lowest:.0f} cm or more above "
                           "it: is the clip lifted off the floor, or are its contacts wrong?")  # fmt: skip


def _upside_down(clip: Clip) -> bool:
    body = clip.character.body("pelvis") if clip.character.has("pelvis") else 1
    up = rot.rotate(clip.character.forward(clip.q)[1][:, body], np.array([0.0, 0.0, 1.0]))[:, 2]
    return float(np.median(up)) < -0.5


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
    if _upside_down(clip):
        why = "the body is upside down: is the file's up axis another one (up=...)?"
    elif above > 0.02:
        why = (f"the feet are {100 * above:.0f} cm or more above it: is the clip lifted off the floor (load it "
               "levelled), or is its unit wrong?")  # fmt: skip
    elif above < -0.05:
        why = f"the feet are up to {-100 * above:.0f} cm in it: is the floor elsewhere, or the unit wrong?"
    else:
        why = "the feet never rest on it: `poise check` or clip.check() tells more."
    return f"No foot ever touches the ground, so the ground cannot explain this motion; {why}"
