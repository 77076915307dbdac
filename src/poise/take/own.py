"""The user's own clip at the frames of a take: as it was given, before anything was done to it, on its own clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poise.errors import ClipMismatch
from poise.ground.ground import Ground
from poise.maths.rotations import Array
from poise.motion.reference import Reference

if TYPE_CHECKING:
    from poise.take.take import Take


@dataclass(frozen=True, eq=False)
class Own:
    """What the user wanted to see, F frames: loops unrolled, the last pose held past the end of an open clip.

    A method may follow something else: the clip made physical, fitted to a slope, or a clock that waits for a foot.
    """

    q: Array  # (F, nq)
    scheduled: np.ndarray  # (F, P) bool: which contact points touch in the clip
    ground: Ground  # that of the clip

    def __post_init__(self) -> None:
        if self.q.ndim != 2 or self.scheduled.ndim != 2 or len(self.q) != len(self.scheduled):
            raise ClipMismatch(f"The user's own clip needs as many rows of q as of contacts, not {self.q.shape} and "
                               f"{self.scheduled.shape}.")  # fmt: skip
        self.q.flags.writeable = self.scheduled.flags.writeable = False

    def rows(self, first: int, last: int) -> Own:
        """The frames first .. last - 1."""
        return Own(np.array(self.q[first:last]), np.array(self.scheduled[first:last]), self.ground)


def sampled(reference: Reference, time: Array) -> Own:
    """A reference at times (F,) [s] of its own clock."""
    samples = [reference.sample(float(t)) for t in time]
    points = len(reference.character.contact_points)
    labels = np.array([s.contacts for s in samples], bool).reshape(len(time), points)
    return Own(np.array([s.q for s in samples]), labels, reference.baked.ground)


def own_of(take: Take) -> Own:
    """The user's own clip in a take; what was followed where nothing else is known, on its own clock."""
    if take.own is not None:
        return take.own
    if "reference_lag" in take.traces:  # a file of an older version: q_ref waited and ran ahead
        return sampled(Reference(take.clip, start=take.start), take.time)
    return Own(take.q_ref, take.scheduled, take.clip.ground)
