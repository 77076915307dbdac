"""The course of a clip: what the abstract model follows, frame by frame, and where the corners stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.dynamics import Dynamics
from poise.errors import BadValue
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.reference import Reference

RATE = 120.0  # [1/s] frames of a course, nearly


@dataclass(frozen=True, eq=False)
class Course:
    """Frames 0..F of a clip; of a loop frame F is frame 0 of the next period."""

    h: float  # [s] between frames
    states: Array  # (F + 1, 12) C, P, Φ, L of the clip
    touching: np.ndarray  # (F + 1, P) bool: which points may push
    corners: Array  # (F + 1, P, 3) where points are [m]; at rest while they touch
    points: np.ndarray  # (P,) contact points of the character
    feet: np.ndarray  # (P,) 0 left foot, 1 right foot, -1 other
    mass: float  # [kg]
    gravity: Array  # (3,)
    cycle: Cycle | None

    @property
    def frames(self) -> int:
        """F."""
        return len(self.states) - 1


def course_of(clip: Clip) -> Course:
    """The course of a clip at about 120 frames a second."""
    character = clip.character
    labels = clip.contacts.labels
    if not labels.any():
        raise BadValue(f"The clip {clip.name!r} never touches the ground: no contact force could move it. Look at "
                       "`clip.contacts`, or at its height above the floor with `poise check`.")  # fmt: skip
    count = max(2, round(clip.duration * RATE))
    h, track, dynamics = clip.duration / count, Reference(clip), Dynamics(character)
    samples = [track.sample(k * h) for k in range(count + 1)]
    if clip.cycle is None:
        samples[-1] = track.sample(count * h - 1e-9)
    own = character.contact_points
    points = np.flatnonzero(labels.any(axis=0))
    states, places = np.zeros((count + 1, 12)), np.empty((count + 1, len(points), 3))
    for k, s in enumerate(samples):
        now = dynamics.at(s.q, s.v)
        momentum = now.momentum
        states[k, :3], states[k, 3:6], states[k, 9:] = now.centre_of_mass, momentum[:3], momentum[3:]
        places[k] = now.contact_positions[points]
    states[1:, 6:9] = np.cumsum(0.5 * h * (states[1:, 9:] + states[:-1, 9:]), axis=0)
    touching = np.array([s.contacts[points] for s in samples], bool)
    feet = np.full(len(points), -1)
    for f, side in enumerate(("left", "right")):
        feet[np.isin(points, own.of(side))] = f
    corners = _carried(_at_rest(places, touching, clip), places, touching, feet, clip.cycle is not None)
    return Course(h, states, touching, corners, points, feet, character.mass, character.model.opt.gravity.copy(),
                  clip.cycle)  # fmt: skip


def _at_rest(places: Array, touching: np.ndarray, clip: Clip) -> Array:
    """Places (F + 1, P, 3), of points that touch the mean of that stance, on the ground."""
    out = places.copy()
    for p in range(places.shape[1]):
        for first, end in runs(touching[:, p]):
            at = places[first:end, p].mean(axis=0)
            at[2] = clip.ground.height(at[:1], at[1:2])[0]
            out[first:end, p] = at
    return out


def _carried(rest: Array, places: Array, touching: np.ndarray, feet: np.ndarray, loops: bool) -> Array:
    """`rest` (F + 1, P, 3) with corners in the air moved along with those of their foot that were put at rest.

    A recorded foot slides a little where it stands. Corners in the air stay where they are beside the standing ones; in
    a swing the shift goes from that of the last stance to that of the next in proportion.
    """
    out, frames = rest.copy(), np.arange(len(rest))
    for f in (0, 1):
        mine = feet == f
        stands = touching[:, mine]
        known = stands.any(axis=1)
        if not known.any():
            continue
        off = np.where(stands[..., None], (rest - places)[:, mine], 0.0).sum(axis=1)
        off[known] /= stands.sum(axis=1)[known, None]
        period = len(rest) - 1 if loops else None
        shift = np.stack([np.interp(frames, frames[known], off[known, i], period=period) for i in range(3)], axis=1)
        out[:, mine] = np.where(stands[..., None], rest[:, mine], places[:, mine] + shift[:, None])
    return out
