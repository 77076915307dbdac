"""Followed: did a performance do what the user's own clip does? "Stayed up" alone says nothing of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from poise.errors import BadValue, UnknownName
from poise.judge.ending import sound_frames
from poise.judge.finding import Finding
from poise.judge.metrics import deviations
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.take import Ended, Take
from poise.take.own import Own, own_of

_UP = np.array([0.0, 0.0, 1.0])
_STRIDE = 12  # frames between the places by which a path is measured, so that noise does not lengthen it


@dataclass(frozen=True)
class Limits:
    """How near is near enough."""

    joints: float = 10.0  # [degrees] rms over all joints but the root, and all frames
    root: float = 0.25  # [m] at most, along the ground and in height above it
    path: float = 0.05  # share of the clip's path, where that is more than `root`
    heading: float = 20.0  # [degrees] at most, about the vertical
    lean: float = 20.0  # [degrees] at most, off the vertical
    touching: float = 0.85  # share of the time in which each foot and hand touches, or not, as in the clip

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if not (isinstance(value, int | float) and np.isfinite(value) and value >= 0.0):
                raise BadValue(f"The limit {f.name} must be a number of 0 or more, not {value!r}.")

    @classmethod
    def of(cls, given: Mapping[str, float]) -> Limits:
        """These limits, the others as usual; a name that there is not is refused."""
        for name in given:
            if name not in cls.__dataclass_fields__:
                raise UnknownName("limit", name, cls.__dataclass_fields__)
        return cls(**given)


@dataclass(frozen=True, eq=False)
class Followed:
    """True if it followed the clip; `findings` and `reasons` say what is not as it should be."""

    ok: bool
    ended: Ended
    findings: tuple[Finding, ...]
    measures: dict[str, float]  # joints, heading and lean [degrees], root and root_allowed [m], touching (share)
    limits: Limits

    def __bool__(self) -> bool:
        return self.ok

    @property
    def reasons(self) -> tuple[str, ...]:
        """The findings in words."""
        from poise.judge.verdict_words import words

        return tuple(words(f) for f in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"followed": self.ok, "reasons": list(self.reasons), "findings": [f.to_dict() for f in self.findings],
                "measures": dict(self.measures), "limits": dict(self.limits.__dict__)}  # fmt: skip

    def text(self) -> str:
        """One line for a terminal."""
        return "followed the clip" if self.ok else f"did not follow the clip: {'; '.join(self.reasons)}"


def followed(take: Take, limits: Limits | None = None) -> Followed:
    """Is what was performed what the user's own clip shows, at the clip's own time?

    The clip counts as it was given, with the user's edits: not its repair, and not as a method's clock moved it. A take
    that is not whole followed nothing; its measures are those up to its end.
    """
    limits = limits or Limits()
    count = min(sound_frames(take), int(np.searchsorted(take.time, take.ended.time + 1e-9, side="right")))
    findings = [] if take.ended.whole else [Finding("not whole", time=take.ended.time, text=str(take.ended))]
    if count == 0:
        return Followed(False, take.ended, tuple(findings), {}, limits)
    measures, more = _measured(take, own_of(take), count, limits)
    findings += more
    return Followed(not findings, take.ended, tuple(findings), measures, limits)


def _measured(take: Take, own: Own, count: int, limits: Limits) -> tuple[dict[str, float], list[Finding]]:
    """All measures over the first `count` frames, and what is beyond its limit."""
    rows = slice(0, count)
    off = deviations(take.character, take.q[rows], own.q[rows])
    joints = float(np.degrees(np.sqrt(np.mean(off["joints"] ** 2))))
    away, turned = root_error(take, own)[rows], heading_error(take, own)[rows]
    leans = np.degrees(off["root_tilt"])
    allowed = max(limits.root, limits.path * path_length(own.q[rows]))
    limb, share = worst_limb(take, own, count)
    measures = {"joints": joints, "root": float(away.max()), "root_allowed": allowed,
                "heading": float(turned.max()), "lean": float(leans.max()), "touching": share}  # fmt: skip
    out = []
    if not joints <= limits.joints:
        out.append(Finding("joints off", joints, limits.joints))
    if not measures["root"] <= allowed:
        out.append(Finding("root off", measures["root"], allowed, float(take.time[int(np.argmax(away))])))
    if not measures["heading"] <= limits.heading:
        when = float(take.time[int(np.argmax(turned))])
        out.append(Finding("heading off", measures["heading"], limits.heading, when))
    if not measures["lean"] <= limits.lean:
        out.append(Finding("lean off", measures["lean"], limits.lean, float(take.time[int(np.argmax(leans))])))
    if not share >= limits.touching:
        out.append(Finding("touching off", share, limits.touching, None, limb))
    return measures, out


def root_error(take: Take, own: Own) -> Array:
    """Distance (F,) [m] of the root from its place in the clip.

    Heights are compared in the world or above the ground below, whichever is nearer: a flat clip may go up a slope, and
    on stairs the root is between two treads.
    """
    off = take.q[:, :3] - own.q[:, :3]
    above = off[:, 2] - take.ground.height(take.q[:, 0], take.q[:, 1]) + own.ground.height(own.q[:, 0], own.q[:, 1])
    high = np.minimum(np.abs(off[:, 2]), np.abs(above))
    return np.hypot(np.linalg.norm(off[:, :2], axis=1), high)


def heading_error(take: Take, own: Own) -> Array:
    """Angle (F,) [degrees] about the vertical between the root and that of the clip, also of one upside down."""
    turn = rot.multiply(take.q[:, 3:7], rot.conjugate(own.q[:, 3:7]))
    angle = rot.twist_angle(turn, _UP)
    return np.degrees(np.abs((angle + np.pi) % (2.0 * np.pi) - np.pi))


def path_length(q: Array) -> float:
    """How far [m] a root goes along the ground, to and fro."""
    places = q[[*range(0, len(q), _STRIDE), len(q) - 1], :2]
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def touched(take: Take) -> np.ndarray:
    """Contact points (F, P) that touched; of a take that was moved without contacts, those by height and speed."""
    if len(take.contacts) or len(take) < 2:
        return take.touching
    return replace(take.as_clip(), labels=None).contacts.labels


def worst_limb(take: Take, own: Own, count: int) -> tuple[str, float]:
    """The foot or hand that touches as in the clip for the least share of the time, and that share."""
    points, real = take.character.contact_points, touched(take)
    shares = {}
    for limb in points.limbs:
        mine = points.of(limb)
        same = np.any(real[:count, mine], axis=1) == np.any(own.scheduled[:count, mine], axis=1)
        shares[limb if limb.endswith("hand") else f"{limb}_foot"] = float(same.mean())
    worst = min(shares, key=lambda name: shares[name], default="")
    return worst.replace("_", " "), shares.get(worst, 1.0)
