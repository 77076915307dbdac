"""Segments and calls: which method performed from which frame on, and what was asked for under way, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from poise.errors import BadValue
from poise.printable import printable


class Segment(NamedTuple):
    """A part of a take that one method performed."""

    frame: int  # the first
    method: str
    settings: Any  # description: plain values
    step: float  # [s] by which its states were computed, 0: in another way
    stage: Any = None  # description of the stage as it was then


class Call(NamedTuple):
    """What somebody asked for while it went on."""

    frame: int  # before which it acted
    time: float  # [s]
    name: str  # "push", "edit", "switch", ...
    values: Any  # what it was called with: plain values; `poise.replay` makes the performance again


def segments_of(facts: Mapping[str, Any]) -> tuple[Segment, ...]:
    """The segments among the facts of a take; none where one method performed all of it."""
    out = tuple(Segment(int(f), printable(m), s, float(h), g) for f, m, s, h, g in facts.get("segments", ()))
    if any(b.frame <= a.frame for a, b in pairwise(out)) or (out and out[0].frame != 0):
        raise BadValue("its segments do not follow each other.")
    if any(not (math.isfinite(s.step) and 0.0 <= s.step <= 1.0) for s in out):
        raise BadValue("its segments have steps that no simulation has.")
    return out


def calls_of(facts: Mapping[str, Any]) -> tuple[Call, ...]:
    """The calls among the facts of a take, in the order in which they were made."""
    return tuple(Call(int(f), float(t), printable(n), v) for f, t, n, v in facts.get("calls", ()))
