"""What else than feet and hands carries a body: knees, seat, back, shoulders, that rest on the ground or on a box.

They are not labelled: where a part of the body lies still on the ground, it may push. Recorded knees float, so parts
that are some centimetres up rest as well where the force that the motion needs cannot come from feet and hands near the
ground.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.character.skin import Skin, skin
from poise.dynamics.contact_cones import ContactCones
from poise.maths.intervals import close_gaps, frames
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import speeds
from poise.solve.explain import explain

DEEP, REACH = -0.05, 0.02  # [m] what is so high above the ground, or in it, rests on it: soft parts are pressed in
FLOATS = 0.08  # [m] above the ground may be what rests on it all the same
NEEDED, GAP = 200.0, 0.1  # [N at 70 kg] less is left over then, [s] of gaps in that
STILL, LEAVES = 0.25, 0.3  # [m/s] slower parts rest; of a repaired motion, what is slower may still push
FRICTION = 0.5  # of what is sat or lain on


class Resting(NamedTuple):
    """Places (N, G, 3) [m] below the parts that may rest, and which of them do (N, G)."""

    places: Array
    on: np.ndarray

    def pushing(self, ground: ContactCones) -> ContactCones:
        """What pushes, and these parts where they rest; the same where none ever does."""
        own = self.on.any(axis=0)
        if not own.any():
            return ground
        return ground.with_pushes(self.places[:, own], np.ascontiguousarray(self.on[:, own]), FRICTION)


def parts(character: Character) -> Skin:
    """The skin on which a body can rest, but for feet and hands, which have contact points, and ankles above them."""
    every = skin(character)
    own = ~np.isin(every.body, character.contact_points.bodies)
    for side in SIDES:
        if character.has(f"{side}_shin") and character.has(f"{side}_foot"):
            ankle = character.model.body_pos[character.body(f"{side}_foot")]
            low = np.linalg.norm(every.local - ankle, axis=1) < np.linalg.norm(every.local, axis=1)
            own &= ~((every.body == character.body(f"{side}_shin")) & low)
    return Skin(every.body[own], every.local[own], every.radius[own])


def resting(clip: Clip, reach: float = REACH, still: float = STILL) -> Resting:
    """Which parts of a body other than feet and hands rest on the ground: up to so high [m] and so fast [m/s]."""
    own = parts(clip.character)
    centres = own.centres(clip.character, clip.q)
    moving = speeds(centres, clip.dt) if len(clip) > 1 else np.zeros(centres.shape[:2])
    places = centres - own.radius[:, None] * np.array([0.0, 0.0, 1.0])
    above = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    return Resting(places, (above > DEEP) & (above < reach) & (moving < still))


def needed_parts(clip: Clip, wrench: Array, supports: ContactCones, high: Array) -> Resting:
    """Which parts rest on the ground, and which that float are needed for the wrench (N, 6) [N] of the motion.

    `supports` are the contact points, `high` (N, P) [m] above the ground, and grips.
    """
    sure, may = resting(clip), resting(clip, FLOATS)
    if not (may.on & ~sure.on).any():
        return sure
    near = np.column_stack([high < FLOATS, supports.contact[:, high.shape[1] :]])
    few = sure.pushing(replace(supports, contact=np.ascontiguousarray(near)))
    many = may.pushing(replace(supports, contact=np.ascontiguousarray(near)))
    left = [
        np.linalg.norm(explain(wrench, s.columns, s.contact, s.friction, most=20).left, axis=1) for s in (few, many)
    ]
    needed = close_gaps(left[0] > left[1] + NEEDED, frames(GAP, clip.dt))
    return sure._replace(on=np.where(needed[:, None], may.on, sure.on))
