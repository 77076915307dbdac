"""Contacts that a repair believes: a part of a foot recorded well above the rest of it does not stand on the ground.

Detection of contacts is generous, since soles do not fit recorded feet to the millimetre. A repair pins what touches,
and a heel that is pinned though it was raised costs degrees of posture. The lowest part of a foot that touches always
keeps its contact, so no support is lost altogether.
"""

from __future__ import annotations

import numpy as np

from poise.character.roles import SIDES
from poise.motion.clip import Clip
from poise.motion.runs import close_gaps, drop_short, frames

LIFTED = 0.006  # [m] above the lowest touching point of its foot
SHORTEST = 0.04  # [s] of contact, and of a gap in it


def believed(clip: Clip) -> np.ndarray:
    """The clip's labels (N, P) without points that are lifted off the ground by the rest of their foot."""
    labels, points = np.array(clip.contacts.labels), clip.character.contact_points
    places = clip.character.points(clip.q)
    height = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    count = frames(SHORTEST, clip.dt)
    for side in SIDES:
        own = points.of(side)
        on = labels[:, own]
        if not on.any():
            continue
        above = height[:, own] - np.where(on, height[:, own], np.inf).min(axis=1, keepdims=True)
        kept = on & (above < LIFTED)
        for k in range(len(own)):
            kept[:, k] = drop_short(close_gaps(kept[:, k], count), count) & on[:, k]
        lost = on.any(axis=1) & ~kept.any(axis=1)
        kept[lost] = on[lost] & (above[lost] < LIFTED)
        labels[:, own] = kept
    if clip.cycle is not None and len(labels) > 1:
        labels[-1] = labels[0]
    return labels
