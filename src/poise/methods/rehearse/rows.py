"""Rows: a reference sampled at every step of the simulator, with its torques; made when they are first asked for."""

from __future__ import annotations

import numpy as np

from poise.maths.rotations import Array
from poise.methods.rehearse.feedforward import FeedForward
from poise.motion.reference import Reference

STEP = 1 / 240  # [s] of the simulator
_GRID = 1 / 120  # [s] between torques that are computed; those between are means
_KERNEL = np.array([1.0, 3.0, 4.0, 3.0, 1.0]) / 12.0  # over 0.04 s: labels switch contacts at once, muscles do not


class Rows:
    """What is wanted at the end of step k: configuration, velocity and torques of the reference at (k + 1) · STEP."""

    def __init__(self, reference: Reference, friction: float, feedforward: bool = True, first: int = 0,
                 own: Reference | None = None):  # fmt: skip
        self.reference, self.first, self.own = reference, first, own or reference
        points = reference.character.contact_points
        self._limbs = [points.of(limb) for limb in points.limbs]
        self._torques = FeedForward(reference, friction) if feedforward else None
        layout = reference.character.layout
        self.q, self.v = np.zeros((0, layout.nq)), np.zeros((0, layout.nv))
        self.planned = np.zeros((0, layout.nv))
        self._grid: dict[int, Array] = {}

    def upto(self, end: int) -> Rows:
        """The same rows, made up to the step `end`."""
        known = self.first + len(self.q)
        if end <= known:
            return self
        steps = range(known, end)
        samples = [self.reference.sample(self._time(k + 1)) for k in steps]
        torques = [self._torque(k + 1) for k in steps]
        self.q = np.concatenate([self.q, [s.q for s in samples]])
        self.v = np.concatenate([self.v, [s.v for s in samples]])
        self.planned = np.concatenate([self.planned, torques])
        return self

    def _time(self, k: int) -> float:
        """The time [s] of the step boundary k; at the end of a clip just before it, where it still moves."""
        t, ends = k * STEP, self.reference.ends
        return ends - 1e-6 if ends - 1e-9 <= t < ends + STEP else t

    def touching(self, step: int, count: int) -> np.ndarray:
        """Which feet and hands (count, limbs) touch in the user's own clip at the ends of some steps."""
        on = [self.own.contacts((step + k + 1) * STEP) for k in range(count)]
        return np.array([[bool(row[limb].any()) for limb in self._limbs] for row in on], bool).reshape(count, -1)

    def _torque(self, k: int) -> Array:
        """Smoothed torques (nv,) at the step boundary k."""
        if self._torques is None:
            return np.zeros(self.planned.shape[1])
        a, odd = divmod(k, 2)
        return self._smooth(a) if not odd else 0.5 * (self._smooth(a) + self._smooth(a + 1))

    def _smooth(self, k: int) -> Array:
        near = [max(k + d, 0) for d in range(-2, 3)]
        return sum(w * self._raw(n) for w, n in zip(_KERNEL, near, strict=True))  # type: ignore[return-value]

    def _raw(self, k: int) -> Array:
        if k not in self._grid:
            assert self._torques is not None
            self._grid[k] = self._torques.at(k * _GRID)
        return self._grid[k]
