"""The whole verdict on a take: how it ended, whether it followed, what was done before, why, and what to try."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.judge.finding import Finding
from poise.judge.followed import Followed, Limits, followed
from poise.judge.metrics import TrackingError, tracking_error
from poise.judge.performance_findings import assistance, causes, frame_in_clip, preparation
from poise.take import Ended, Take

BALANCING = ("mcsim", "modal", "modal-torques", "balance")  # methods that keep a body on its feet
HANDS = ("modal", "modal-torques")  # those that carry a body on its hands
DIFFERS = 0.05  # share by which errors on two clocks differ enough to tell both


@dataclass(frozen=True, eq=False)
class Verdict:
    """All that is told of a performance, as data; `poise.judge.wording.verdict` has the words."""

    clip: str
    method: str
    seconds: float  # [s] that were recorded
    asked: float  # [s] that were asked for; 0: not known
    ended: Ended
    frame: int  # of the clip at that time
    followed: Followed
    errors: dict[str, TrackingError]  # by clock, "reference" and "own": up to the end, or to the fall
    done: tuple[Finding, ...]  # to the clip, before
    helped: tuple[Finding, ...]
    causes: tuple[Finding, ...]
    tries: tuple[Finding, ...]

    def __repr__(self) -> str:
        from poise.judge.wording.verdict import headline

        return f"<Verdict on {self.clip!r} by {self.method}: {headline(self, short=True)}>"

    @property
    def good(self) -> bool:
        """Did it come to its end on its feet?"""
        return self.ended.whole

    @property
    def clocks_differ(self) -> bool:
        """Is the error against the user's own clip, at its own time, another one?"""
        a, b = (self.errors[clock].to_dict() for clock in ("reference", "own"))
        return any(abs(a[n] - b[n]) > DIFFERS * max(a[n], b[n]) and abs(a[n] - b[n]) > 1e-3 for n in a)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; None where a number is not finite."""
        return plain({
            "ended": self.ended.to_dict(), "whole": self.good, "frame": self.frame,
            "followed": self.followed.to_dict(),
            "tracking_error": self.errors["reference"].to_dict(), "tracking_error_own": self.errors["own"].to_dict(),
            **{name: [f.to_dict() for f in getattr(self, name)] for name in ("done", "helped", "causes", "tries")},
        })  # fmt: skip

    def text(self) -> str:
        """The lines for a terminal."""
        from poise.judge.wording.verdict import lines

        return "\n".join(lines(self))


def verdict(take: Take, limits: Limits | None = None) -> Verdict:
    """The verdict on a take."""
    errors = {clock: tracking_error(take, clock, take.ended.time) for clock in ("reference", "own")}
    told = followed(take, limits)
    why = causes(take)
    return Verdict(take.clip.name, take.method, float(take.time[-1]), take.asked, take.ended,
                   frame_in_clip(take, take.ended.time), told, errors, tuple(preparation(take)),
                   tuple(assistance(take)), tuple(why), tuple(_tries(take, told, why)))  # fmt: skip


def _tries(take: Take, told: Followed, why: list[Finding]) -> list[Finding]:
    """What may go better, the likeliest first; at most three."""
    by, out = {f.kind: f for f in why}, []
    if "shaken start" in by:
        out.append(Finding("try less noise"))
    if "jumpy start" in by:
        out.append(Finding("try later start", take.start + 0.1))
    if "push" in by:
        out.append(Finding("try less push", 0.5 * by["push"].value))
    if "starts in the air" in by and by["starts in the air"].time is not None:
        out.append(Finding("try start", take.start + (by["starts in the air"].time or 0.0)))
    if "breaks off" in by:
        out += [Finding("try loop"), Finding("try seconds", max(0.1, (by["breaks off"].time or 0.0) - 0.2))]
    others = [m for m in (HANDS if "hands carry" in by else BALANCING) if m != take.method]
    if take.method in ("pd", "kinematic") or not take.ended.whole:
        out += [Finding("try method", text=name) for name in others[:1]]
    if take.method not in ("pd", "kinematic", "rehearsed") and not by.keys() & {"push", "shaken start"}:
        out.append(Finding("try rehearse"))
    kinds, recorded = {e.kind for e in take.events}, take.clip.recording is not None
    if (not take.ended.whole or not told) and not kinds & {"repaired", "not repaired"} and recorded:
        out.append(Finding("try physical"))
    if "torque limit" in by:
        out.append(Finding("try slower", body=by["torque limit"].body))
    if (take.ended.whole and told.ok) or take.ended in ("stopped", "under way"):
        return []
    return out[:3]


def plain(value: Any) -> Any:
    """The same values with None for what is not finite, for JSON."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return value
