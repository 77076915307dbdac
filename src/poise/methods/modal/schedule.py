"""When contacts will really be there: the reference's schedule, corrected by what is seen.

The plan takes contacts from the reference (section 5.1). A corner of a foot that should stand but is in the air cannot
push until it has come down, and a foot that has landed early will not leave before it was to land.
"""

from __future__ import annotations

import numpy as np

from poise.maths.rotations import Array
from poise.methods.modal.assemble import TOUCHES
from poise.methods.modal.preview import Frames

_SINK = 0.5  # [m/s] at which a raised corner comes down


def corrected(frames: Frames, first: int, n: int, gap: Array, dt: float) -> Frames:
    """The frames with contacts as they must be expected, for contact points with gaps (F,) [m] now."""
    count = len(gap)
    label, down = frames.touching[first : first + n, :count], gap < TOUCHES
    if np.array_equal(label[0], down):
        return frames
    late = np.flatnonzero(label[0] & ~down)
    early = np.flatnonzero(~label[0] & down & label.any(axis=0))
    if not len(late) and not len(early):
        return frames
    touching = frames.touching.copy()
    for i in late:
        touching[first : first + min(n, int(gap[i] / (_SINK * dt)) + 1), i] = False
    for i in early:
        touching[first : first + int(np.argmax(label[:, i])), i] = True
    return frames._replace(touching=touching)
