"""Distil: from many online corrections of a disturbed plan, a linear feedback for each of its windows.

The plan is performed many times, pushed at random and with velocities that are a little off, and the search under way
leads it back. Of each window two things are written down: the features δ of the state against the plan when it began
(`methods.rehearse.feedback`), and the offset x that the search chose. The law is the ridge regression

    M = argmin Σ w_i |x_i - x_plan - Mᵀ δ_i|² + ρ |M|²

over the windows near by that were followed by a body which stayed up, as in guided control graphs (Liu et al. 2016). In
the next round the search looks about what the law says, and the law is fitted anew to what both found together.

Departures: neighbouring windows share their samples, with weights that fall with their distance, since a window has
one sample a run; joints that a rehearsal samples little (hands, head) are not corrected.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.rehearse import Plan, Rehearsed
from poise.methods.rehearse.controller import Memory
from poise.methods.rehearse.feedback import FEATURES, features
from poise.methods.rehearse.known import Known
from poise.methods.rehearse.rows import STEP
from poise.methods.rehearse.servos import Servos
from poise.motion.reference import Reference
from poise.simulate.guard import BlowUp
from poise.simulate.mujoco import MujocoSimulator
from poise.stage.events import Push
from poise.threads import on_one_thread

_NOISE = 0.1  # [rad/s, m/s] on all starting velocities
_FORCES = (20.0, 110.0)  # [N] of a push of 0.1 s on the chest
_NEAR = 4.0  # windows: standard deviation of the weights of neighbours
_RIDGE = 2.0  # ρ: samples at one unit of a feature that say as much as nothing
_SMALL = 0.06  # [rad] joints that are sampled less widely are not corrected
_LOST = 4.0  # distance from the path from which on a run teaches nothing
_BEFORE = 10  # windows before that in which it does not teach either


class Lesson(NamedTuple):
    """What one disturbed run teaches, a row for each window up to where it was lost."""

    delta: Array  # (K, F)
    found: Array  # (K, nv) [rad] offsets against the plan


@on_one_thread
def distilled(plan: Plan, *, runs: int = 16, rounds: int = 1, seed: int = 1000) -> Plan:
    """The plan with a feedback for each of its windows, from `runs` disturbed runs in each of `rounds`.

    The runs are drawn anew from the seed, and are no runs that a table reports.
    """
    lessons: list[Lesson] = []
    for r in range(rounds):
        lessons += [_run(plan, (seed, r, k)) for k in range(runs)]
        plan = replace(plan, gain=_law(plan, lessons))
    return plan


def _run(plan: Plan, seed: tuple[int, ...]) -> Lesson:
    """The plan once, disturbed and led back by the search."""
    rng, character = np.random.default_rng(seed), plan.clip.character
    angle, force = rng.uniform(-np.pi, np.pi), rng.uniform(*_FORCES)
    at = float(rng.uniform(0.0, 0.9 * plan.seconds))
    push = Push("chest", (force * np.cos(angle), force * np.sin(angle), 0.0), at, 0.1)
    stage = replace(plan.stage, events=(push,))
    simulator = MujocoSimulator(character, stage, STEP, plan.contact)
    simulator.reset(plan.q[0], plan.v[0] + _NOISE * rng.standard_normal(len(plan.v[0])))
    method, reference = Rehearsed(plan=plan, light=0.0), Reference(plan.followed, start=plan.start)
    memory = method.start(character, reference, stage)
    delta, found = [], []
    for window, offset in enumerate(plan.offsets):
        state = simulator.state()
        servo = method.act(state, simulator.touches(), reference, memory).torque
        if memory.away > _LOST:
            keep = max(0, window - _BEFORE)
            return Lesson(np.array(delta[:keep]).reshape(-1, FEATURES), np.array(found[:keep]).reshape(-1, len(offset)))
        delta.append(_seen(plan, window, state.q, state.v, method, memory))
        found.append(memory.offset - offset)
        try:
            simulator.step(servo, steps=min(plan.window, len(plan.row_q) - window * plan.window))
        except BlowUp:
            break
    return Lesson(np.array(delta), np.array(found))


def _seen(plan: Plan, window: int, q: Array, v: Array, method: Rehearsed, memory: Memory) -> Array:
    return features(Known(plan, window, 0.0, 0), q[None], v[None], method.worlds(memory))[0]


def _law(plan: Plan, lessons: list[Lesson]) -> Array:
    """The gains (W, F, nv) of all windows."""
    count, nv = plan.offsets.shape
    used = np.flatnonzero(Servos.of(plan.clip.character, plan.full, plan.lag).spread >= _SMALL)
    window = np.concatenate([np.arange(len(s.delta)) for s in lessons])
    delta, found = (np.concatenate(x) for x in zip(*lessons, strict=True))
    out = np.zeros((count, FEATURES, nv))
    for w in range(count):
        weight = np.exp(-0.5 * ((window - w) / _NEAR) ** 2)
        weight *= 1.0 / (1.0 + (delta**2).mean(axis=1))  # far from the path one search is as good as another
        xw = delta * weight[:, None]
        gain = np.linalg.solve(xw.T @ delta + _RIDGE * np.eye(FEATURES), xw.T @ found[:, used])
        out[w][:, used] = gain
    return out
