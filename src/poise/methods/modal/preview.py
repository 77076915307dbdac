"""The reference ahead: what a window of it looks like, kept from step to step.

Velocities here are those with which the reference came from its frame before, as in the modal update, where a pose is
the one before plus a step with the new velocity. With velocities taken in the middle of things, each target would be
half a step late.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numba import njit

from poise.character import Character
from poise.dynamics import engine
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.modal.rigid import plan_forces
from poise.methods.modal.touch import Floor, Points
from poise.motion.reference import Reference

_LENGTH = 0.3  # [m] that turns moments into forces where a reference's own contact forces are found
_EFFORT = 1e-4  # on those forces, against the wrench that they leave open


class Frame(NamedTuple):
    """The reference at one step of the window. World axes."""

    q: Array  # (nq,)
    v: Array  # (nv,) with which it came here
    touching: np.ndarray  # (P,) bool
    arms: Array  # (P, 3) points from the centre of mass [m]
    turns: Array  # (P, 3, 3) frames of the contacts: rows normal, tangent, tangent
    centre: Array  # (3,) of mass [m]
    momentum: Array  # (6,): velocity of the centre of mass [m/s], angular momentum about it [kg m²/s]
    root: Array  # (3, 3) orientation of the root
    force: Array  # (P, 3) contact forces [N] in their frames, that take the reference to its next frame


class Preview:
    """Frames of a reference from now to the end of the window; only the last is new at each step."""

    def __init__(self, character: Character, points: Points, floor: Floor, dt: float, window: int):
        self.character, self.points, self.floor = character, points, floor
        self.dt, self.window = dt, window
        self._data = engine.data_of(character.model)
        self._root = int(character.model.jnt_bodyid[0])
        self._frames: deque[Frame] = deque()
        self._reference: Reference | None = None
        self._time = np.nan
        self._dual = np.zeros(12)
        self._before: Array | None = None  # the reference's pose before the next one that is looked at

    def frames(self, reference: Reference, time: float) -> list[Frame]:
        """The frames (window + 1) at time, time + dt, ... [s]."""
        ahead, count = time - self._time, self.window + 2  # one more than the window: forces need the next frame
        if reference is self._reference and abs(ahead - self.dt) < 1e-6:
            self._frames.popleft()
            self._append(reference, time + (count - 1) * self.dt)
        elif reference is not self._reference or not abs(ahead) < 1e-9:
            self._frames.clear()
            self._before = reference.sample(time - self.dt).q if time > 0.0 else None
            for k in range(count):
                self._append(reference, time + k * self.dt)
        self._reference, self._time = reference, time
        return list(self._frames)[: self.window + 1]

    def _append(self, reference: Reference, time: float) -> None:
        new = self._look(reference, time)
        if self._frames:
            last = self._frames[-1]
            self._frames[-1] = last._replace(force=self._forces(last, new))
        self._frames.append(new)
        self._before = new.q

    def _look(self, reference: Reference, time: float) -> Frame:
        character, data, points = self.character, self._data, self.points
        model, sample = character.model, reference.sample(time)
        if self._before is None:
            v = sample.v
        else:
            v = conf.difference(character.layout, sample.q, self._before) / -self.dt
        engine.place(model, data, sample.q, v)
        rotations = data.xmat.reshape(-1, 3, 3)
        places = data.xpos[points.bodies] + np.einsum("pij,pj->pi", rotations[points.bodies], points.local)
        momentum = np.empty(6)
        momentum[:3] = engine.centre_of_mass_jacobian(model, data) @ v
        momentum[3:] = engine.angular_momentum_matrix(model, data) @ v
        centre, root = data.subtree_com[0].copy(), rotations[self._root].copy()
        touching, turns = np.zeros(len(points), bool), np.empty((len(points), 3, 3))
        feet = points.feet
        touching[:feet] = sample.contacts
        turns[:feet] = self.floor.under(places[:feet])[1]
        if len(points.grips):
            turns[feet:] = np.eye(3)
            touching[feet:] = [g.covers(time + 1e-9) for g in points.grips]
        return Frame(sample.q, v, touching, places - centre, turns, centre, momentum, root, np.zeros(places.shape))

    def _forces(self, frame: Frame, after: Frame) -> Array:
        """The least contact forces (P, 3) that change the momentum of a frame to that of the next."""
        if not frame.touching.any():
            return frame.force
        mass, gravity = self.character.mass, self.character.model.opt.gravity
        rate = (after.momentum - frame.momentum) / self.dt
        wrench = np.concatenate([mass * (rate[:3] - gravity), rate[3:] / _LENGTH])
        return _reference_forces(frame.touching, frame.arms, frame.turns, self.points.friction, wrench, self._dual)


@njit(cache=True)
def _reference_forces(touching, arms, turns, friction, wrench, y):
    points = len(touching)
    G, f, out = np.empty((points, 6, 3)), np.zeros((points, 3)), np.zeros((points, 3))
    index = np.flatnonzero(touching)
    count = len(index)
    alpha, beta, effort, mu = np.zeros(points), np.ones(points), np.full(points, _EFFORT), np.empty(points)
    for v in range(count):
        i = index[v]
        mu[v] = friction[i]
        for c in range(3):
            n = turns[i, c]
            a = arms[i]
            for r in range(3):
                G[v, r, c] = n[r]
            G[v, 3, c] = (a[1] * n[2] - a[2] * n[1]) / _LENGTH
            G[v, 4, c] = (a[2] * n[0] - a[0] * n[2]) / _LENGTH
            G[v, 5, c] = (a[0] * n[1] - a[1] * n[0]) / _LENGTH
    z, slack = np.zeros(12), np.ones(12)
    z[6:] = -wrench
    plan_forces(z, slack, effort, mu, out, count, alpha, beta, G, y, f, 30)
    for v in range(count):
        out[index[v]] = f[v]
    return out
