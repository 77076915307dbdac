"""Legs that fit wanted feet: in closed form where the joints allow it, by least squares where they do not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.edit.feet import Feet
from poise.motion.edit.footprints import Footsteps
from poise.motion.edit.limb import limb, reach
from poise.motion.edit.window import envelope
from poise.motion.runs import frames

_NATURAL = 0.985  # share of its full length to which a leg may be stretched, more at times when the clip's own was
_FULL = 0.9995  # beyond this share a knee would snap
_SPREAD = 0.12  # [s] over which the root is lowered before and after it must be
_LOST = 0.03  # [m] by which a standing foot may miss its place before an edit is refused


def lowering(steps: Footsteps, q: Array, feet: Mapping[str, Feet]) -> Array:
    """How much the root of q (M, nq) must go down (M,) [m] so that the legs reach the wanted feet."""
    character = steps.clip.character
    need = np.zeros(len(q))
    for side, foot in feet.items():
        if not character.has(f"{side}_thigh"):
            continue
        full = _leg_length(character, side)
        hip, ankle = character.body(f"{side}_thigh"), character.body(f"{side}_foot")
        used = np.linalg.norm(steps.places[0][:, ankle] - steps.places[0][:, hip], axis=-1)
        longest = np.clip(used, _NATURAL * full, _FULL * full)
        arm = rot.rotate(rot.conjugate(steps.q[:, 3:7]), steps.places[0][:, hip] - steps.q[:, :3])
        at = q[:, :3] + rot.rotate(q[:, 3:7], arm) - foot.place
        flat = np.minimum(np.sum(at[:, :2] ** 2, axis=1), (0.98 * longest) ** 2)
        need = np.maximum(need, at[:, 2] - np.sqrt(longest**2 - flat))
    return envelope(np.maximum(need, 0.0), frames(_SPREAD, steps.clip.dt))


def _leg_length(character: Character, side: str) -> float:
    tree = character.tree
    lower = (character.body(f"{side}_shin"), character.body(f"{side}_foot"))
    return float(sum(np.linalg.norm(tree.pos[b]) for b in lower))


def plant(character: Character, q: Array, feet: Mapping[str, Feet]) -> Array:
    """q (N, nq) with its legs changed so that the foot bodies take the wanted places and orientations."""
    left: dict[str, Feet] = {}
    for side, foot in feet.items():
        chain = limb(character, f"{side}_foot")
        if chain is not None:
            q = reach(character, q, chain, foot.place, foot.turn)
        left[side] = foot
    if any(_missed(character, q, side, foot) > 1e-4 for side, foot in left.items()):
        q = _by_least_squares(character, q, left)
    for side, foot in left.items():
        missed = _missed(character, q, side, foot)
        if missed > _LOST:
            raise BadValue(f"The {side} leg cannot reach: it would miss its footprint by {100 * missed:.0f} cm; "
                           "ask for less.")  # fmt: skip
    return q


def _missed(character: Character, q: Array, side: str, foot: Feet) -> float:
    """Largest distance [m] between the foot and its wanted place while it stands."""
    if not foot.stands.any():
        return 0.0
    body = character.body(f"{side}_foot")
    pos, _ = character.forward(q[foot.stands])
    return float(np.linalg.norm(pos[:, body] - foot.place[foot.stands], axis=-1).max())


def _by_least_squares(character: Character, q: Array, feet: Mapping[str, Feet]) -> Array:
    from poise.motion import ik

    points, turns = [], []
    for side, foot in feet.items():
        body = character.body(f"{side}_foot")
        weight = np.where(foot.stands, 1.0, 0.3)
        points.append(ik.PointTarget(body, np.zeros(3), foot.place, weight))
        turns.append(ik.TurnTarget(body, foot.turn, 0.3 * weight))
    return ik.solve(character, q, points, turns)
