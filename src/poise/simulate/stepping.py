"""Many steps of MuJoCo under a servo in one compiled call: nothing of Python between two steps."""

from __future__ import annotations

import numpy as np
from numba import carray  # pyright: ignore[reportPrivateImportUsage]

from poise.dynamics import native
from poise.kernels import njit
from poise.simulate import contacts, servo


@njit(cache=True)
def run(where, step, model, data, count_at, count, dt, time, follow, q, v, target, total):
    """So many steps from `time` [s] under the servo `follow` (the tuple of its fields); gives how many were taken, and
    what `contacts.read` found wrong after the last, or the first torque that is not finite as `-3 - index`.

    step, model, data, count_at: addresses of mj_step, of the model, of the data and of its number of contacts. q, v,
    target: the character's parts of qpos, qvel and qfrc_applied; total (nv,) sums the torques up.
    """
    nv = v.shape[0]
    u = np.empty(nv)
    for k in range(count):
        servo.torque(follow, q, v, time + k * dt, u)
        for d in range(nv):
            if not np.isfinite(u[d]):
                return k, -3 - d
            target[d] = u[d]
            total[d] += u[d]
        native.call_two(step, model, data)
        bad = contacts.read(where, carray(contacts.pointer(count_at), (1,), np.int32)[0], dt)
        if bad != -1:
            return k + 1, bad
    return count, -1
