"""Judged: what the passes of a rehearsal share, and what each comes to when it is performed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.judge.audit import audit
from poise.judge.finding import Finding
from poise.judge.followed import Followed, followed
from poise.maths.rotations import Array
from poise.methods.rehearse import Plan, Rehearsed
from poise.methods.rehearse.beam import Beam
from poise.methods.rehearse.cost import HOPELESS, Cost, watched_roles
from poise.methods.rehearse.feedback import FEATURES
from poise.methods.rehearse.feedforward import FeedForward
from poise.methods.rehearse.plan import maker
from poise.methods.rehearse.rows import STEP, Rows
from poise.methods.rehearse.servos import Servos
from poise.motion.reference import Reference
from poise.performance import perform
from poise.performance.begin import lifted
from poise.physical.prepare import prepared
from poise.rehearsal.adapt import tightened
from poise.rehearsal.course import Course, Effort, Ground, Path
from poise.rehearsal.settings import Settings
from poise.simulate.rollouts import Rollouts
from poise.stage import Stage
from poise.take import Take

_STRAINED = 1.2  # share of a joint's strength from which on a clip may ask too much
_MARGIN = 0.8  # share of the limits of `followed` within which a pass is good enough to be the last


@dataclass(frozen=True, eq=False)
class Result:
    """What a pass came to, when it was performed."""

    path: Path
    take: Take
    reached: float  # [s]
    good: bool  # whole, followed and true
    enough: bool  # and with a margin
    findings: tuple[Finding, ...]  # what keeps it from being followed
    rank: tuple[Any, ...]

    def words(self) -> str:
        """One clause."""
        if self.good:
            return f"performed, cost {self.path.cost.mean():.1f}"
        if not self.take.ended.whole:
            return f"{self.take.ended} at {self.reached:.2f} s"
        return "; ".join([*followed(self.take).reasons, *audit(self.take).problems])


class Work:
    """What all passes share."""

    def __init__(self, own: Reference, stage: Stage, length: float, seed: int, settings: Settings, contact: str,
                 threads: int):  # fmt: skip
        self.own, self.stage, self.length, self.seed = own, stage, length, seed
        self.settings, self.contact = settings, contact
        stage.check(own.character)
        self.followed, self.notes = prepared(own, stage.ground)
        character, steps = own.character, 2 * round(length * 120)
        rows = Rows(self.followed, stage.friction, settings.feedforward, own=own).upto(steps)
        servos = Servos.of(character, settings.full, settings.lag)
        rollouts = Rollouts(character, stage, STEP, contact, [character.body(r) for r in watched_roles(character)],
                            threads)  # fmt: skip
        self.ground = Ground(rollouts, servos, Cost(settings.scales, rollouts, servos, rows), steps, settings.window)
        self.effort = Effort(settings.samples, settings.keep, settings.retries, settings.most)
        sample = self.followed.sample(0.0)
        self.q, self.v = lifted(self.followed, sample.q)[0], sample.v
        self.state = rollouts.start(self.q, self.v)

    def course(self, number: int, heavy: list[str]) -> Course:
        """A pass that begins, with some scales tightened."""
        self.weigh(heavy)
        return Course(self.seed, number, [Beam.begin(self.state, self.q, self.v)], heavy=heavy)

    def weigh(self, heavy: list[str]) -> None:
        """Count what `heavy` names more than the settings say."""
        self.ground.cost.scales = tightened(self.settings.scales, heavy)

    def plan(self, path: Path, reached: float, told: tuple[str, ...] = ()) -> Plan:
        """The plan of a path."""
        ground, rows, nv = self.ground, self.ground.cost.rows, len(self.v)
        offsets, cost = np.zeros((ground.windows, nv)), np.full(ground.windows, HOPELESS)
        offsets[: len(path.offsets)], cost[: len(path.cost)] = path.offsets, path.cost
        q, v = self._along(offsets)
        return Plan(self.own.clip, self.followed.baked, self.stage, self.own.start, self.length, self.contact,
                    self.seed, ground.window, offsets, q, v, cost, reached, rows.q, rows.v, rows.planned,
                    self.settings.full, self.settings.lag, np.zeros((0, FEATURES, nv)), maker(), told)  # fmt: skip

    def doubts(self, reached: float) -> list[str]:
        """What may be the reason that a clip is lost at a time [s], one sentence each."""
        out = [text for kind, text in self.notes if kind == "not repaired"]
        share, joint, when = FeedForward(self.followed, self.stage.friction).weakest(min(reached + 0.5, self.length))
        if share > _STRAINED:
            out.append(f"the clip needs {100 * share:.0f} % of the strength of {joint} at {when:.2f} s: it floats, is "
                       "too fast there, or the body is too weak for it")  # fmt: skip
        return out

    def _along(self, offsets: Array) -> tuple[Array, Array]:
        """States at the beginning of each window, and at the end, by the very steps of the search."""
        ground, state = self.ground, self.state
        before, q, v = np.zeros((1, offsets.shape[1])), [self.q], [self.v]
        for w, offset in enumerate(offsets):
            count = min(ground.window, ground.steps - w * ground.window)
            servo = ground.servos.servo(ground.cost.rows, w * ground.window, count, offset, offset)
            ends = ground.rollouts.run(servo, servo.time, count, state, before, np.zeros(1, np.int64), offset[None])
            state, before = ends.states, offset[None]
            q.append(ends.q[0])
            v.append(ends.v[0])
        return np.array(q), np.array(v)

    def judged(self, path: Path) -> Result:
        """A path performed, and what is to be said of it."""
        take = performed(self.plan(path, 0.0))
        told = followed(take)
        reached = self.length if take.ended.whole else float(take.ended.time)
        good = bool(told) and audit(take).passed
        m = told.measures
        margin = good and m["joints"] < _MARGIN * told.limits.joints and m["root"] < _MARGIN * m["root_allowed"]
        mean = float(np.mean(np.minimum(path.cost, 1e3))) if len(path.cost) else 1e3
        off = 0.0 if told else _excess(told)
        rank = good, bool(told), round(reached, 3), -off, -mean
        return Result(path, take, reached, good, margin, told.findings, rank)


def _excess(told: Followed) -> float:
    """The largest share by which a take is beyond what is allowed of a clip that is followed."""
    over = [(1.0 - f.value) / (1.0 - f.limit) if f.kind == "touching off" else f.value / f.limit
            for f in told.findings if f.limit]  # fmt: skip
    return max(over, default=0.0)


def performed(plan: Plan, **options: Any) -> Take:
    """The take of a plan as it is, without a search under way."""
    return perform(plan, Rehearsed(search="never"), **options)
