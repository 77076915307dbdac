"""Gait: a manner of going told by key values, and its author: the clip of any humanoid character that goes like that.

A description holds what the eye sees and what laboratories have measured: curves of thigh, knee, foot and toes over the
cycle of one leg, the parts of it in which heel, ball and toe tips are down, and what pelvis, trunk and arms do. The
author poses the character by these curves, sets its feet on their prints along a `Path` (`steps`), and makes the result
physical (`poise.physical.repair`). Published curves agree neither with each other nor with a body of other
proportions, so all angles are wishes; the prints, the contacts and the ground's forces are not.

"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.motion.recording import Source
from poise.physical.library import figure, steps
from poise.physical.library.manner import Gait
from poise.physical.library.path import Path
from poise.physical.repair import make_physical

FPS = 120.0

def leg_length(character: Character) -> float:
    """From hip to sole in the zero pose [m]."""
    pos, _ = character.forward(character.standing_pose())
    return float(pos[0, character.body("left_thigh"), 2])


def author(character: Character, gait: Gait, path: Path, period: float, reach: float = 1.0) -> Clip:
    """The clip of a character that goes along a path, a stride every `period` [s].

    `reach` is the stride against that which the curves of thighs, pelvis and arms were measured at.
    """
    draft = sketch(character, gait, path, period, reach)
    return make_physical(draft)


def sketch(character: Character, gait: Gait, path: Path, period: float, reach: float = 1.0) -> Clip:
    """What `author` makes physical: the curves, with the feet on their prints."""
    _must_walk(character)
    frames = path.strides * 4 * max(2, round(FPS * period / 4.0))
    phase = np.arange(frames + 1) * (path.strides / frames)
    leg = leg_length(character)
    q = figure.pose_of(character, gait, path, phase, period, leg, reach)
    labels = steps.labels(character, gait.legs, phase)
    q = steps.put_down(character, q, labels, gait, path, phase, leg)
    source = Source(gait.name, format="built-in", licence="Apache-2.0", notes=("authored from published gait curves",))
    return Clip(character, q, path.strides * period / frames, source, cycle=path.cycle, labels=labels)


def _must_walk(character: Character) -> None:
    missing = [f"{s}_{p}" for s in ("left", "right") for p in ("thigh", "shin", "foot") if not character.has(f"{s}_{p}")]
    if missing or not len(character.contact_points):
        raise BadValue(f"{character.name} cannot walk: it has no {', '.join(missing) or 'contact points'}.")

