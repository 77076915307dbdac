"""What swinging feet keep to in a window of a motion that is repaired: when they can land, and how they pass.

The ground may have gone from under a foot that should touch it, or that is about to: it touches when it can have come
down. And nothing in the laws of motion keeps the legs of a body apart, or a foot off the ground that it passes over.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.ground.ground import Ground
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.fades import fade
from poise.motion.feet.leg_clearance import beside_standing
from poise.motion.ik.ik import FloorTarget
from poise.motion.reference import Sample

TOUCHES = 0.004  # [m] above the ground up to which a foot touches
EARLY = 0.1  # [s] by which a foot may land before its time and stand from then on
# [m] above the ground from which on a point that should touch does not, and [m/s] it sinks at
RAISED, SINKS = 0.006, 0.6
CLEAR, LIFTED = 0.015, 10.0  # [m] that swinging feet keep from the ground, and what that weighs
MENDED = 0.2  # [s] in which feet that are too low or too near to each other come to be so no longer
TILTS = 0.08  # [s] in which at least a foot that stands on a part of it is laid onto the ground


class Feet(NamedTuple):
    """What two feet do in the frames ahead."""

    points: tuple[np.ndarray, ...]  # contact points of each
    down: np.ndarray  # (M, 2) bool: each should stand

    @classmethod
    def of(cls, character: Character, labels: np.ndarray) -> Feet:
        """By the labels (M, P) of contact points."""
        points = tuple(character.contact_points.of(side) for side in SIDES)
        return cls(points, np.stack([labels[:, own].any(axis=1) for own in points], axis=1))

    def landing(self, side: int) -> int:
        """Frames to the next touch-down of a foot that does not stand, or that leaves and comes again; -1: none."""
        up = np.flatnonzero(~self.down[:, side])
        later = np.flatnonzero(self.down[up[0] :, side]) if len(up) else up
        return int(up[0] + later[0]) if len(later) else -1


def swinging(character: Character, ground: Ground, edited: Array, goals: Array, labels: np.ndarray, now: Array,
             dt: float) -> tuple[FloorTarget, ...]:  # fmt: skip
    """What keeps legs apart and feet off the ground in frames (N, nq) of the edited motion; frame 1 is `now` (nq,).

    goals (N, P, 3) are the places of contact points, which touch by labels (N, P).
    """
    late = 1.0 - fade((np.arange(len(edited)) - 1) * dt / MENDED)
    return (*beside_standing(character, edited, goals, labels, now, late),
            *_clear(character, ground, edited, labels, now, late))  # fmt: skip


def _clear(character: Character, ground: Ground, edited: Array, labels: np.ndarray, now: Array, late: Array
           ) -> list[FloorTarget]:  # fmt: skip
    """What keeps swinging feet over the ground as in the edited motion (N, nq), up to `CLEAR`.

    What is lower in the pose `now` (nq,) of frame 1 may be so by a share `late` (N,) of that.
    """
    points, places, here = character.contact_points, character.points(edited), character.points(now[None])[0]
    gap = places[..., 2] - ground.height(places[..., 0], places[..., 1])
    out = []
    for side in SIDES:
        own = points.of(side)
        swings = ~labels[:, own].any(axis=1)
        for i in own if swings.any() else ():
            normal = np.array(ground.normal(places[:, i, 0], places[:, i, 1]))
            level = np.sum(normal * places[:, i], axis=1) - normal[:, 2] * np.maximum(gap[:, i] - CLEAR, 0.0)
            level -= max(float(level[1] - normal[1] @ here[i]), 0.0) * late
            out.append(FloorTarget(int(points.bodies[i]), points.positions[i], level, normal, LIFTED * swings))
    return out


def landing_labels(character: Character, ground: Ground, q: Array, samples: list[Sample], dt: float) -> np.ndarray:
    """The labels (M, P) of the samples with feet that have landed before their time standing from now on.

    Points that are higher over the ground than in the motion touch later: it may have gone from under them.
    """
    labels = np.stack([s.contacts for s in samples])
    out, feet = labels.copy(), Feet.of(character, labels)
    places = character.points(np.stack([q, samples[0].q]))
    gap = places[..., 2] - ground.height(places[..., 0], places[..., 1])
    for side, own in enumerate(feet.points):
        lands = feet.landing(side)
        if len(own) and not feet.down[0, side] and 0 < lands <= EARLY / dt and gap[0, own].min() < TOUCHES:
            out[:lands, own] = labels[lands, own]
    higher = gap[0] - np.where(labels[0], 0.0, np.maximum(gap[1], 0.0))
    firm = out[0] & (gap[0] < RAISED)
    for own in feet.points:
        least = TILTS if firm[own].any() else 0.0
        for i in own[higher[own] > RAISED]:
            for a, e in runs(out[:, i])[:1]:
                if a * dt < EARLY:
                    wait = max(higher[i] / SINKS, least)
                    out[a : min(int(e), int(a) + math.ceil(wait / dt)), i] = False
    return out
