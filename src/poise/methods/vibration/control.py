"""The locomotion controller: springs about the rest pose, bursts by the clock, feedback at some moments of a cycle.

Equation (1) and figure 2 of Nunes et al. 2012. A unit is what is repeated: half a cycle with left and right exchanged
of a gait whose legs take turns, a whole cycle of a hop. In a unit one leg is thrown forward by the flight burst at its
beginning, and the other one thrusts by the ground burst.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.configuration import difference_rows
from poise.maths.rotations import Array

SQUARE, EASED = "square", "eased"


class Springs(NamedTuple):
    """The body's springs and its layout, for compiled code."""

    kind: np.ndarray  # (J,) joints, and where they begin in q and v
    qadr: np.ndarray
    vadr: np.ndarray
    rest: Array  # (nq,)
    stiffness: Array  # (nv,) k_s [N m/rad]
    damping: Array  # (nv,) k_d [N m s/rad]
    limit: Array  # (nv,) [N m] that a joint bears in all


class Bursts(NamedTuple):
    """Torques of every step of a unit, and of a mirrored one."""

    table: Array  # (2, steps, nv) [N m]
    thrust: tuple[int, int]  # first step of the ground burst and first one after it
    foot: int = 0  # whose ground burst it is: 0 that foot's which stands in even units, 1 the other's


class Corrections(NamedTuple):
    """Linear feedback that is decided at the beginning of each stage of a unit and held until the next.

    u = -gains (x - x̄) within ± limit, τ = basis u. x: tangent difference of the pose, its place in the plane left out,
    then the velocities.
    """

    starts: np.ndarray  # (K + 1,) first step of each stage, and the number of steps of a unit
    q: Array  # (2, K, nq) x̄, as it is and mirrored
    v: Array  # (2, K, nv)
    gains: Array  # (K, inputs, 2 nv)
    basis: Array  # (2, nv, inputs)
    steady: Array  # (K, inputs) what the limit cycle itself needs
    limit: float  # [N m]


def no_corrections(nq: int, nv: int, steps: int) -> Corrections:
    """Feedback of nothing."""
    z = np.zeros
    return Corrections(np.array([0, steps]), z((2, 1, nq)), z((2, 1, nv)), z((1, 0, 2 * nv)), z((2, nv, 0)), z((1, 0)),
                       0.0)  # fmt: skip


def burst(start: float, length: float, steps: int, dt: float, unit: float, form: str = SQUARE) -> Array:
    """How much of a burst from `start` for `length` [s] acts in each step of a unit (steps,): its mean over the step.

    What lies beyond the end of the unit is left out; ask again with start - unit for what it brings into the next one.
    Eased: 1 - cos rises and falls within the length, with the impulse of the square one.
    """
    edge = np.arange(steps + 1) * dt
    x = np.clip((edge - start) / max(length, 1e-9), 0.0, 1.0)
    if form == EASED:
        x = x - np.sin(2.0 * np.pi * x) / (2.0 * np.pi)
    return np.diff(x) * max(length, 1e-9) / dt


def bursts(flight: Array, ground: Array, lengths: tuple[float, float], thrust_at: float, steps: int, dt: float,
           mirror: Array, form: str = SQUARE) -> Bursts:  # fmt: skip
    """The torques of a unit: flight (nv,) at its beginning, ground (nv,) at `thrust_at` [s], each for its length [s].

    A burst that lasts beyond the unit goes on in the next, where left and right are exchanged: `mirror` (nv, nv), the
    identity for a hop.
    """
    unit = steps * dt
    table = np.zeros((steps, len(flight)))
    for torque, start, length in ((flight, 0.0, lengths[0]), (ground, thrust_at, lengths[1])):
        table += burst(start, length, steps, dt, unit, form)[:, None] * torque
        table += burst(start - unit, length, steps, dt, unit, form)[:, None] * (mirror @ torque)
    first = min(round(thrust_at / dt), steps)
    return Bursts(np.stack([table, table @ mirror.T]), (first, min(first + round(lengths[1] / dt), steps)))


@njit(cache=True)
def spring_torque(springs, q, v, out):
    """τ_p = k_s (θ_r - θ) - k_d θ' of every joint into out (nv,), zero on the root (1).

    Departures: the difference of two poses of a ball joint is a rotation vector.
    """
    step = np.empty((1, out.shape[0]))
    difference_rows(springs.kind, springs.qadr, springs.vadr, q.reshape(1, -1), springs.rest.reshape(1, -1), step)
    for d in range(out.shape[0]):
        out[d] = springs.stiffness[d] * step[0, d] - springs.damping[d] * v[d]
    out[:6] = 0.0


@njit(cache=True)
def total_torque(springs, q, v, burst, feedback, out):
    """Springs, burst (nv,) and feedback (nv,) together into out (nv,), within what each joint bears, zero on the root.

    The paper's torques have no limits; those of a sketch with `limits` do.
    """
    spring_torque(springs, q, v, out)
    for d in range(6, out.shape[0]):
        out[d] = min(max(out[d] + burst[d] + feedback[d], -springs.limit[d]), springs.limit[d])


@njit(cache=True)
def _sensed(springs, given, stage, odd, q, v, noise):
    """x - x̄ (2 nv,) of a stage as it is sensed, with its noise and without the place in the plane."""
    nv = v.shape[0]
    step, x = np.empty((1, nv)), np.empty(2 * nv)
    cycle = given.q[odd, stage].reshape(1, -1)
    difference_rows(springs.kind, springs.qadr, springs.vadr, cycle, q.reshape(1, -1), step)
    x[:nv] = step[0]
    x[nv:] = v - given.v[odd, stage]
    x += noise
    x[:2] = 0.0
    return x


@njit(cache=True)
def correction(springs, given, stage, odd, mirror, q, v, noise, out):
    """Torques of one stage's feedback into out (nv,), for the state q (nq,), v (nv,); noise (2 nv,) on what is sensed.

    In an odd unit the state is compared with the mirrored cycle and the difference mirrored back.
    """
    nv, inputs = v.shape[0], given.gains.shape[1]
    out[:] = 0.0
    if inputs == 0:
        return
    x = _sensed(springs, given, stage, odd, q, v, noise)
    if odd == 1:
        x[:nv] = mirror @ x[:nv].copy()
        x[nv:] = mirror @ x[nv:].copy()
    for i in range(inputs):
        u = given.steady[stage, i] - feedback_of(given.gains[stage, i], x)
        u = min(max(u, -given.limit), given.limit)
        for d in range(nv):
            out[d] += given.basis[odd, d, i] * u


@njit(cache=True)
def feedback_of(gain, x):
    """gain · x, summed in one order."""
    u = 0.0
    for j in range(x.shape[0]):
        u += gain[j] * x[j]
    return u


def correction_input(springs: Springs, given: Corrections, stage: int, state: Array) -> Array:
    """The inputs u (inputs,) [N m] that a stage of an even unit decides on in a state (nq + nv,).

    Departures from `correction`: the sum is numpy's, whose last bits are others; every gait was found with these.
    """
    nq, nv = len(springs.rest), len(springs.stiffness)
    x = _sensed(springs, given, stage, 0, state[:nq], state[nq:], np.zeros(2 * nv))
    return np.clip(given.steady[stage] - given.gains[stage] @ x, -given.limit, given.limit)
