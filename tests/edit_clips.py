"""Made-up motions for tests of edits: a walk with exact footprints on the manikin."""

from __future__ import annotations

import numpy as np

from manikin import manikin
from poise.character.character import Character
from poise.maths import rotations as rot
from poise.motion.clip import Clip, Cycle
from poise.motion.fades import fade
from poise.motion.ik.limb import limb, reach
from poise.motion.recording import Source

PERIOD, STRIDE, STANCE = 1.1, 1.0, 0.62  # [s], [m], share of the period for which a foot stands


def walk(periods: int = 1, *, loop: bool = False, fps: float = 120.0, character: Character | None = None,
         offset: float = 0.0) -> Clip:  # fmt: skip
    """A walk along x with flat feet that do not slide, `periods` strides long; `loop` makes one period a cycle."""
    character = character or manikin(hinges=True)
    count = round(PERIOD * fps)
    times = np.arange(periods * count + 1) / count  # in periods
    q = np.tile(character.standing_pose(), (len(times), 1))
    q[:, 0] = STRIDE * times
    q[:, 1] = 0.02 * np.sin(2 * np.pi * times)
    q[:, 2] += -0.10 + 0.01 * np.cos(4 * np.pi * times + 1.0)
    q[:, 3:7] = rot.about_z(0.08 * np.sin(2 * np.pi * times))
    points = character.contact_points
    labels = np.zeros((len(times), len(points)), bool)
    stand, _ = character.forward(character.standing_pose())
    for side, start in (("left", offset), ("right", offset + 0.5)):
        number, phase = np.divmod(times - start, 1.0)
        swing = np.clip((phase - STANCE) / (1 - STANCE), 0.0, 1.0)
        ankle = np.tile(stand[0, character.body(f"{side}_foot")], (len(times), 1))
        ankle[:, 0] += STRIDE * (number + start + 0.5 * STANCE + fade(swing))
        ankle[:, 2] += 0.08 * 64 * (swing * (1 - swing)) ** 3
        pitch = 0.35 * 64 * (swing * (1 - swing)) ** 3
        chain = limb(character, f"{side}_foot")
        assert chain is not None
        q = reach(character, q, chain, ankle, rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), pitch))
        labels[:, points.of(side)] = (swing <= 0.0)[:, None] | (swing >= 1.0)[:, None]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.4 * sign * np.cos(2 * np.pi * (times - offset)))
        a = int(character.tree.qadr[character.tree.jntadr[character.body(f"{side}_upper_arm")]])
        q[:, a : a + 4] = arm
    cycle = None
    if loop:
        cycle = Cycle(0.0, np.array([periods * STRIDE, 0.0, 0.0]))
        q[-1] = cycle.carry(q[0], 1)
        labels[-1] = labels[0]
    return Clip(character, q, 1.0 / fps, Source(name="walk"), cycle=cycle, labels=labels)


def skating(clip: Clip) -> float:
    """Mean speed [m/s] of labelled contact points while they stay labelled."""
    points = clip.character.points(clip.q)
    speed = np.linalg.norm(np.diff(points, axis=0), axis=-1) / clip.dt
    both = clip.contacts.labels[1:] & clip.contacts.labels[:-1]
    return float(speed[both].mean()) if both.any() else 0.0


def penetration(clip: Clip) -> float:
    """Largest depth [m] of a contact point below the ground."""
    p = clip.character.points(clip.q)
    return float(np.maximum(clip.ground.height(p[..., 0], p[..., 1]) - p[..., 2], 0.0).max())


def seam(clip: Clip) -> tuple[float, float]:
    """Largest jump of the configuration and of the velocity from the last frame of a loop to the first of the next."""
    assert clip.cycle is not None
    lay = clip.character.layout
    from poise.maths import configuration as conf

    step = conf.difference(lay, clip.cycle.carry(clip.q[0], 1), clip.q[-1])
    out = conf.difference(lay, clip.q[0], clip.q[1]) / clip.dt
    into = conf.difference(lay, clip.q[-2], clip.q[-1]) / clip.dt
    turn = rot.about_z(clip.cycle.turn)
    out[:3] = rot.rotate(turn, out[:3])
    return float(np.abs(step).max()), float(np.abs(out - into).max())
