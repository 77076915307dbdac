"""Recovery: is the character back with its reference some seconds after a disturbance? Strict, and with reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.character.roles import SIDES
from poise.errors import BadValue
from poise.judge.metrics import deviations
from poise.judge.surface import clearance
from poise.take import Ended, Take

WINDOW = 1.0  # [s] before the judgement over which everything must be back in its band
PACE = 0.05  # how far a clock that waits or runs ahead may be from the reference's own pace during that window
IN_STEP = 1.5  # [s] before the judgement over which the feet are compared with the schedule


@dataclass(frozen=True)
class Bands:
    """How near is near. The numbers here hold where there is no undisturbed run to take them from."""

    joints: float = 0.17  # [rad] rms over the joints, the worst frame of the window
    tilt: float = 0.20  # [rad] of the root against the reference
    height: float = 0.06  # [m] of the root
    in_step: float = 0.80  # share of the time in which each foot touches, or not, as scheduled

    def within(self, widest: Bands) -> Bands:
        """These bands where they are narrower than the widest, else those; also for what is not finite."""
        most = {n: _less(getattr(self, n), getattr(widest, n)) for n in ("joints", "tilt", "height")}
        return Bands(**most, in_step=-_less(-self.in_step, -widest.in_step))

    @classmethod
    def around(cls, take: Take, after: float) -> Bands:
        """Bands of an undisturbed run: half as much again as its worst from the same time on, and a little more."""
        now = measures(take, take.time >= min(after, take.time[-1] - WINDOW))
        own = cls(1.5 * now["joints"] + 0.03, 1.5 * now["tilt"] + 0.03, 1.5 * now["height"] + 0.015,
                  now["in_step"] - 0.12)  # fmt: skip
        return own.within(WIDEST)


WIDEST = Bands(joints=0.35, tilt=0.35, height=0.12, in_step=0.5)
"""20 degrees, 20 degrees, 12 cm, half of the time: whoever is further off is not back, however the other run went."""


def _less(value: float, most: float) -> float:
    return value if value <= most else most  # NaN: the most


@dataclass(frozen=True, eq=False)
class Recovery:
    """True if recovered; `reasons` says what is not as it should be."""

    ok: bool
    at: float  # [s] when it was judged
    reasons: tuple[str, ...]
    measures: dict[str, float]
    bands: Bands

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"recovered": self.ok, "at": self.at, "reasons": list(self.reasons), "measures": dict(self.measures),
                "bands": dict(self.bands.__dict__)}  # fmt: skip

    def text(self) -> str:
        """One line for a terminal."""
        return (
            f"recovered at {self.at:.2f} s"
            if self.ok
            else f"not recovered at {self.at:.2f} s: {'; '.join(self.reasons)}"
        )


def recovered(take: Take, after: float, undisturbed: Take | None = None, within: float = 5.0) -> Recovery:
    """Is the character back `within` seconds after the time `after` [s], or at the end of a shorter take?

    It must not have fallen, and the take must not have broken off; joint error, tilt and height of the root must have
    been within their bands during the whole last second before; and its feet must touch and leave the ground as
    scheduled. The bands are those of an `undisturbed` run of the same method where it is given, never wider than
    `WIDEST`, else `Bands()`. An undisturbed run that did not go well itself is refused: nothing is recovered by it.
    """
    ended = take.ended
    if not ended.whole and (ended.time <= after or not after < take.time[-1]):
        return Recovery(False, ended.time, (_ended_words("it", ended),), {}, Bands())
    if not take.time[0] <= after < take.time[-1]:
        raise BadValue(
            f"Recovery after {after} s cannot be judged in a take from {take.time[0]:.2f} to {take.time[-1]:.2f} s."
        )
    at = min(after + within, float(take.time[-1]))
    reasons = []
    if undisturbed is not None and not undisturbed.ended.whole:
        reasons.append(_ended_words("the undisturbed run itself", undisturbed.ended))
        undisturbed = None
    bands = Bands() if undisturbed is None else Bands.around(undisturbed, after)
    seen = (take.time <= at + 1e-9) & (take.time >= max(after, at - WINDOW) - 1e-9)
    found = measures(take, seen, (take.time <= at + 1e-9) & (take.time >= max(after, at - IN_STEP) - 1e-9))
    if not ended.whole and ended.time <= after + within:
        reasons.append(_ended_words("it", ended))
    if not found["joints"] <= bands.joints:
        reasons.append(
            f"its joints are {np.degrees(found['joints']):.0f} degrees off, {np.degrees(bands.joints):.0f} are allowed"
        )
    if not found["tilt"] <= bands.tilt:
        reasons.append(f"it leans {np.degrees(found['tilt']):.0f} degrees, {np.degrees(bands.tilt):.0f} are allowed")
    if not found["height"] <= bands.height:
        reasons.append(
            f"its root is {100 * found['height']:.0f} cm off in height, {100 * bands.height:.0f} are allowed"
        )
    if not found["in_step"] >= bands.in_step:
        reasons.append(f"its feet follow the schedule {100 * found['in_step']:.0f} % of the time, "
                       f"{100 * bands.in_step:.0f} % are needed")  # fmt: skip
    pace = clock_rate(take, seen)
    if not abs(pace - 1.0) <= PACE:
        reasons.append(f"its reference goes at {pace:.2f} times its own pace")
    if at - after < WINDOW:
        reasons.append(f"only {at - after:.2f} s after the disturbance were recorded")
    return Recovery(not reasons, at, tuple(reasons), found, bands)


def _ended_words(who: str, ended: Ended) -> str:
    verb = {"under way": "is under way", "stopped": "was stopped", "lost": "was lost"}.get(ended.kind, ended.kind)
    return f"{who} {verb} at {ended.time:.2f} s"


def measures(take: Take, seen: np.ndarray, steps: np.ndarray | None = None) -> dict[str, float]:
    """Largest joint error and tilt [rad] and height error [m] in frames `seen` (F,), and how well the feet keep step.

    Heights are above the ground below the root, so that a slope that was walked further up does not count.
    """
    seen = np.flatnonzero(seen)
    off = deviations(take.character, take.q[seen], take.q_ref[seen])
    high = take.q[seen, 2] - take.ground.height(take.q[seen, 0], take.q[seen, 1])
    wanted = take.q_ref[seen, 2] - take.clip.ground.height(take.q_ref[seen, 0], take.q_ref[seen, 1])
    level = np.minimum(np.abs(high - wanted), np.abs(off["root_height"]))  # on stairs the root is between two treads
    rows = seen if steps is None else np.flatnonzero(steps)
    return {"joints": float(off["joints"].max()), "tilt": float(off["root_tilt"].max()),
            "height": float(level.max()), "in_step": in_step(take, rows)}  # fmt: skip


def clock_rate(take: Take, seen: np.ndarray) -> float:
    """Mean pace of the reference in frames `seen` (F,): 1, but for a method that lets it wait or run ahead."""
    lag, rows = take.traces.get("reference_lag"), np.flatnonzero(seen)
    if lag is None or len(rows) < 2:
        return 1.0
    known = rows[~np.isnan(lag[rows])]
    if len(known) < 2:
        return float("nan")
    return 1.0 + float((lag[known[-1]] - lag[known[0]]) / (take.time[known[-1]] - take.time[known[0]]))


def in_step(take: Take, rows: np.ndarray) -> float:
    """The share of frames in which a foot touches, or not, as scheduled; the worse of the two feet."""
    points = take.character.contact_points
    real = real_contacts(take)
    shares = []
    for side in SIDES:
        mine = points.of(side)
        if len(mine):
            same = np.any(real[rows][:, mine], axis=1) == np.any(take.scheduled[rows][:, mine], axis=1)
            shares.append(float(same.mean()))
    return min(shares, default=1.0)


def real_contacts(take: Take) -> np.ndarray:
    """Contact points (F, P) that touched; those that are at the ground, for a take that was moved without contacts."""
    if len(take.contacts):
        return take.touching
    return clearance(take.character.points(take.q), take.ground) < 0.02
