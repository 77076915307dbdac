"""Feet set down: what is labelled as touching rests on the ground, and nothing is below it.

Every edit that moves footprints starts from settled feet, and keeps them so: it moves each stance rigidly. Settling
is the correction that retargeting makes, from a character onto itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.character.roles import REQUIRED
from poise.maths.configuration import BALL, FREE
from poise.motion.check.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.feet.at_rest import at_rest

_SLIDING = 0.02  # [m/s] mean speed of touching points up to which feet count as settled
_BELOW = 0.005  # [m] depth up to which they do


@dataclass(frozen=True)
class Settle:
    """The clip with feet that neither slide while they touch nor sink into the ground; one that has them is kept."""

    def apply(self, clip: Clip) -> Clip:
        """The settled clip."""
        return settled(clip)


def is_settled(clip: Clip) -> bool:
    """Do touching points rest, and is none below the ground?"""
    return skating(clip) <= _SLIDING and penetration(clip) <= _BELOW


@lru_cache(maxsize=16)
def settled(clip: Clip) -> Clip:
    """The clip with settled feet; remembered, since edits of one clip are tried many times over."""
    character = clip.character
    walks = all(character.has(r) for r in REQUIRED) and len(character.contact_points) > 0
    if not walks or character.tree.kind[0] != FREE or not clip.contacts.labels.any() or is_settled(clip):
        return clip
    from poise.motion.retarget.retarget import retarget

    moved = retarget(clip, character, scale=1.0)
    q = np.array(clip.q)
    named = set(character.roles.values())
    for j, kind in enumerate(character.tree.kind):
        if character.body_names[int(character.model.jnt_bodyid[j])] in named:
            a = int(character.tree.qadr[j])
            rows = slice(a, a + {FREE: 7, BALL: 4}.get(int(kind), 1))
            q[:, rows] = moved.q[:, rows]
    if clip.cycle is not None:
        q[-1] = clip.cycle.carry(q[0], 1)
    nearly = clip.with_q(q, labels=clip.contacts.labels)
    still = at_rest(nearly)
    # where contacts contradict each other, bringing one point to rest may push another into the ground
    return still if penetration(still) <= max(_BELOW, penetration(nearly)) else nearly
