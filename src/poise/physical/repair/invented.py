"""What a repaired clip has and its recording had not: flights, steps, a body that is elsewhere; and what else to do."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from poise.character.roles import SIDES
from poise.maths.intervals import runs
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import foot_motion
from poise.motion.contact.grip_forces import held
from poise.motion.contact.resting_parts import resting

ELSEWHERE = 0.05  # [m] by which the centre of mass may be moved
FLIGHT, FALLS = 0.06, 6.0  # [s], [m/s²] a flight so long in which the recorded body falls slower was none
STEP = 0.1  # [m] by which a foot may step further than it was recorded to


class Invention(NamedTuple):
    """What is new in a repaired clip, and what its user can do about it."""

    what: str
    instead: str

    def __str__(self) -> str:
        return f"{self.what}; {self.instead}"


def inventions(before: Clip, after: Clip) -> list[Invention]:
    """All that was invented, given a clip and its repaired twin, frame by frame."""
    return [*_elsewhere(before, after), *_flights(before, after), *_steps(before, after)]


def _elsewhere(before: Clip, after: Clip) -> list[Invention]:
    was, now = (clip.character.centre_of_mass(clip.q) for clip in (before, after))
    moved = np.linalg.norm(now - was, axis=1)
    if not moved.max() > ELSEWHERE:
        return []
    at = int(np.argmax(moved))
    what = f"the centre of mass was moved by up to {100 * moved.max():.0f} cm, at {after.times[at]:.2f} s"
    return [Invention(what, f"tell what touches around frame {at} (--contact), or allow less change (--change 0.5)")]


def _flights(before: Clip, after: Clip) -> list[Invention]:
    motion = foot_motion(before)
    fall, dt, out = motion.trimmed(motion.lift), after.dt, []
    for a, e in runs(after.contacts.airborne() & ~held(after) & ~resting(after).on.any(axis=1)):
        if (e - a) * dt >= FLIGHT and fall[a:e].mean() > -FALLS:
            what = f"a flight of {(e - a) * dt:.2f} s at {a * dt:.2f} s, in which the recorded body does not fall"
            out.append(Invention(what, f"if it stood, tell so: --contact {_lowest(before, a, e)}:{a}-{e - 1}"))
    return out


def _lowest(clip: Clip, first: int, last: int) -> str:
    """The limb that is lowest in some frames."""
    points = clip.character.contact_points
    places = clip.character.points(clip.q[first:last])
    high = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    return min(points.limbs, key=lambda limb: float(high[:, points.of(limb)].min()), default="left")


def _steps(before: Clip, after: Clip) -> list[Invention]:
    points, out = after.character.contact_points, []
    was, now = (clip.character.points(clip.q) for clip in (before, after))
    for side in SIDES:
        own = points.of(side)
        stances = runs(np.any(after.contacts.labels[:, own], axis=1)) if len(own) else np.zeros((0, 2), int)
        for (a, b), (c, d) in pairwise(stances):
            new, old = (x[c:d, own, :2].mean(axis=(0, 1)) - x[a:b, own, :2].mean(axis=(0, 1)) for x in (now, was))
            if np.linalg.norm(new - old) > STEP:
                what = (
                    f"the {side} foot steps {100 * np.linalg.norm(new - old):.0f} cm elsewhere at {b * after.dt:.2f} s"
                )
                out.append(Invention(what, f"if it stayed down, tell so: --contact {side}:{b}-{c - 1}"))
    return out
