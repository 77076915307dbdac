"""Feed-forward: the joint torques that a reference needs, with ground forces in their friction cones.

    τ = M a + c - Jᵀ f,    f = argmin |(M a + c - Jᵀ f)_root|² + w |f|²  in friction cones

at the contact points that should touch, and at hands that hold a bar in any direction. What no force explains is left
over on the root; servos and the search make up for it.
"""

from __future__ import annotations

import numpy as np

from poise.dynamics import Dynamics, Wrench
from poise.dynamics.instant import Instant
from poise.maths.rotations import Array
from poise.motion.reference import Reference, Sample
from poise.solve.cones import cone_least_squares

_SOFT = 1e-6  # weight on the size of forces, in body weights: picks the gentlest where many explain the motion
_ARM = 0.3  # of body height: the length that weighs torques on the root against forces
_CAUTION = 0.8  # share of the ground's friction that is counted on


class FeedForward:
    """Joint torques of a reference at any time."""

    def __init__(self, reference: Reference, friction: float):
        self.reference, self.character = reference, reference.character
        self._dynamics = Dynamics(self.character)
        self._friction = _CAUTION * friction
        gravity = float(np.linalg.norm(self.character.model.opt.gravity)) or 1.0
        weight, arm = self.character.mass * gravity, _ARM * self.character.height
        self._scale = np.array([1.0, 1.0, 1.0, 1.0 / arm, 1.0 / arm, 1.0 / arm]) / weight
        self._weight = weight
        self._limit = finite_limit(self.character.torque_limit)

    def at(self, time: float) -> Array:
        """The torques (nv,) [N m] at a time [s], within the limits and zero on the root."""
        return np.clip(self.needed(time), -self._limit, self._limit)

    def needed(self, time: float) -> Array:
        """The same without limits: what a body of any strength would need."""
        sample = self.reference.sample(time)
        now = self._dynamics.at(sample.q, sample.v)
        need = now.inverse_dynamics(sample.a, self._carried(now, sample.a, time))
        rays, friction = self._rays(now, sample, time)
        if len(rays):
            A = self._scale[:, None] * rays[:, :6].T * self._weight
            found = cone_least_squares(A, self._scale * need[:6], friction, _SOFT)
            need = need - rays.T @ (self._weight * found.forces)
        need[:6] = 0.0
        return need

    def weakest(self, seconds: float, every: float = 1 / 30) -> tuple[float, str, float]:
        """The largest need in shares of a limit up to a time [s], at which joint, and when [s]."""
        times = np.arange(0.0, seconds, every)
        share = np.array([np.abs(self.needed(t))[6:] / np.maximum(self._limit[6:], 1e-9) for t in times])
        k, d = np.unravel_index(int(np.argmax(share)), share.shape)
        joint = self.character.joint_names[int(self.character.model.dof_jntid[6 + int(d)])]
        return float(share[k, d]), joint, float(times[k])

    def _rays(self, now: Instant, sample: Sample, time: float) -> tuple[Array, Array]:
        """Generalised forces (3K, nv) of unit forces along normal, tangent and tangent, and friction (K,)."""
        points, ground = self.character.contact_points, self.reference.ground
        out, friction = [], []
        for p in np.flatnonzero(sample.contacts):
            place = now.contact_positions[p]
            normal = np.asarray(ground.normal(place[0], place[1]), float)
            out.append(_axes(normal) @ now.jacobian(int(points.bodies[p]), place))
            friction.append(self._friction)
        for hold in self.reference.baked.grips:
            if not hold.carries and hold.covers(np.array([self._within(time)]))[0]:
                hand = self.character.body(hold.hand)
                out.append(now.jacobian(hand, now.point(hand, hold.local(self.character))))
                friction.append(np.inf)
        return (np.concatenate(out) if out else np.zeros((0, len(sample.v)))), np.array(friction)

    def _carried(self, now: Instant, a: Array, time: float) -> list[Wrench]:
        """The pull of what the hands carry."""
        out, at = [], np.array([self._within(time)])
        for hold in self.reference.baked.grips:
            mass = float(hold.mass * hold.share(at)[0]) if hold.carries else 0.0
            if mass > 0.0:
                hand = self.character.body(hold.hand)
                point = now.point(hand, hold.local(self.character))
                rate = now.jacobian(hand, point) @ a + now.jacobian_bias(hand, point)
                out.append(Wrench(hand, point, mass * (self.character.model.opt.gravity - rate)))
        return out

    def _within(self, time: float) -> float:
        """The time [s] in the clip, or in the period of a loop."""
        t = time + self.reference.start
        return t % self.reference.duration if self.reference.baked.cycle is not None else t


def finite_limit(limit: Array) -> Array:
    """Torque limits (nv,) [N m], a large one where a joint has none; zero on the root."""
    out = np.where(np.isfinite(limit), limit, 1e3)
    out[:6] = 0.0
    return out


def _axes(normal: Array) -> Array:
    """Rows: a unit normal and two unit vectors across it and each other."""
    away = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    first = np.cross(normal, away)
    first /= np.linalg.norm(first)
    return np.stack([normal, first, np.cross(normal, first)])
