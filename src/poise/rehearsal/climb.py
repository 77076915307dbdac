"""Climb: phases of a guide searched one after the other, each from the best state that the last one ended in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.maths.rotations import Array
from poise.methods.rehearse.beam import Beam
from poise.methods.rehearse.controller import WINDOW
from poise.methods.rehearse.cost import Cost, Scales, watched_roles
from poise.methods.rehearse.rows import STEP, Rows
from poise.methods.rehearse.servos import Servos
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.rehearsal.adapt import first_guess
from poise.rehearsal.course import Course, Effort, Ground
from poise.rehearsal.rising import Phase
from poise.simulate.rollouts import Rollouts
from poise.stage import Stage

FULL, LAG = 0.35, 0.06  # gains of the servos, as of a rehearsal
TOUCHING = 0.02  # [m] up to which a foot or hand of a guide touches
# factors of the scales of a rehearsal: a guide only points the way
_LOOSE = {"joint": 4.0, "rate": 4.0, "turn": 2.0, "spin": 3.0, "place": 5.0, "height": 2.5, "speed": 3.0,
          "momentum": 3.0, "lift": 2.0, "reach": 2.0, "capture": 6.0, "touch": 8.0, "slide": 1.0}  # fmt: skip
# instead, in phases on the ground
_LYING = {"joint": 3.0, "lift": 8.0, "reach": 8.0, "place": 10.0, "height": 6.0, "slide": 20.0}


class Part(NamedTuple):
    """A phase that was searched."""

    name: str
    rows: Rows
    steps: int
    offsets: Array  # (W, nv)
    cost: Array  # (W,)
    end: Beam  # the best state at its end, alone

    @property
    def error(self) -> float:
        """Mean cost of its last windows."""
        return float(self.cost[-3:].mean())


class Place(NamedTuple):
    """Where a climb is: a state, and the parts by which it was reached."""

    beam: Beam  # of one state
    parts: tuple[Part, ...] = ()

    @property
    def q(self) -> Array:
        """The pose (nq,)."""
        return self.beam.q[0]

    @property
    def seconds(self) -> float:
        """Time [s] since the beginning."""
        return sum(p.steps for p in self.parts) * STEP

    def after(self, part: Part) -> Place:
        """Where one is at the end of a part."""
        return Place(part.end, (*self.parts, part))


class Climb:
    """Searches of phases in one world, from a lying pose on."""

    def __init__(self, character: Character, stage: Stage, q: Array, seed: int, effort: Effort, threads: int):
        self.character, self.stage, self.seed, self.effort = character, stage, seed, effort
        watched = [character.body(r) for r in watched_roles(character)]
        self.servos = Servos.of(character, FULL, LAG)
        self.rollouts = Rollouts(character, replace(stage, events=()), STEP, "soft", watched, threads)
        self.q0, self.v0 = q.copy(), np.zeros(character.layout.nv)
        self.state0 = self.rollouts.start(self.q0, self.v0, check=False)
        self.begun = Place(Beam.begin(self.state0, self.q0, self.v0))
        self.tried = 0  # searches so far

    def phase(self, at: Place, phase: Phase) -> Part:
        """A phase searched from a place."""
        labels = self.character.points(phase.q)[..., 2] < TOUCHING
        clip = Clip(self.character, phase.q, 1 / 120, labels=labels)
        return self.follow(at, clip, loose(phase), phase.wide, phase.feedforward, phase.effort, phase.name)

    def follow(self, at: Place, clip: Clip, scales: Scales, wide: float = 1.0, feedforward: bool = True,
               more: float = 1.0, name: str = "", retries: int = 0) -> Part:  # fmt: skip
        """A motion searched from a place."""
        steps = 2 * (len(clip) - 1)
        rows = Rows(Reference(clip), self.stage.friction, feedforward).upto(steps)
        ground = Ground(self.rollouts, self.servos, Cost(scales, self.rollouts, self.servos, rows), steps)
        guess = first_guess(wide * self.servos.spread, ground.windows)
        course = Course(self.seed, self.tried, [Beam.begin(at.beam.states, at.q, at.beam.v[0], at.beam.offsets[0])])
        self.tried += 1
        effort = self.effort._replace(samples=round(more * self.effort.samples), keep=round(more * self.effort.keep),
                                      retries=retries)  # fmt: skip
        while not course.over(ground):
            course.step(ground, guess, effort)
        path, last = course.path(), course.layers[-1]
        return Part(name, rows, len(path.offsets) * WINDOW, path.offsets, path.cost,
                    Beam(*(a[[int(np.argmin(last.total))]] for a in last)))  # fmt: skip

    def frames(self, parts: Sequence[Part]) -> tuple[Array, Array, Array]:
        """A path by the very steps of the search: q (F, nq) at 120 frames a second, and q and v at windows."""
        state, before = self.state0, np.zeros((1, len(self.v0)))
        q, at_q, at_v, v = [self.q0], [self.q0], [self.v0], self.v0
        for part in parts:
            for w, offset in enumerate(part.offsets):
                servo = self.servos.servo(part.rows, w * WINDOW, WINDOW, offset, offset)
                for k in range(0, WINDOW, 2):
                    ends = self.rollouts.run(servo, servo.time + k * STEP, 2, state, before, np.zeros(1, np.int64),
                                             offset[None])  # fmt: skip
                    state, v = ends.states, ends.v[0]
                    q.append(ends.q[0])
                before = offset[None]
                at_q.append(q[-1])
                at_v.append(v)
        return np.array(q), np.array(at_q), np.array(at_v)


def loose(phase: Phase) -> Scales:
    """The scales with which a phase is followed."""
    factors = _LOOSE | ({} if phase.loose <= 1.0 else _LYING)
    base = Scales()
    return replace(base, **{n: min(getattr(base, n) * k * phase.loose, 90.0 if n in ("rate", "touch", "slide") else 9.9)
                            for n, k in factors.items()})  # fmt: skip
