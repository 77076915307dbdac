"""stand: quiet standing, breathing; one breath as a loop."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion import ik
from poise.motion.clip import Clip, Cycle
from poise.motion.recording import Source
from poise.physical.library.authoring import pose, turn

FPS = 120.0


def make(character: Character, width: float = 0.2, breath: float = 4.0) -> Clip:
    """Standing with the ankles `width` [m] apart, a breath every `breath` [s]."""
    if not 0.05 <= width <= 0.8 or not 1.0 <= breath <= 12.0:
        raise BadValue(f"One stands 0.05 to 0.8 m wide and breathes every 1 to 12 s, not {width} m and {breath} s.")
    frames = round(FPS * breath)
    phase = np.arange(frames + 1) / frames
    air = 0.5 - 0.5 * np.cos(2 * np.pi * phase)
    turns = {
        "abdomen": turn(0.0, 1.0 + 0.0 * air),
        "chest": turn(0.0, 2.0 - 0.8 * air),
        "head": turn(0.0, 1.0 + 0.2 * air),
    }
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turns[f"{side}_thigh"] = turn(0.0, -3.0 + 0.0 * air, 4.0 * sign)
        turns[f"{side}_shin"] = turn(0.0, 3.0 + 0.0 * air, 6.0 * sign)
        turns[f"{side}_foot"] = turn(0.0, 0.0 * air, 8.0 * sign)
        turns[f"{side}_upper_arm"] = turn(sign * (7.0 + 0.3 * air), 3.0, -10.0 * sign)
        turns[f"{side}_forearm"] = turn(sign * 4.0, -10.0 - 0.5 * air, -18.0 * sign)
        turns[f"{side}_hand"] = turn(sign * 3.0, -13.0 - 0.5 * air, -18.0 * sign)
    root = np.tile([0.0, 0.0, character.standing_pose()[2]], (frames + 1, 1))
    q = pose(character, root, turns)
    q[:, 2] -= character.points(q)[:, :, 2].min(axis=1)
    points = character.contact_points
    place = character.points(q[:1])[0]
    place[:, 2] = 0.0
    pos, _ = character.forward(q[:1])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        place[points.of(side), 1] += sign * 0.5 * width - pos[0, character.body(f"{side}_foot"), 1]
    com = character.centre_of_mass(q[:1])[0]
    place[:, 0] += com[0] - 0.02 - pos[0, character.body("left_foot"), 0]  # weight a little ahead of the ankles
    targets = [ik.PointTarget(int(points.bodies[i]), points.positions[i], place[i]) for i in points.feet]
    cycle = Cycle()
    q = ik.solve(character, q, targets, cycle=cycle)
    labels = np.zeros((frames + 1, len(points)), bool)
    labels[:, points.feet] = True
    source = Source("stand", format="built-in", licence="Apache-2.0", notes=("authored",))
    return Clip(character, q, breath / frames, source, cycle=cycle, labels=labels)
