"""How a performance ended, as one word with its time and its reason."""

from __future__ import annotations

KINDS = ("whole", "fell", "lost", "blew up", "stopped", "under way")


class Ended(str):
    """One of `KINDS`: the word itself, so that `take.ended == "whole"`, with `time` [s] and `reason` beside it.

    - whole: it went on to the time that was asked for, on its feet.
    - fell: it went down; `time` is when. Whatever came after does not matter.
    - lost: the method could not go on and said so.
    - blew up: the next state was not a number, or faster than any body can be.
    - stopped: someone ended it early.
    - under way: it has not ended yet.
    """

    kind: str
    time: float
    reason: str

    def __new__(cls, kind: str, time: float, reason: str = "") -> Ended:
        if kind not in KINDS:
            raise ValueError(f"A performance ends as one of {', '.join(KINDS)}, not as {kind!r}.")
        self = super().__new__(cls, kind)
        self.kind, self.time, self.reason = kind, float(time), reason
        return self

    def __getnewargs__(self) -> tuple[str, float, str]:  # type: ignore[override]
        return self.kind, self.time, self.reason

    def to_dict(self) -> dict[str, str | float]:
        """Plain values."""
        return {"how": self.kind, "time": self.time, "reason": self.reason}

    @property
    def whole(self) -> bool:
        """Did it come to its end, on its feet?"""
        return self.kind == "whole"
