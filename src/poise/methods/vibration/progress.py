"""How far a search is: what is kept in a checkpoint, and what is told of its last step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from poise.maths.rotations import Array
from poise.methods.vibration.score import Score
from poise.solve import cma


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
