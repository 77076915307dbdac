"""From an acted figure to a clip: feet exactly on their prints, then physics."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.maths.rotations import Array
from poise.motion import ik
from poise.motion.clip import Clip, Cycle
from poise.motion.hold import Hold
from poise.motion.recording import Source
from poise.physical.library.actor import Acted
from poise.physical.repair import make_physical

FPS = 120.0
PAUSE = 16  # frames


def timeline(duration: float) -> tuple[Array, float]:
    """Times (N,) [s] from 0 to the duration, both included, at about 120 frames a second; and the step."""
    frames = round(FPS * duration)
    return np.arange(frames + 1) * (duration / frames), duration / frames


def acted_clip(name: str, character: Character, acted: Acted, dt: float, cycle: Cycle | None = None,
               holds: tuple[Hold, ...] = ()) -> Clip:  # fmt: skip
    """The clip of an acted motion, not yet physical: its feet on their prints, its hands on what they hold."""
    points = character.contact_points
    targets: list[ik.PointTarget | ik.FloorTarget] = []
    for i in range(len(points)):
        body, on = int(points.bodies[i]), acted.labels[:, i]
        goal = acted.prints[:, i].copy()
        goal[on, 2] = 0.0
        targets.append(ik.PointTarget(body, points.positions[i], goal, 30.0 * on))
        targets.append(ik.FloorTarget(body, points.positions[i], 0.0))
    targets += [ik.PointTarget(character.body(h.hand), h.local(character), place, share)
                for h, place, share in acted.hands]  # fmt: skip
    _, quat = character.forward(acted.q)
    turns = [ik.TurnTarget(b, quat[:, b], 0.3) for b in (character.body("left_foot"), character.body("right_foot"))]
    q = ik.solve(character, acted.q, targets, turns, smooth=6.0, limits=1.0, cycle=cycle)
    if cycle is not None:
        q[-1] = cycle.carry(q[0], 1)
    source = Source(name, format="built-in", licence="Apache-2.0", notes=("authored from key poses",))
    return Clip(character, q, dt, source, cycle=cycle, labels=acted.labels, holds=holds)


def finished(name: str, character: Character, acted: Acted, dt: float, cycle: Cycle | None = None,
             holds: tuple[Hold, ...] = ()) -> Clip:  # fmt: skip
    """The physical clip of an acted motion. An open one begins and ends at rest, and is continued so for its repair."""
    clip = acted_clip(name, character, acted, dt, cycle, holds)
    if cycle is not None:
        return make_physical(clip)
    pause = PAUSE * dt
    return make_physical(_with_pauses(clip)).cut(pause, pause + clip.duration)


def _with_pauses(clip: Clip) -> Clip:
    """The clip with its first and its last pose held: what happens at the ends of a repair stays outside it."""
    hold = lambda rows: np.concatenate([np.repeat(rows[:1], PAUSE, 0), rows, np.repeat(rows[-1:], PAUSE, 0)])  # noqa: E731
    later = tuple(h if h.start == 0.0 else h.moved(later=PAUSE * clip.dt) for h in clip.holds or ())
    return clip.with_q(hold(clip.q), labels=hold(clip.contacts.labels), holds=later)
