"""Memory of the method: the response space, where feet stand beside the reference, and when the last push began."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.dynamics.compiled import Compiled
from poise.dynamics.response_space import ResponseSpace
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.posture.body import Parts
from poise.methods.posture.legs import FOLLOWS
from poise.methods.posture.settings import Settings
from poise.methods.posture.space import response_space
from poise.methods.posture.surroundings import Surroundings
from poise.motion.clip import Clip
from poise.motion.reference import Reference, Sample
from poise.stage import Ball, Stage

_KEPT: dict[tuple, ResponseSpace] = {}  # spaces of clips in this process, by content
_MOST = 32
_LONG_AGO = 1e9  # [s]


class Memory:
    """All that a performance remembers."""

    def __init__(self, settings: Settings, character: Character, reference: Reference, stage: Stage):
        self.settings, self.character = settings, character
        self.parts = Parts.of(character)
        self.compiled = Compiled(character)
        space = settings.space
        if space is None:
            space = space_of_clip(reference.baked, settings.kind)
        self.space = space.applied_to(self.parts.names)
        self.space.unactuated(settings.k)  # refused if there are not so many
        self.vectors = np.ascontiguousarray(self.space.vectors)
        n = len(self.parts.upper)
        self.pose = np.full(n, settings.pose)
        self.damping = np.where(self.parts.spine, settings.spine, settings.damping)
        self.extra: Array = np.zeros(n)  # torques of the step before, beyond the clip's own [N m]
        self.torque: Array = np.zeros(n)  # torques of the step before [N m]
        self.since = _LONG_AGO  # [s] since the last push began
        self.disturbed = False  # was there a push in the step before?
        self.feet = np.zeros((2, 3))  # [m] of each foot beside the reference
        self.speeds = np.zeros((2, 3))  # [m/s] of these
        self.down = 0.0  # [m] by which the root is lowered
        self.rate: Array = np.zeros(character.layout.nv)  # of the reference in the step before
        self.fresh = True  # was there no step yet?
        self.known = False  # are these known?
        self.beside: Array = np.zeros(6)  # velocity of the root beside the reference's in the step before
        self.missed = 0.0  # [m] by which feet are not where they shall stand
        self.sockets = character.model.body_pos[self.parts.hips].copy()  # (2, 3) [m] of the hips in the root's frame
        self.coming: list[Array] = []  # q, v and torques of a step that is half over
        self.traces: dict[str, float | Array] = {}
        self.surround(stage)
        self.around.check(reference.sample(0.0).q)

    def surround(self, stage: Stage) -> None:
        """Note another stage."""
        if any(isinstance(e, Ball) for e in stage.events):
            raise BadValue("The method posture knows pushes, platforms and things that stand about; for balls use a "
                           "method that acts in the simulator, such as mcsim.")  # fmt: skip
        self.stage = stage
        self.around = Surroundings(self.character, stage, self.settings, self.parts)

    def rate_at(self, reference: Reference, time: float, now: Sample, h: float) -> Array:
        """Velocity (nv,) of the reference until a time [s], as the step before saw it: that of `now` at the start."""
        if self.known:
            return self.rate
        if self.fresh or time < h:
            return now.v
        return conf.difference(self.character.layout, reference.sample(time - h).q, now.q) / h

    def latency(self, disturbed: bool, h: float) -> float:
        """W3 for this step: from its full weight when a push begins smoothly to nothing."""
        if disturbed and not self.disturbed:
            self.since = 0.0
        self.disturbed = disturbed
        lag = self.settings.lag
        share = min(self.since / lag, 1.0) if lag > 0.0 else 1.0
        self.since += h
        return self.settings.latency * (1.0 - share * share * (3.0 - 2.0 * share))

    def tread(self, stands: list[bool], root: Array, h: float) -> None:
        """Feet that stand stay; those that swing go along with the root, which is `root` (3,) beside the reference."""
        for f in (0, 1):
            if stands[f]:
                self.speeds[f] = 0.0
                continue
            goal = np.array([root[0], root[1], 0.0])
            soft = 1.0 / (1.0 + 2.0 * h * FOLLOWS + (h * FOLLOWS) ** 2)
            self.speeds[f] = (self.speeds[f] + h * FOLLOWS**2 * (goal - self.feet[f])) * soft
            self.feet[f] += h * self.speeds[f]


def space_of_clip(clip: Clip, kind: str) -> ResponseSpace:
    """The response space of a clip, remembered by content."""
    key = (clip.q.tobytes(), clip.dt, clip.cycle is not None, clip.character.name, clip.character.mass, kind)
    if key not in _KEPT:
        if len(_KEPT) >= _MOST:
            _KEPT.pop(next(iter(_KEPT)))
        _KEPT[key] = response_space(clip, kind)
    return _KEPT[key]
