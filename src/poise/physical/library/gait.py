"""Gait: a manner of going told by key values, and its author: the clip of any humanoid character that goes like that.

A description holds what the eye sees and what laboratories have measured: curves of thigh, knee, foot and toes over the
cycle of one leg, the parts of it in which heel, ball and toe tips are down, and what pelvis, trunk and arms do. The
author poses the character by these curves, sets its feet on their prints along a `Path` (`steps`), and makes the result
physical (`poise.physical.repair`). Published curves agree neither with each other nor with a body of other
proportions, so all angles are wishes; the prints, the contacts and the ground's forces are not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.ik import ik
from poise.motion.recording import Source
from poise.physical.library import figure, steps
from poise.physical.library.fences import between_legs
from poise.physical.library.finish import FRICTION, MARGIN, WEIGHTS, must_be_physical, solved
from poise.physical.library.manner import Gait
from poise.physical.library.path import Path
from poise.physical.setup import Plan

FPS = 120.0
QUICKEST, SLOWEST = 0.5, 6.0  # [s] of a stride
NOTE = "authored from published gait curves"


def leg_length(character: Character) -> float:
    """From hip to sole in the zero pose [m]; a character without legs is refused."""
    _must_walk(character)
    pos, _ = character.forward(character.standing_pose())
    return float(pos[0, character.body("left_thigh"), 2])


@dataclass(frozen=True, eq=False)
class Sketch:
    """A gait before it obeys physics: its curves, with the feet on their prints."""

    clip: Clip
    prints: Array  # (N, P, 3) where points stand now or next [m]
    fences: tuple[ik.FloorTarget, ...]  # that keep the legs apart
    spread: float  # [s]

    @classmethod
    def of(cls, character: Character, gait: Gait, path: Path, period: float, reach: float) -> Sketch:
        """The sketch of a character that goes along a path; see `author`."""
        frames = path.strides * 4 * max(2, round(FPS * period / 4.0))
        phase = np.arange(frames + 1) * (path.strides / frames)
        if not character.has("left_toes"):
            gait = replace(gait, legs=gait.legs.stiff())
        fences = between_legs(character, path, phase, period)
        q = figure.pose_of(character, gait, path, phase, period, leg_length(character), reach)
        labels = steps.labels(character, gait.legs, phase)
        q, prints = steps.put_down(character, q, labels, gait, path, phase, fences)
        source = Source(gait.name, format="built-in", licence="Apache-2.0", notes=(NOTE,))
        clip = Clip(character, q, path.strides * period / frames, source, cycle=path.cycle, labels=labels)
        return cls(clip, prints, fences, gait.spread)

    def plan(self) -> Plan:
        """The optimisation that makes it physical."""
        clip, labels = self.clip, self.clip.contacts.labels
        weights = replace(WEIGHTS, spread=self.spread)
        plan = Plan.of(clip, clip, clip, friction=FRICTION, margin=MARGIN, keep=(), weights=weights)
        goals = np.where(labels[..., None], self.prints, plan.goals)
        return replace(plan, goals=goals, pushed=labels, fences=self.fences)


def author(character: Character, gait: Gait, path: Path, period: float, reach: float = 1.0) -> Clip:
    """The clip of a character that goes along a path, a stride every `period` [s].

    `reach` is the stride against that which the curves of thighs, pelvis and arms were measured at.
    """
    if not QUICKEST <= period <= SLOWEST:
        raise BadValue(f"People take {QUICKEST:g} to {SLOWEST:g} s for a stride, two steps, not {period:.3g} s: "
                       "choose another speed or stride.")  # fmt: skip
    sketch = Sketch.of(character, gait, path, period, reach)
    return must_be_physical(solved(sketch.plan()))


def _must_walk(character: Character) -> None:
    roles = [f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shin", "foot")]
    missing = [role for role in roles if not character.has(role)]
    if missing or not len(character.contact_points):
        raise BadValue(f"{character.name} cannot walk: it has no {', '.join(missing) or 'contact points'}.")
    if len(character.dofs("left_thigh")) < 2:
        raise BadValue(f"The hips of {character.name} bend in one plane only, so it cannot keep its balance sideways: "
                       "make the clip for another body and retarget it.")  # fmt: skip
