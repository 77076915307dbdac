"""A state as it is seen from the ground under it: what is found on flat ground is at home on a slope too."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.maths import rotations as rot
from poise.maths.rotations import Array


def seen_from(ground: Any, q: Array, v: Array) -> tuple[Array, Array]:
    """A state q (nq,), v (nv,) as it is seen from the ground under the root, whose normal is up there.

    A gait is found on flat ground; on a slope gravity pulls back a little, and all else is the same to it.
    """
    q, v = q.copy(), v.copy()
    here = np.array([q[0], q[1], float(ground.height(q[0], q[1]))])
    normal = np.asarray(ground.normal(q[0], q[1]), float)
    if abs(normal[2]) > 1.0 - 1e-12:
        q[2] -= here[2]
        return q, v
    level = rot.between(normal, np.array([0.0, 0.0, 1.0]))
    q[2] = float(normal @ (q[:3] - here))
    q[3:7] = rot.multiply(level, q[3:7])
    v[:3] = rot.rotate(level, v[:3])
    return q, v
