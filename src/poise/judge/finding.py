"""Finding: one thing that a judge noticed, as data.

Sentences are made from it in one place: of an audit in `poise.judge.wording.audit`, of a verdict in `wording.verdict`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """What was found, how large it is and what would have been allowed. SI units."""

    kind: str  # "force", "friction", "not_finite", ...
    value: float = math.nan  # NaN: it has no measure, or none could be taken
    limit: float | None = None  # None: nothing of it is allowed, or there is no limit
    time: float | None = None  # [s]; None: of the whole
    body: str | None = None  # body or joint
    detail: Mapping[str, Any] | None = None  # whatever else its sentence needs: plain values
    text: str = ""  # a name or a clause that its sentence repeats

    def to_dict(self) -> dict[str, Any]:
        """What is known, as plain values."""
        known = {**self.__dict__, "detail": dict(self.detail) if self.detail else None}
        return {name: value for name, value in known.items() if value not in (None, "") and value == value}


def beyond(value: float, limit: float) -> bool:
    """Is a value over its limit? What is not a number is: every verdict of the house fails closed."""
    return not value <= limit
