"""Following: what the recording wants, looked up at short intervals and carried on between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.balance.body import Body
from poise.methods.balance.momentum import Links, momentum
from poise.motion.reference import Reference

INTERVAL = 1 / 240  # [s] between two looks at the reference; in between it goes on with its velocity and acceleration


class Wish(NamedTuple):
    """The reference at one time."""

    time: float  # [s]
    q: Array  # (nq,)
    v: Array  # (nv,)
    a: Array  # (nv,)
    momentum: Array  # (6,) angular, then linear
    centre: Array  # (3,) of mass
    feet: Array  # (2, 3) centres of mass of the feet
    turn: Array  # (4,) orientation of the controlled link
    spin: Array  # (3,) its angular velocity, world axes
    feet_down: np.ndarray  # (2,) bool: feet that the recording has on the ground


class Following:
    """Looks at a reference as time goes on; a reference that was exchanged is looked at again at once."""

    def __init__(self, body: Body, link: int):
        self.links, self.link = Links(body), link
        self.weights = foot_weights(body)
        points = body.character.contact_points
        self._points = [points.of("left"), points.of("right")]
        self._reference: Reference | None = None
        self.wish: Wish | None = None

    def at(self, reference: Reference, time: float) -> Wish:
        """The wish of the last interval that has begun."""
        k = int(time / INTERVAL + 1e-9)
        if self.wish is None or reference is not self._reference or k != round(self.wish.time / INTERVAL):
            self.wish, self._reference = self._look(reference, k * INTERVAL), reference
        return self.wish

    def _look(self, reference: Reference, time: float) -> Wish:
        sample, links = reference.sample(time), self.links
        links.place(sample.q, sample.v)
        down = np.array([bool(np.any(sample.contacts[p])) for p in self._points])
        return Wish(time, sample.q, sample.v, sample.a, momentum(links.own, links.velocity), links.centre[1].copy(),
                    self.weights @ links.centres, links.turns[self.link].copy(),
                    links.velocity[self.link, :3].copy(), down)  # fmt: skip


def foot_weights(body: Body) -> Array:
    """Matrix (2, bodies) that takes the centres of mass of all bodies to those of the two feet, toes with them."""
    masses = np.where(body.foot_of[None] == np.arange(2)[:, None], body.character.model.body_mass[None], 0.0)
    return masses / masses.sum(axis=1, keepdims=True)
