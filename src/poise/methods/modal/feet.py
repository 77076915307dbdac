"""Feet that stay where they belong in the world when the body is not where it should be.

The internal modes are the body's shape. A body that a push has tilted by three degrees and that keeps its shape exactly
tilts its feet too, stands on their edges and topples like a statue; one that lands a centimetre too early kicks itself
off the ground. So the legs of the shape that is followed are bent such that, with the root as it really is, the feet
are where the reference has them, in place and orientation. Where the root is on its way nothing is changed.

Departures: not in the paper, whose internal modes follow the reference's joint angles whatever the root does.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.kernels import njit
from poise.maths.configuration import difference_rows, quat_exp, quat_mul, quat_rotate
from poise.maths.rotations import Array
from poise.methods.modal.linearise import Pose, momentum
from poise.methods.modal.preview import Frames
from poise.methods.modal.spectrum import skew
from poise.motion.feet.legs import Legs, feet_of, reaching
from poise.solve.dense import solve_one

# [m], [5 rad] of the body's deviation from which on, and from which on fully, legs bend; in a simulator, whose contacts
# give way, small deviations are no reason to
_FROM, _FROM_SOFT = (0.003, 0.008), (0.02, 0.05)
_ARM = 0.2  # [m/rad] that makes a length of its tilt
_FARTHEST, _STEEPEST = 0.25, 0.5  # [m], [rad] that legs make up for
_RISE, _LIFT = 12.0, 4.0  # [1/s] at which standing legs lead the body's height back, and [m/s²] of that at most
_CLOSER, _LEAVING = 0.1, 0.25  # [s] in which a foot that will touch is led, and one that has left is let go


class Aims:
    """What the shape shall be now and at the next step, and how fast it changes."""

    def __init__(self, character: Character, dt: float, window: int, walks: bool, soft: bool, legs: bool = True,
                 lift: bool = True):  # fmt: skip
        """`walks`: the feet take turns on the ground, and are led all the time. `soft`: contacts give way.

        `legs`: feet are kept in the world at all; `lift`: standing legs lift a body that has sunk.
        """
        self._lift = lift
        self._near, self._full = _FROM_SOFT if soft else _FROM
        self._legs, self._dt = Legs(character), dt
        owners = character.contact_points
        self._points = np.stack([np.isin(np.arange(len(owners)), owners.of(side)) for side in SIDES])  # (2, P)
        self.able = legs and self._legs.two and bool(self._points.any(axis=1).all())
        self._led = np.full(2, np.nan)  # how much each foot is held to its place in the world
        layout = character.layout
        self._constants = (layout.kind, layout.qadr, layout.vadr, self._points, walks, window, dt)

    def of(self, frames: Frames, first: int, pose: Pose, v: Array) -> tuple[Array, Array, Array]:
        """Poses (nq,) of now and next, and the velocity (nv,) now, for a body in a pose with the velocity v (nv,)."""
        now, after, rate = frames.q[first], frames.q[first + 1], frames.v[first]
        if not self.able:
            return now, after, rate
        off = np.empty((4, 3))
        far, steep = _noticed(self._constants, frames, first, pose, v, self._led, off)
        size = max(far, _ARM * steep)
        if size < self._near or max(self._led[0], self._led[1]) < 0.02:
            return now, after, rate
        share = min(1.0, (size - self._near) / (self._full - self._near))
        return _aims(self._legs.pair, frames, first, self._led, share, far, steep, off, self._lift, self._dt)


@njit(cache=True)
def _aims(legs, frames, first, led, share, far, steep, off, lift, dt):
    """Shapes (nq,) of now and next and the rate (nv,) of the first, for a body that is off (4, 3), see `deviation`.

    share: how much of it is made up for; far [m] and steep [rad]: how large it is. With `lift`, legs that stand lift
    what has sunk.
    """
    shift = share * min(1.0, _FARTHEST / max(far, 1e-9)) * off[0]
    lean = share * min(1.0, _STEEPEST / max(steep, 1e-9)) * off[1]
    ahead = share * dt
    now, after = frames.q[first], frames.q[first + 1]
    here, there = frames.centre[first], frames.centre[first + 1]
    bent = _bent(legs, now, here, led, shift, lean)
    following = _bent(legs, after, there, led, shift + ahead * off[2], lean + ahead * off[3])
    came = np.empty((1, len(legs.views.v)))
    difference_rows(legs.kind, legs.qadr, legs.vadr, bent.reshape(1, -1), following.reshape(1, -1), came)
    rate = frames.v[first].copy()
    for i in range(6, len(rate)):
        rate[i] += came[0, i] / dt - frames.v[first + 1, i]
    if lift and frames.touching[first].any():
        rise = -_RISE * (_RISE * off[0, 2] + 2.0 * off[2, 2])
        off[2, 2] += dt * min(max(rise, -_LIFT), _LIFT)
        following = _bent(legs, after, there, led, shift + ahead * off[2], lean + ahead * off[3])
    return bent, following, rate


@njit(cache=True)
def _bent(legs, pose, centre, led, shift, tilt):
    """A pose of the reference, its body moved and turned about its centre, its feet left in place where led (2,)."""
    goals, turns = feet_of(legs, pose)
    turn, moved, start = np.empty(4), np.empty(3), pose.copy()
    for f in range(2):
        rest = 1.0 - led[f]
        if rest > 1e-3:
            quat_exp(rest * tilt, turn)
            quat_rotate(turn, goals[f] - centre, moved)
            goals[f] = centre + rest * shift + moved
            for c in range(3):
                quat_rotate(turn, turns[f, :, c].copy(), moved)
                turns[f, :, c] = moved
    quat_exp(tilt, turn)
    quat_rotate(turn, pose[:3] - centre, moved)
    start[:3] = centre + shift + moved
    quat_mul(turn, pose[3:7], start[3:7])
    return reaching(legs, start, goals, turns)


@njit(cache=True)
def _noticed(constants, frames, first, pose, v, led, off):
    """How far [m] and how steeply [rad] the body is off; fills off (4, 3), see `deviation`, and moves led (2,) on.

    Led are feet that touch within the window, faded in and out.
    """
    kind, qadr, vadr, points, walks, window, dt = constants
    for f in range(2):
        touches = walks
        for k in range(first, first + window + 1):
            for i in range(points.shape[1]):
                touches = touches or (points[f, i] and frames.touching[k, i])
        aim = 1.0 if touches else 0.0
        if np.isnan(led[f]):
            led[f] = aim
        led[f] += (aim - led[f]) * min(1.0, dt / (_CLOSER if touches else _LEAVING))
    step = np.empty((1, len(v)))
    difference_rows(kind, qadr, vadr, frames.q[first : first + 1], pose.q.reshape(1, -1), step)
    deviation(pose, step[0], v, frames.momentum[first], off)
    return np.sqrt((off[0] * off[0]).sum()), np.sqrt((off[1] * off[1]).sum())


@njit(cache=True)
def deviation(pose, step, v, wanted, out):
    """Fill out (4, 3): how far the body as a whole is off, centre of mass and turn about it, and the rates of both.

    step (nv,): tangent step from the reference's pose to this one. v (nv,); wanted (6,): the reference's velocity of
    the centre of mass and angular momentum. Bending the legs does not change these: the pelvis would move the other
    way, and legs that follow the pelvis chase themselves.
    """
    B = np.zeros((6, 3))
    B[:3] = -skew(pose.root - pose.centre)
    B[3:] = pose.R.T
    inertia = B.T @ (np.ascontiguousarray(pose.M[:6, :6]) @ B)
    moved, moving = momentum(pose, step), momentum(pose, v) - wanted
    out[0], out[2] = moved[:3], moving[:3]
    out[1], out[3] = solve_one(inertia.copy(), moved[3:].copy()), solve_one(inertia, moving[3:].copy())
