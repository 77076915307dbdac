"""turn: a walk that turns a corner, as a loop: straight on, round the corner, straight on.

Legs and body are those of `walk`. The corner is taken within two strides, without stopping, as people do when
they know of it (Hase & Stein, Journal of Neurophysiology 81, 2914-2922, 1999); they slow down (Orendurff et al., Gait
and Posture 23, 106-111, 2006), and the head turns first, then the trunk, then the feet (Grasso, Prevost, Ivanenko &
Berthoz, Neuroscience Letters 253, 115-118, 1998). By how much, and the lean into the corner, is our own judgement.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.physical.library import walk
from poise.physical.library.gait import author, walker_hips
from poise.physical.library.manner import Gait, Manner, Path

STRIDES = 3  # of the loop
BENDS = {1.0: (0.6, 2.4), -1.0: (0.1, 1.9)}  # strides between which it turns, to the left and to the right: mirrored
SLOW = 0.25  # share of the speed that is lost in a corner of 90 degrees
GAIT = Gait("turn", walk.LEGS, Manner(width=0.08, arm_out=14.0))


def make(character: Character, speed: float = 1.1, angle: float = 90.0) -> Clip:
    """Three strides of a walk at `speed` [m/s] that turn by `angle` [degrees], to the left if it is positive."""
    if not 0.4 <= speed <= 1.6 or not 0.0 < abs(angle) <= 120.0:
        raise BadValue(f"A corner is taken at 0.4 to 1.6 m/s and turns by up to 120 degrees to either side, "
                       f"not at {speed} m/s and by {angle} degrees.")  # fmt: skip
    leg = walker_hips(character)
    stride = walk.stride_at(leg, speed)
    slow = SLOW * min(1.0, abs(angle) / 90.0)
    path = Path(stride, STRIDES, float(np.radians(angle)), BENDS[float(np.sign(angle))], slow)
    return author(character, GAIT, path, stride / speed, reach=stride * walk.LEG / (walk.STRIDE * leg))
