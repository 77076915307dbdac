"""Contacts of six recordings, told by looking, and what was looked at.

Pictures of every tenth to twentieth of a second, heights and speeds of heel, ball and tip of each foot, lowest point
and wrist of each hand, and the fall of the centre of mass were looked at; no labels of any detector were. Where eyes
could not decide (a foot that turns on its heel, a toe that may rest, the last fingers of a hand) nothing is told.
Times of a first and a last touch are good to about 0.02 s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Spans = tuple[tuple[float, float], ...]
ALWAYS: Spans = ((0.0, np.inf),)


class Told(NamedTuple):
    """When a limb touches, and when that could not be told [s]; it does not touch at all other times."""

    touching: Spans
    unsure: Spans = ()


# beginnings of names of files of the CMU database; times from the first frame after the T-pose on
HAND_LABELS: dict[str, dict[str, Told]] = {
    "02_01": {  # walk
        "left": Told(((0.02, 0.72), (1.13, 1.81), (2.22, np.inf))),
        "right": Told(((0.0, 0.15), (0.59, 1.25), (1.68, 2.34), (2.77, np.inf))),
    },
    "02_03": {  # jog
        "left": Told(((0.44, 0.68), (1.22, np.inf))),
        "right": Told(((0.07, 0.31), (0.83, 1.06))),
    },
    "22_14": {"left": Told(ALWAYS), "right": Told(ALWAYS)},  # squats: soles float by 4 to 8 cm at the bottom
    "90_02": {  # cartwheel
        "left": Told(((0.0, 0.42), (0.95, 1.29), (2.24, np.inf)), ((0.42, 0.95),)),
        "right": Told(((0.0, 1.01), (1.91, 2.28), (2.62, np.inf))),
        "left_hand": Told(((1.24, 1.60),), ((1.18, 1.24), (1.60, 1.72))),
        "right_hand": Told(((1.62, 1.95),), ((1.54, 1.62), (1.95, 2.02))),
    },
    "132_23": {  # hops on the left foot
        "left": Told(((0.0, 1.19), (1.42, 2.13), (2.39, 3.03), (3.27, 4.11))),
        "right": Told(((3.97, np.inf),), ((0.0, 0.92),)),
    },
    "144_05": {  # front kicks
        "left": Told(((0.06, 1.38), (1.95, 3.36)), ((1.38, 1.95), (3.36, np.inf))),
        "right": Told(((0.0, 0.24), (1.29, 2.02), (3.11, np.inf))),
    },
}
