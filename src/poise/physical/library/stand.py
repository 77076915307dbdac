"""stand: quiet standing, breathing and swaying a little; one breath as a loop.

The centre of mass of people who stand quietly drifts by a few millimetres, more forward and back than sideways, the
body as an inverted pendulum over its ankles (D. Winter, Gait & Posture 3, 193-214, 1995). A breath every 4 s is 15 a
minute, as at rest. The posture and the size of the breath are ours.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_height
from poise.errors import BadValue
from poise.motion.clip import Clip, Cycle
from poise.motion.feet.leg_clearance import inner_points
from poise.motion.ik import ik
from poise.motion.recording import Source
from poise.physical.library.authoring import pose, turn

FPS = 120.0
SWAY = (0.003, 0.0015)  # [m] forward and sideways, at a breath of 4 s or slower
ROOT = 100.0  # the pelvis sways, the ankles follow: weight of its place against that of joints
WIDEST = 0.65  # [leg lengths] between the ankles


def make(character: Character, width: float = 0.2, breath: float = 4.0) -> Clip:
    """Standing with the ankles `width` [m] apart, a breath every `breath` [s]."""
    least, most = narrowest(character), WIDEST * hip_height(character)
    if not least <= width <= most or not 1.0 <= breath <= 12.0:
        raise BadValue(f"This body stands {least:.2f} to {most:.2f} m wide and breathes every 1 to 12 s, "
                       f"not {width} m and {breath} s.")  # fmt: skip
    frames = round(FPS * breath)
    phase = np.arange(frames + 1) / frames
    air = 0.5 - 0.5 * np.cos(2 * np.pi * phase)
    forward, sideways = (min(1.0, breath / 4.0) ** 2 * size for size in SWAY)
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
    root[:, 0] += forward * np.sin(2 * np.pi * phase)
    root[:, 1] += sideways * np.sin(4 * np.pi * phase + 1.0)
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
    posture = ik.default_posture(character)
    posture[:6] *= ROOT
    q = ik.solve(character, q, targets, posture=posture, cycle=cycle)
    labels = np.zeros((frames + 1, len(points)), bool)
    labels[:, points.feet] = True
    source = Source("stand", format="built-in", licence="Apache-2.0", notes=("authored",))
    return Clip(character, q, breath / frames, source, cycle=cycle, labels=labels)


def narrowest(character: Character) -> float:
    """Between the ankles [m] of feet and shins that nearly touch each other."""
    pos, _ = character.forward(character.standing_pose())
    ankle = character.body("left_foot")
    bodies = [character.body(f"left_{part}") for part in ("shin", "foot", "toes") if character.has(f"left_{part}")]
    inward = [pos[0, ankle, 1] - pos[0, b, 1] - inner_points(character, b, 1.0)[:, 1].min(initial=0.0) for b in bodies]
    return 2.0 * float(max(inward)) + 0.01
