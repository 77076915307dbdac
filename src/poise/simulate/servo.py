"""Servo: torques planned before, and feedback of every joint around them at every time step of the simulator."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.configuration import difference_rows
from poise.maths.rotations import Array


class Servo(NamedTuple):
    """u = planned + I (k d(q_w, q) + 2 √k (v_w - v)), within limits, for what was wanted at a time and moves on.

    I is the joint's own block of `inertia`, times `share`; the wanted velocity grows by `a`. A controller that gives
    one in its `Action` need not be asked at every step: the simulator follows it by itself.
    """

    time: float  # [s] at which q, v and a are wanted
    q: Array  # (nq,)
    v: Array  # (nv,)
    a: Array  # (nv,)
    planned: Array  # (nv,) [N m], zero on the root
    inertia: Array  # (nv, nv)
    k: Array  # (nv,) [1/s²]
    share: Array  # (nv,)
    limit: Array  # (nv - 6,) [N m]
    joints: np.ndarray  # (J, 2) first degree of freedom and width of each joint but the root
    kind: np.ndarray  # (J + 1,) of all joints, and where they begin in q and v
    qadr: np.ndarray
    vadr: np.ndarray

    def torque(self, q: Array, v: Array, time: float) -> Array:
        """The torques (nv,) [N m] for a state at a time [s]."""
        out = np.empty(len(v))
        torque(tuple(self), q, v, time, out)
        return out


@njit(cache=True)
def feedback(inertia, joints, k, share, error, rate, out):
    """I (k error + 2 √k rate) into out (nv,), zero on the root; error and rate are (nv,)."""
    out[:6] = 0.0
    for j in range(joints.shape[0]):
        first, count = joints[j, 0], joints[j, 1]
        for a in range(first, first + count):
            u = 0.0
            for b in range(first, first + count):
                u += inertia[a, b] * (k[b] * error[b] + 2.0 * np.sqrt(k[b]) * rate[b])
            out[a] = share[a] * u


@njit(cache=True)
def torque(servo, q, v, time, out):
    """See `Servo.torque`; `servo` is the tuple of its fields."""
    begun, wanted_q, wanted_v, wanted_a, planned, inertia, k, share, limit, joints, kind, qadr, vadr = servo
    nv, since = v.shape[0], time - begun
    error, rate = np.empty((1, nv)), np.empty(nv)
    difference_rows(kind, qadr, vadr, q.reshape(1, -1), wanted_q.reshape(1, -1), error)
    for d in range(nv):
        error[0, d] += since * wanted_v[d]
        rate[d] = wanted_v[d] + since * wanted_a[d] - v[d]
    feedback(inertia, joints, k, share, error[0], rate, out)
    for d in range(6, nv):
        out[d] = min(max(out[d] + planned[d], -limit[d - 6]), limit[d - 6])
