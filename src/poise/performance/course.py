"""Course: what the user wants to see, what is followed instead, and how both change under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from poise.errors import BadValue, ClipMismatch, PoiseError
from poise.maths.rotations import Array
from poise.methods import contract
from poise.motion import edit as edits
from poise.motion.clip import Clip, Edit
from poise.motion.loop import distances, features
from poise.motion.reference import Reference
from poise.motion.resample import sample as sampled
from poise.performance.pace import Pace
from poise.physical.live import LiveRepair
from poise.stage import Stage

EVERY = 0.1  # [s] between two repairs of the motion ahead
_PERIOD = 3.0  # [s] a loop up to this long is made physical as a whole when it is edited
_ENTRY = 1.5  # [s] of another clip in which the best moment to enter is looked for
_SETTLED = 0.3  # [s] after a transition for which it is still repaired
_LOOK = 0.2  # [s] of both motions that are compared for it


class Course:
    """The user's own reference with its edits, and the one that is followed: repaired, fitted, repaired again ahead."""

    def __init__(self, own: Reference, *, prepares: bool, repairs: bool):
        self.own, self.followed = own, own
        self._prepares, self._repairs = prepares, repairs
        self.edited = False  # is it no longer what was prepared before it began?
        self._until = -np.inf  # [s] up to which the motion ahead must be repaired
        self._prepare: Callable[[Reference], tuple[Reference, contract.Notes]] = lambda r: (r, [])
        self._repaired = -np.inf  # [s] when the motion ahead was last repaired
        self.pace: Pace | None = None  # of a walk or run that is steered, or on its way to another clip

    def pack(self) -> dict[str, Any]:
        """What it remembers beside the two references."""
        return {"prepares": self._prepares, "repairs": self._repairs, "edited": self.edited,
                "until": self._until,
                "repaired": self._repaired, "pace": None if self.pace is None else self.pace.pack()}  # fmt: skip

    def unpack(self, packed: dict[str, Any]) -> None:
        """Go on from what `pack` gave."""
        self._prepares, self._repairs, self.edited = packed["prepares"], packed["repairs"], packed["edited"]
        self._repaired, self._until = packed["repaired"], packed["until"]
        self.pace = None if packed["pace"] is None else Pace.unpack(packed["pace"])

    def prepare_for(self, way: Any, stage: Stage, time: float) -> contract.Notes:
        """Follow what a method makes of the user's own reference; one that was edited under way stays as it is."""
        self.perform_by(way, stage)
        if not self._prepares or self.edited:
            return []
        made, notes = self._prepare(self.own)
        if time == 0.0:
            self.followed = made
        elif not _same(made, self.followed):
            self.followed = self.followed.hand_over(made, time)
        return notes

    def perform_by(self, way: Any, stage: Stage) -> None:
        """From now on clips are made ready for this method on this stage."""
        if self._prepares:
            self._prepare = lambda reference: contract.prepared(way, reference, stage)

    def due(self, time: float) -> bool:
        """Repair the motion ahead where that is due; true where another reference is followed now."""
        if not self.edited:
            return False
        before = self.followed
        self._go_on(time)
        if not self._repairs or time > self._until or time - self._repaired < EVERY - 1e-6:
            return self.followed is not before
        self._repaired = time
        try:
            made = LiveRepair().ahead(self.followed, time)
        except PoiseError:
            return self.followed is not before  # what cannot be repaired is followed as it is
        self.followed = made
        return made is not before

    def edit(self, edit: Edit, time: float, over: float) -> None:
        """Both references edited from a time [s] on."""
        if not hasattr(edit, "apply"):
            raise BadValue(f"An edit is one of poise.edit ({', '.join(edits.NAMES)}), not {edit!r}.")
        if not time + over < self.own.ends:
            raise BadValue(f"The clip ends at {self.own.ends:.2f} s; at {time:.2f} s nothing of it is left to edit.")
        own = _edited(self.own, edit, time)
        if own.baked.cycle is not None and own.duration <= _PERIOD:
            followed, until = self._prepare(own)[0], time + over + _SETTLED
        else:
            followed, until = own if self.followed is self.own else _edited(self.followed, edit, time), np.inf
        self._hand_over(own, followed, time, over)
        self._until, self.pace = until, None

    def play(self, clip: Clip, time: float, over: float, start: float | None) -> None:
        """Both references pass into another clip, by way of speeds between theirs."""
        character = self.own.character
        if clip.character is not character:
            if clip.character.xml != character.xml:
                raise ClipMismatch(f"A clip of {clip.character.name} cannot follow one of {character.name}: "
                                   "retarget it first.")  # fmt: skip
            clip = replace(clip, character=character)
        if not clip.duration > over:
            raise BadValue(f"{clip.name or 'The clip'} lasts {clip.duration:.2f} s, less than the transition of "
                           f"{over:g} s.")  # fmt: skip
        pace = self.pace or Pace(self.own.baked)
        if start is not None or not pace.may_lead_to(clip):
            self._enter(clip, time, over, entry(self.own, clip, time) if start is None else start)
            self._until, self.pace = time + over + _SETTLED, None
            return
        self.pace = pace.towards(clip, over)
        self._go_on(time)

    def _enter(self, clip: Clip, time: float, over: float, start: float) -> None:
        """Both pass into a clip at its time `start` [s]; what is followed into the clip made physical as a whole."""
        begun = Reference(clip, start=start - time)
        physical = self._prepare(begun)[0]
        self._hand_over(begun, physical, time, over)

    def steer(self, speed: float, turn: float, time: float, over: float) -> None:
        """Both references with another speed [m/s], turning by `turn` [degrees/s], step by step."""
        pace = self.pace or Pace(self.own.baked)
        self.pace = pace.steered(speed, turn, over)
        self._go_on(time)

    def _go_on(self, time: float) -> None:
        """The next step towards where the pace leads, where there is one."""
        if self.pace is None or not self.pace.due(time):
            return
        before, self.pace = self.pace, self.pace.next(time)
        clip = self.pace.clip
        if self.pace.base is before.base:
            self._enter(clip, time, self.pace.over, _phase(self.own, time) * clip.duration)
            self._until = -np.inf
        else:
            self._enter(clip, time, before.into, entry(self.own, clip, time))
            self._until = time + before.into + _SETTLED

    def _hand_over(self, own: Reference, followed: Reference, time: float, over: float) -> None:
        """Change both references; nothing is kept where one of them refuses."""
        if not (np.isfinite(over) and over > 0.0):
            raise BadValue(f"A change needs some time to be blended in; {over} s is too little.")
        same = self.followed is self.own and own is followed
        own = self.own.hand_over(own, time, over)
        followed = own if same else self.followed.hand_over(followed, time, over)
        self.own, self.followed, self.edited = own, followed, True
        self._repaired = -np.inf


def _same(one: Reference, other: Reference) -> bool:
    """Do two references, not edited under way, follow the same clip?"""
    a, b = one.baked, other.baked
    return a is b or (np.array_equal(a.q, b.q) and np.array_equal(a.contacts.labels, b.contacts.labels))


def _edited(reference: Reference, edit: Edit, time: float) -> Reference:
    """A reference with one more edit, at the pose at hand where the edit changes its timing."""
    move = reference.moved
    if hasattr(edit, "seen_from") and (move.turn or any(move.shift)):  # it speaks of places in the world
        edit = edit.seen_from(move.turn, move.shift)  # pyright: ignore[reportAttributeAccessIssue]
    changed = Reference(reference.clip, (*reference.edits, edit), reference.start)
    ratio = changed.duration / reference.duration
    if reference.baked.cycle is None or changed.baked.cycle is None or abs(ratio - 1.0) < 1e-9:
        return changed
    return Reference(reference.clip, changed.edits, (time + reference.start) * ratio - time)


def _phase(reference: Reference, time: float) -> float:
    """Share of the period at a time [s]."""
    return ((time + reference.start) / reference.duration) % 1.0


def entry(reference: Reference, clip: Clip, time: float) -> float:
    """The time [s] in a clip at which pose, speed and contacts go best with a reference at a time [s]."""
    dt = clip.dt
    width = max(2, round(_LOOK / dt))
    here = reference.between(time, time + (width + 1) * dt, 1.0 / dt)
    latest = clip.duration if clip.cycle is not None else min(_ENTRY, clip.duration - (width + 1) * dt)
    count = max(1, int(latest / dt))
    there = sampled(clip, np.arange(count + width + 2) * dt)
    apart: Array = distances(features(here), features(there))
    differ = here.contacts.labels[:, None] != there.contacts.labels[None]
    apart = apart + 0.1 * differ.mean(axis=-1) if differ.shape[-1] else apart
    cost = [float(np.mean(np.diagonal(apart, k)[: width + 1])) for k in range(count)]
    return int(np.argmin(cost)) * dt
