"""Distil: from many disturbed simulations around a plan, a linear feedback for each of its windows.

For every window the plan is started one window earlier with velocities that are a little off, and goes on for some
windows with a random correction c of the offsets held. Two linear maps are fitted to what came of it,

    y = A δ + B c,    c = -(Bᵀ B + ρ)⁻¹ Bᵀ A δ

with the features δ when the window begins and the balance y at the end, both against the plan. Departures from the
guided control graphs of Liu et al. 2016: the law comes from one regression of outcomes, not from iterated samples of a
policy; it costs about as much as one pass of the search.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.rehearse import Plan
from poise.methods.rehearse.cost import watched_roles
from poise.methods.rehearse.feedback import FEATURES, features
from poise.methods.rehearse.rows import STEP, Rows
from poise.methods.rehearse.servos import Servos
from poise.motion.reference import Reference
from poise.simulate.rollouts import Rollouts
from poise.threads import on_one_thread

_KICK = np.array([0.15, 0.15, 0.1, 0.3, 0.3, 0.3])  # [m/s, rad/s] standard deviation at the root
_SHAKE = 0.2  # [rad/s] at the joints
_TRY = 0.4  # share of the search's spread of the corrections that are tried
_SMALL = 0.06  # [rad] joints that are sampled less widely are not corrected
_UNIT = np.array([0.03, 0.03, 0.03, 0.15, 0.15, 0.15, 3.0, 3.0, 3.0, 0.05, 0.05, 0.05])  # of y: m, m/s, kg m²/s, rad
_EFFORT = 6.0  # ρ in units of the corrections tried


@on_one_thread
def distilled(plan: Plan, *, samples: int = 120, ahead: int = 3, seed: int = 0, threads: int = 1) -> Plan:
    """The plan with a feedback for each of its windows; of stages with grips, props or patches the plan as it is."""
    work = _Disturbed(plan, samples, ahead, seed, threads)
    if not work.rollouts.plain:
        return plan
    gain = np.stack([work.gain(w) for w in range(len(plan.offsets))])
    return replace(plan, gain=gain)


class _Disturbed:
    """Simulations around a plan."""

    def __init__(self, plan: Plan, samples: int, ahead: int, seed: int, threads: int):
        self.plan, self.samples, self.ahead, self.seed = plan, samples, ahead, seed
        character = plan.clip.character
        watched = [character.body(r) for r in watched_roles(character)]
        self.rollouts = Rollouts(character, replace(plan.stage, events=()), STEP, plan.contact, watched, threads)
        self.servos = Servos.of(character, plan.full, plan.lag)
        self.rows = Rows(Reference(plan.followed, start=plan.start), plan.stage.friction)
        self.rows.q, self.rows.v, self.rows.planned = plan.row_q, plan.row_v, plan.planned
        self.used = np.flatnonzero(self.servos.spread >= _SMALL)

    def gain(self, w: int) -> Array:
        """The feedback (F, nv) of a window."""
        plan, nv = self.plan, self.plan.offsets.shape[1]
        out = np.zeros((FEATURES, nv))
        last = min(w + self.ahead, len(plan.offsets) - 1)
        if w == 0 or last == w or plan.reached < (last + 1) * plan.window * STEP:
            return out
        rng = np.random.default_rng((self.seed, w))
        states, held = self._start(w - 1, rng)
        ends = self._window(w - 1, states, held, np.zeros((self.samples, nv)))
        delta = np.array([features(plan, w, q, v) for q, v in zip(ends.q, ends.v, strict=True)])
        c = np.zeros((self.samples, nv))
        c[:, self.used] = _TRY * self.servos.spread[self.used] * rng.standard_normal((self.samples, len(self.used)))
        held, before = ends.states, np.repeat(plan.offsets[w - 1][None], self.samples, axis=0)
        for k in range(w, last):
            ends = self._window(k, held, before, c)
            held, before = ends.states, plan.offsets[k] + c
        y = self._balance(ends, last)
        good = np.isfinite(y).all(axis=1) & np.isfinite(delta).all(axis=1)
        if good.sum() < len(self.used) + FEATURES:
            return out
        tried = c[:, self.used] / self.servos.spread[self.used]
        A, B = _fit(delta[good], tried[good], y[good])
        law = -np.linalg.solve(B @ B.T + _EFFORT * np.eye(len(B)), B @ A.T)  # (used, F)
        out[:, self.used] = law.T * self.servos.spread[self.used]
        return out

    def _start(self, w: int, rng: np.random.Generator) -> tuple[np.ndarray, Array]:
        """Whole states with the velocities of a window's beginning a little off, and the offsets held before."""
        plan, nv = self.plan, self.plan.offsets.shape[1]
        off = _SHAKE * rng.standard_normal((self.samples, nv))
        off[:, :6] = _KICK * rng.standard_normal((self.samples, 6))
        rows = [self.rollouts.start(plan.q[w], plan.v[w] + o, check=False) for o in off]
        before = plan.offsets[w - 1] if w else np.zeros(nv)
        return np.concatenate(rows), np.repeat(before[None], self.samples, axis=0)

    def _window(self, w: int, states: np.ndarray, before: Array, c: Array):
        plan = self.plan
        count = min(plan.window, len(plan.row_q) - w * plan.window)
        servo = self.servos.servo(self.rows, w * plan.window, count, plan.offsets[w], plan.offsets[w])
        return self.rollouts.run(servo, servo.time, count, states, before, np.arange(self.samples), plan.offsets[w] + c)

    def _balance(self, ends, w: int) -> Array:
        """y (N, 12): centre of mass, its velocity, angular momentum and the root's turn against the plan."""
        plan = self.plan
        looks = self.rollouts.look(plan.q[w : w + 1], plan.v[w : w + 1])[0]
        layout = plan.clip.character.layout
        turn = np.array([conf.difference(layout, plan.q[w], q)[3:6] for q in ends.q])
        return np.concatenate([ends.features[:, :9] - looks[:9], turn], axis=1) / _UNIT


def _fit(delta: Array, c: Array, y: Array) -> tuple[Array, Array]:
    """A (Y, F) and B (C, Y) of y = A δ + Bᵀ c + constant, by ridge regression; far outliers count little."""
    x = np.concatenate([delta, c, np.ones((len(delta), 1))], axis=1)
    weight = 1.0 / (1.0 + (np.linalg.norm(y, axis=1) / 15.0) ** 2)
    xw = x * weight[:, None]
    m = np.linalg.solve(xw.T @ x + 0.5 * np.eye(x.shape[1]), xw.T @ y)
    count = delta.shape[1]
    return m[:count].T, m[count:-1]
