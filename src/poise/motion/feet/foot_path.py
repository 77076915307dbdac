"""The way of one foot when its prints are moved: rigid while it stands, blended in its swing, clear of the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poise.maths import rotations as rot
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.motion.edit.fades import envelope, fade
from poise.motion.feet.footsteps import Footsteps

if TYPE_CHECKING:
    from poise.motion.feet.replant import Plan

_CLEAR = 0.02  # [m] by which a swinging foot clears an edge
_EARLY, _LATE = 0.6, 0.4  # shares of a swing by which a foot is up, and after which it goes down
_HOLD = 0.2  # share of a swing for which a foot is held back before it goes up over an edge, or ahead to go down


@dataclass(frozen=True, eq=False)
class Feet:
    """Wanted places (M, 3) and orientations (M, 4) of one foot body, and whether it stands (M,)."""

    place: Array
    turn: Array
    stands: np.ndarray

    def rows(self, some: slice) -> Feet:
        """Some of the frames."""
        return Feet(self.place[some], self.turn[some], self.stands[some])


@dataclass(frozen=True, eq=False)
class _Between:
    """For each frame the prints before and after (equal while the foot stands) and the share of the swing done."""

    last: np.ndarray  # (M,)
    next: np.ndarray  # (M,)
    share: Array  # (M,) 0 .. 1

    @classmethod
    def of(cls, steps: Footsteps, side: str) -> _Between:
        own = sorted((k for k, p in enumerate(steps.stances) if p.side == side), key=lambda k: steps.stances[k].first)
        firsts = np.array([steps.stances[k].first for k in own])
        lasts = np.array([steps.stances[k].last for k in own])
        rows, ids = np.arange(len(steps)), np.array(own)
        before = np.maximum(np.searchsorted(firsts, rows, side="right") - 1, 0)
        after = np.minimum(np.searchsorted(lasts, rows, side="left"), len(own) - 1)
        swing = np.maximum(firsts[after] - lasts[before], 1)
        share = np.where(after > before, (rows - lasts[before]) / swing, 0.0)
        return cls(ids[before], ids[after], share)

    def ends(self, steps: Footsteps) -> tuple[np.ndarray, np.ndarray]:
        """For each frame the last one of the print before and the first one of the print after (M,)."""
        first, last = (np.array([getattr(p, name) for p in steps.stances]) for name in ("first", "last"))
        return last[self.last], first[self.next]


def carried(steps: Footsteps, side: str, rigid: tuple[Array, Array, Array], root: Array, plan: Plan) -> Feet:
    """The foot of a side along the moved prints `rigid` (turns, old centres, new centres); without prints, the root."""
    body = steps.clip.character.body(f"{side}_foot")
    place, turn = steps.places[0][:, body], steps.places[1][:, body]
    if not any(p.side == side for p in steps.stances):
        spin = rot.multiply(root[:, 3:], rot.conjugate(steps.q[:, 3:7]))
        moved = root[:, :3] + rot.rotate(spin, place - steps.q[:, :3])
        return Feet(moved, rot.multiply(spin, turn), np.zeros(len(place), bool))
    between = _Between.of(steps, side)
    a, b, u = between.last, between.next, between.share
    turns, old, new = rigid
    from_a = rot.rotate(turns[a], place - old[a]) + new[a]
    from_b = rot.rotate(turns[b], place - old[b]) + new[b]
    out = from_a + fade(u)[:, None] * (from_b - from_a)
    if plan.steps is not None:
        up = new[b, 2] > new[a, 2]
        high = np.where(up, fade(u / _EARLY), fade((u - _LATE) / (1.0 - _LATE)))
        out[:, 2] = from_a[:, 2] + high * (from_b - from_a)[:, 2]
        pace = np.where(up, fade((u - _HOLD) / (1.0 - _HOLD)), fade(u / (1.0 - _HOLD)))
        shift = _over_edges(steps, side, between, (new - old)[:, :2] @ plan.steps, pace, plan.steps)
        out[:, :2] += (shift - (out - place)[:, :2] @ plan.steps)[:, None] * plan.steps
    spin = rot.slerp(turns[a], turns[b], fade(u))
    feet = Feet(out, rot.multiply(spin, turn), a == b)
    out[:, 2] += _clearance(steps, side, feet, spin, plan, u)
    return feet


def _over_edges(steps: Footsteps, side: str, between: _Between, shifts: Array, pace: Array, way: Array) -> Array:
    """Displacement (M,) of a foot along `way` by which its end nearest to an edge goes from print to print at `pace`.

    The front of a foot rests until it is lifted, its back from when it is put down: going by the one at first and by
    the other at last, the foot neither leaves the one print nor comes to the other at any speed.
    """
    a, b, u = between.last, between.next, between.share
    back, front = (steps.points[:, ends][..., :2].mean(axis=1) @ way for ends in steps.ends(side))
    length = np.array([(p.outline[:, :2] @ way).max() - (p.outline[:, :2] @ way).min() for p in steps.stances])
    share = fade(u)
    mark = (1.0 - share) * front + share * (back + length[b])
    rows = np.arange(len(steps))
    leave, come = (np.clip(x, 0, len(steps) - 1) for x in between.ends(steps))
    start, goal = front[leave] + shifts[a], back[come] + length[b] + shifts[b]
    moved = start + pace * (goal - start) - mark
    swings = (a != b) & (leave < rows) & (rows < come)
    return np.where(swings, moved, (1.0 - share) * shifts[a] + share * shifts[b])


def _clearance(steps: Footsteps, side: str, feet: Feet, spin: Array, plan: Plan, u: Array) -> Array:
    """Lift (M,) [m] of a swinging foot that keeps its contact points above the new ground, zero where it stands."""
    own = steps.clip.character.contact_points.of(side)
    body = steps.clip.character.body(f"{side}_foot")
    arm = steps.points[:, own] - steps.places[0][:, None, body]
    points = feet.place[:, None] + rot.rotate(spin[:, None], arm)
    now = points[..., 2] - plan.ground.height(points[..., 0], points[..., 1])
    ground = steps.clip.ground.height(steps.points[:, own, 0], steps.points[:, own, 1])
    before = steps.points[:, own, 2] - ground
    want = np.minimum(
        before, _CLEAR * fade(4.0 * u)[:, None] * fade(4.0 * (1.0 - u))[:, None] if plan.steps is not None else 0.0
    )
    need = np.where(feet.stands, 0.0, np.maximum(want - now, 0.0).max(axis=1))
    if not np.any(need > 1e-4):
        return np.zeros(len(need))
    half = frames(0.08, steps.clip.dt)
    return envelope(need, half) * np.where(feet.stands, 0.0, fade(8.0 * u) * fade(8.0 * (1.0 - u)))
