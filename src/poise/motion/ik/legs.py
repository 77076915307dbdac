"""Legs that fit wanted feet: in closed form where the joints allow it, by least squares where they do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.leg_length import leg_length
from poise.character.roles import SIDES
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.motion.clip import Cycle
from poise.motion.fades import envelope, smooth
from poise.motion.feet.footsteps import Footsteps
from poise.motion.ik.limb import limb, reach

_NATURAL = 0.985  # share of its full length to which a leg may be stretched, more at times when the clip's own was
_FULL = 0.9995  # beyond this share a knee would snap
_SPREAD = 0.12  # [s] over which the root is lowered before and after it must be
_DEEPEST = 0.4  # share of a leg's length by which the root may sink before an edit is refused
_LOST = 0.03  # [m] by which a standing foot may miss its place before an edit is refused


@dataclass(frozen=True, eq=False)
class Feet:
    """Wanted places (M, 3) and orientations (M, 4) of one foot body, and whether it stands (M,)."""

    place: Array
    turn: Array
    stands: np.ndarray

    def rows(self, some: slice) -> Feet:
        """Some of the frames."""
        return Feet(self.place[some], self.turn[some], self.stands[some])


def lowering(steps: Footsteps, q: Array, feet: Mapping[str, Feet]) -> Array:
    """How much the root of q (M, nq) should go down (M,) [m] for the wanted feet.

    On the whole the legs that stand keep the length that they had: with shorter steps the body rises, with longer ones
    it sinks. Then, no leg may be stretched further than is natural or than it was itself at that time.
    """
    character = steps.clip.character
    legs = [_Leg.of(steps, q, side, foot) for side, foot in feet.items() if character.has(f"{side}_thigh")]
    if not legs:
        return np.zeros(len(q))
    keep = np.max([np.where(leg.stands, leg.drop(leg.used), -np.inf) for leg in legs], axis=0)
    known = np.isfinite(keep)
    rows = np.arange(len(q))
    down = np.interp(rows, rows[known], keep[known]) if known.any() else np.zeros(len(q))
    down = smooth(down, frames(0.5 * steps.period, steps.clip.dt))
    longest = [np.clip(leg.used, _NATURAL * leg.full, _FULL * leg.full) for leg in legs]
    need = np.max([leg.drop(most) for leg, most in zip(legs, longest, strict=True)], axis=0)
    return down + envelope(np.maximum(need - down, 0.0), frames(_SPREAD, steps.clip.dt))


def must_be_possible(character: Character, down: Array) -> None:
    """Refuse an edit for which the body would have to go down (N,) [m] further than a walker can."""
    legs = [leg_length(character, side) for side in SIDES if character.has(f"{side}_foot")]
    if legs and float(down.max()) > _DEEPEST * max(legs):
        raise BadValue(
            f"The legs cannot reach: the body would have to sink by {100 * down.max():.0f} cm; ask for less."
        )


@dataclass(frozen=True, eq=False)
class _Leg:
    """One leg over time: from where its ankle shall be to its hip, and how long it was."""

    away: Array  # (M, 3) [m]
    used: Array  # (M,) distance from hip to ankle in the clip [m]
    full: float  # length of the straight leg [m]
    stands: np.ndarray  # (M,) bool

    @classmethod
    def of(cls, steps: Footsteps, q: Array, side: str, foot: Feet) -> _Leg:
        character = steps.clip.character
        hip, ankle = character.body(f"{side}_thigh"), character.body(f"{side}_foot")
        at = steps.places[0][:, hip]
        used = np.linalg.norm(steps.places[0][:, ankle] - at, axis=-1)
        arm = rot.rotate(rot.conjugate(steps.q[:, 3:7]), at - steps.q[:, :3])
        away = q[:, :3] + rot.rotate(q[:, 3:7], arm) - foot.place
        return cls(away, used, leg_length(character, side), foot.stands)

    def drop(self, length: Array) -> Array:
        """How much lower (M,) the hip must be for the leg to have this length (M,) [m]."""
        flat = np.minimum(np.sum(self.away[:, :2] ** 2, axis=1), (0.98 * length) ** 2)
        return self.away[:, 2] - np.sqrt(length**2 - flat)


def plant(character: Character, q: Array, feet: Mapping[str, Feet], cycle: Cycle | None = None) -> Array:
    """q (N, nq) with its legs changed so that the foot bodies take the wanted places and orientations.

    Where q is one period of a loop, `cycle` leads to the next, and the changes agree at the seam.
    """
    left: dict[str, Feet] = {}
    for side, foot in feet.items():
        chain = limb(character, f"{side}_foot")
        if chain is not None:
            q = reach(character, q, chain, foot.place, foot.turn)
        left[side] = foot
    if any(_missed(character, q, side, foot) > 1e-4 for side, foot in left.items()):
        q = _by_least_squares(character, q, left, cycle)
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


def _by_least_squares(character: Character, q: Array, feet: Mapping[str, Feet], cycle: Cycle | None) -> Array:
    from poise.motion.ik import ik

    points, turns = [], []
    for side, foot in feet.items():
        body = character.body(f"{side}_foot")
        weight = np.where(foot.stands, 20.0, 0.3)
        points.append(ik.PointTarget(body, np.zeros(3), foot.place, weight))
        turns.append(ik.TurnTarget(body, foot.turn, np.where(foot.stands, 3.0, 0.1)))
    return ik.solve(character, q, points, turns, cycle=cycle)
