"""Edits of the whole motion: blended into another one, made a loop, mirrored."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.errors import BadValue, ClipMismatch
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.fades import fade
from poise.motion.feet.settle import settled
from poise.motion.hold import cut
from poise.motion.loop import distances, features
from poise.motion.resample import resample, sample

_SEARCH = 1.5  # [s] of the other clip in which the best moment to enter is looked for


@dataclass(frozen=True, eq=False)
class Blend:
    """This motion up to `at`, then over `over` seconds into another clip of the same character, to that one's end.

    The other clip is moved and turned over the ground so that place and heading of the two roots agree in the middle
    of the transition. It is entered at its time `start`; None picks the moment of its first 1.5 seconds at which pose,
    velocity and contacts go best with this motion. Feet that stand during the transition are kept from sliding.
    """

    other: Clip
    at: float | None = None  # [s]; None: as late as possible
    over: float = 0.4  # [s]
    start: float | None = None  # [s] in the other clip

    def __post_init__(self) -> None:
        if not (np.isfinite(self.over) and self.over > 0):
            raise BadValue(f"A transition needs some time; {self.over} s is too little.")
        for value in (self.at, self.start):
            if value is not None and not (np.isfinite(value) and value >= 0):
                raise BadValue(f"A transition cannot begin at {value} s.")

    def apply(self, clip: Clip) -> Clip:
        """Both motions in one open clip."""
        other = self._fitting(clip)
        dt = clip.dt
        width = max(2, round(self.over / dt))
        first = len(clip) - 1 - width if self.at is None else round(self.at / dt)
        if first < 0 or (clip.cycle is None and first + width > len(clip) - 1):
            raise BadValue(f"A transition of {width * dt:.2f} s at {first * dt:.2f} s does not fit into a clip of "
                           f"{clip.duration:.2f} s.")  # fmt: skip
        head = sample(clip, np.arange(first + width + 1) * dt)
        begin = self._entry(head, other, first, width)
        tail = sample(other, (begin + np.arange(max(len(other) - 1 - begin, width) + 1)) * dt)
        tail = _placed(tail, head, first, width)
        w = fade(np.arange(width + 1) / width)
        middle = conf.interpolate(clip.character.layout, head.q[first:], tail.q[: width + 1], w)
        q = np.concatenate([head.q[:first], middle, tail.q[width + 1 :]])
        half = width // 2
        labels = np.concatenate([head.contacts.labels[: first + half], tail.contacts.labels[half:]])
        times = _times(clip, other, head, tail, first + half, half)
        early = cut(head.grips, 0.0, (first + half - 1) * dt) if first + half > 0 else ()
        late = cut(tail.grips, half * dt, tail.duration)
        holds = (*early, *(h.moved(later=(first + half) * dt) for h in late))
        out = replace(clip, q=q, labels=labels, cycle=None, source_times=times, holds=holds)
        return settled(out)

    def _fitting(self, clip: Clip) -> Clip:
        """The other clip at this one's frame rate; refused where it belongs to another body."""
        other = self.other
        if other.character is not clip.character and other.character.xml != clip.character.xml:
            raise ClipMismatch(f"A clip of {other.character.name} cannot follow one of {clip.character.name}: "
                               "retarget it first.")  # fmt: skip
        if abs(other.dt - clip.dt) > 1e-9:
            other = resample(replace(other, cycle=None), clip.fps)
        if (len(other) - 1) * clip.dt < self.over:
            raise BadValue(f"The other clip lasts {other.duration:.2f} s, less than the transition of {self.over} s.")
        return other

    def _entry(self, head: Clip, other: Clip, first: int, width: int) -> int:
        """The frame of the other clip at which to enter it."""
        latest = len(other) - 1 - width
        if self.start is not None:
            if round(self.start / other.dt) > latest and other.cycle is None:
                raise BadValue(f"The other clip of {other.duration:.2f} s cannot be entered as late as {self.start} s.")
            return round(self.start / other.dt)
        latest = min(latest, round(_SEARCH / other.dt))
        a, b = features(head)[first:], features(other)[: latest + width + 1]
        apart = distances(a, b)
        differ = head.contacts.labels[first:, None] != other.contacts.labels[None, : latest + width + 1]
        apart = apart + 0.1 * differ.mean(axis=-1) if differ.shape[-1] else apart
        cost = [float(np.mean(np.diagonal(apart, k)[: width + 1])) for k in range(latest + 1)]
        return int(np.argmin(cost))


def _placed(tail: Clip, head: Clip, first: int, width: int) -> Clip:
    """The second motion moved so that the roots agree in the middle of the transition."""
    here, there = head.q[first + width // 2], tail.q[width // 2]
    turn = float(rot.heading(here[3:7]) - rot.heading(there[3:7]))
    shift: Array = here[:3] - rot.rotate(rot.about_z(turn), there[:3])
    shift[2] = float(head.ground.height(*here[:2]) - tail.ground.height(*there[:2]))
    holds = tuple(h.moved(turn, tuple(shift)) for h in tail.grips)
    return tail.with_q(Cycle(turn, shift).carry(tail.q, 1), labels=tail.contacts.labels, holds=holds)


def _times(clip: Clip, other: Clip, head: Clip, tail: Clip, cut: int, half: int) -> Array | None:
    """Times in the recording; where the other motion is from another one, the first one's are held."""
    if head.source_times is None:
        return None
    same = clip.recording is not None and clip.recording is other.recording and tail.source_times is not None
    after = tail.source_times[half:] if same and tail.source_times is not None else np.full(
        len(tail) - half, head.source_times[cut])  # fmt: skip
    return np.concatenate([head.source_times[:cut], after])


@dataclass(frozen=True)
class Loop:
    """The best whole cycle of a motion, closed: `clip.loop()`."""

    def apply(self, clip: Clip) -> Clip:
        """The looping clip."""
        from poise.motion.loop import loop

        return loop(clip)


@dataclass(frozen=True)
class Mirror:
    """Left and right exchanged across the plane y = 0: `clip.mirror()`."""

    def apply(self, clip: Clip) -> Clip:
        """The mirrored clip."""
        from poise.motion.mirror import mirror

        return mirror(clip)
