"""The contact-force plan as a problem by itself, to look at or to give to another solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.maths.rotations import Array
from poise.methods.modal.rigid import force_columns, plan_forces
from poise.methods.modal.spectrum import find_modes
from poise.methods.modal.step import Ahead, Body, Contact, Weights, linear_ends, rigid_ends


@dataclass(frozen=True, eq=False)
class ForcePlan:
    """min ½ |z + B f|²_W + ½ Σ w |f_v - g_v|² over friction cones: equation (16)."""

    z: Array  # (12,)
    slack: Array  # (12,) = 1 / W
    weight: Array  # (V,)
    friction: Array  # (V,), negative: a grip
    usual: Array  # (V, 3) = g
    alpha: Array  # (V,)
    beta: Array  # (V,)
    G: Array  # (V, 6, 3)

    @property
    def count(self) -> int:
        """How many forces are planned."""
        return len(self.weight)

    @property
    def B(self) -> Array:
        """Matrix (12, 3V) from forces to the end of the window."""
        top = np.einsum("v,vij->ivj", self.alpha, self.G).reshape(6, -1)
        return np.concatenate([top, np.einsum("v,vij->ivj", self.beta, self.G).reshape(6, -1)])

    def solve(self) -> Array:
        """The forces (V, 3) [N] in their frames, from a cold start."""
        return self.solved()[0]

    def solved(self) -> tuple[Array, int, float]:
        """`solve`, with the number of Newton steps and the largest gradient that is left."""
        f = np.zeros((self.count, 3))
        steps, left = plan_forces(self.z, self.slack, self.weight, self.friction, self.usual, self.count, self.alpha,
                                  self.beta, self.G, np.zeros(12), f)  # fmt: skip
        return f, steps, left

    def objective(self, f: Array) -> float:
        """What is minimised, at forces f (V, 3)."""
        end = self.z + self.B @ f.ravel()
        return float(0.5 * np.sum(end**2 / self.slack) + 0.5 * np.sum(self.weight[:, None] * (f - self.usual) ** 2))

    def as_cone_problem(self) -> tuple[Array, Array, Array, float]:
        """A (12, 3V), b (12,), friction (V,) and one weight for `poise.solve`: for equal weights and g = 0 alone."""
        root = 1.0 / np.sqrt(self.slack)
        return root[:, None] * self.B, -root * self.z, self.friction, float(self.weight[0])


def force_plan(body: Body, ahead: Ahead, contact: Contact, weights: Weights, feedforward: bool = True) -> ForcePlan:
    """The problem that `decide` solves for the same arguments; without `feedforward` measured from no force."""
    shapes, _, spin = find_modes(body.M, body.stiffness, body.R, body.place, body.centre, body.mass)
    z, slack = np.empty(12), np.empty(12)
    if weights.exact:
        rigid_ends(body, ahead, weights, shapes.T @ body.M, spin, z, slack)
    else:
        linear_ends(body, ahead, weights, shapes, shapes.T @ body.M, z, slack)
    most = contact.touching.size + 1
    point, alpha, beta = np.empty(most, np.int64), np.empty(most), np.empty(most)
    G, usual = np.empty((most, 6, 3)), np.zeros((most, 3))
    count = force_columns(contact.touching, contact.standing, contact.arms, contact.frames, contact.usual, spin,
                          body.mass, weights.dt, weights.group, point, alpha, beta, G, usual)  # fmt: skip
    weight = weights.force * weights.dt**2 / body.mass * (beta[:count] / weights.dt)
    return ForcePlan(z, slack, weight, contact.friction[point[:count]], usual[:count] * float(feedforward),
                     alpha[:count], beta[:count], G[:count])  # fmt: skip
