"""The rounds of a search, one after the other, and what each asks for."""

from __future__ import annotations

from typing import NamedTuple


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
