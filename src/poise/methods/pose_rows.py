"""Rows that one method hands to another's search for a pose, as a value: neither imports the other.

A method that solves for joint velocities q̇ by least squares (momentum's pose, equation (31) of Ye 2012) takes values
with a method `pose_rows(step)`, gives each of them what it knows of the step, and adds

    Σ prices_r (rows_r · q̇ - goals_r)²

to what it minimises. q̇ leads through the step; the velocity at its end is q̇ + kick, for the root's part of q̇ is that
of the middle. Joint torques are linear in q̇: with M (nv, nv), bias c and the torques J_cᵀF of the ground,

    u = M (q̇ + kick - v) / h + c - J_cᵀF - J_eᵀF^e,

so E u = wanted is a set of rows: E M / h with the goals wanted + E (M (v - kick) / h - c + J_cᵀF + J_eᵀF^e).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from poise.maths.rotations import Array


class PoseStep(NamedTuple):
    """A step whose joint velocities are looked for."""

    time: float  # [s] of the reference
    dt: float  # h [s]
    q: Array  # (nq,) now
    v: Array  # (nv,) now
    pose: Array  # (nq,) of the reference now
    rate: Array  # (nv,) velocity of the reference [rad/s, m/s]
    mass: Array  # (nv, nv) M
    bias: Array  # (nv,) c: gravity, Coriolis and centrifugal forces
    ground: Array  # (nv,) J_cᵀF of the contact forces that are planned [N m]
    kick: Array  # (nv,) velocity at the end less q̇: of the root, zero in all joints
    pushes: Array  # (nv,) J_eᵀF^e of what pushes the body [N m]


class Rows(NamedTuple):
    """Terms of the least squares problem."""

    rows: Array  # (R, nv)
    goals: Array  # (R,)
    prices: Array  # (R,) weight of each squared row; w1 of the pose is 1
    follow: Array  # (nv,) factor on w1, by which each degree of freedom follows the reference: 1 as usual, 0 not


@runtime_checkable
class PoseRows(Protocol):
    """A frozen value that hands rows to a search for a pose; it must be a dataclass of poise to be saved in a take."""

    def pose_rows(self, step: PoseStep) -> Rows:
        """The rows of a step."""
        ...
