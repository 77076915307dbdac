"""What hands would have to do where no foot explains a motion, in words."""

from __future__ import annotations

import numpy as np

from poise.character.roles import SIDES
from poise.judge.support import Support
from poise.judge.tolerances import DEFAULT, Tolerances
from poise.motion.clip import Clip


def hands_wanted(clip: Clip, places: Support, frames: np.ndarray, limits: Tolerances = DEFAULT, *,
                 standing: bool = False) -> str:  # fmt: skip
    """'the left hand, 6 cm above the ground, would have to touch it', or that hands would have to hold on, or nothing.

    Told for frames (K,) in which the feet alone cannot explain the motion; one that stands is not said to hold on.
    """
    character = clip.character
    for hold in clip.grips:
        closed = frames[hold.covers(clip.times[frames])]
        if not hold.carries and hold.place is not None and len(closed):
            off = float(np.median(np.linalg.norm(hold.path(clip)[closed] - np.asarray(hold.place), axis=1)))
            return f"the {hold.hand.replace('_', ' ')} is not at rest on its bar, but {100 * off:.0f} cm off"
    hands = [s for s in SIDES if character.has(f"{s}_hand")]
    low = {}
    for side in hands:
        own = np.flatnonzero((places.body == character.body(f"{side}_hand")) & ~places.grip)
        if len(own) and not places.touching[np.ix_(frames, own)].any():
            low[side] = float(np.median(places.height[np.ix_(frames, own)].min(axis=1)))
    near = {side: high for side, high in low.items() if high < limits.hand_near}
    if near:
        side = min(near, key=lambda s: near[s])
        high = f"{100 * max(near[side], 0.0):.0f} cm above the ground" if near[side] > 0.0 else "in the ground"
        return f"the {side} hand, {high}, would have to touch it"
    up = [side for side in low if not standing and _above(clip, places, side, frames, limits)]
    if not up:
        return ""
    one = len(up) == 1
    return f"the {up[0] + ' hand' if one else 'hands'} would have to hold on to something (clip.holds)"


def _above(clip: Clip, places: Support, side: str, frames: np.ndarray, limits: Tolerances) -> bool:
    """Is a hand at or above its shoulder, and slow?"""
    character = clip.character
    if not character.has(f"{side}_upper_arm"):
        return False
    hand = character.body(f"{side}_hand")
    pos, _ = character.forward(clip.q[frames])
    above = pos[:, hand, 2] > pos[:, character.body(f"{side}_upper_arm"), 2] - 0.1
    speed = places.speed[np.ix_(frames, np.flatnonzero(places.body == hand))].min(axis=1, initial=np.inf)
    return bool(np.mean(above) > 0.8 and np.median(speed) < limits.hand_still)
