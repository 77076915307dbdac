"""Passage: a motion from one clip into another, as a show passes from the one to the other when it is told to."""

from __future__ import annotations

import numpy as np

from poise.errors import BadValue
from poise.methods.rehearse import Rehearsed
from poise.motion.clip import Clip
from poise.motion.recording import Source
from poise.motion.reference import Reference
from poise.performance.course import Course
from poise.performance.transition import LEAD, WAIT, length
from poise.stage import Stage

FPS = 120.0


def passage(before: Clip, after: Clip, seconds: float | None = None) -> Clip:
    """The clip that begins with one motion and ends with the other, made physical where they are joined.

    A loop is left soon, an open clip near its end. `seconds` is how long all of it lasts; where it is not given, until
    an open clip has ended, or for 4 s of a loop beyond the passage.
    """
    stage = Stage(ground=before.ground)
    course = Course(Reference(before), prepares=True, repairs=False)
    course.prepare_for(Rehearsed(), stage, 0.0)
    over = length(before, after)
    leave = 0.0 if before.cycle is not None else max(0.0, before.duration - LEAD - over - WAIT - 0.1)
    course.play(after, leave, None, None)
    ends = course.ends(leave)
    most = ends + (4.0 if after.cycle is not None else max(0.0, course.left(leave)))
    seconds = most if seconds is None else seconds
    if not 0.1 < seconds < 600.0:
        raise BadValue(f"A passage lasts 0.1 to 600 s, not {seconds:g} s.")
    times = np.arange(round(seconds * FPS) + 1) / FPS
    q, labels = [], []
    for t in times:
        course.due(float(t))
        sample = course.followed.sample(float(t))
        q.append(sample.q)
        labels.append(sample.contacts)
    name = f"{before.name} into {after.name}"
    return Clip(before.character, np.stack(q), 1.0 / FPS, Source(name, format="built-in"), before.ground,
                labels=np.stack(labels))  # fmt: skip
