"""get_up: from where a body lies to its feet, and on into a clip; found by a search in the simulator.

Key poses point the way (`rising`), phase after phase. Each phase is a short search from where the last one ended
(`climb`). Where a phase fails, for example because an arm lies under the body, another way is tried from the phase
before: over the other side, with the arms stretched out first, with the other foot. The first way that ends on the
feet, goes on into the clip, and is found true by the audit, is the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.errors import BadValue
from poise.ground.ground import level_of
from poise.judge.audit import audit
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.rehearse import Plan
from poise.methods.rehearse.controller import WINDOW
from poise.methods.rehearse.cost import Scales
from poise.methods.rehearse.feedback import FEATURES
from poise.methods.rehearse.plan import maker
from poise.methods.rehearse.rows import STEP
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.recording import Source
from poise.physical.library.authoring import ramp
from poise.rehearsal import rising
from poise.rehearsal.climb import FULL, LAG, Climb, Place
from poise.rehearsal.course import Effort
from poise.rehearsal.judged import performed
from poise.rehearsal.lying import WAYS, attitude, lying
from poise.rehearsal.passage import passage
from poise.rehearsal.passes import all_threads
from poise.rehearsal.rising import Phase
from poise.stage import Stage
from poise.threads import on_one_thread

STANDS = 0.88  # share of the height of a standing pelvis from which on a body stands
_DOWN = 0.75  # share below which it no longer does
_LATEST = 6.0  # [s] by which it should stand
_SOON = 1.2  # [s] after which a body stands at best that begins to stand up
_BLEND = 0.5  # [s] in which the pose in which it stands passes into the clip
_SEARCHES = 40  # at most
_DRAWN = 2  # times that a phase is searched which only the audit refuses


class Way(NamedTuple):
    """A phase that could come next, and the error from which on it has failed."""

    phase: Phase
    failed: float


@on_one_thread
def get_up(clip: Clip, pose: str | Array = "back", *, seed: int = 0, seconds: float = 4.0, samples: int = 200,
           threads: int | None = None, progress: Callable[[str], None] | None = None) -> Plan:  # fmt: skip
    """A plan by which the body of a clip gets up from where it lies, and goes on into the clip for some `seconds`.

    `pose` is a configuration (nq,) at rest on level ground, such as the last one of a take that fell, or "front",
    "back", "left" or "right": then a limp body is let fall so, bent at random by the seed. `plan.whole` says whether
    it got up and went on; what it does is a clip, `plan.clip`. `progress` is told each phase when it was searched.
    """
    character, stage = clip.character, Stage(ground=clip.ground)
    if level_of(clip.ground) != 0.0:
        raise BadValue("A body gets up on level ground at height 0; give a clip on such a ground.")
    if isinstance(seed, bool) or seed < 0:
        raise BadValue(f"A seed is a whole number, 0 or more, not {seed}.")
    q = _lying(clip, pose, seed)
    onward = passage(load_clip("stand", character=character), clip, seconds) if seconds > 0.0 else None
    effort = Effort(samples, max(1, samples // 4), 0, 3.0, 0.0)
    search = _Search(Climb(character, stage, q, seed, effort, all_threads(threads)), onward, progress)
    found = search.run(search.climb.begun)
    return search.plan(found or search.farthest)


def _lying(clip: Clip, pose: str | Array, seed: int) -> Array:
    if isinstance(pose, str):
        if pose not in WAYS:
            raise BadValue(f"A body gets up from its {', '.join(WAYS[:-1])} or {WAYS[-1]}, or from a pose; not from "
                           f"{pose!r}.")  # fmt: skip
        return lying(clip.character, pose, seed)
    q = np.array(pose, float)
    if q.shape != (clip.character.layout.nq,) or not np.all(np.isfinite(q)):
        raise BadValue(f"A pose of {clip.character.name} has {clip.character.layout.nq} finite numbers, "
                       f"not {q.shape}.")  # fmt: skip
    return q


def ways(climb: Climb, at: Place) -> list[Way]:
    """What could be done from a place, the most promising first."""
    body, q = climb.character, at.q
    last = at.parts[-1].name if at.parts else ""
    if last.startswith("sets"):
        return [Way(rising.stand_up(body, q, last.split()[2], back), 60.0) for back in (0.0, 0.05)]
    if last.startswith("pushes"):
        return [Way(rising.set_foot(body, q, side), 25.0) for side in ("left", "right")]
    _, turned = attitude(q)
    if abs(turned) > rising.SUPINE:
        to = float(np.sign(turned))
        return [Way(rising.roll(body, q, to), 20.0), Way(rising.roll(body, q, -to), 20.0)]
    if abs(turned) > rising.SIDEWAYS:
        return [Way(rising.roll_on(body, q, arms), 25.0) for arms in (rising.AHEAD, rising.READY)]
    up = Way(rising.push_up(body, q), 20.0)
    if rising.arms_away(body, q, rising.READY) < 0.7:
        return [up]
    draw = [Way(rising.draw_hands(body, q, arms), 20.0) for arms in (rising.AHEAD, rising.READY)]
    done = [p.name for p in at.parts[-2:]].count(draw[0].phase.name)
    ahead = rising.arms_away(body, q, rising.AHEAD) < 0.8
    aside = [Way(rising.roll_aside(body, q, to), 20.0) for to in (1.0, -1.0)] if not at.parts else []
    return [up] if done == 2 else [*(draw[1:] if ahead or done else draw), *aside]


class _Search:
    """Ways are tried in depth; what fails is gone back from."""

    def __init__(self, climb: Climb, onward: Clip | None, progress: Callable[[str], None] | None):
        self.climb, self.onward, self.progress = climb, onward, progress
        self.farthest, self.told = climb.begun, list[str]()
        body = climb.character
        self.height = float(body.standing_pose()[2])

    def run(self, at: Place) -> Place | None:
        """The place at the end of the first way that leads there."""
        if self._score(at) > self._score(self.farthest):
            self.farthest = at
        for way in ways(self.climb, at):
            late = at.seconds + (_SOON if way.phase.name.startswith("stands") else len(way.phase.q) / rising.FPS)
            if late > _LATEST or self.climb.tried >= _SEARCHES:
                continue
            there = self._tried(at, way)
            if there is None:
                continue
            done = self._go_on(there) if way.phase.name.startswith("stands") else self.run(there)
            if done is not None:
                return done
        return None

    def _tried(self, at: Place, way: Way) -> Place | None:
        """The place at the end of a phase; None where it fails. What only the audit refuses is drawn once more."""
        for _ in range(_DRAWN):
            part = self.climb.phase(at, way.phase)
            there = at.after(part)
            bad = not part.error < way.failed
            wrong = () if bad else audit(performed(self._unlabelled(there))).problems
            self._say(f"{there.seconds:.2f} s: {part.name}{', and fails' if bad else _but(wrong)}")
            if bad:
                return None
            if not wrong:
                return there
        return None

    def _go_on(self, at: Place) -> Place | None:
        """From the feet into the clip."""
        if not at.q[2] > STANDS * self.height:
            return None
        self.farthest = at if self._score(at) > self._score(self.farthest) else self.farthest
        if self.onward is None:
            return at
        part = self.climb.follow(at, _from_here(self.onward, at.q), Scales(), retries=6, name="goes on")
        there = at.after(part)
        up = there.q[2] > _DOWN * self.height and part.steps * STEP > self.onward.duration - 0.06
        wrong = audit(performed(self._unlabelled(there))).problems if up else ("it falls",)
        self._say(f"{there.seconds:.2f} s: goes on{_but(wrong)}")
        return None if wrong else there

    def _say(self, text: str) -> None:
        self.told.append(text)
        if self.progress is not None:
            self.progress(text)

    def _score(self, at: Place) -> tuple[float, float]:
        names = [p.name.split()[0] for p in at.parts]
        order = ("rolls", "draws", "pushes", "sets", "stands", "goes")
        return max((order.index(n) for n in names), default=-1), float(at.q[2])

    def plan(self, at: Place) -> Plan:
        """The plan of a place: its path is the clip that is performed, and what touches on it is what should."""
        made = self._unlabelled(at)
        path = replace(made.clip, labels=performed(made).touching[: len(made.clip)])
        return replace(made, clip=path, followed=path)

    def _unlabelled(self, at: Place) -> Plan:
        """The same, but for what should touch."""
        climb, body, parts = self.climb, self.climb.character, at.parts
        if not parts:
            raise BadValue(f"{body.name} found no way to get up from this pose, not even a first step of one.")
        q, window_q, window_v = climb.frames(parts)
        row_q, row_v, planned = (np.concatenate([getattr(p.rows, n)[: p.steps] for p in parts])
                                 for n in ("q", "v", "planned"))  # fmt: skip
        high = q[:, 2] > STANDS * self.height
        whole = any(p.name == "goes on" for p in parts) or (self.onward is None and bool(high[-1]))
        length = (len(q) - 1) / rising.FPS
        reached = length if whole else float(np.argmax(high)) / rising.FPS
        path = Clip(body, q, 1.0 / rising.FPS, Source("getting up", format="built-in"), climb.stage.ground)
        return Plan(path, path, climb.stage, 0.0, length, "soft", climb.seed, WINDOW,
                    np.concatenate([p.offsets for p in parts]), window_q, window_v,
                    np.concatenate([p.cost for p in parts]), reached, row_q, row_v, planned, FULL, LAG,
                    np.zeros((0, FEATURES, body.layout.nv)), maker(), tuple(self.told))  # fmt: skip


def _but(wrong: tuple[str, ...]) -> str:
    return f", and fails: {wrong[0]}" if wrong else ""


def stands_at(plan: Plan) -> float | None:
    """When [s] the body of a plan stands for good: its pelvis is high, and never low again; None where it does not."""
    tall, high = float(plan.clip.character.standing_pose()[2]), plan.clip.q[:, 2]
    low = np.flatnonzero(high < _DOWN * tall)
    up = np.flatnonzero(high > STANDS * tall)
    up = up[up > low[-1]] if len(low) else up
    return float(plan.clip.times[up[0]]) if len(up) else None


def _from_here(onward: Clip, q: Array) -> Clip:
    """A clip moved to where a body stands, its pose passing into it."""
    turn = rot.about_z(float(rot.heading(q[3:7]) - rot.heading(onward.q[0, 3:7])))
    moved = onward.q.copy()
    moved[:, 3:7] = rot.multiply(turn, moved[:, 3:7])
    moved[:, :3] = rot.rotate(turn, moved[:, :3])
    moved[:, :2] += q[:2] - moved[0, :2]
    share = 1.0 - ramp(onward.times, 0.0, _BLEND)
    off = conf.difference(onward.character.layout, moved[0], q)
    moved = conf.integrate(onward.character.layout, moved, share[:, None] * off)
    return onward.with_q(moved, labels=onward.contacts.labels)
