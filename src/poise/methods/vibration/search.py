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
from dataclasses import replace

import numpy as np

from poise.errors import BadValue, NoSolution
from poise.maths.rotations import Array
from poise.methods.vibration import feedback
from poise.methods.vibration.control import Corrections
from poise.methods.vibration.cycle_feedback import SETTLED, CycleFeedback, OpenLoop, about_cycle, candidates, lasts
from poise.methods.vibration.gait import Gait
from poise.methods.vibration.judging import Job, Judged, assist_of, body_of, judge, judge_one, tools_of
from poise.methods.vibration.plan import PLAN, VARYING, Round
from poise.methods.vibration.progress import Finishing, Progress
from poise.methods.vibration.score import MOST_DEPTH, MOST_FEEDBACK
from poise.methods.vibration.sketch import Sketch
from poise.methods.vibration.space import TIMES, Space
from poise.methods.vibration.unit_simulator import HOP, ONE, RUN, Controls
from poise.simulate.batch import Batch
from poise.solve import cma

STAGES = {RUN: 4, HOP: 8, ONE: 8}  # decisions of the feedback in a unit: one every 0.06 to 0.1 s
POPULATION = 16
# where the best of a generation ended the next one begins, if this share of it stays up, and its max |φ| is below that
UPRIGHT, WILD = 0.6, 3.0
PATIENCE = 6  # generations without a better one after which a round with feedback ends, if no constraint is violated
GOOD = 2.0  # and the cost is below this
AGAIN = 3  # times at most that the last round is done again
CHOSEN = 3  # rounds of a beginning
BEGINNINGS = 3  # that are tried at most; the search goes on with the best
# cost after the first free round, if bars are missed, and after the last, from which more work is lost on it; after the
# second free round any violated constraint is enough
HOPELESS, BEYOND = 4.0, 10.0
PROMISING = 2.5  # cost below which a beginning that violates nothing is good enough


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

    def resume(self, progress: Progress) -> None:
        """Go on from a progress, such as that of a checkpoint."""
        self.progress = progress

    def report(self, finishing: Finishing | None) -> None:
        """How far the last step of the design is, for those who watch; none: it is not under way."""
        self.finishing = finishing

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
        corrections = self.corrections(p) if now.fed else None
        return Job(self.text, (*self.options, now.asked), p.state, now.units, now.assist,
                   self.sketch.start["speed"] + 0.1, corrections, now.strict)  # fmt: skip

    def corrections(self, progress: Progress | None = None) -> Corrections | None:
        """The feedback of the present progress or of another one, for its best; none before the free rounds."""
        p = self.progress if progress is None else progress
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
        upright = np.mean([not r.score.fell for r in results]) > UPRIGHT
        if upright and first.drift < WILD and self.plan[p.round].assist > 0.0:
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
        falls = p.score is None or p.score.fell
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
            p = self._with_feedback(p, number)
        p = self._with_vector_of(p, number)
        if number >= len(self.plan):
            self.progress = replace(p, round=number)
            return
        alike = self.plan[p.round].assist == 0.0  # the next round asks for much the same
        search = self._round_search(number, p.best, p.attempt, p.beginning, p.again,
                                    p.search.covariance if alike else None)  # fmt: skip
        self.progress = replace(p, round=number, search=search, bettered=0)
        first = judge_one(self.simulator, self.space, self.job(), p.best)
        self.progress = replace(self.progress, score=first.score)  # the best until a better one is found

    def _with_feedback(self, p: Progress, number: int) -> Progress:
        """Feedback anew for a round, about the cycle that the best of the round before has settled into.

        Of those that are built and the old one that is kept with which it lasts longest, and costs least. Where the
        assist stays, the first one is enough.
        """
        if p.score is None or p.score.fell:
            raise NoSolution(f"No gait was found for {self.sketch.name!r}: after {p.evaluations} evaluations every "
                             "candidate falls; give the sketch more modes, or another start.")  # fmt: skip
        body = OpenLoop(self.simulator, self.simulator.bursts(self.controls(p)), self.basis, self.stages)
        job = self.job()
        assist = assist_of(job, self.space, p.best)
        if number < len(self.plan) and self.plan[number].assist > 0.0:
            first = about_cycle(body, p.state, job.corrections, assist, 2 * (job.units // 2) + 3)[0]
            return replace(p, **first._asdict())
        kept = CycleFeedback(p.state, p.cycle, p.steady, p.gains) if len(p.cycle) else None
        made = candidates(body, kept, p.state, job.corrections, assist, job.units)
        moved, space = replace(self._with_vector_of(p, number), round=number), self.space_in(number)
        costs = [judge_one(self.simulator, space, self.job(replace(moved, **m._asdict())), moved.best).score.cost
                 for m in made]  # fmt: skip
        units = [lasts(body, m)[0] for m in made]
        return replace(p, **made[min(range(len(made)), key=lambda k: (-units[k], costs[k]))]._asdict())

    def _with_vector_of(self, p: Progress, number: int) -> Progress:
        """The same with the best as a vector of another round's space, amplitudes raised to its bounds, if any."""
        old, new = self.space_in(p.round), self.space_in(number)
        if old is new:
            return p
        controls = old.controls(p.best)
        x = new.vector(*old.amplitudes(p.best), {k: getattr(controls, k) for k in TIMES})
        x[-1] = p.best[-1]
        return replace(p, best=x)


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
