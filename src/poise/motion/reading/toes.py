"""Toes: does a recording tell how they bend?

A foot that rolls over its ball bends its toes by as much as its heel rises, since they stay on the ground. Many systems
do not record toes, or record noise: then the foot is pitched, the toes stay straight or curl, and their tips are
centimetres in the ground. Such toes tell nothing, and a body that followed them would have to be bent by tens of
degrees to stand; a foot without them stands on its front end, which is what such a recording shows.
"""

from __future__ import annotations

import numpy as np

from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.contacts.foot_motion import footing

LOW, SLOW = 0.03, 0.45  # [m], [m/s] a ball so near to the ground and so slow is rolled over
ROLLS = np.radians([10.0, 60.0])  # by how much the heel is raised as a foot rolls over its ball
ENOUGH = 0.08  # [s] of rolling that tells about the toes
MISSED = np.radians(15.0)  # rms angle by which toes that are recorded may fall short of the ground


def tell_nothing(clip: Clip) -> bool:
    """Are the toes of a foot so far in the ground while it rolls over its ball that they cannot have been recorded?

    The clip's floor must be level, and its feet laid flat (see `poise.motion.reading.flat_soles`).
    """
    character, seen = clip.character, footing(clip)
    pos, quat = character.forward(clip.q)
    points = character.place(pos, quat, character.contact_points.bodies, character.contact_points.positions)
    height = points[..., 2] - clip.ground.height(points[..., 0], points[..., 1])
    speed = seen.trimmed(seen.speed)
    for side in SIDES:
        pair = [k for k, name in enumerate(seen.names) if name == f"{side}_ball"]
        if not pair or not character.has(f"{side}_toes") or not character.has(f"{side}_foot"):
            continue
        low = height[:, seen.pairs[pair[0]]].min(axis=1)
        foot, toes = (quat[:, character.body(f"{side}_{part}")] for part in ("foot", "toes"))
        ahead = rot.rotate(foot, np.array([1.0, 0.0, 0.0]))
        pitch = np.arcsin(np.clip(-ahead[:, 2], -1.0, 1.0))
        bend = rot.twist_angle(rot.multiply(rot.conjugate(foot), toes), np.array([0.0, 1.0, 0.0]))
        rolls = (low < LOW) & (speed[:, pair[0]] < SLOW) & (pitch > ROLLS[0]) & (pitch < ROLLS[1])
        below = np.maximum(pitch + bend, 0.0)[rolls]  # angle of the toes under level
        if rolls.sum() * clip.dt > ENOUGH and float(np.sqrt(np.mean(below**2))) > MISSED:
            return True
    return False
