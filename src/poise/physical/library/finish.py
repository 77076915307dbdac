"""From an acted figure to a clip: feet exactly on their prints, then physics."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.maths.rotations import Array
from poise.motion import ik
from poise.motion.clip import Clip, Cycle
from poise.motion.recording import Source
from poise.physical.library.actor import Acted
from poise.physical.repair import make_physical

FPS = 120.0


def timeline(duration: float) -> tuple[Array, float]:
    """Times (N,) [s] from 0 to the duration, both included, at about 120 frames a second; and the step."""
    frames = round(FPS * duration)
    return np.arange(frames + 1) * (duration / frames), duration / frames


def acted_clip(name: str, character: Character, acted: Acted, dt: float, cycle: Cycle | None = None) -> Clip:
    """The clip of an acted figure, not yet physical."""
    points = character.contact_points
    targets: list[ik.PointTarget | ik.FloorTarget] = []
    for i in range(len(points)):
        body, on = int(points.bodies[i]), acted.labels[:, i]
        goal = acted.prints[:, i].copy()
        goal[on, 2] = 0.0
        targets.append(ik.PointTarget(body, points.positions[i], goal, 30.0 * on))
        targets.append(ik.FloorTarget(body, points.positions[i], 0.0))
    _, quat = character.forward(acted.q)
    turns = [ik.TurnTarget(b, quat[:, b], 0.3) for b in (character.body("left_foot"), character.body("right_foot"))]
    q = ik.solve(character, acted.q, targets, turns, smooth=6.0, limits=1.0, cycle=cycle)
    if cycle is not None:
        q[-1] = cycle.carry(q[0], 1)
    source = Source(name, format="built-in", licence="Apache-2.0", notes=("authored from key poses",))
    return Clip(character, q, dt, source, cycle=cycle, labels=acted.labels)


def finished(name: str, character: Character, acted: Acted, dt: float, cycle: Cycle | None = None) -> Clip:
    """The physical clip of an acted motion."""
    return make_physical(acted_clip(name, character, acted, dt, cycle))
