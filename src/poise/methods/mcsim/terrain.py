"""Ground that tilts and things that a foot meets in its swing, as the feet feel them.

Departures: the paper's character meets slopes and blocks with the motion of level ground.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from poise.ground.ground import Ground, level_of
from poise.kernels import njit
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.mcsim import contacts, obstacles
from poise.methods.mcsim.memory import Memory

if TYPE_CHECKING:
    from poise.methods.mcsim.planner import Scene

_FEELING, _STEEPEST = 0.05, 0.25  # [s] in which a tilt of the ground is believed, and the most of it
_UNSURE = (0.08, 0.045)  # [m] of error along and across the heading from which on feet are set down flat
_LEAVES, _LANDS, _FLATTENING = 0.15, 0.15, 0.08  # [s] before it leaves until, and before it lands from when; how fast
_OVER, _RAISED, _RAISING = (0.15, 0.7), 0.10, 0.8  # shares of a swing between which a foot that meets something is
#   raised, by how much [m] and how fast [m/s]


def feel_ground(scene: Scene, memory: Memory, dt: float) -> None:
    """Follow how the ground under the standing feet tilts against that of the reference."""
    upright = np.empty(3)
    contacts.tilt(memory.known.normal, memory.soles.sides, scene.standing, upright)
    x, y, z = upright.tolist()
    if z > 0.0:
        across, along = _rise(memory.reference.ground, scene.goal.q)
        share = 1.0 - math.exp(-dt / _FEELING)
        for axis, tilt in ((0, -x / z - across), (1, -y / z - along)):
            memory.tilt[axis] += share * (min(max(tilt, -_STEEPEST), _STEEPEST) - memory.tilt[axis])


def _rise(ground: Ground, q: Array) -> tuple[float, float]:
    """How the ground of a reference rises under a body, per metre along x and y."""
    if level_of(ground) is not None:
        return 0.0, 0.0
    x, y, z = ground.normal(q[:1], q[1:2])[0].tolist()
    return -x / z, -y / z


def step_over(scene: Scene, memory: Memory, dt: float) -> None:
    """Raise a foot that meets something in the middle of its swing, as people do who stumble."""
    bumped, touching = contacts.feet(memory.known.bumped, memory.soles.sides), scene.feet
    for side in (0, 1):
        step = memory.schedule.foot(side, memory.clock.time)
        if step.down and memory.over[side] == 0.0:
            memory.stumbled[side] = False
            continue
        met = not step.down and bool(bumped[side] or (step.done > _OVER[0] and touching[side]))
        met &= step.done < _OVER[1]
        memory.stumbled[side] = (memory.stumbled[side] or met) and not step.down
        high = _RAISED if memory.stumbled[side] and step.done < _OVER[1] else 0.0
        sole = memory.sole[side]
        if len(memory.blocks) and len(sole) and not step.down:
            grid = obstacles.footprint(scene.now.points[sole, :2], scene.heading)
            need = obstacles.over(memory.blocks, grid, scene.heading)
            high = max(high, need - float(scene.goal.points[sole, 2].min())) if need else high
        memory.over[side] += min(max(high - memory.over[side], -_RAISING * dt), _RAISING * dt)


def flatten(scene: Scene, memory: Memory, error: Array, dt: float) -> None:
    """Set feet down flat that should stand on their toes, where balance is about to be lost, as people do.

    `error` (2,) [m] is that of the divergent component. The goal's orientation of the foot is turned.
    """
    c, s, (ex, ey) = math.cos(scene.heading), math.sin(scene.heading), error.tolist()
    off = max(abs(c * ex + s * ey) / _UNSURE[0], abs(c * ey - s * ex) / _UNSURE[1])
    if off <= 1.0 and not memory.flat.any():
        memory.sunk[:] = 0.0
        return
    for side in (0, 1):
        step, body = memory.schedule.foot(side, memory.clock.time), memory.feet[side]
        soon = memory.schedule.stays(side, memory.clock.time) > _LEAVES if step.down else step.left < _LANDS
        up = scene.goal.rotations[body] @ memory.up[side]
        tiptoe = body >= 0 and c * up[0] + s * up[1] > 0.0
        wish = min(1.0, max(0.0, off - 1.0)) if soon and tiptoe else 0.0
        memory.flat[side] += min(max(wish - memory.flat[side], -dt / _FLATTENING), dt / _FLATTENING)
        memory.sunk[side] = 0.0
        if memory.flat[side] > 0.0:
            R = scene.goal.rotations[body]
            turn = least_turn(up, memory.flat[side]) @ R
            local = memory.dynamics.locals[memory.sole[side]]
            mine = local[memory.dynamics.bodies[memory.sole[side]] == body]
            memory.sunk[side] = float(np.min(mine @ R[2], initial=0.0) - np.min(mine @ turn[2], initial=0.0))
            scene.goal.rotations[body] = turn


def least_turn(up: Array, share: float) -> Array:
    """A share of the least turn (3, 3) that takes a direction (3,) to the vertical."""
    axis = np.array([up[1], -up[0], 0.0])
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        return np.eye(3)
    return rot.to_matrix(rot.exp(share * math.atan2(size, float(up[2])) * axis / size))


@njit(cache=True)
def tilted(tilt, turn):
    """An orientation (3, 3) of a foot turned with the ground, which rises by `tilt` (2,) per metre."""
    x, y = tilt[0], tilt[1]
    if x == 0.0 and y == 0.0:
        return turn.copy()
    size = math.sqrt(1.0 + x * x + y * y)
    c, k = 1.0 / size, 1.0 / (size * (size + 1.0))  # the least turn that takes the vertical to (-x, -y, 1) / size
    lean = np.array([[1.0 - k * x * x, -k * x * y, -x * c], [-k * x * y, 1.0 - k * y * y, -y * c], [x * c, y * c, c]])
    return lean @ turn
