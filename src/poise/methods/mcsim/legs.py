"""Legs: how they must bend for their feet, and how far they reach.

Departures: the paper knows joints alone. A foot that is led through space needs a leg that can follow.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from poise.dynamics.compiled import jacobian
from poise.kernels import njit
from poise.maths.configuration import quat_difference
from poise.methods.mcsim.memory import Memory
from poise.solve.dense import damped

if TYPE_CHECKING:
    from poise.methods.mcsim.planner import Scene

_STRAIGHT = 0.97  # share of its length to which a leg is stretched, where the reference does not stretch it further
_DAMPING, _FURTHEST = 0.01, 0.6  # of the step by which a leg is bent [m², rad²], and its most [rad]
_LOWEST, _DOWN = 0.10, 0.6  # [m] by which a body is let down for a far step at most, and how fast [m/s]


@njit(cache=True)
def bend(now, goal, place, stands, foot, leg):
    """How far (nv,) [rad] the joints of a leg must be off the reference for its foot to be at `place`, turned as there.

    `now` and `goal` are the `Terms` of the character and of the reference, `leg` (nv,) marks the joints. One damped
    step Jᵀ (J Jᵀ + damping)⁻¹ miss from the reference's own leg, seen from its root: the knee keeps bending its own
    way, also where the foot alone would as well be reached by a knee that bends backwards. A foot that stands is where
    it is; there it is the root that the leg should bring to its place.
    """
    nv, root = leg.shape[0], goal.root
    hip, hung = (goal.positions[root], goal.rotations[root]) if stands else (now.positions[root], now.rotations[root])
    turn = now.rotations[foot] if stands else goal.rotations[foot]
    back = goal.rotations[root] @ hung.T
    miss, lean = np.empty(6), np.empty(3)
    miss[:3] = goal.positions[root] + back @ (place - hip) - goal.positions[foot]
    quat_difference(quaternion(goal.rotations[foot]), quaternion(back @ turn), lean)
    miss[3:] = goal.rotations[foot] @ lean
    linear, angular = np.empty((3, nv)), np.empty((3, nv))
    jacobian(goal, foot, goal.positions[foot], linear, angular)
    out, J = np.zeros(nv), np.zeros((6, nv))
    for d in range(nv):
        if leg[d]:
            for i in range(3):
                J[i, d], J[3 + i, d] = linear[i, d], angular[i, d]
    step = J.T @ damped(J, miss, _DAMPING)
    for d in range(nv):
        out[d] = min(max(step[d], -_FURTHEST), _FURTHEST)
    return out


def within_reach(scene: Scene, memory: Memory, side: int, place: tuple[float, float, float]
                 ) -> tuple[float, float, float]:  # fmt: skip
    """The place drawn in on the map to where a leg that is not quite straight reaches: straight ones flick and jam.

    What the body must be let down by for the leg to reach all the way is asked for in the memory.
    """
    thigh, length = memory.reach[side]
    leg = (scene.goal.positions[memory.feet[side]] - scene.goal.positions[thigh]).tolist()
    far = max(_STRAIGHT * length, math.hypot(*leg))
    hx, hy, hz = scene.now.positions[thigh].tolist()
    x, y, z = place[0] - hx, place[1] - hy, place[2] - hz
    if not scene.standing.any():  # in flight the body comes down to where the foot reaches
        share = min(1.0, far / math.sqrt(x * x + y * y + z * z))
        return hx + share * x, hy + share * y, hz + share * z
    level = math.hypot(x, y)
    share = min(1.0, math.sqrt(max(0.0, far * far - z * z)) / max(level, 1e-9))
    if share < 1.0 and not scene.standing[side]:
        memory.asked = max(memory.asked, -z - math.sqrt(max(0.0, far * far - level * level)))
    return hx + share * x, hy + share * y, place[2]


def let_down(memory: Memory, dt: float) -> None:
    """Let the body down, or up again, towards what far steps ask for."""
    goal = min(memory.asked, _LOWEST)
    memory.lower += min(max(goal - memory.lower, -_DOWN * dt), _DOWN * dt)
    memory.asked = 0.0


@njit(cache=True)
def quaternion(R):
    """The quaternion (4,) of a rotation matrix, by its largest component."""
    q = np.empty(4)
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    if trace > 0.0:
        s = 2.0 * np.sqrt(1.0 + trace)
        q[0], q[1], q[2], q[3] = 0.25 * s, (R[2, 1] - R[1, 2]) / s, (R[0, 2] - R[2, 0]) / s, (R[1, 0] - R[0, 1]) / s
        return q
    i = 0
    if R[1, 1] > R[0, 0]:
        i = 1
    if R[2, 2] > R[i, i]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    s = 2.0 * np.sqrt(max(1e-300, 1.0 + R[i, i] - R[j, j] - R[k, k]))
    q[0], q[1 + i] = (R[k, j] - R[j, k]) / s, 0.25 * s
    q[1 + j], q[1 + k] = (R[j, i] + R[i, j]) / s, (R[k, i] + R[i, k]) / s
    return q
