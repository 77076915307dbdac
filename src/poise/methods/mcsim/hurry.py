"""Steps that hurry: a swinging leg runs ahead of the reference where its own touch-down would come too late.

Departures: the paper's feet land when the recording's do. Slow gaits stand on one foot for so long that an error of some
centimetres is out of any foothold's reach by then; people set the foot down at once. Here the joints of the swinging leg
are taken from later in the reference, while the rest of the body stays in its time; where the foot lands, the reference
goes on from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.maths.configuration import BALL
from poise.maths.rotations import Array
from poise.methods.mcsim.memory import Memory
from poise.motion.reference import Sample

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim
    from poise.methods.mcsim.planner import Scene

_END = 2e-3  # [s] before touch-down where a leg that runs ahead waits for it


def run_ahead(way: McSim, scene: Scene, memory: Memory, error: Array, frequency: float, dt: float) -> None:
    """Let swinging legs run ahead of the reference as the error (2,) [m] of the divergent component asks."""
    memory.pace[:] = 1.0
    for side in (0, 1):
        own = memory.schedule.foot(side, memory.clock.time)
        if own.down or not own.left < 2.0 or not scene.standing[1 - side]:
            continue
        left = max(0.0, own.left - float(memory.lead[side]))
        memory.pace[side] = way.foothold.hurried(error, frequency, left, scene.heading)
        memory.lead[side] += max(0.0, memory.pace[side] - scene.rate) * dt
        if memory.lead[side] >= own.left - _END:
            memory.waits[side] += dt
    _hold_back(memory)


def behind(memory: Memory, side: int, left: float) -> Array:
    """How much faster (2,) [m/s] the body will be than the reference where a foot that runs ahead lands `left` later."""
    if memory.lead[side] <= 0.0:
        return np.zeros(2)
    landing = memory.phase(side) + left
    body = memory.clock.time + left / float(memory.pace[side])
    return memory.reference.sample(body).v[:2] - memory.reference.sample(landing).v[:2]


def _hold_back(memory: Memory) -> None:
    """Keep legs that run ahead before their touch-down; those that stand run ahead no longer."""
    for side in (0, 1):
        if memory.lead[side] > 0.0:
            own = memory.schedule.foot(side, memory.clock.time)
            memory.lead[side] = 0.0 if own.down else min(memory.lead[side], max(0.0, own.left - _END))
        if memory.lead[side] == 0.0:
            memory.waits[side] = 0.0


def merged(memory: Memory, wanted: Sample) -> Sample:
    """The sample with legs that run ahead as they are later; how much higher their feet are then is remembered."""
    memory.rise[:] = 0.0
    _hold_back(memory)
    if not memory.lead.any():
        return wanted
    character, chain = memory.rig.character, memory.rig.chain
    layout, q, v, a = character.layout, wanted.q.copy(), wanted.v.copy(), wanted.a.copy()
    later_feet = np.zeros(2)
    for side in (0, 1):
        if memory.lead[side] <= 0.0:
            continue
        later, pace = memory.reference.sample(memory.phase(side)), float(memory.pace[side])
        first = int(np.argmax(memory.body.legs[side]))
        mine = chain[chain[:, first]].any(axis=0) & ~chain[memory.rig.root]  # from the hip to the toes
        v[mine], a[mine] = pace * later.v[mine], pace * pace * later.a[mine]
        for kind, at, dof in zip(layout.kind, layout.qadr, layout.vadr, strict=True):
            if mine[dof]:
                width = 4 if kind == BALL else 1
                q[at : at + width] = later.q[at : at + width]
        later_feet[side] = character.forward(later.q)[0][0, memory.feet[side], 2]
    height = character.forward(q)[0][0, list(memory.feet), 2]
    memory.rise[:] = np.where(memory.lead > 0.0, later_feet - height, 0.0)
    return wanted._replace(q=q, v=v, a=a)
