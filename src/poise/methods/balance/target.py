"""What the recording wants, looked up at short intervals and carried on between them.

Velocities and momenta are needed (12), (14), (17), and the paper takes them by finite differences from the recording as
it is. Recordings shake from frame to frame: here every rate is the middle of a parabola through the looks of 50 ms
before and after (`smooth`). Places and joint angles are those of the recording, unaltered; feet that float in it
stand (`floating`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.dynamics.compiled.momentum import MASS
from poise.maths.rotations import Array
from poise.methods.balance.hierarchy import Hierarchy
from poise.methods.balance.momentum import Links, momentum
from poise.motion.reference import Reference

INTERVAL = 1 / 120  # [s] between two looks at the reference; in between it goes on with its velocity and acceleration
AHEAD = 6  # looks before and after the present one that are smoothed over
NEAR, SLOW = 0.03, 0.25  # [m] and [m/s] of a foot that stands as the other does, whatever its label
BEARING = 0.3  # share of the recording's ground force from which a foot bears it that is within twice of both
_MOMENTUM, _SPIN, _VELOCITY = slice(0, 6), slice(6, 9), slice(9, None)  # columns of a look at the recording's rates


class Target(NamedTuple):
    """The reference at one time."""

    time: float  # [s]
    q: Array  # (nq,)
    v: Array  # (nv,)
    a: Array  # (nv,)
    momentum: Array  # (6,) angular, then linear
    rate: Array  # (6,) its change with time [N m, N]
    lead: Array  # (nv,) joint torques [N m] of the recording's own motion that no rigid body of its momentum has
    centre: Array  # (3,) of mass
    feet: Array  # (2, 3) centres of mass of the feet
    turn: Array  # (4,) orientation of the controlled link
    spin: Array  # (3,) its angular velocity, world axes
    feet_down: np.ndarray  # (2,) bool: feet that the recording has on the ground


class Targets:
    """Looks at a reference as time goes on; a reference that was exchanged is looked at again at once."""

    def __init__(self, hierarchy: Hierarchy, link: int, smooth: bool = True, floating: bool = True):
        self.links, self.link = Links(hierarchy), link
        self.weights = foot_weights(hierarchy)
        points = hierarchy.character.contact_points
        self._points = [points.of("left"), points.of("right")]
        self._reference: Reference | None = None
        self.target: Target | None = None
        self._ahead, self._floating = AHEAD if smooth else 1, floating  # through three looks: plain differences
        self._value, self._slope = parabola(self._ahead, INTERVAL)
        self._rates = np.zeros((2 * self._ahead + 1, 9 + hierarchy.character.model.nv))  # the oldest look first
        self._seen = -1  # the last interval that was looked at

    def at(self, reference: Reference, time: float) -> Target:
        """The target of the last interval that has begun."""
        k = int(time / INTERVAL + 1e-9)
        if self.target is None or reference is not self._reference or k != self._seen:
            if self.target is not None and reference is self._reference and len(reference.baked) == 1:
                self.target, self._seen = self.target._replace(time=k * INTERVAL), k  # a pose: nothing else is new
                return self.target
            fresh = self.target is None or reference is not self._reference or k != self._seen + 1
            for n in range(-self._ahead if fresh else self._ahead, self._ahead + 1):
                self._look_ahead(reference, (k + n) * INTERVAL)
            self.target, self._reference, self._seen = self._look(reference, k * INTERVAL), reference, k
        return self.target

    def _look_ahead(self, reference: Reference, time: float) -> None:
        """Push the rates at a time into the table; before the beginning they are those of the beginning."""
        sample, links = reference.sample(max(0.0, time)), self.links
        links.place(sample.q, sample.v)
        self._rates[:-1] = self._rates[1:]
        row = self._rates[-1]
        row[_MOMENTUM], row[_VELOCITY] = momentum(links.terms), sample.v
        row[_SPIN] = links.terms.velocities[self.link, :3]

    def _down(self, labels: np.ndarray, rate: Array) -> np.ndarray:
        """Boolean (2,): feet that the recording has on the ground, by its labels, or beside them.

        Recorded feet float in deep squats. One that is as low as the other and at rest stands too, and so does one that
        is about as low and nearly at rest if the ground's force that the motion needs, from its change of momentum
        `rate` (6,), is near it.
        """
        places = [self.links.places(p) for p in self._points]
        low = [float(np.min(p[:, 2], initial=np.inf)) for p in places]
        down = np.array([bool(np.any(labels[p])) for p in self._points])
        if not self._floating or down.all() or not down.any():
            return down
        s = int(down[0])  # the one without a label
        speed = np.hypot(*self.links.velocity_of(self.links.hierarchy.feet[s])[:2])
        high = low[s] - low[1 - s]
        bears = _share(self.links, rate, places[1 - s].mean(axis=0), places[s].mean(axis=0)) > BEARING
        down[s] = (high < NEAR and speed < SLOW) or (bears and high < 2 * NEAR and speed < 2 * SLOW)
        return down

    def _look(self, reference: Reference, time: float) -> Target:
        sample, links = reference.sample(time), self.links
        links.place(sample.q, sample.v)
        values, slopes, terms = self._value @ self._rates, self._slope @ self._rates, links.terms
        v, a, rate = values[_VELOCITY], slopes[_VELOCITY], slopes[_MOMENTUM]
        down = self._down(sample.contacts, rate)
        lead = links.lead(sample.q, v, a, rate)
        return Target(
            time=time, q=sample.q, v=v, a=a, momentum=values[_MOMENTUM], rate=rate, lead=lead,
            centre=terms.centre_of_mass.copy(), feet=self.weights @ terms.link_centres,
            turn=terms.quaternions[self.link].copy(), spin=values[_SPIN], feet_down=down)  # fmt: skip


def _share(links: Links, rate: Array, one: Array, other: Array) -> float:
    """Where the ground's force that a change of momentum (6,) needs meets the line from one foot (3,) to the other."""
    terms = links.terms
    centre, mass = terms.centre_of_mass, terms.subtree_inertias[terms.root, MASS]
    force = rate[3:] - mass * terms.gravity
    if force[2] <= 0.1 * mass:
        return 0.0
    high = centre[2] - one[2]
    x, y = centre[0] - (high * force[0] + rate[1]) / force[2], centre[1] - (high * force[1] - rate[0]) / force[2]
    way = other[:2] - one[:2]
    return float(((x - one[0]) * way[0] + (y - one[1]) * way[1]) / max(float(way @ way), 1e-9))


def parabola(half: int, interval: float) -> tuple[Array, Array]:
    """Weights (2 half + 1,) that give value and slope in the middle of the parabola nearest to as many samples."""
    n = interval * np.arange(-half, half + 1)
    fit = np.linalg.pinv(np.stack([np.ones(len(n)), n, n * n], axis=1))
    return fit[0], fit[1]


def foot_weights(hierarchy: Hierarchy) -> Array:
    """Matrix (2, bodies) that takes the centres of mass of all bodies to those of the two feet, toes with them."""
    masses = np.where(hierarchy.foot_of[None] == np.arange(2)[:, None], hierarchy.character.model.body_mass[None],
                      0.0)  # fmt: skip
    return masses / masses.sum(axis=1, keepdims=True)
