"""Rehearsed: a plan is performed, and where the body has left its path a short search leads it back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.rehearse.cost import Cost, Scales, watched_roles
from poise.methods.rehearse.feedback import corrections
from poise.methods.rehearse.known import known
from poise.methods.rehearse.online import Budget, best_offsets
from poise.methods.rehearse.plan import Plan
from poise.methods.rehearse.rows import STEP, Rows
from poise.methods.rehearse.servos import Servos
from poise.motion.reference import Reference
from poise.physical.prepare import prepared
from poise.settings import PART, check, choice, number, special, whole
from poise.simulate.loop import Action
from poise.simulate.packing import Packed
from poise.simulate.rollouts import Rollouts
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

WINDOW = 12  # steps of 1/240 s
_BARE = 0.1  # share of `light` that is let pass where a plan has no feedback
_EXACT = 1e-9  # below this distance from its path a body is on it


@dataclass
class Memory:
    """What is known under way."""

    character: Character
    reference: Reference
    stage: Stage
    servos: Servos
    rows: Rows
    plan: Plan | None  # None where there is none, or where it no longer holds
    before: Array  # (nv,) [rad] offset of the window before
    offset: Array  # (nv,) [rad] offset of this window
    size: int = WINDOW  # steps of a window
    window: int = -1  # index of the window under way
    away: float = 0.0  # distance from the path, in units of what is searched
    searched: int = 0  # windows that were searched
    found: Array = field(
        default_factory=lambda: np.zeros((0, 0))
    )  # (K, nv) [rad] for the next windows, when last searched
    rollouts: Rollouts | None = None
    cost: Cost | None = None


@dataclass(frozen=True)
class Rehearsed:
    """Servos along a clip with offsets that were found beforehand (`poise.rehearse`), or are looked for under way.

    On its path the plan is performed as it is, to the last bit. Light disturbances are met by the distilled feedback
    of the plan. Farther away, or where there is no plan, a beam of short simulations from the present state chooses
    the offset of the next window of 0.05 s. Its size is fixed, so that the same calls give the same bits.
    """

    plan: Any = special(  # noqa: RUF009
        None, "what `poise.rehearse` found", "a plan, given in Python", lambda p: _plan(p), lambda w: _no_word(w),
        none=True)  # fmt: skip
    search: str = choice("disturbed", "when offsets are looked for under way", ("never", "disturbed", "always"),
                         "time to search")  # fmt: skip
    light: float = number(0.25, "distance from the path up to which feedback alone is used", 0, 1e3)
    samples: int = whole(48, "simulations for each window ahead", 2, 10000)
    keep: int = whole(12, "states that are kept of them", 1, 1000)
    ahead: int = whole(5, "windows that are looked ahead", 1, 40, "0.05 s")
    full: float = number(0.35, "error at which a servo gives the mean strength of its joint", 0.001, 10, "rad")
    lag: float = number(0.06, "damping over stiffness", 0.0001, 1, "s")
    scales: Scales = field(default_factory=Scales, metadata=PART)

    name = "rehearsed"
    step_size = STEP
    period = 1 / 120

    def __post_init__(self) -> None:
        check(self, self.name)

    def prepare(self, reference: Reference, stage: Stage) -> tuple[Reference, list[tuple[str, str]]]:
        """What was followed when the plan was made; without one, the reference made physical."""
        plan = self.plan
        if plan is None or not _same(reference, plan):
            return prepared(reference, stage.ground)
        return Reference(plan.followed, start=plan.start), [
            ("rehearsed", f"a rehearsal of seed {plan.seed} is performed")
        ]

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """A fresh memory; a plan of another clip, body or stage is refused."""
        plan = self.plan
        if plan is not None:
            if not np.array_equal(reference.clip.q, plan.followed.q) or reference.start != plan.start:
                raise BadValue(f"The plan is one of {plan.clip.name} from {plan.start:g} s on; this is another clip, "
                               "or another part of it: rehearse that.")  # fmt: skip
            if self.search != "always":
                plan.check(character, stage)
        own = self if plan is None else replace(self, full=plan.full, lag=plan.lag)
        nothing = np.zeros(character.model.nv)
        rows = Rows(reference, stage.friction)
        if plan is not None:
            rows.q, rows.v, rows.planned = plan.row_q, plan.row_v, plan.planned
        return Memory(
            character,
            reference,
            stage,
            Servos.of(character, own.full, own.lag),
            rows,
            plan,
            nothing,
            nothing,
            WINDOW if plan is None else plan.window,
        )

    def follow(self, memory: Memory, reference: Reference) -> Memory:
        """Another reference: the plan no longer holds, and what comes is searched."""
        first = max(0, memory.size * memory.window)
        rows = Rows(reference, memory.stage.friction, first=first)
        return replace(memory, reference=reference, rows=rows, plan=None, cost=None)

    def surround(self, memory: Memory, reference: Reference, stage: Stage) -> Memory:
        """Another stage: the plan no longer holds."""
        return replace(memory, stage=stage, plan=None, rollouts=None, cost=None)

    def act(self, state: State, touches: Touches, reference: Reference, memory: Memory) -> Action:
        """The servos of the coming frame."""
        step = round(state.time / STEP)
        window, since = divmod(step, memory.size)
        if window != memory.window:
            memory.before, memory.window = memory.offset, window
            memory.offset = self._choose(state, step, window, memory)
        servo = memory.servos.servo(memory.rows, step, memory.size - since, memory.before, memory.offset, since)
        return Action(servo, traces={"away": memory.away, "searched": float(memory.searched)})

    def _choose(self, state: State, step: int, window: int, memory: Memory) -> Array:
        """The offset (nv,) of a window."""
        memory.away, light = self._away(state, step, window, memory)
        if self.search == "always" or (self.search == "disturbed" and memory.away >= max(light, _EXACT)):
            return self._search(state, step, window, memory)
        memory.found, plan = memory.found[:0], memory.plan
        if plan is not None and memory.away < _EXACT and window < len(plan.offsets):
            return plan.offsets[window]  # to the last bit
        return self._guess(window, state.q[None], state.v[None], memory)[0]

    def _away(self, state: State, step: int, window: int, memory: Memory) -> tuple[float, float]:
        """How far the body is from its path, and up to where nothing is searched."""
        at = known(memory.plan, window)
        if at is None:  # the clip itself is the path
            sample = memory.rows.reference.sample(step * STEP)
            off = conf.difference(memory.character.layout, sample.q, state.q)
            return distance(off, state.v - sample.v), self.light
        return distance(*at.away(state.q, state.v)), self.light * (_BARE if at.gain is None else 1.0)

    def _guess(self, window: int, q: Array, v: Array, memory: Memory) -> Array:
        """Offsets (n, nv) of a window from states q (n, nq), v (n, nv), by the plan and its feedback."""
        at = known(memory.plan, window)
        return np.zeros(v.shape) if at is None else corrections(at, q, v, self.worlds(memory))

    def _search(self, state: State, step: int, window: int, memory: Memory) -> Array:
        """The offset that a short search finds."""
        if memory.cost is None:
            memory.cost = Cost(self.scales, self.worlds(memory), memory.servos, memory.rows)
        memory.searched += 1
        budget = Budget(self.samples, self.keep, self.ahead)
        law = lambda h, q, v: self._guess(window + h, q, v, memory)  # noqa: E731
        best = best_offsets(state, memory.offset, memory.found, law, step, memory.size, budget, memory.cost)
        memory.found = best[1:]
        return best[0]

    def worlds(self, memory: Memory) -> Rollouts:
        """Where one looks ahead: the stage without its events."""
        if memory.rollouts is None:
            stage, character = replace(memory.stage, events=()), memory.character
            memory.rollouts = Rollouts(
                character, stage, STEP, "soft", [character.body(r) for r in watched_roles(character)]
            )
        return memory.rollouts

    def pack(self, memory: Memory, reference: Reference) -> Packed:
        """What the future depends on beside the reference and the stage."""
        names = ("before", "offset", "found", "window", "away", "searched")
        known = {"planned": memory.plan is not None, "first": memory.rows.first}
        return {name: getattr(memory, name) for name in names} | known

    def unpack(self, memory: Memory, packed: Packed, reference: Reference) -> None:
        """Put back what `pack` gave."""
        memory.before, memory.offset, memory.found = packed["before"], packed["offset"], packed["found"]
        memory.window, memory.searched = int(packed["window"]), int(packed["searched"])
        memory.away = float(packed["away"])
        if not packed["planned"]:
            memory.plan = None
            memory.rows = Rows(reference, memory.stage.friction, first=int(packed["first"]))


def distance(off: Array, rate: Array) -> float:
    """How far a state is from its path, by differences `off` and `rate` (nv,): 1 is as far as a rehearsal strays.

    The largest of the errors of the joints (rms) over 0.1 rad, of their rates over 2 rad/s, of the root over 0.1 m and
    0.1 rad, and of its velocities over 0.5 m/s and 1 rad/s.
    """
    parts = (_rms(off[6:]) / 0.1, _rms(rate[6:]) / 2.0, np.linalg.norm(off[:3]) / 0.1, np.linalg.norm(off[3:6]) / 0.1,
             np.linalg.norm(rate[:3]) / 0.5, np.linalg.norm(rate[3:6]))  # fmt: skip
    return float(max(parts))


def _rms(a: Array) -> float:
    return float(np.sqrt(np.mean(a**2))) if len(a) else 0.0


def _same(reference: Reference, plan: Plan) -> bool:
    """Is it the clip that was rehearsed, unedited, from the same start?"""
    return not reference.edits and reference.start == plan.start and np.array_equal(reference.clip.q, plan.clip.q)


def _plan(value: object) -> Plan:
    if not isinstance(value, Plan):
        raise ValueError
    return value


def _no_word(word: str) -> Plan:
    raise ValueError(word)
