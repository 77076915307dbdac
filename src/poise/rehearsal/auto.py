"""auto: a clip by the method that does it best; the feedback methods first, a rehearsal where all of them fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from poise.errors import PoiseError
from poise.judge.followed import followed
from poise.methods.rehearse import Rehearsed
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.performance import perform
from poise.performance.begin import length_of
from poise.rehearsal.passes import Progress, rehearse
from poise.stage import Stage
from poise.take import Take

FEEDBACK = ("mcsim", "modal-torques", "momentum-torques")  # in the order in which they are tried
_MARGIN = 0.5  # share of the allowed error below which nothing better is looked for


@dataclass(frozen=True, eq=False)
class Choice:
    """What was tried, and the best of it."""

    method: Any  # by which the clip is performed
    take: Take  # of it, undisturbed
    tried: tuple[str, ...]  # what came of each, in words

    def words(self) -> str:
        """One sentence."""
        return f"{'; '.join(self.tried)}: {self.method.name} was taken"


def choose(clip: Clip, *, stage: Stage | None = None, seconds: float | None = None, start: float = 0.0, seed: int = 0,
           threads: int | None = None, progress: Callable[[Progress], None] | None = None) -> Choice:  # fmt: skip
    """The method that performs a clip best without its events; a rehearsal where no feedback method follows it."""
    own = Reference(clip, start=start)
    length = length_of(own, seconds)
    stage = replace(own.baked.stage(start, length) if stage is None else stage, events=())
    tried: list[str] = []
    best: tuple[float, str, Take] | None = None
    for name in FEEDBACK:
        try:
            take = perform(clip, name, stage=stage, seconds=length, start=start)
        except PoiseError:
            tried.append(f"{name} cannot")
            continue
        told = followed(take)
        if not told:
            tried.append(f"{name} {take.ended} at {take.ended.time:.2f} s" if not take.ended.whole
                         else f"{name} did not follow it")  # fmt: skip
            continue
        tried.append(f"{name} follows it")
        off = max(told.measures["joints"] / told.limits.joints, told.measures["root"] / told.measures["root_allowed"])
        if best is None or off < best[0]:
            best = off, name, take
        if off < _MARGIN:
            break
    if best is not None:
        from poise.methods.find import find

        return Choice(find(best[1]), best[2], tuple(tried))
    plan = rehearse(clip, seed=seed, stage=stage, seconds=length, start=start, threads=threads, progress=progress)
    tried.append(f"rehearsed {'performs it' if plan.whole else f'up to {plan.reached:.2f} s'}")
    method = Rehearsed(plan=plan)
    return Choice(method, perform(plan), tuple(tried))
