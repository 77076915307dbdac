"""What the body stands, sits or hangs on without the clip telling of it: forces that no limb can give.

Where a body is carried and all that touches leaves much of the needed force over for a while, something else pushes. A
foot that rests high above the ground there stands on a box: it is put under the foot. Else place and time are told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.ground.ground import level_of
from poise.ground.treads import Tread, Treads
from poise.maths.intervals import close_gaps, frames, runs
from poise.maths.rotations import Array
from poise.maths.smoothing import smooth
from poise.motion.clip import Clip
from poise.motion.contact.evidence import REFERENCE, Evidence
from poise.motion.contact.foot_motion import speeds
from poise.motion.contact.resting_parts import FRICTION
from poise.solve.explain import explain

MUCH = 200.0  # [N at 70 kg] of the slow force, left over
SLOW = 3.0  # [Hz] faster forces may be noise
LONG, GAP = 0.5, 0.1  # [s] for at least so long, and of gaps in it
SOME, SEAT = 30.0, (0.25, 0.05)  # [N at 70 kg], [m] aside and up: less, at a place where it sat before, tells enough
RAISED, LEVEL, REST = 0.1, 0.05, 0.25  # [m], [m], [m/s] a foot so high, as level and as slow rests on something
FALLS = 0.3  # [body weights] less is needed by a body that nothing carries
CARRIED = 0.5  # [body weights] needed by a body that stands
AROUND = 0.05  # [m] by which a box reaches beyond the feet on it


class MissingProp(NamedTuple):
    """A force that nothing told of gives, over frames `first` to `last` (included)."""

    first: int
    last: int
    force: float  # vertical, mean, in body weights, if it acts on the pelvis
    place: tuple[float, ...]  # (3,) of the pelvis, mean [m]

    def text(self) -> str:
        """For people, with its place; frames tell its time."""
        x, y, z = self.place
        return (f"something that the clip does not tell of (a seat?) carries about {100 * self.force:.0f} % of the "
                f"body near x = {x:.2f}, y = {y:.2f}, z = {z:.2f} m")  # fmt: skip


def missing_props(seen: Evidence) -> list[MissingProp]:
    """Stretches in which the labelled contacts leave much of the force over that the motion needs."""
    s, labels, dt = seen.supports, seen.labels, seen.track.dt
    on = np.ascontiguousarray(np.column_stack([labels, s.contact[:, labels.shape[1] :]]))
    slow = smooth(seen.wrench, SLOW, dt)
    left = np.linalg.norm(explain(slow, s.columns, on, s.friction).left, axis=1)
    falls = seen.lift < FALLS  # slow forces of a run reach into its flights
    large = close_gaps((left > MUCH) & ~falls, frames(GAP, dt))
    stretches = [(int(a), int(e)) for a, e in runs(large) if (e - a) * dt >= LONG and not falls[a:e].any()]
    if not stretches:
        return []
    place = pelvis_places(seen.track)
    stretches = _seated_again(stretches, (left > SOME) & ~falls, place, dt)
    seated = replace(s, contact=on).with_pushes(place[:, None], np.ones((len(on), 1), bool), FRICTION)
    force = explain(slow, seated.columns, seated.contact, seated.friction).forces[:, -1, 0] / REFERENCE
    return [MissingProp(a, e - 1, float(force[a:e].mean()), tuple(map(float, place[a:e].mean(axis=0))))
            for a, e in stretches]  # fmt: skip


def _seated_again(stretches: list[tuple[int, int]], carried: np.ndarray, place: Array, dt: float) -> list:
    """All stretches in which something `carried` (N,) a body at a place (N, 3) where it sat in some of them.

    A seat that was found once is there all the time; so a little that is left over tells that it carries.
    """
    again = np.zeros(len(place), bool)
    for a, e in stretches:
        away = np.abs(place - np.median(place[a:e], axis=0))
        again[a:e] = True
        again |= carried & (np.linalg.norm(away[:, :2], axis=1) < SEAT[0]) & (away[:, 2] < SEAT[1])
    return [(int(a), int(e)) for a, e in runs(close_gaps(again, frames(GAP, dt)))]


def pelvis_places(clip: Clip) -> Array:
    """Where the pelvis is (N, 3) [m], which a seat would carry."""
    pelvis = clip.character.body("pelvis") if clip.character.has("pelvis") else 1
    return clip.character.forward(clip.q)[0][:, pelvis]


def with_boxes(clip: Clip, seen: Evidence) -> Clip:
    """The clip with boxes under feet that rest high above the ground while they must carry the body."""
    treads, level = getattr(clip.ground, "treads", None), level_of(clip.ground)
    if clip.labels is not None or (level is None and treads is None):
        return clip
    points, places = clip.character.contact_points, seen.track.character.points(seen.track.q)
    high = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    fast = speeds(places, clip.dt)
    found: list[tuple[float, Array]] = []
    grounded = bool(np.any(seen.labels & (high < LEVEL)))  # else the whole clip may be lifted off the floor
    for side in (limb for limb in points.limbs if not limb.endswith("hand")):
        own = points.of(side)
        low = high[:, own].min(axis=1)
        rests = (seen.lift > CARRIED) & (low > RAISED) & (fast[:, own].min(axis=1) < REST)
        for a, e in runs(close_gaps(rests & (high.min(axis=1) > RAISED), frames(GAP, clip.dt))):
            if grounded and (e - a) * clip.dt >= 0.5 * LONG and np.ptp(low[a:e]) < LEVEL:
                found.append((float(np.median(places[a:e, own, 2].min(axis=1))), places[a:e, own, :2].reshape(-1, 2)))
    if not found:
        return clip
    boxes: list[Tread] = list(treads or ())
    while found:
        top = found[0][0]
        own = [spot for z, spot in found if abs(z - top) < LEVEL]
        tops = [z for z, _ in found if abs(z - top) < LEVEL]
        found = [(z, spot) for z, spot in found if abs(z - top) >= LEVEL]
        low, far = (f(np.concatenate(own), axis=0) for f in (np.min, np.max))
        half = 0.5 * (far - low) + AROUND
        x, y = 0.5 * (low + far)
        boxes.append(Tread(x=float(x), y=float(y), half_length=float(half[0]), half_width=float(half[1]),
                            top=float(np.mean(tops)), heading=0.0))  # fmt: skip
    return replace(clip, ground=Treads(treads=tuple(boxes), level=getattr(clip.ground, "level", 0.0)))
