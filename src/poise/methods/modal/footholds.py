"""Footholds for a walker that was pushed: the reference is moved under it while it is followed.

Section 6 of Jain & Liu 2011 lets the reference be edited on the fly and leaves to the user where to. Here the law of
`feet.capture_point` says where the swinging foot must land. The swinging foot's path is carried over to the new
place, planted feet keep theirs, and the body goes over them as a pendulum can (`pendulum`). Timing stays that of the
reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.dynamics.compiled import Pose as Views
from poise.kernels import njit
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.modal.pendulum import sway
from poise.motion.feet.capture_point import Foothold
from poise.motion.feet.legs import Legs
from poise.motion.reference import Reference

if TYPE_CHECKING:
    from poise.methods.modal.preview import Frames

_LOOK = 0.75  # [s] ahead in which a touch-down is looked for
_SETTLE = 0.15  # [s] in which a body without a step ahead is led back over its feet
_FIRM = 0.03  # [s] in which a planted foot's offset follows where it really stands
_LEAD = 0.025  # [s] before touch-down at which the swinging foot is over its place
_SAME = 0.004  # [m] within which all offsets count as one
# [m] of error of the divergent component that is no reason to look at the feet; in a simulator, whose contacts give way
_CALM, _CALM_SOFT = 0.01, 0.03
_QUIET = 0.015  # [m] of a standing foot's displacement that is no reason to edit


@njit(cache=True)
def _landing(labels, k, f):
    """Frames from frame k to the next touch-down of a foot, -1 where there is none in sight."""
    for j in range(k, len(labels)):
        if labels[j, f]:
            return j - k
    return -1


def _steps(labels: np.ndarray) -> bool:
    """Does a foot leave the ground or touch it in the frames ahead (K, 2)?"""
    return bool((labels != labels[0]).any())


@njit(cache=True)
def _leading(labels, k, f, out):
    """Fill out (2,) with the offset that the root follows: that of the foot that stands, the newer one of two."""
    left, right = labels[k, 0], labels[k, 1]
    if left and right:  # the one that leaves first is the older
        j = k
        while j < len(labels) and labels[j, 0] and labels[j, 1]:
            j += 1
        newer = 1 if j < len(labels) and not labels[j, 0] else 0
        out[:] = f[newer]
    elif left or right:
        out[:] = f[0] if left else f[1]
    else:
        out[:] = 0.5 * (f[0] + f[1])


@njit(cache=True)
def _roll(labels, goal, feet, speed, dt, leads, places):
    """Fill the offsets of the feet ahead and of the one that leads; gives the feet and their speeds (8,) next."""
    count, last = len(leads), len(labels) - 2
    f, after = feet.copy(), np.empty(8)
    for n in range(count):
        places[n] = f
        k = min(n, last)
        _leading(labels, k, f, leads[n])
        for i in range(2):
            left = _landing(labels, k, i)
            if left <= 0:
                speed[i] = 0.0
                continue
            time = max(left * dt - _LEAD, 0.05)
            for c in range(2):
                speed[i, c] += dt * (6.0 * (goal[i, c] - f[i, c]) / time**2 - 4.0 * speed[i, c] / time)
                f[i, c] += dt * speed[i, c]
            if left == 1:
                speed[i] = 0.0
        if n == 0:
            after[:4] = f.ravel()
            after[4:] = speed.ravel()
    return after


@njit(cache=True)
def _frequency(frames, first):
    """[1/s] at which a body over its foot falls."""
    return np.sqrt(GRAVITY / max(frames.centre[first, 2], 0.3))


@njit(cache=True)
def _off_course(views, root, M, v, frames, first, off, drift, error):
    """Fill off, drift and error (2,): of the centre of mass, its velocity and the divergent component."""
    frequency = _frequency(frames, first)
    for c in range(2):
        speed = 0.0
        for j in range(len(v)):
            speed += M[c, j] * v[j]
        off[c] = views.centre_of_mass[c] - frames.centre[first, c]
        drift[c] = speed / M[0, 0] - frames.momentum[first, c]
        error[c] = off[c] + drift[c] / frequency


@njit(cache=True)
def _quiet(root, feet, error, calm):
    """Are root (2,) and feet (2, 2) shifted alike, to 1e-9 m, and is error (2,) nearer to that than calm [m]?"""
    for c in range(2):
        for f in range(2):
            if not abs(feet[f, c] - root[c]) < 1e-9:
                return False
        if not abs(error[c] - root[c]) < calm:
            return False
    return True


class Offsets(NamedTuple):
    """Horizontal offsets of the reference over a window of L frames."""

    root: Array  # (L, 2) [m]
    feet: Array  # (L, 2, 2) [m] left, right

    def rows(self, some: np.ndarray) -> Offsets:
        """Some of the frames."""
        return Offsets(self.root[some], self.feet[some])


class Walker:
    """Offsets of root and feet under way."""

    def __init__(self, character: Character, law: Foothold, dt: float, soft: bool = False, pendulum: bool = True):
        """`soft`: contacts give way. `pendulum`: the body goes over its feet as a pendulum can."""
        self._pendulum = pendulum
        self._calm = _CALM_SOFT if soft else _CALM
        self.character, self.law, self.dt = character, law, dt
        self.root, self.feet, self.speed = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))
        self.goal = np.zeros((2, 2))
        self._points = [character.contact_points.of(side) for side in SIDES]
        self.foot_of = np.full(len(character.contact_points), -1)  # the foot of each contact point, -1: neither
        for f in (0, 1):
            self.foot_of[self._points[f]] = f
        self._legs = Legs(character)
        self._count = round(_LOOK / dt) + 1
        self._labels = np.zeros((0, 2), bool)
        self._places = np.zeros((0, 2, 2))
        self._reference: Reference | None = None
        self._time = np.nan
        self._off, self._drift = np.zeros(2), np.zeros(2)  # of the centre of mass against the reference, and its rate
        self._after = (self.root, self.feet, self.speed)
        self._error = np.zeros(2)
        self._body = np.zeros(2)  # offset that the body is led by

    @property
    def able(self) -> bool:
        """Does the character have two feet to set down?"""
        return self._legs.two and all(len(p) for p in self._points)

    def look(self, reference: Reference, time: float) -> None:
        """Which feet the reference sets down, and where, from now to `_LOOK` ahead."""
        if reference is self._reference and abs(time - self._time - self.dt) < 1e-6:
            rows = [self._count - 1]
            self._labels[:-1], self._places[:-1] = self._labels[1:], self._places[1:]
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

    def error(self, views: Views, root: int, M: Array, v: Array, frames: Frames, first: int) -> Array:
        """How far (2,) [m] the divergent component is from that of the reference as it was given."""
        _off_course(views, root, M, v, frames, first, self._off, self._drift, self._error)
        return self._error

    def meet(self) -> None:
        """The reference begins where the body is: nothing of it is moved any more."""
        for offsets in (self.root, self.feet, self.speed, self.goal, self._body):
            offsets[:] = 0.0

    @property
    def displaced(self) -> bool:
        """Is the whole reference shifted?"""
        return self.root[0] != 0.0 or self.root[1] != 0.0

    def sense(self, places: Array, gap: Array, error: Array, height: float, heading: float) -> None:
        """Set the goals of the feet from where things are.

        places (P, 3) and gap (P,) [m] of the contact points; error (2,) [m] of the divergent component, height [m] of
        the reference's centre of mass.
        """
        stands = self._labels[0]
        for f in (0, 1):
            mine = self._points[f]
            if stands[f] and np.any(gap[mine] < 0.004):
                real = places[mine, :2].mean(axis=0) - self._places[0, f]
                off = real - self.feet[f]
                if np.abs(off).max() > _QUIET or np.abs(self.root - self.feet[f]).max() > _SAME:
                    self.feet[f] += (1.0 - np.exp(-self.dt / _FIRM)) * off
        frequency = float(np.sqrt(GRAVITY / max(height, 0.3)))
        for f in (0, 1):
            other = 1 - f
            if stands[f]:
                self.goal[f], self.speed[f] = self.feet[f], 0.0
                continue
            left = _landing(self._labels, 0, f)
            if left < 0 or not stands[other]:
                continue
            shift = self.law.wanted(error - self.feet[other], frequency, left * self.dt, heading)
            landing = self._places[left, f] + self.feet[other]
            stand = self._places[0, other] + self.feet[other]
            side = 1.0 if f == 0 else -1.0
            self.goal[f] = self.feet[other] + self.law.uncrossed(shift, landing, stand, side, heading)

    def ahead(self, frames: Frames, first: int, count: int, heading: float) -> Offsets:
        """Offsets of this frame and the next ones, for frames of the reference as it was given."""
        roots, leads, places = np.empty((count, 2)), np.empty((count, 2)), np.empty((count, 2, 2))
        after = _roll(self._labels, self.goal, self.feet, self.speed.copy(), self.dt, leads, places)
        if self._pendulum and _steps(self._labels):
            sway(frames, first, places, leads, self.foot_of, len(self.foot_of), heading, _frequency(frames, first),
                 self._off, self._drift, self.dt, roots)  # fmt: skip
            self._body = self._off.copy()
        else:  # nowhere to go: the body must come back over the feet that stand
            fade = np.exp(-self.dt / _SETTLE * np.arange(count))[:, None]
            roots[:] = leads + fade * (self._body - leads[0])
            self._body = roots[1].copy()
        self._after = (leads[1], after[:4].reshape(2, 2), after[4:].reshape(2, 2))
        return Offsets(roots, places)

    def advance(self) -> None:
        """Go to the next frame."""
        self.root, self.feet, self.speed = self._after
        if np.abs(self.feet - self.root).max() < _SAME and np.abs(self.goal - self.root).max() < _SAME:
            self.feet[:] = self.root
            self.goal[:] = self.root

    def quiet(self, error: Array) -> bool:
        """Is everything shifted alike, and the divergent component off by error (2,) [m] too little to matter?"""
        return _quiet(self.root, self.feet, error, self._calm)

    def carry(self, q: Array, offsets: Offsets) -> Array:
        """Poses q (L, nq) of the reference with root and feet moved."""
        moved = np.array(q, float)
        moved[:, :2] += offsets.root
        if np.abs(offsets.feet - offsets.root[:, None]).max() > 2e-4:
            for k in range(len(q)):
                moved[k] = self._legs.moved(q[k], moved[k], offsets.feet[k])
        return moved


def heading_of(q: Array) -> float:
    """The way [rad about Z] that a pose q (nq,) faces."""
    return float(rot.heading(q[3:7]))
