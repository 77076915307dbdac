"""Which points of a foot or hand carry it, where the evidence says that it touches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character.roles import SIDES
from poise.maths.intervals import close_gaps, drop_short, frames, runs
from poise.motion.clip import Clip
from poise.motion.contact.evidence import Evidence
from poise.physical.repair.footprints import feet_stray
from poise.physical.repair.labels import believed
from poise.physical.repair.recorded_force import tremble

LOADED = 0.1  # of body weight: friction holds a foot that carries more
FLAT = 0.02  # [m] by which a part of a foot that was turned wrongly may seem lifted
WRONG = (0.1, 0.2)  # [m] a foot that strays so far under load was turned wrongly; further, the whole leg was
HIGH = 0.03  # [m] a foot that floats higher shows nothing of how it stood
WORSE, LOST = 100.0, 200.0  # [N at 70 kg] left over more than by all points: a wrongly turned foot, or any, needs them
CLEAR, NOISY = 0.15, 2e-4  # of these, if the centre of mass does not tremble; [m] rms of tremble for twice as much
SHORT, GAP = 0.03, 0.15  # [s] for which that must be so at least, and of gaps in it


def touching_points(seen: Evidence, clip: Clip, seated: bool = False) -> np.ndarray:
    """Labels (N, P): of each foot that touches its lowest points, or all that the evidence says where these are needed.

    Soles do not fit recorded feet to the millimetre, and what is pinned though it was raised costs posture: so the
    lowest points of a foot are believed, unless they leave much more of the wrench than all that may touch: the less
    noisy the clip is that was seen, the sooner, but not if something untold carries the body for a while (`seated`).
    A foot that strays under load was turned wrongly in the recording: it is taken to stand flat sooner.
    """
    track, points = seen.track, seen.track.character.contact_points
    every = seen.labels.copy()
    for side in SIDES:
        own = points.of(side)
        every[:, own] |= seen.labels[:, own].any(axis=1, keepdims=True)
    few = believed(replace(track, labels=every))
    flat = believed(replace(track, labels=every), FLAT)
    away = feet_stray(track, every, loaded_feet(seen, every))
    wrong = (away > WRONG[0]) & (away < WRONG[1]) & ~_floats(seen, every)
    feet = [points.of(side) for side in SIDES if side in seen.limbs]
    more, much = few.copy(), few | seen.labels
    for k, own in enumerate(feet):
        few[:, own] = np.where(wrong[:, k, None], flat[:, own], few[:, own])
        more[:, own] = np.where(wrong[:, k, None], much[:, own] | flat[:, own], few[:, own])
    noise = float(np.sqrt(np.mean(tremble(clip, track) ** 2)))
    share = 1.0 if seated else min(CLEAR * (1.0 + (noise / NOISY) ** 2), 1.0)
    return needed_as_well(seen, needed_as_well(seen, few, more, share * WORSE), few | much, share * LOST)


def _floats(seen: Evidence, labels: np.ndarray) -> np.ndarray:
    """Boolean (N, feet): feet whose lowest point is ever recorded high above the ground while they touch."""
    places, points = seen.track.character.points(seen.track.q), seen.track.character.contact_points
    high = places[..., 2] - seen.track.ground.height(places[..., 0], places[..., 1])
    feet = [points.of(side) for side in SIDES if side in seen.limbs]
    out = np.zeros((len(labels), len(feet)), bool)
    for k, own in enumerate(feet):
        for a, e in runs(np.any(labels[:, own], axis=1)):
            out[a:e, k] = high[a:e, own].min(axis=1).max() > HIGH
    return out


def needed_as_well(seen: Evidence, few: np.ndarray, more: np.ndarray, worse: float) -> np.ndarray:
    """`few` labels (N, P), but `more` of them where these alone leave so much more [N] of the wrench unexplained."""
    left = [np.linalg.norm(seen.left_by(labels), axis=1) for labels in (few, more)]
    dt = seen.track.dt
    lost = close_gaps(drop_short(left[0] > left[1] + worse, frames(SHORT, dt)), frames(GAP, dt))
    return np.where(lost[:, None], more, few)


def loaded_feet(seen: Evidence, labels: np.ndarray) -> np.ndarray:
    """Boolean (N, feet): which feet carry a good part of the body by labels (N, P)."""
    loads = seen.loads(labels)
    return np.stack([loads[:, seen.limbs.index(side)] > LOADED for side in SIDES if side in seen.limbs], axis=1)
