"""Recorded legs led apart: bodies made from recordings are a little wider than those that were recorded.

Departures: the paper's legs pass through each other. Here they collide, and a reference whose legs are in each other
cannot be followed; its swinging feet are moved outwards by what is lacking, before the performance begins.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.maths import rotations as rot
from poise.methods.modal.legs import Legs
from poise.motion.clip import Clip
from poise.motion.passing import spread


@lru_cache(maxsize=32)
def led_apart(clip: Clip) -> Clip:
    """The clip with legs that pass each other; the same clip where they do."""
    legs = Legs(clip.character)
    if not legs.two:
        return clip
    outwards = spread(clip)  # (N, 2)
    if not outwards.any():
        return clip
    q = clip.q.copy()
    for k in np.flatnonzero(outwards.any(axis=1)):
        way = float(rot.heading(q[k, 3:7]))
        across = np.array([-np.sin(way), np.cos(way)])
        q[k] = legs.moved(clip.q[k], clip.q[k], np.outer(outwards[k] * np.array([1.0, -1.0]), across))
    return clip.with_q(q, labels=clip.contacts.labels)
