"""What repairs cost: `poise reproduce truth/costs --recordings FOLDER`, CPU seconds, contacts and report included.

Every recording as it is, at 30 frames a second, and its best cycle for 18 s (there and back where it has none).
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from poise.errors import PoiseError
from poise.experiments.physical.speed import of_length
from poise.experiments.reproduce import Options, Table, told
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.resample import resample
from poise.physical.repair.repair import repair

SLOW, LONG = 30.0, 18.0  # frames a second, [s]
PER_SECOND, WHOLE = 1.5, 25.0  # [CPU s] that a second of motion, and the long clip, may cost
COLUMNS = ("recording", "fps", "s", "CPU s/s", "CPU s/s at 30 fps", "CPU s of 18 s", "beyond")


def spent(clip: Clip) -> float:
    """CPU seconds of one repair; NaN where the clip cannot be repaired."""
    begun = time.process_time()
    try:
        repair(clip)
    except PoiseError:
        return float("nan")
    return time.process_time() - begun


def run(options: Options) -> Table:
    """One row a recording, and the mean."""
    rows, values = [], []
    for path in options.files():
        clip = load_clip(path)
        if not rows:
            spent(clip)  # compiles
        slow = replace(resample(clip, SLOW), labels=None) if clip.fps > 1.1 * SLOW else clip
        each = (spent(clip) / clip.duration, spent(slow) / clip.duration, spent(of_length(clip, LONG)))
        beyond = [word for word, bad in (("cost", each[0] > PER_SECOND), ("long", each[2] > WHOLE)) if bad]
        rows.append(told((path.stem, round(clip.fps), clip.duration, *each, ", ".join(beyond) or "-")))
        values.append(each)
    mean = np.nanmean(np.array(values), axis=0)
    note = "18 s: the best cycle of a recording again and again, or there and back where it has none."
    return Table("What repairs cost", COLUMNS, (*rows, ("mean", "", "", *map(float, mean), "")), (note,))
