"""A reference made ready before a performance begins: fitted to a sloping ground, and made physical.

A recording leaves forces that no ground can give, and a flat walk on a slope stumbles; methods that track a reference
closely ask for this first. Both take about as long as the clip lasts, once.
"""

from __future__ import annotations

from functools import lru_cache

from poise.errors import PoiseError
from poise.ground.ground import Ground, level_of, plane_of
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.physical.repair.repair import make_physical


def prepared(reference: Reference, ground: Ground, *, fit: bool = True,
             repair: bool = True) -> tuple[Reference, list[tuple[str, str]]]:  # fmt: skip
    """The reference for this ground, and what was done to it: kinds for a take's log, each with its sentence.

    `fit` lets a clip for level ground go along a slope, `repair` makes it physical; what cannot be repaired is kept.
    """
    notes: list[tuple[str, str]] = []
    clip = reference.baked
    if fit:
        sloped = _on(clip, ground)
        if sloped is not clip:
            notes.append(("fitted", "the clip was fitted to the slope"))
        clip = sloped
    if repair:
        try:
            physical = _repaired(clip)
            if physical is not clip:
                notes.append(("repaired", "the clip was made physical"))
            clip = physical
        except PoiseError as error:
            notes.append(("not repaired", f"the clip is followed as it is, since it cannot be made physical: {error}"))
    return (reference if clip is reference.baked else Reference(clip, start=reference.start)), notes


def _on(clip: Clip, ground: Ground) -> Clip:
    """The clip on a sloping ground, where it was made for a level one at the same place."""
    plane = plane_of(ground)
    if plane is None or plane.incline is None or level_of(clip.ground) != 0.0:
        return clip
    return _sloped(clip, *plane.incline)


@lru_cache(maxsize=16)
def _sloped(clip: Clip, degrees: float, heading: float) -> Clip:
    return clip.edit(edit.Slope(degrees, heading))


@lru_cache(maxsize=32)
def _repaired(clip: Clip) -> Clip:
    """Remembered: the same clip is often performed from many starts."""
    return make_physical(clip)
