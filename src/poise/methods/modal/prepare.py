"""The reference made ready before the performance begins: fitted to a sloping ground, made physical.

Departures: section 9 of Jain & Liu 2011 asks for references whose unphysical stretches are shorter than 10 to 15 frames
and leaves it to the user to find them. Recordings seldom are like that; a clip that obeys physics already is kept.
"""

from __future__ import annotations

from functools import lru_cache

from poise.errors import PoiseError
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.ground import Flat, Slope
from poise.motion.reference import Reference
from poise.stage import Stage


def prepared(reference: Reference, stage: Stage) -> tuple[Reference, list[str]]:
    """The reference for this stage, and sentences that say what was done to it."""
    clip, notes = reference.baked, []
    ground = stage.ground
    if isinstance(ground, Slope) and isinstance(clip.ground, Flat) and clip.ground.level == 0.0:
        clip = _sloped(clip, ground.degrees, ground.heading)
        notes.append("the clip was fitted to the slope")
    try:
        physical = _repaired(clip)
        if physical is not clip:
            notes.append("the clip was made physical")
        clip = physical
    except PoiseError as error:
        notes.append(f"the clip is followed as it is: {error}")
    return (reference if clip is reference.baked else Reference(clip, start=reference.start)), notes


@lru_cache(maxsize=16)
def _sloped(clip: Clip, degrees: float, heading: float) -> Clip:
    return clip.edit(edit.Slope(degrees, heading))


@lru_cache(maxsize=32)
def _repaired(clip: Clip) -> Clip:
    """Remembered: the same clip is often performed from many starts."""
    from poise.physical.repair import make_physical

    return make_physical(clip)
