"""One read-only view of an instant of a character: everything a method may ask of its dynamics, each computed once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics import engine
from poise.errors import BadValue
from poise.maths.rotations import Array


class Wrench(NamedTuple):
    """A force [N] and a moment [N m] on a body, acting at a world point; world axes."""

    body: int
    point: Array  # (3,)
    force: Array  # (3,)
    moment: Array | None = None  # (3,)


class Dynamics:
    """A character's equations of motion; `at(q, v)` gives an `Instant`.

    Instants share one working memory: asking an older one for something new puts its state back first, so every
    instant is right at any time, and going forward in time costs nothing extra.
    """

    def __init__(self, character: Character):
        self.character = character
        self.model = character.model
        self._data = engine.data_of(self.model)
        self._owner: Instant | None = None

    def at(self, q: Array, v: Array | None = None) -> Instant:
        """The instant with configuration q (nq,) and velocity v (nv,), at rest where it is not given."""
        return Instant(self, q, v)

    def data_for(self, instant: Instant) -> engine.Data:
        """The working memory, holding this instant."""
        if self._owner is not instant:
            engine.place(self.model, self._data, instant.q, instant.v)
            self._owner = instant
        return self._data


class Instant:
    """A character at one configuration and velocity. World axes, SI units; every array is read-only."""

    def __init__(self, dynamics: Dynamics, q: Array, v: Array | None = None):
        model = dynamics.model
        self.dynamics, self.character = dynamics, dynamics.character
        self.q = _frozen(np.array(q, float))
        self.v = _frozen(np.zeros(model.nv) if v is None else np.array(v, float))
        if self.q.shape != (model.nq,) or self.v.shape != (model.nv,):
            raise BadValue(f"{self.character.name} needs q ({model.nq},) and v ({model.nv},).")

    @property
    def _data(self) -> engine.Data:
        return self.dynamics.data_for(self)

    @cached_property
    def mass_matrix(self) -> Array:
        """Joint-space inertia M (nv, nv) [kg, kg m, kg m²]: the kinetic energy is ½ vᵀ M v."""
        return _frozen(engine.mass_matrix(self.dynamics.model, self._data))

    @cached_property
    def bias(self) -> Array:
        """h (nv,) [N, N m], Coriolis, centrifugal and gravity forces: M a + h = (0, u) + Σ Jᵀ f."""
        return _frozen(engine.bias(self.dynamics.model, self._data))

    @cached_property
    def gravity(self) -> Array:
        """The part of `bias` (nv,) that gravity makes."""
        weight = self.character.mass * self.dynamics.model.opt.gravity
        return _frozen(-self.centre_of_mass_jacobian.T @ weight)

    @cached_property
    def positions(self) -> Array:
        """World positions (B, 3) of the bodies' origins."""
        return _frozen(self._data.xpos.copy())

    @cached_property
    def rotations(self) -> Array:
        """World orientations (B, 3, 3): columns are the bodies' axes."""
        return _frozen(self._data.xmat.reshape(-1, 3, 3).copy())

    def point(self, body: int, local: Array) -> Array:
        """World position (3,) of a point fixed in a body."""
        return self.positions[body] + self.rotations[body] @ np.asarray(local, float)

    def jacobian(self, body: int, point: Array) -> Array:
        """J (3, nv): J v is the velocity [m/s] of a world point (3,) [m] fixed in a body."""
        return engine.jacobian(self.dynamics.model, self._data, body, point)[0]

    def turning_jacobian(self, body: int) -> Array:
        """J_ω (3, nv): J_ω v is the angular velocity [rad/s] of a body, world axes."""
        return engine.jacobian(self.dynamics.model, self._data, body, self.positions[body])[1]

    def jacobian_bias(self, body: int, point: Array) -> Array:
        """Acceleration (3,) of a world point fixed in a body that is there without joint accelerations: J' v."""
        return engine.jacobian_rate(self.dynamics.model, self._data, body, point)[0] @ self.v

    def turning_bias(self, body: int) -> Array:
        """Angular acceleration (3,) of a body that is there without joint accelerations."""
        return engine.jacobian_rate(self.dynamics.model, self._data, body, self.positions[body])[1] @ self.v

    @cached_property
    def contact_positions(self) -> Array:
        """World positions (P, 3) of the character's contact points."""
        points = self.character.contact_points
        turned = np.einsum("pij,pj->pi", self.rotations[points.bodies], points.positions)
        return _frozen(self.positions[points.bodies] + turned)

    @cached_property
    def contact_jacobian(self) -> Array:
        """Jacobians (P, 3, nv) of the contact points."""
        bodies = self.character.contact_points.bodies
        rows = [self.jacobian(int(b), x) for b, x in zip(bodies, self.contact_positions, strict=True)]
        return _frozen(np.array(rows).reshape(-1, 3, len(self.v)))

    @cached_property
    def contact_bias(self) -> Array:
        """J' v (P, 3) of the contact points."""
        bodies = self.character.contact_points.bodies
        rows = [self.jacobian_bias(int(b), x) for b, x in zip(bodies, self.contact_positions, strict=True)]
        return _frozen(np.array(rows).reshape(-1, 3))

    @cached_property
    def centre_of_mass(self) -> Array:
        """World position (3,)."""
        return _frozen(self._data.subtree_com[0].copy())

    @cached_property
    def centre_of_mass_jacobian(self) -> Array:
        """J_c (3, nv): J_c v is the velocity of the centre of mass."""
        return _frozen(engine.centre_of_mass_jacobian(self.dynamics.model, self._data))

    @cached_property
    def momentum_matrix(self) -> Array:
        """A (6, nv): A v is the linear momentum [kg m/s], then the angular one about the centre of mass [kg m²/s]."""
        linear = self.character.mass * self.centre_of_mass_jacobian
        return _frozen(np.vstack([linear, engine.angular_momentum_matrix(self.dynamics.model, self._data)]))

    @cached_property
    def momentum(self) -> Array:
        """Linear momentum [kg m/s] and angular momentum about the centre of mass [kg m²/s] (6,)."""
        return _frozen(self.momentum_matrix @ self.v)

    @cached_property
    def momentum_bias(self) -> Array:
        """Rate of momentum (6,) that is there without joint accelerations: A' v.

        The root rows of the velocity forces are that rate about the root, in its frame; moved to the centre of mass.
        """
        root = int(self.dynamics.model.jnt_bodyid[0])
        velocity_forces = self.bias - self.gravity
        force = velocity_forces[:3]
        moment = self.rotations[root] @ velocity_forces[3:6]
        arm = self.positions[root] - self.centre_of_mass
        return _frozen(np.concatenate([force, moment + np.cross(arm, force)]))

    def generalised(self, wrenches: Iterable[Wrench]) -> Array:
        """Generalised force Σ Jᵀ f + J_ωᵀ m (nv,) of wrenches on bodies."""
        out = np.zeros(len(self.v))
        for w in wrenches:
            linear, angular = engine.jacobian(self.dynamics.model, self._data, w.body, w.point)
            out += linear.T @ w.force
            if w.moment is not None:
                out += angular.T @ w.moment
        return out

    def inverse_dynamics(self, acceleration: Array, wrenches: Iterable[Wrench] = ()) -> Array:
        """Generalised forces M a + h - Σ Jᵀ f (nv,) [N, N m] that give this acceleration a (nv,) under these wrenches.

        The first six belong to the root, which has no motor: whatever is left there is unexplained.
        """
        return self.mass_matrix @ acceleration + self.bias - self.generalised(wrenches)

    def forward_dynamics(self, torque: Array, wrenches: Iterable[Wrench] = ()) -> Array:
        """Acceleration a = M⁻¹ (u - h + Σ Jᵀ f) (nv,) under joint torques u (nv,) [N m] and wrenches."""
        return np.linalg.solve(self.mass_matrix, torque - self.bias + self.generalised(wrenches))


def _frozen(a: Array) -> Array:
    a.flags.writeable = False
    return a
