"""rehearse: an offline search in the simulator that ends with the whole clip performed, or says where and why not."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from itertools import groupby
from os import PathLike
from typing import NamedTuple

from poise.errors import BadValue
from poise.methods.rehearse import Plan
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.performance.begin import length_of
from poise.rehearsal.adapt import first_guess, heavier, next_guess
from poise.rehearsal.course import Path
from poise.rehearsal.judged import Result, Work
from poise.rehearsal.saving import load_search, save_search
from poise.rehearsal.settings import Settings
from poise.stage import Stage
from poise.threads import on_one_thread

_OFTEN = 40  # windows between two savings of a search under way


class Progress(NamedTuple):
    """How far a search is."""

    number: int  # of the pass, from 1
    passes: int  # at most
    window: int  # that was done
    windows: int
    costs: tuple[float, ...]  # at the end of each window so far

    def picture(self, width: int = 40) -> str:
        """The clip as a line: dots where it is followed, the worse the higher the mark, and where it is now."""
        marks = "·▁▂▃▄▅▆▇█"
        out = []
        for k in range(width):
            part = self.costs[k * self.windows // width : max(k * self.windows // width + 1,
                                                              (k + 1) * self.windows // width)]  # fmt: skip
            out.append(marks[min(len(marks) - 1, int(max(part) / 7.0))] if part else " ")
        return "".join(out)


@on_one_thread
def rehearse(clip: Clip, *, seed: int = 0, stage: Stage | None = None, start: float = 0.0,
             seconds: float | None = None, settings: Settings | None = None, contact: str = "soft",
             threads: int | None = None, checkpoint: str | PathLike[str] | None = None,
             progress: Callable[[Progress], None] | None = None) -> Plan:  # fmt: skip
    """A plan by which the clip is performed; `plan.whole` says whether all of it is, `plan.reached` where it was lost.

    Windows of 0.05 s are sampled in the simulator itself (Liu et al. 2010); passes follow each other about the best
    path of the last one, with covariances learnt from what survived (Liu et al. 2015), until the take of a pass is
    whole and follows the clip. The best pass is kept. `threads` (all cores where not given) changes the time that it
    takes, and no bit. With `checkpoint` (a file) a search that was stopped goes on where it was, to the same result.
    """
    settings = settings or Settings()
    if isinstance(seed, bool) or seed < 0:
        raise BadValue(f"A seed is a whole number, 0 or more, not {seed}.")
    own = Reference(clip, start=start)
    length = length_of(own, seconds)
    stage = own.baked.stage(own.start, length) if stage is None else stage
    work = Work(own, stage, length, seed, settings, contact, all_threads(threads))
    search = _Search(work, checkpoint, progress)
    best = search.run()
    if checkpoint is not None:
        with contextlib.suppress(OSError):
            os.unlink(checkpoint)
    return work.plan(best.path, best.reached, tuple(search.told))


def _once(log: list[str]) -> list[str]:
    """The same line several times in a row, as one that says how often."""
    runs = [(line, len(list(same))) for line, same in groupby(log)]
    return [line if count == 1 else f"{line}, {count} times" for line, count in runs]


def all_threads(given: int | None) -> int:
    if given is None:
        return max(1, min(os.cpu_count() or 1, 16))
    if not 1 <= given <= 256:
        raise BadValue(f"A rehearsal uses 1 to 256 threads, not {given}.")
    return given


class _Search:
    """The passes of a rehearsal."""

    def __init__(self, work: Work, checkpoint: str | PathLike[str] | None, progress: Callable[[Progress], None] | None):
        self.work, self.checkpoint, self.progress = work, checkpoint, progress
        self.told: list[str] = []
        self.best: Result | None = None
        self.course = work.course(0, [])
        self.guess = first_guess(work.ground.servos.spread, work.ground.windows)
        self._resume()

    def run(self) -> Result:
        """Pass after pass, until one is good enough; gives the best."""
        work, settings = self.work, self.work.settings
        while True:
            self._pass()
            course, path = self.course, self.course.best()
            result = work.judged(path)
            self.told.append(
                f"pass {course.number + 1}: {result.words()}" + "".join(f"; {t}" for t in _once(course.log))
            )
            if self.best is None or result.rank > self.best.rank:
                self.best = result
            done = result.enough or (self.best.good and course.number > 0)
            if done or course.number + 1 >= settings.passes:
                self.told += [] if self.best.good else work.doubts(self.best.reached)
                return self.best
            self.guess = next_guess(course, path, self.guess, work.ground.servos.spread)
            self.course = work.course(course.number + 1, heavier(course.heavy, result.findings))
            self._save()

    def _pass(self) -> None:
        work = self.work
        while not self.course.over(work.ground):
            self.course.step(work.ground, self.guess, work.effort)
            if self.course.window % _OFTEN == 0:
                self._save()
            if self.progress is not None:
                costs = tuple(float(b.cost.min()) for b in self.course.layers[1:])
                self.progress(Progress(self.course.number + 1, work.settings.passes, self.course.window,
                                       work.ground.windows, costs))  # fmt: skip

    def _key(self) -> str:
        """What is searched: the clip, the body, the stage, the settings and the seed."""
        work = self.work
        plan = work.plan(Path(self.guess.mean[:0], self.guess.mean[:0, 0]), 0.0)
        told = repr((plan.description(), work.settings, plan.made_by, plan.contact))
        digest = hashlib.sha256(told.encode())
        digest.update(plan.row_q.tobytes() + plan.planned.tobytes())
        return digest.hexdigest()

    def _save(self) -> None:
        if self.checkpoint is not None:
            best = None if self.best is None else dict(self.best.path._asdict())
            save_search(self.checkpoint, self._key(), self.course, self.guess, self.told, best)

    def _resume(self) -> None:
        found = None if self.checkpoint is None else load_search(self.checkpoint, self._key())
        if found is None:
            return
        self.course, self.guess, self.told, best = found
        self.work.weigh(self.course.heavy)
        if best is not None:
            self.best = self.work.judged(Path(**best))
