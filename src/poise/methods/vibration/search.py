"""The search for a gait that stays up, round by round.

Held rounds: an assist keeps the root upright and going, so that the body settles into a cycle within a few units,
and CMA-ES looks for bursts that need the assist least. Then feedback about the cycle found so far (`feedback`) steers
beside an assist that fades. A beginning that leads nowhere by then is put aside for another one, and the search goes on
with the best of a few. Free rounds: the assist is gone, and CMA-ES makes the bursts carry the gait by themselves.

Departures from section 6.2: the initial state is not searched, it is where the cycle settles, which leaves a dozen
numbers in the place of eighty; the cyclic constraint holds by itself on a cycle that attracts. `printed` has the
paper's own way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from poise.errors import BadValue, NoSolution
from poise.maths.rotations import Array
from poise.methods.vibration import feedback, unit_loop
from poise.methods.vibration.control import Corrections, correction_input
from poise.methods.vibration.gait import Gait
from poise.methods.vibration.judging import Job, Judged, assist_of, body_of, judge, judge_one, tools_of
from poise.methods.vibration.score import MOST_DEPTH, MOST_FEEDBACK, Score
from poise.methods.vibration.sketch import Sketch
from poise.methods.vibration.space import TIMES, Space
from poise.methods.vibration.unit_simulator import HOP, ONE, RUN, Controls, Run, UnitSimulator
from poise.simulate.batch import Batch
from poise.solve import cma

STAGES = {RUN: 4, HOP: 8, ONE: 8}  # decisions of the feedback in a unit: one every 0.06 to 0.1 s
CENTRED = 3  # times that feedback is built again about what it leads to
LEFT_TO_BURSTS = (0.3, 0.6)  # shares of the feedback's steady torques
MEAN = 9  # units whose mean is the cycle that feedback is about; every other one counts, the rest are mirrored
LASTING, SETTLED = 25, 0.01  # units that feedback is tried for, and max |φ| from which it is good enough
POPULATION = 16
PATIENCE = 6  # generations without a better one after which a round with feedback ends, if no constraint is violated
GOOD = 2.0  # and the cost is below this
AGAIN = 3  # times at most that the last round is done again
CHOSEN = 3  # rounds of a beginning
BEGINNINGS = 3  # that are tried at most; the search goes on with the best
# cost after the first free round, if bars are missed, and after the last, from which more work is lost on it; after the
# second free round any violated constraint is enough
HOPELESS, BEYOND = 4.0, 10.0
PROMISING = 2.5  # cost below which a beginning that violates nothing is good enough


class Round(NamedTuple):
    """One search by CMA-ES."""

    assist: float  # share of the assist; 0: feedback in its place
    generations: int
    units: int  # that a candidate must last; the last one is judged
    spread: float  # of the first generation
    strict: float = 2.0  # how much missed constraints weigh
    steered: bool = False  # is there feedback beside the assist?
    asked: float = 1.0  # how much of the sketch is asked for already

    @property
    def fed(self) -> bool:
        """Is there feedback?"""
        return self.steered or self.assist == 0.0


PLAN = (Round(1.0, 50, 5, 0.5), Round(0.3, 30, 5, 0.2), Round(0.1, 20, 5, 0.15, steered=True),
        Round(0.03, 15, 7, 0.12, steered=True), Round(0.0, 25, 9, 0.12), Round(0.0, 30, 9, 0.1, 6.0),
        Round(0.0, 30, 13, 0.07, 20.0))  # fmt: skip
VARYING = (*(Round(0.0, 15, 9, 0.2, asked=share) for share in (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)), *PLAN[4:])
"""What leads from a gait to another sketch, which is asked for step by step."""


@dataclass(frozen=True, eq=False)
class Progress:
    """Where a search is; everything that its future depends on."""

    round: int
    search: cma.Search
    state: Array  # (nq + nv,) from which members begin
    best: Array  # vector of the best of this round so far
    score: Score | None
    cycle: Array  # (K, nq + nv) about which the feedback is, or (0, nq + nv)
    steady: Array  # (K, inputs)
    gains: Array  # (K, inputs, 2 nv)
    evaluations: int = 0
    seconds: float = 0.0  # CPU time spent up to a checkpoint
    bettered: int = 0  # generation of this round in which the best was found
    beginning: int = 0  # which one it is
    again: int = 0  # times that the last round was done again
    attempt: int = 0  # which search it is, each with beginnings of its own
    best_beginning: Progress | None = None  # the best of the beginnings before
    best_attempt: Progress | None = None  # the best that attempts before came to


class Finishing(NamedTuple):
    """How far the last step of a design is, the search for what its feedback weighs."""

    generation: int
    generations: int  # at most
    stays_up: int
    pushes: int  # that are tried


class Designer:
    """A search under way for one sketch: `rounds` yields after every generation, and `progress` can be kept."""

    def __init__(self, sketch: Sketch, seed: int = 0, plan: tuple[Round, ...] | None = None,
                 options: tuple[bool, ...] = (), population: int = POPULATION, progress: Progress | None = None,
                 origin: Gait | None = None, random_start: bool = False):  # fmt: skip
        """`origin`: a gait of the same body, such as that of another sketch, from which the search begins.

        random_start: each beginning draws its first vector at random, in place of the sketch's amplitudes.
        """
        if random_start and origin is not None:
            raise BadValue("A search begins with a gait or at random; name one of the two.")
        plan = plan or (PLAN if origin is None else VARYING)
        self.sketch, self.plan, self.seed = sketch, plan, seed
        self.options = (*options, *(False, False)[len(options) :])
        self.text = json.dumps(sketch.plain())  # the order of modes counts
        self.simulator, palette = body_of(self.text)
        if self.simulator.swaps and any(r.units % 2 == 0 for r in plan):
            raise BadValue("A round of a gait whose legs take turns lasts an odd number of units.")
        if origin is not None and not fits(origin, sketch):
            raise BadValue(f"The sketch {sketch.name!r} cannot begin with the gait {origin.sketch.name!r}: it must be "
                           "one of the same body and kind of gait, with feedback.")  # fmt: skip
        self.basis = feedback.torque_basis(palette)
        self.stages = STAGES[sketch.gait]
        self.population, self.origin, self.random_start = population, origin, random_start
        self.origin_text = "" if origin is None else origin.text()
        self.finishing: Finishing | None = None
        self.progress = self._first() if progress is None else progress

    def space_in(self, number: int) -> Space:
        """What is searched in a round; rounds may differ in how much of it they ask for."""
        return tools_of(self.text, (*self.options, self.plan[min(number, len(self.plan) - 1)].asked))[1]

    @property
    def space(self) -> Space:
        """What is searched now."""
        return self.space_in(self.progress.round)

    def controls(self, p: Progress) -> Controls:
        """The controls of a progress's best, which is a vector of the space of its own round."""
        return self.space_in(p.round).controls(p.best)

    def _first(self, attempt: int = 0, beginning: int = 0) -> Progress:
        space, inputs, nv = self.space_in(0), self.basis.shape[1], self.simulator.character.model.nv
        x = np.zeros(space.dimension)
        if self.random_start:
            x = np.random.default_rng([self.seed, attempt, beginning]).standard_normal(space.dimension)
        if self.origin is None:
            start, cycle = space.begin(self.simulator, x), np.zeros((0, len(self.simulator.rest) + nv))
            steady, gains = np.zeros((0, inputs)), np.zeros((0, inputs, 2 * nv))
        else:
            start, cycle = self.origin.cycle[0], self.origin.cycle
            x, steady, gains = varied(space, self.basis, self.origin)
        search = self._round_search(0, x, attempt, beginning)
        return Progress(0, search, start, x, None, cycle, steady, gains, attempt=attempt, beginning=beginning)

    def another(self, best: Progress | None) -> None:
        """Begin the next attempt; `best` is what those before came to at most."""
        p = self.progress
        self.progress = replace(
            self._first(p.attempt + 1), evaluations=p.evaluations, seconds=p.seconds, best_attempt=best
        )

    def _round_search(self, number: int, x: Array, attempt: int, beginning: int, again: int = 0,
                      shape: Array | None = None) -> cma.Search:  # fmt: skip
        seed = 10_000 * self.seed + 1000 * attempt + 100 * beginning + 10 * again + number
        return cma.begin(x, self.plan[number].spread, seed=seed, population=self.population, shape=shape)

    @property
    def over(self) -> bool:
        """Is the last round done?"""
        return self.progress.round >= len(self.plan)

    @property
    def hopeless(self) -> bool:
        """Is what the first free round or the second came to so bad that another attempt is worth more?"""
        p, free = self.progress, [k for k, r in enumerate(self.plan) if r.assist == 0.0]
        done = p.round - free[0] if free else 0  # free rounds that are over
        if self.origin is not None or p.search.generation or p.again or p.score is None or done not in (1, 2):
            return False
        if done == 2:
            return bool(p.score.easy.any())
        return p.score.cost > HOPELESS and (bool(p.score.easy.any()) or p.score.feedback > MOST_FEEDBACK)

    def job(self, progress: Progress | None = None) -> Job:
        """What the members of the present generation are judged by, or those of another progress."""
        p = self.progress if progress is None else progress
        now = self.plan[min(p.round, len(self.plan) - 1)]
        fix = self.about(p) if now.fed else None
        return Job(self.text, (*self.options, now.asked), p.state, now.units, now.assist,
                   self.sketch.start["speed"] + 0.1, fix, now.strict)  # fmt: skip

    def corrections(self) -> Corrections | None:
        """The feedback as it is now."""
        return self.about(self.progress)

    def about(self, p: Progress) -> Corrections | None:
        """The feedback of a progress, for its best; none before the free rounds."""
        if not len(p.cycle):
            return None
        starts = feedback.cuts(self.simulator.steps(self.controls(p)), len(p.cycle))
        return feedback.corrections(self.simulator, p.cycle, starts, self.basis, p.gains, p.steady)

    def generation(self, batch: Batch) -> None:
        """One generation more; at the end of a round the next is prepared."""
        p = self.progress
        members = cma.ask(p.search)
        results: list[Judged] = batch.judge(judge, self.job(), members)
        costs = np.array([r.score.cost for r in results])
        k = int(np.argmin(costs))
        first = results[k].score
        better = p.score is None or first.cost <= p.score.cost
        state = p.state
        if np.mean(costs < 1e3) > 0.6 and first.drift < 3.0 and self.plan[p.round].assist > 0.0:
            state = self.simulator.begun(results[k].end)
        self.progress = replace(p, search=cma.tell(p.search, members, costs), state=state,
                                best=members[k] if better else p.best, score=first if better else p.score,
                                evaluations=p.evaluations + len(members),
                                bettered=p.search.generation + 1 if better else p.bettered)  # fmt: skip
        if self._round_is_over():
            self._next_round()

    def _round_is_over(self) -> bool:
        """Are all generations done, or is there nothing left to find?"""
        p, now = self.progress, self.plan[self.progress.round]
        idle = p.search.generation - p.bettered >= PATIENCE
        done = idle and now.fed and p.score is not None and not p.score.easy.any() and p.score.cost < GOOD
        return done or p.search.generation >= now.generations

    def rounds(self, batch: Batch) -> Iterator[Progress]:
        """Generation after generation to the end."""
        while not self.over:
            self.generation(batch)
            yield self.progress

    def _begins_anew(self) -> bool:
        """Is another beginning tried, as this one leads nowhere? If not, the search goes on with the best of them."""
        p = self.progress
        falls = p.score is None or p.score.cost > 1e3
        early = p.round + 1 == CHOSEN or (falls and p.round + 1 < CHOSEN)
        if not early or len(self.plan) <= CHOSEN or self.origin is not None:
            return False
        promising = p.score is not None and p.score.cost < PROMISING and not p.score.easy.any()
        best = p if promising or p.best_beginning is None or _cost(p) < _cost(p.best_beginning) else p.best_beginning
        last = promising or p.beginning + 1 == BEGINNINGS
        after = best if last else self._first(p.attempt, p.beginning + 1)
        if last or (falls and p.best_beginning is None):
            best = None
        else:
            best = replace(best, best_beginning=None, best_attempt=None)
        self.progress = replace(after, evaluations=p.evaluations, seconds=p.seconds, best_beginning=best,
                                best_attempt=p.best_attempt)  # fmt: skip
        return not last

    def _wants_more(self, p: Progress) -> bool:
        """Is the last round worth doing again?"""
        if p.score is None or p.again == AGAIN or self.plan[-1].assist > 0.0 or (p.again and not p.bettered):
            return False
        s = p.score
        if s.cost > BEYOND and (s.easy.any() or self.origin is None):  # without an origin another attempt is worth more
            return False
        return bool(s.easy.any()) or s.drift > 2 * SETTLED or s.feedback > MOST_FEEDBACK or s.deepest > MOST_DEPTH

    def _next_round(self) -> None:
        if self._begins_anew():
            return
        p = self.progress
        number = p.round + 1
        if number == len(self.plan) and self._wants_more(p):
            number, p = p.round, replace(p, again=p.again + 1)
        if number >= len(self.plan) or self.plan[number].fed:
            p = self._centred(p, number)
        p = self._carried(p, number)
        if number >= len(self.plan):
            self.progress = replace(p, round=number)
            return
        alike = self.plan[p.round].assist == 0.0  # the next round asks for much the same
        search = self._round_search(number, p.best, p.attempt, p.beginning, p.again,
                                    p.search.covariance if alike else None)  # fmt: skip
        self.progress = replace(p, round=number, search=search, bettered=0)
        first = judge_one(
            self.simulator, self.space, self.job(), p.best
        )  # it stays the best until a better one is found
        self.progress = replace(self.progress, score=first.score)

    def _centred(self, p: Progress, number: int) -> Progress:
        """Feedback anew for a round, about the cycle that the best of the round before has settled into.

        It is built again about what the body settles into with it, up to a few times. Of these and
        the old one that is kept with which it lasts longest, and costs least. Where the assist stays, once is enough.
        """
        if p.score is None or p.score.cost > 1e3:
            raise NoSolution(f"No gait was found for {self.sketch.name!r}: after {p.evaluations} evaluations every "
                             "candidate falls; give the sketch more modes, or another start.")  # fmt: skip
        job = self.job()
        assist = assist_of(job, self.space, p.best)
        units = 3 if assist is not None else 2 * (job.units // 2) + 9
        made = [] if not len(p.cycle) else [p]
        state, fix = p.state, job.corrections
        if number < len(self.plan) and self.plan[number].assist > 0.0:
            return self._feedback(p, state, fix, assist, 2 * (job.units // 2) + 3)[0]
        for _ in range(CENTRED):
            try:
                found, *eased = self._feedback(p, state, fix, assist, units)
            except NoSolution:
                if not made:
                    raise
                break
            made += [found, *eased]
            state, fix, assist, units = found.state, self.about(found), None, 2 * (job.units // 2) + 9
            if self._lasts(found) >= (LASTING, -SETTLED):
                break
        moved = [replace(self._carried(q, number), round=number) for q in made]
        costs = [judge_one(self.simulator, self.space_in(number), self.job(q), q.best).score.cost for q in moved]
        lasts = [self._lasts(q)[0] for q in made]
        return made[min(range(len(made)), key=lambda k: (-lasts[k], costs[k]))]

    def _carried(self, p: Progress, number: int) -> Progress:
        """The same with the best as a vector of another round's space, amplitudes raised to its bounds, if any."""
        old, new = self.space_in(p.round), self.space_in(number)
        if old is new:
            return p
        controls = old.controls(p.best)
        x = new.vector(*old.amplitudes(p.best), {k: getattr(controls, k) for k in TIMES})
        x[-1] = p.best[-1]
        return replace(p, best=x)

    def _feedback(self, p: Progress, state: Array, fix: Corrections | None, assist: unit_loop.Assist | None,
                  units: int) -> list[Progress]:  # fmt: skip
        """The same progress with feedback about what it does in the last of some units from a state.

        Without the assist that is the mean of `MEAN` units: a gait may waver. Then the same with less and less of what
        the feedback asks for on the cycle itself, which the bursts have to carry.
        """
        given = self.simulator.bursts(self.controls(p))
        starts = feedback.cuts(given.table.shape[1], self.stages)
        if fix is None:
            fix = feedback.held(self.simulator, starts, self.basis, np.zeros((self.stages, self.basis.shape[1])))
        fix = fix._replace(starts=starts)
        run = _settled(self.simulator, state, given, fix, assist, units)
        last = range(max(0, run.finished - MEAN), run.finished, 2) if assist is None else (run.finished - 1,)
        cycle = feedback.mean_stages(self.simulator, run.trace, starts, last)
        steady = np.stack([correction_input(self.simulator.springs, fix, k, cycle[k], len(self.simulator.rest))
                           for k in range(self.stages)])  # fmt: skip
        A, B = feedback.linearised(self.simulator, given, cycle, starts, self.basis, steady, feedback.WIDER)
        found = feedback.gains(self.simulator, A, B)
        made = [replace(p, state=cycle[0], cycle=cycle, steady=steady, gains=np.stack(found.gains))]
        for share in LEFT_TO_BURSTS if assist is None else ():
            cycle = feedback.carried(self.simulator, made[0].cycle, steady, A, B, share)
            made.append(replace(made[0], state=cycle[0], cycle=cycle, steady=(1.0 - share) * steady))
        return made

    def _lasts(self, p: Progress) -> tuple[int, float]:
        """Units of `LASTING` that the best lasts with the feedback of a progress, and how far it is from a cycle."""
        run = self.simulator.run(p.state, self.simulator.bursts(self.controls(p)), LASTING, self.about(p))
        if run.finished < LASTING:
            return run.finished, -np.inf
        return run.finished, -float(np.abs(self.simulator.drift(run.states[-2], run.states[-1])).max())


def fits(gait: Gait, sketch: Sketch) -> bool:
    """Can a search for a sketch begin with a gait?"""
    return (gait.sketch.character, gait.sketch.gait) == (sketch.character, sketch.gait) and len(gait.cycle) > 0


def varied(space: Space, basis: Array, gait: Gait) -> tuple[Array, Array, Array]:
    """The vector of a space, and steady torques (K, inputs) and gains (K, inputs, 2 nv) of a basis (nv, inputs), that
    come nearest to the torques of a gait, whose vibrations may be others."""
    old = gait.space()
    controls = gait.controls(old)
    flight, ground = (np.linalg.lstsq(new, torque)[0] for new, torque in
                      zip(space.bases, (controls.flight, controls.ground), strict=True))  # fmt: skip
    change = np.linalg.lstsq(basis, feedback.torque_basis(old.palette))[0]
    gains = np.einsum("ij,kjn->kin", change, gait.gains)
    return space.vector(flight, ground, gait.times), gait.steady @ change.T, gains


def _cost(p: Progress) -> float:
    return np.inf if p.score is None else p.score.cost


def _settled(
    simulator: UnitSimulator, state: Array, given: Any, fix: Corrections, assist: unit_loop.Assist | None, units: int
) -> Run:
    """The longest odd number of units that is not fallen in, whose last one is not mirrored."""
    for count in range(units, 0, -2):
        run = simulator.run(state, given, count, fix, assist, traced=True)
        if run.finished == count:
            return run
    raise NoSolution("The gait falls in its first unit; there is no cycle to build feedback on.")
