"""Which of several takes of one clip is the best, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from poise.judge.verdict import Verdict, verdict
from poise.judge.wording.verdict import error_words, headline, words
from poise.take import Take


class Ranked(NamedTuple):
    """A take, the verdict on it, and one line that says why it stands where it stands."""

    take: Take
    verdict: Verdict
    reason: str


def ranked(takes: Iterable[Take]) -> list[Ranked]:
    """The takes, the best first.

    On its feet to the end comes before all others, then whether it followed the clip, then whether it did without
    artificial forces, then how near it came to the clip; of those that went down, the one that lasted longest.
    """
    judged = [(take, verdict(take)) for take in takes]
    judged.sort(key=lambda pair: _key(pair[1]))
    return [Ranked(take, told, _reason(told)) for take, told in judged]


def _key(v: Verdict) -> tuple[bool, float, bool, float]:
    off = v.errors["own"].joints
    off = float(off) if np.isfinite(off) else np.inf
    if not v.good:
        return True, -v.ended.time, bool(v.helped), off
    return False, float(not v.followed.ok), bool(v.helped), off


def _reason(v: Verdict) -> str:
    help_ = "; ".join(words(f) for f in v.helped)
    parts = [headline(v, short=not v.good), f"off your clip: {error_words(v.errors['own'])}"]
    return "; ".join([*parts, f"help: {help_}"] if help_ else parts)
