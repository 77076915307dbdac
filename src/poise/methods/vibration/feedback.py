"""Feedback that keeps a gait up: the unit is cut into stages, each is linearised, and optimal gains are found.

Beyond the paper, whose gaits are open loop: their return maps multiply errors by ten and more from unit to unit, and
they fall within a few. At the beginning of each stage u = -G_k (x - x̄_k) is decided and held, on top of the bursts; its
torques are those of slow modes. The gains are those of the periodic Riccati recursion about the cycle x̄.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poise.errors import NoSolution
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.vibration.control import Bursts, Corrections, correction_input
from poise.methods.vibration.palette import Palette
from poise.methods.vibration.unit_simulator import UnitSimulator
from poise.solve.riccati import Feedback, periodic_feedback


class Differences(NamedTuple):
    """How far a state and an input are moved to see what comes of it: wide, as contacts are not smooth."""

    pose: float = 1e-2  # [rad or m]
    speed: float = 1e-1  # [rad/s or m/s]
    torque: float = 5.0  # [N m]


WIDER, WIDEST = Differences(2e-2, 2e-1, 10.0), Differences(4e-2, 4e-1, 20.0)


class Weights(NamedTuple):
    """What the feedback weighs: deviations of a pose, of speeds, and torques."""

    pose: float = 20.0  # [1/rad, 1/m]
    speed: float = 1.0  # [s/rad, s/m]
    torque: float = 1 / 20  # [1/(N m)]
    heading: float = 10.0  # [1/rad] of the root about the vertical
    joints: float = 0.3  # how much of the above poses of joints beside the root weigh
    joint_speeds: float = 0.3  # the same of their speeds
    aside: float = 1.0  # the same of the root's place and tilt sideways, and of their rates


def cuts(steps: int, stages: int) -> np.ndarray:
    """First step of each stage (stages + 1,), as even as steps allow."""
    return np.rint(np.linspace(0, steps, stages + 1)).astype(np.int64)


def mean_stages(simulator: UnitSimulator, trace: Array, starts: np.ndarray, units: Sequence[int]) -> Array:
    """The mean (K, nq + nv) of the states at the stages of some even units, of the `trace` (steps, ...) of a run.

    The place in the plane is left out.
    """
    nq, nv, steps = len(simulator.rest), len(simulator.stiffness), int(starts[-1])
    cycle = np.zeros((len(starts) - 1, nq + nv))
    for k in range(len(cycle)):
        rows = trace[[u * steps + starts[k] for u in units], : nq + nv]
        rows[:, :2] = 0.0
        change = conf.difference(simulator.character.layout, rows[0, :nq], rows[:, :nq]).mean(axis=0)
        cycle[k, :nq] = conf.integrate(simulator.character.layout, rows[0, :nq], change)
        cycle[k, nq:] = rows[:, nq:].mean(axis=0)
    return cycle


class Cycle(NamedTuple):
    """States at the stages of a unit, and the torques that keep it there."""

    states: Array  # (K, nq + nv)
    steady: Array  # (K, inputs) [N m]


def mean_cycle(simulator: UnitSimulator, trace: Array, corrections: Corrections, units: Sequence[int]) -> Cycle:
    """The mean of some even units of the `trace` (steps, ...) of a run, and what its feedback asks for there."""
    states = mean_stages(simulator, trace, corrections.starts, units)
    steady = np.stack([correction_input(simulator.springs, corrections, k, x) for k, x in enumerate(states)])
    return Cycle(states, steady)


def torque_basis(palette: Palette) -> Array:
    """Torques (nv, inputs) of the slowest modes, of the ground first: 8 and 4, more where there are more limbs."""
    limbs = max(1.0, (len(palette.stiffness) - 6) / 30)
    ground, flight = round(8 * limbs), round(4 * limbs)
    return np.hstack([palette.torques("ground")[:, :ground], palette.torques("flight")[:, :flight]])


def held(simulator: UnitSimulator, starts: np.ndarray, basis: Array, steady: Array) -> Corrections:
    """Corrections without feedback that hold torques `steady` (K, inputs) of a basis (nv, inputs)."""
    nq, nv, stages = simulator.character.model.nq, simulator.character.model.nv, len(starts) - 1
    zero = np.zeros((2, stages, nq))
    return Corrections(starts, zero, np.zeros((2, stages, nv)), np.zeros((stages, basis.shape[1], 2 * nv)),
                       np.stack([basis, simulator.mirror @ basis]), steady, np.inf)  # fmt: skip


def linearised(simulator: UnitSimulator, bursts: Bursts, cycle: Array, starts: np.ndarray, basis: Array, steady: Array,
               by: Differences | None = None) -> tuple[list[Array], list[Array]]:  # fmt: skip
    """A_k (2 nv, 2 nv) and B_k (2 nv, inputs) of each stage about the states cycle (K, nq + nv).

    By central differences. The place in the plane has no rows and columns; the last stage ends as the next unit sees
    it, mirrored.
    """
    layout, nq, nv = simulator.character.layout, simulator.character.model.nq, simulator.character.model.nv
    states, inputs, by = 2 * nv, basis.shape[1], by or Differences()
    A, B = [], []
    for k in range(len(starts) - 1):
        part = Bursts(np.ascontiguousarray(bursts.table[:, starts[k] : starts[k + 1]]), (0, 0))
        span = np.array([0, starts[k + 1] - starts[k]])

        def end(state: Array, u: Array, part: Bursts = part, span: np.ndarray = span) -> Array:
            run = simulator.run(state, part, 1, held(simulator, span, basis, u[None]))
            if run.finished < 1:
                raise NoSolution("The gait falls where it is linearised; there is no cycle to build feedback on.")
            return run.states[-1]

        def change(plus: Array, minus: Array, size: float) -> Array:
            step = conf.difference(layout, minus[:nq], plus[:nq])
            return np.concatenate([step, plus[nq:] - minus[nq:]]) / (2.0 * size)

        a, b = np.zeros((states, states)), np.zeros((states, inputs))
        for i in range(2, states):
            move = np.zeros(nv)
            move[i % nv] = by.pose if i < nv else by.speed
            ends = []
            for sign in (1.0, -1.0):
                moved = cycle[k].copy()
                if i < nv:
                    moved[:nq] = conf.integrate(layout, cycle[k, :nq], sign * move)
                else:
                    moved[nq:] += sign * move
                ends.append(end(moved, steady[k]))
            a[:, i] = change(ends[0], ends[1], by.pose if i < nv else by.speed)
        for i in range(inputs):
            more = by.torque * np.eye(inputs)[i]
            b[:, i] = change(end(cycle[k], steady[k] + more), end(cycle[k], steady[k] - more), by.torque)
        a[:2], b[:2] = 0.0, 0.0
        if k == len(starts) - 2:
            both = np.kron(np.eye(2), simulator.mirror)
            a, b = both @ a, both @ b
        A.append(a)
        B.append(b)
    return A, B


def gains(simulator: UnitSimulator, A: list[Array], B: list[Array], weights: Weights | None = None) -> Feedback:
    """Gains of every stage."""
    weights = weights or Weights()
    nv = simulator.character.model.nv
    root = np.where(np.isin(np.arange(6), (1, 3)), weights.aside, 1.0)
    joints = [np.full(nv - 6, share) for share in (weights.joints, weights.joint_speeds)]
    q = np.concatenate([weights.pose * root, weights.pose * joints[0], weights.speed * root, weights.speed * joints[1]])
    q **= 2
    q[:2] = 0.0
    q[5] = weights.heading**2
    return periodic_feedback(A, B, np.diag(q), np.eye(B[0].shape[1]) * weights.torque**2)


def cycle_with_less_steady(simulator: UnitSimulator, cycle: Cycle, A: list[Array], B: list[Array], share: float
                           ) -> Cycle:  # fmt: skip
    """The cycle that needs less by a `share` of its steady torques u_k, to first order: the bursts carry more of it.

    x_{k+1} = A_k x_k - share B_k u_k round the cycle, whose end is its beginning: x_0 = (I - Π A)⁻¹ c. A direction in
    which nothing brings it back, such as the heading, stays.
    """
    n, nq, nv = len(A[0]), len(simulator.rest), len(simulator.stiffness)
    whole, rest = np.eye(n), np.zeros(n)
    for a, b, u in zip(A, B, cycle.steady, strict=True):
        whole, rest = a @ whole, a @ rest - share * (b @ u)
    x = np.linalg.lstsq(np.eye(n) - whole, rest, rcond=3e-2)[0]
    out = cycle.states.copy()
    for k, (a, b, u) in enumerate(zip(A, B, cycle.steady, strict=True)):
        out[k, :nq] = conf.integrate(simulator.character.layout, cycle.states[k, :nq], x[:nv])
        out[k, nq:] += x[nv:]
        x = a @ x - share * (b @ u)
    out[:, :2] = 0.0
    return Cycle(out, (1.0 - share) * cycle.steady)


def corrections(simulator: UnitSimulator, cycle: Array, starts: np.ndarray, basis: Array, gains: Array, steady: Array,
                limit: float = 100.0) -> Corrections:  # fmt: skip
    """Feedback gains (K, inputs, 2 nv) about a cycle (K, nq + nv) that needs torques `steady` (K, inputs) by itself."""
    nq = simulator.character.model.nq
    q, v = cycle[:, :nq], cycle[:, nq:]
    return Corrections(starts, np.stack([q, simulator.mirrored(q)]), np.stack([v, v @ simulator.mirror.T]),
                       np.ascontiguousarray(gains), np.stack([basis, simulator.mirror @ basis]),
                       steady, limit)  # fmt: skip
