"""The reference ahead: what a window of it looks like, kept from step to step.

Velocities here are those with which the reference came from its frame before, as in the modal update, where a pose is
the one before plus a step with the new velocity. With velocities taken in the middle of things, each target would be
half a step late.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics.compiled import place_momentum
from poise.kernels import njit
from poise.maths import configuration as conf
from poise.maths.configuration import difference_rows
from poise.maths.rotations import Array
from poise.methods.modal.contact_points import LEVEL, Floor, Points
from poise.methods.modal.footholds import Offsets, Walker
from poise.methods.modal.linearise import Watched, places_of
from poise.methods.modal.rigid import plan_forces
from poise.motion.reference import Reference, Sample

_LENGTH = 0.3  # [m] that turns moments into forces where a reference's own contact forces are found
_EFFORT = 1e-4  # on those forces, against the wrench that they leave open
_DOWN = 0.004  # [m] above its lowest place up to which a load is on the ground
_FADE = 0.2  # [s] in which a motion that breaks off comes to rest
_ROOM = 480  # frames that are kept before the rest is moved to the front


class Frames(NamedTuple):
    """The reference at L steps from now on. World axes."""

    q: Array  # (L, nq)
    v: Array  # (L, nv) with which it came here
    touching: np.ndarray  # (L, P) bool
    places: Array  # (L, P, 3) of the watched points [m]
    turns: Array  # (L, P, 3, 3) frames of the contacts: rows normal, tangent, tangent
    centre: Array  # (L, 3) of mass [m]
    momentum: Array  # (L, 6): velocity of the centre of mass [m/s], angular momentum about it [kg m²/s]
    root: Array  # (L, 3, 3) orientation of the root
    force: Array  # (L, P, 3) contact forces [N] in their frames, that take the reference to its next frame


class Preview:
    """Frames of a reference from now to the end of the window; only the last is new at each step."""

    def __init__(self, character: Character, points: Points, floor: Floor, dt: float, window: int,
                 came: bool = True):  # fmt: skip
        """`came`: velocities are those with which the reference came to its poses; else those that it has there."""
        self.character, self.points, self.floor = character, points, floor
        self.dt, self.window, self._came = dt, window, came
        self._loaded = bool(points.loads.any())
        self._watched = Watched(character, points.bodies, points.local)
        self._count = window + 2  # one more than is given: forces need the next frame
        model, room, p = character.model, _ROOM + self._count, len(points)
        turns = np.zeros((room, p, 3, 3))
        turns[:, : points.feet], turns[:, points.feet :] = LEVEL, np.eye(3)
        turns[:, points.feet :][:, points.loads > 0.0] = LEVEL
        self._all = Frames(
            np.zeros((room, model.nq)), np.zeros((room, model.nv)), np.zeros((room, p), bool), np.zeros((room, p, 3)),
            turns, np.zeros((room, 3)), np.zeros((room, 6)), np.zeros((room, 3, 3)), np.zeros((room, p, 3)),
        )  # fmt: skip
        self._first = 0
        self.reference: Reference | None = None
        self._time = np.nan
        self._dual = np.zeros(12)
        self._constants = (self._watched.views, self._watched.root, points.bodies, points.local, points.friction,
                           float(character.mass), character.model.opt.gravity.copy(), dt)  # fmt: skip

    def frames(self, reference: Reference, time: float) -> tuple[Frames, int]:
        """Frames, of which those at time, time + dt, ... [s] begin at the row that is given with them."""
        ahead, count = time - self._time, self._count
        if reference is self.reference and abs(ahead - self.dt) < 1e-6:
            if self._first == _ROOM:
                for a in self._all:
                    a[: count - 1] = a[_ROOM + 1 :]
                self._first = -1
            self._first += 1
            self._add(reference, time + (count - 1) * self.dt, self._first + count - 1, False)
        elif reference is not self.reference or not abs(ahead) < 1e-9:
            self._first = 0
            for k in range(count):
                self._add(reference, time + k * self.dt, k, k == 0)
        self.reference, self._time = reference, time
        return self._all, self._first

    def bear(self, model: mujoco.MjModel) -> None:
        """From now on the reference carries what this model of the character does."""
        points = self.points
        self._watched = Watched(self.character, points.bodies, points.local, model)
        self._constants = (self._watched.views, *self._constants[1:5], float(model.body_mass.sum()),
                           *self._constants[6:])  # fmt: skip
        self.reference = None

    def _now(self) -> Frames:
        """The frames that `frames` gave last, cut to the window."""
        return Frames(*[a[self._first : self._first + self.window + 1] for a in self._all])

    def shifted(self, shift: Array) -> Frames:
        """The frames that `frames` gave last, all moved by shift (2,) [m]."""
        own = self._now()
        way = np.array([*shift, 0.0])
        q = own.q.copy()
        q[:, :3] += way
        return own._replace(q=q, places=own.places + way, centre=own.centre + way)

    def edited(self, offsets: Offsets, walker: Walker) -> Frames:
        """The frames that `frames` gave last, with root and feet moved."""
        frames = Frames(*[a.copy() for a in self._now()])
        self._move_ends(frames, offsets, walker)
        return frames

    def _move_ends(self, frames: Frames, offsets: Offsets, walker: Walker) -> None:
        """Move frames in place: exactly those that targets are taken from, now, next and last.

        In between, places follow the offsets; the reference's own contact forces and spin are kept.
        """
        n = self.window
        rows = np.array([0, 1, max(n - 1, 0), n])
        layout, was = self.character.layout, frames.q[rows]
        own, q = frames.v.copy(), walker.carry(was, offsets.rows(rows))
        came = conf.difference(layout, q[[1, 3]], q[[0, 2]]) / -self.dt
        if self._came:
            rates = (own[0] + came[0] - own[1], came[0], came[1])
        else:
            more = came - conf.difference(layout, was[[1, 3]], was[[0, 2]]) / -self.dt
            rates = (own[0] + more[0], own[1] + more[0], own[n] + more[1])
        feet = walker.foot_of
        frames.places[:, : self.points.feet, :2] += np.where(
            feet[None, :, None] < 0, offsets.root[: n + 1, None], offsets.feet[: n + 1, feet]
        )
        frames.centre[:, :2] += offsets.root[: n + 1]
        for row, pose_q, v in ((0, q[0], rates[0]), (1, q[1], rates[1]), (n, q[3], rates[2])):
            frames.q[row], frames.v[row] = pose_q, v
            _note(self._constants, frames, row)

    def _add(self, reference: Reference, time: float, row: int, alone: bool) -> None:
        """Look at the reference at a time and put it in a row; the forces of the row before are now known."""
        a, layout, sample = self._all, self.character.layout, _beyond(self.character, reference, time)
        feet, grips = self.points.feet, self.points.grips
        a.q[row] = sample.q
        a.touching[row, :feet] = sample.contacts
        if grips:
            a.touching[row, feet:] = [g.covers(time + 1e-9) for g in grips]
        if alone or not self._came:
            met = reference.met  # it jumped then to where the body is
            came = self._came and time > 0.0 and (met is None or not time - self.dt < met <= time)
            before = reference.sample(time - self.dt).q if came else None
            a.v[row] = sample.v if before is None else conf.difference(layout, sample.q, before) / -self.dt
            _note(self._constants, a, row)
            if not alone:
                _own_forces(self._constants, a, row - 1, self._dual)
        else:
            _follow(self._constants, (layout.kind, layout.qadr, layout.vadr), a, row, self._dual)
        if self.floor.flat is None:
            a.turns[row, :feet] = self.floor.under(a.places[row, :feet])[1]
        if self._loaded:  # the ground bears a load while its plates are down
            low = a.places[row, feet:, 2] < self.points.stands + _DOWN
            a.touching[row, feet:] &= low | (self.points.loads == 0.0)


def _beyond(character: Character, reference: Reference, time: float) -> Sample:
    """The reference at a time [s]; after the end of an open clip its motion slows down instead of stopping dead."""
    late = time - reference.ends
    if late <= 0.0:
        return reference.sample(time)
    last = reference.sample(reference.ends)
    fade = math.exp(-late / _FADE)
    q = conf.integrate(character.layout, last.q, _FADE * (1.0 - fade) * last.v)
    return last._replace(q=q, v=fade * last.v)


@njit(cache=True)
def _follow(constants, layout, frames, row, dual):
    """Fill a row whose pose and contacts are there, and the forces of the row before, which are now known."""
    dt = constants[-1]
    difference_rows(layout[0], layout[1], layout[2], frames.q[row : row + 1], frames.q[row - 1 : row],
                    frames.v[row : row + 1])  # fmt: skip
    for i in range(frames.v.shape[1]):
        frames.v[row, i] /= -dt
    _note(constants, frames, row)
    _own_forces(constants, frames, row - 1, dual)


@njit(cache=True)
def _note(constants, frames, row):
    """Fill a row with places and momentum of its pose and velocity; the working memory then holds them."""
    views, root, bodies, local = constants[:4]
    place_momentum(views, frames.q[row], frames.v[row])
    frames.places[row] = places_of(views, bodies, local)
    for r in range(3):
        frames.centre[row, r] = views.centre_of_mass[r]
        frames.momentum[row, r], frames.momentum[row, 3 + r] = views.centre_velocity[r], views.angular_momentum[r]
        for c in range(3):
            frames.root[row, r, c] = views.rotations[root, r, c]


@njit(cache=True)
def _own_forces(constants, frames, row, y):
    """The least contact forces of a row that lead to the momentum of the next; y (12,) is the dual, kept as a start."""
    friction, mass, gravity, dt = constants[4:]
    touching, turns = frames.touching[row], frames.turns[row]
    points = len(touching)
    G, f, none = np.empty((points, 6, 3)), np.zeros((points, 3)), np.zeros((points, 3))
    index = np.flatnonzero(touching)
    count = len(index)
    frames.force[row] = 0.0
    if count == 0:
        return
    alpha, beta, effort, mu = np.zeros(points), np.ones(points), np.full(points, _EFFORT), np.empty(points)
    for v in range(count):
        i = index[v]
        mu[v] = friction[i]
        for c in range(3):
            n, a = turns[i, c], frames.places[row, i] - frames.centre[row]
            for r in range(3):
                G[v, r, c] = n[r]
            G[v, 3, c] = (a[1] * n[2] - a[2] * n[1]) / _LENGTH
            G[v, 4, c] = (a[2] * n[0] - a[0] * n[2]) / _LENGTH
            G[v, 5, c] = (a[0] * n[1] - a[1] * n[0]) / _LENGTH
    z, slack = np.zeros(12), np.ones(12)
    for r in range(3):
        z[6 + r] = mass * (gravity[r] - (frames.momentum[row + 1, r] - frames.momentum[row, r]) / dt)
        z[9 + r] = (frames.momentum[row, 3 + r] - frames.momentum[row + 1, 3 + r]) / (dt * _LENGTH)
    plan_forces(z, slack, effort, mu, none, count, alpha, beta, G, y, f, 30)
    for v in range(count):
        for c in range(3):
            frames.force[row, index[v], c] = f[v, c]
