"""Footholds for a walker that was pushed: the reference is moved under it while it is followed.

Section 6 of Jain & Liu 2011 lets the reference be edited on the fly and leaves to the user where to. Here the law of
`poise.motion.foothold` says where the swinging foot must land. The swinging foot's path is carried over to the new
place, planted feet keep theirs, and the root follows: at touch-down its offset becomes that of the centre of mass and
decays to that of the new foot. Timing stays that of the reference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.edit.limb import Limb, limb, reach
from poise.motion.foothold import Foothold, divergent
from poise.motion.reference import Reference

_LOOK = 0.75  # [s] ahead in which a touch-down is looked for
_SETTLE = 0.15  # [s] in which the root's offset follows that of the foot
_FIRM = 0.03  # [s] in which a planted foot's offset follows where it really stands
_LEAD = 0.025  # [s] before touch-down at which the swinging foot is over its place
_SAME = 0.004  # [m] within which all offsets count as one
_QUIET = 0.015  # [m] of a standing foot's displacement that is no reason to edit


class Offsets(NamedTuple):
    """Horizontal offsets of the reference over a window of L frames."""

    root: Array  # (L, 2) [m]
    feet: Array  # (L, 2, 2) [m] left, right
    jumps: np.ndarray  # (L,) bool: the root's offset was set anew at this frame

    def rows(self, some: np.ndarray) -> Offsets:
        """Some of the frames."""
        return Offsets(self.root[some], self.feet[some], self.jumps[some])

    @property
    def rigid(self) -> bool:
        """Is everything shifted alike?"""
        return bool(np.ptp(self.root, axis=0).max() < 1e-9 and np.abs(self.feet - self.root[:, None]).max() < 1e-9)


class Walker:
    """Offsets of root and feet under way."""

    def __init__(self, character: Character, law: Foothold, dt: float):
        self.character, self.law, self.dt = character, law, dt
        self.root, self.feet, self.speed = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))
        self.goal = np.zeros((2, 2))
        self._points = [character.contact_points.of(side) for side in SIDES]
        self._chains = [limb(character, f"{side}_foot") for side in SIDES]
        self._ends = [character.body(f"{side}_foot") for side in SIDES if character.has(f"{side}_foot")]
        self._count = round(_LOOK / dt) + 1
        self._labels = np.zeros((0, 2), bool)
        self._places = np.zeros((0, 2, 2))
        self._reference: Reference | None = None
        self._time = np.nan
        self._off, self._drift = np.zeros(2), np.zeros(2)  # of the centre of mass against the reference, and its rate
        self._after = (self.root, self.feet, self.speed)

    @property
    def able(self) -> bool:
        """Does the character have two legs that closed forms can move?"""
        return all(c is not None for c in self._chains) and all(len(p) for p in self._points)

    def of_points(self, count: int) -> np.ndarray:
        """For each of the contact points the foot (0 left, 1 right) that it belongs to, -1: neither."""
        out = np.full(count, -1)
        for f in (0, 1):
            out[self._points[f]] = f
        return out

    def look(self, reference: Reference, time: float) -> None:
        """Which feet the reference sets down, and where, from now to `_LOOK` ahead."""
        if reference is self._reference and abs(time - self._time - self.dt) < 1e-6:
            rows = [self._count - 1]
            self._labels[:-1], self._places[:-1] = self._labels[1:], self._places[1:]
        elif reference is self._reference and abs(time - self._time) < 1e-9:
            return
        else:
            rows = list(range(self._count))
            self._labels, self._places = np.zeros((self._count, 2), bool), np.zeros((self._count, 2, 2))
        for k in rows:
            sample = reference.sample(time + k * self.dt)
            points = self.character.points(sample.q)[0]
            for f in (0, 1):
                self._labels[k, f] = bool(np.any(sample.contacts[self._points[f]]))
                self._places[k, f] = points[self._points[f], :2].mean(axis=0)
        self._reference, self._time = reference, time

    def _landing(self, foot: int, now: int = 0) -> int | None:
        """Frames from `now` to the next touch-down of a foot, None where there is none in sight."""
        ahead = np.flatnonzero(self._labels[now:, foot])
        return int(ahead[0]) if len(ahead) else None

    def sense(self, places: Array, gap: Array, centre: Array, velocity: Array, wanted: Array, wanted_velocity: Array,
              heading: float) -> None:  # fmt: skip
        """Set the goals of the feet from where things are.

        places (P, 3) and gap (P,) [m] of the contact points; centre (3,) of mass and its velocity, and those of the
        reference as it was given.
        """
        stands = self._labels[0]
        for f in (0, 1):
            mine = self._points[f]
            if stands[f] and np.any(gap[mine] < 0.004):
                real = places[mine, :2].mean(axis=0) - self._places[0, f]
                off = real - self.feet[f]
                if np.abs(off).max() > _QUIET or np.abs(self.root - self.feet[f]).max() > _SAME:
                    self.feet[f] += (1.0 - np.exp(-self.dt / _FIRM)) * off
        frequency = float(np.sqrt(9.81 / max(float(wanted[2]), 0.3)))
        for f in (0, 1):
            other = 1 - f
            if stands[f]:
                self.goal[f], self.speed[f] = self.feet[f], 0.0
                continue
            left = self._landing(f)
            if left is None or not stands[other]:
                continue
            error = divergent(centre, velocity, frequency) - divergent(wanted, wanted_velocity, frequency)
            shift = self.law.wanted(error - self.feet[other], frequency, left * self.dt, heading)
            landing = self._places[left, f] + self.feet[other]
            stand = self._places[0, other] + self.feet[other]
            side = 1.0 if f == 0 else -1.0
            self.goal[f] = self.feet[other] + self.law.uncrossed(shift, landing, stand, side, heading)
        self._off, self._drift = centre[:2] - wanted[:2], velocity[:2] - wanted_velocity[:2]

    def ahead(self, count: int) -> Offsets:
        """Offsets of this frame and the next ones."""
        root, feet, speed = self.root.copy(), self.feet.copy(), self.speed.copy()
        roots, places, jumps = np.empty((count, 2)), np.empty((count, 2, 2)), np.zeros(count, bool)
        jump = False
        for k in range(count):
            roots[k], places[k], jumps[k] = root, feet, jump
            root, feet, speed, jump = self._next(k, root, feet, speed)
            if k == 0:
                self._after = (root, feet.copy(), speed.copy())
        return Offsets(roots, places, jumps)

    def advance(self) -> None:
        """Go to the next frame."""
        self.root, self.feet, self.speed = self._after
        if np.abs(self.feet - self.root).max() < _SAME and np.abs(self.goal - self.root).max() < _SAME:
            self.feet[:] = self.root
            self.goal[:] = self.root

    def _next(self, k: int, root: Array, feet: Array, speed: Array) -> tuple[Array, Array, Array, bool]:
        """Offsets one frame on from frame k, and whether that of the root is set anew."""
        feet, speed = feet.copy(), speed.copy()
        k = min(k, self._count - 2)
        lands = False
        for f in (0, 1):
            if self._labels[k, f]:
                speed[f] = 0.0
                continue
            left = self._landing(f, k)
            if left is None:
                continue
            time = max(left * self.dt - _LEAD, 0.05)
            speed[f] += self.dt * (6.0 * (self.goal[f] - feet[f]) / time**2 - 4.0 * speed[f] / time)
            feet[f] += self.dt * speed[f]
            if left == 1:
                lands, speed[f] = True, 0.0
        anew = lands and np.abs(feet - root).max() > 1e-9
        if anew:
            root = self._off + (k + 1) * self.dt * self._drift
        follow = (1.0 - np.exp(-self.dt / _SETTLE)) * (self._lead(k + 1, feet) - root)
        return root + follow, feet, speed, bool(anew)

    def _lead(self, k: int, feet: Array) -> Array:
        """The offset that the root follows: that of the foot that stands, the newer one of two."""
        left, right = self._labels[k]
        if left and right:  # the one that leaves first is the older
            away = [int(np.argmin(self._labels[k:, f])) if not self._labels[k:, f].all() else self._count for f in (0, 1)]
            return feet[int(np.argmax(away))]
        return feet[0] if left else feet[1] if right else feet.mean(axis=0)

    def carry(self, q: Array, offsets: Offsets) -> Array:
        """Poses q (L, nq) of the reference with root and feet moved."""
        moved = np.array(q, float)
        moved[:, :2] += offsets.root
        if np.abs(offsets.feet - offsets.root[:, None]).max() < 2e-4:
            return moved
        pos, quat = self.character.forward(q)
        for f in (0, 1):
            chain, end = self._chains[f], self._ends[f]
            assert isinstance(chain, Limb)
            goal = pos[:, end].copy()
            goal[:, :2] += offsets.feet[:, f]
            moved = reach(self.character, moved, chain, goal, quat[:, end])
        return moved


def heading_of(q: Array) -> float:
    """The way [rad about Z] that a pose q (nq,) faces."""
    return float(rot.heading(q[3:7]))
