"""How a performance ended: one answer, on which every verdict rests. What is not finite or not whole is never good."""

from __future__ import annotations

import numpy as np

from poise.judge.fall import FALL_HEIGHT, Fall, fall
from poise.judge.going_down import GoingDown, going_down
from poise.judge.support import name_of
from poise.take import Ended, Take

_ROWS = ("q", "v", "torque", "q_ref", "v_ref")
_TABLES = ("contacts", "external", "assist")


def ended(take: Take) -> Ended:
    """How it ended, and when: what came first of a fall, a number that is none, and the end of the run itself."""
    known = sound_frames(take)
    broken = float(take.time[known]) if known < len(take) else None
    down = fall(take, known)
    if down is not None:
        return Ended("fell", down.time, fall_words(take, down))
    if broken is not None:
        return Ended("blew up", broken, "a number in the take is not finite")
    end = take.run_ended if take.run_ended is not None else _told(take)
    last = float(take.time[-1])
    if end.whole and take.asked > 0.0 and last < take.asked - 1.5 * take.dt:
        return Ended("stopped", last, f"{take.asked:.2f} s were asked for")
    sinks = going_down(take) if end.whole else None
    if sinks is not None:
        return Ended("fell", sinks.time, going_down_words(sinks))
    return end if np.isfinite(end.time) else Ended("blew up", last, "the time of its end is not finite")


def sound_frames(take: Take) -> int:
    """How many frames there are before the first in which any number is not finite."""
    good = np.isfinite(take.time)
    for name in _ROWS:
        good = good & np.isfinite(getattr(take, name)).all(axis=1)
    for name in _TABLES:
        record = getattr(take, name)
        bad = ~np.isfinite(record.rows()).all(axis=1)
        good[record.frame[bad]] = False
    return len(take) if good.all() else int(np.argmin(good))


def fall_words(take: Take, down: Fall) -> str:
    """A fall in one clause."""
    name = name_of(take.character, down.body)
    if down.how == "touched":
        return f"its {name} touched the ground"
    return f"its {name} stayed below {100 * FALL_HEIGHT:.0f} % of its height in the clip"


def going_down_words(found: GoingDown) -> str:
    """A fall that had only begun, in one clause."""
    if found.how == "sinking":
        return (
            f"it was going down when the take ended, its pelvis at {100 * found.value:.0f} % of its height in the clip"
        )
    return f"it was toppling when the take ended, its weight {found.value:.0f} degrees beyond its feet"


def _told(take: Take) -> Ended:
    """The end of a run of which the file of an older version tells nothing but its log."""
    for entry in take.events:
        if entry.kind == "blow-up":
            return Ended("blew up", entry.time, entry.text)
    return Ended("whole", float(take.time[-1]))
