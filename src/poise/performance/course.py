"""Course: what the user wants to see, what is followed instead, and how both change under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from poise.checks import number
from poise.errors import BadValue, ClipMismatch, PoiseError
from poise.ground.ground import level_of
from poise.maths import configuration as conf
from poise.methods import contract
from poise.motion import edit as edits
from poise.motion.clip import Clip, Edit
from poise.motion.reference import Reference
from poise.performance.pace import Pace, speed_of
from poise.performance.transition import LEAD, MEET, WAIT, joined, length, moments, ways
from poise.physical.from_body import repair_from
from poise.physical.kept import kept
from poise.physical.live import LiveRepair
from poise.physical.repair.repair import make_physical
from poise.simulate.simulator import State
from poise.stage import Stage

EVERY = 0.1  # [s] between two repairs of the motion ahead
_AHEAD = LiveRepair(swings=True)
_PERIOD = 3.0  # [s] a loop up to this long is made physical as a whole when it is edited
_OVER = 0.3  # [s] in which an edit is blended in that cannot be passed into in step
_SOON = 0.3  # [s] in which the best moment to pass into an edited loop is looked for
_PHASE, _RATE = 24, 0.1  # frames within which a body is looked for in its motion, and [s] that weighs velocities
_IN_STEP, _BETTER = 0.02, 0.8  # [s] and share of the distance from which on it is out of step
_ASTRAY = 0.03  # [m] from which on it is not where it should be
_SETTLED = 0.3  # [s] after a transition for which it is still repaired


def _as_it_is(reference: Reference) -> tuple[Reference, contract.Notes]:
    """What a method follows that makes nothing of a reference."""
    return reference, []


class Change(NamedTuple):
    """Other references from a time on."""

    at: float  # [s]
    own: Reference  # what the user wants to see
    followed: Reference  # what is followed instead
    over: float = 0.3  # [s] in which they are blended in
    until: float = -np.inf  # [s] up to which the motion ahead is repaired

    @property
    def lead(self) -> float:
        """How far [s] what is followed is ahead of the user's own motion, of which it is a version."""
        return self.followed.start - self.own.start


class Course:
    """The user's own reference with its edits, and the one that is followed: repaired, fitted, repaired again ahead."""

    def __init__(self, own: Reference, *, prepares: bool, repairs: bool):
        self.own, self.followed = own, own
        self._prepares, self._repairs = prepares, repairs
        self.edited = False  # is it no longer what was prepared before it began?
        self._until = -np.inf  # [s] up to which the motion ahead must be repaired
        self._prepare: Callable[[Reference], tuple[Reference, contract.Notes]] = _as_it_is
        self._repaired = -np.inf  # [s] when the motion ahead was last repaired
        self.pace: Pace | None = None  # of a walk or run that is steered
        self._ahead: list[Change] = []  # by time: transitions under way

    def pack(self) -> dict[str, Any]:
        """What it remembers beside the two references."""
        return {"prepares": self._prepares, "repairs": self._repairs, "edited": self.edited,
                "until": self._until, "ahead": [tuple(c) for c in self._ahead],
                "repaired": self._repaired, "pace": None if self.pace is None else self.pace.pack()}  # fmt: skip

    def unpack(self, packed: dict[str, Any]) -> None:
        """Go on from what `pack` gave."""
        self._prepares, self._repairs, self.edited = packed["prepares"], packed["repairs"], packed["edited"]
        self._repaired, self._until = packed["repaired"], packed["until"]
        self.pace = None if packed["pace"] is None else Pace.unpack(packed["pace"])
        self._ahead = [Change(*c) for c in packed["ahead"]]

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

    def meet(self, state: State, repairs: bool) -> None:
        """Follow the motion where the body is, at the moment that goes best with it.

        A method may have let the motion wait or hurry, and gone astray: one that takes over from it would else begin
        with legs that are elsewhere. With `repairs` the first part is led there from the pose and velocity of the body.
        """
        time, reference = state.time, self.followed
        mixed = reference.blending
        if reference.baked.cycle is None or (mixed is not None and mixed[0] < time < mixed[1]):
            return
        layout = reference.character.layout
        shifts = np.arange(-_PHASE, _PHASE + 1) / 120.0
        costs = []
        for shift in shifts:
            there = reference.sample(time + float(shift))
            off = conf.difference(layout, there.q, state.q)[6:], _RATE * (state.v - there.v)[6:]
            costs.append(float(np.sqrt(np.mean(off[0] ** 2 + off[1] ** 2))))
        best = int(np.argmin(costs))
        out = abs(shifts[best]) > _IN_STEP and costs[best] < _BETTER * costs[_PHASE]
        ahead = float(shifts[best]) if out else 0.0
        off = state.q[:2] - reference.sample(time + ahead).q[:2]
        if out or np.linalg.norm(off) > _ASTRAY:
            self.followed, self.edited = reference.taken_up(time, ahead, state.q[:2]), True
        if repairs and self._repairs:
            self.edited, self._repaired, self._until = True, -np.inf, max(self._until, time + _SETTLED)

    def kept(self) -> tuple[Reference, bool, float, float]:
        """What `meet` and `prepare_for` may change, for `restore`."""
        return self.followed, self.edited, self._repaired, self._until

    def restore(self, kept: tuple[Reference, bool, float, float]) -> None:
        """Follow again what was followed when `kept` was asked for."""
        self.followed, self.edited, self._repaired, self._until = kept

    def perform_by(self, way: Any, stage: Stage) -> None:
        """From now on clips are made ready for this method on this stage."""
        if self._prepares and hasattr(way, "prepare"):
            self._prepare = lambda reference: contract.prepared(way, reference, stage)
        else:
            self._prepare = _as_it_is

    def due(self, time: float, body: Callable[[], State] | None = None) -> bool:
        """Change and repair the motion ahead where that is due; true where another reference is followed now.

        The repair begins where the `body` is, for a method that meets such a reference; else where the reference is.
        """
        if not (self.edited or self._ahead):
            return False
        before = self.followed
        while self._ahead and self._ahead[0].at <= time + 1e-9:
            self._hand_over(self._ahead.pop(0))
        self._go_on(time)
        if not self._repairs or time > self._until or time - self._repaired < EVERY - 1e-6:
            return self.followed is not before
        self._repaired = time
        try:
            made = _AHEAD.ahead(self.followed, time) if body is None else self._from_body(body())
        except PoiseError:
            return self.followed is not before  # what cannot be repaired is followed as it is
        self.followed = made
        return made is not before

    def _from_body(self, body: State) -> Reference:
        """What is followed, from where the body is on."""
        return repair_from(self.followed, body.time, body.q, body.v)

    def edit(self, edit: Edit, time: float, over: float | None) -> None:
        """Both references edited from a time [s] on: loops in step, all else blended in over so many seconds."""
        if not hasattr(edit, "apply"):
            raise BadValue(f"An edit is one of poise.edit ({', '.join(edits.NAMES)}), not {edit!r}.")
        over = None if over is None else number("The time in which an edit is blended in", over, "s", above=0.0)
        now, at = self._last(time)
        if not at + (over or _OVER) < now.own.ends:
            raise BadValue(f"The clip ends at {now.own.ends:.2f} s; at {at:.2f} s nothing of it is left to edit.")
        if self._ahead and hasattr(edit, "seen_from"):
            raise BadValue(f"It passes into another clip until {at:.2f} s; {type(edit).__name__} speaks of a place, "
                           "and can be given after that.")  # fmt: skip
        own = _edited(now.own, edit, at)
        loops = own.baked.cycle is not None and own.duration <= _PERIOD
        own = own.begun(own.start + now.lead * own.duration / now.own.duration) if loops else own
        if over is None and loops and speed_of(own.baked) and level_of(own.baked.ground) is not None:
            changes = self._transition(now, at, own, None, None, _SOON)
        else:
            changes = [self._blended(now, at, own, edit, _OVER if over is None else over, loops)]
        for change in changes:
            self._change(change, time)
        self.pace = None

    def _blended(self, now: Change, at: float, own: Reference, edit: Edit, over: float, loops: bool) -> Change:
        """An edit that is blended in at once; loops are made physical as a whole, and what is mixed under way."""
        if loops:
            return Change(at, own, self._prepare(own)[0], over, at + over + _SETTLED)
        return Change(at, own, own if now.followed is now.own else _edited(now.followed, edit, at), over, np.inf)

    def play(self, clip: Clip, time: float, over: float | None, start: float | None) -> None:
        """Both references pass into another clip, by way of speeds between theirs."""
        if not isinstance(clip, Clip):
            raise BadValue(f"What is played is a clip, as poise.load_clip gives it, not {clip!r}.")
        character = self.own.character
        if clip.character is not character:
            if clip.character.xml != character.xml:
                raise ClipMismatch(f"A clip of {clip.character.name} cannot follow one of {character.name}: "
                                   "retarget it first.")  # fmt: skip
            clip = replace(clip, character=character)
        if over is not None and not number("A transition", over, "s", above=0.0) < clip.duration:
            raise BadValue(f"{clip.name or 'The clip'} lasts {clip.duration:.2f} s, less than the transition of "
                           f"{over:g} s.")  # fmt: skip
        if start is not None:
            number("The time at which a clip is entered", start, "s", least=0.0, most=clip.duration)
        now, at = self._last(time)
        if level_of(now.own.baked.ground) is None and level_of(clip.ground) is not None:
            raise BadValue(f"{clip.name or 'The clip'} goes on level ground, and what is followed does not; play it "
                           "on level ground, or edit what is followed.")  # fmt: skip
        changes: list[Change] = []
        for into in (steps := ways(now.own.baked, clip)):
            last = into is steps[-1]
            changes += self._transition(now, at, Reference(into), over, start if last else None, WAIT)
            now, at = changes[-1], changes[-1].at + MEET
        for change in changes:
            self._change(change, time)
        self.pace = None

    def ends(self, time: float) -> float:
        """When [s] all that is known of at a time has happened."""
        return self._ahead[-1].at + self._ahead[-1].over if self._ahead else time

    def left(self, time: float) -> float:
        """How long [s] the last clip goes on after that; inf of a loop."""
        last = self._ahead[-1].own if self._ahead else self.own
        return last.ends - self.ends(time)

    def _last(self, time: float) -> tuple[Change, float]:
        """What is followed when all that is known of now has happened, and from when [s] on that can be changed."""
        if not self._ahead:
            return Change(-np.inf, self.own, self.followed), time
        last = self._ahead[-1]
        return last, last.at + last.over

    def _transition(self, now: Change, earliest: float, into: Reference, over: float | None, entry: float | None,
                    wait: float) -> list[Change]:  # fmt: skip
        """The changes by which a clip is passed into: a transition takes over, and the clip from it."""
        before, after = now.own.baked, into.baked
        early = earliest + now.own.start + now.lead
        early -= before.duration * np.floor(early / before.duration) if before.cycle is not None else 0.0
        when = moments(before, early + LEAD, after, over or length(before, after), entry, wait)
        wanted = joined(before, after, when)
        physical = self._prepare(Reference(after))[0].baked
        same = physical is after and now.followed.baked is before
        led = wanted if same else joined(now.followed.baked, physical, when)
        begins = float(earliest + when.leave - LEAD - early)
        ends, start = begins + wanted.leave - wanted.enter, wanted.enter - begins
        passing = self._prepare(Reference(self._invented(led.clip), start=start))[0]
        last = into.begun(wanted.then - ends)
        return [Change(begins, Reference(wanted.clip, start=start), passing, MEET),
                Change(ends, last, Reference(physical, start=last.start), MEET)]  # fmt: skip

    def _invented(self, clip: Clip) -> Clip:
        """A transition made physical for a method that asks for it: nobody performed it, and its force is not kept."""
        if not self._repairs or self._prepare is _as_it_is:
            return clip
        try:
            return kept("transition", clip, "", lambda c: make_physical(c, force=0.0))
        except PoiseError:
            return clip

    def steer(self, speed: float, turn: float, time: float, over: float) -> None:
        """Both references with another speed [m/s], turning by `turn` [degrees/s], step by step."""
        now, _ = self._last(time)
        pace = self.pace or Pace(now.own.baked)
        self.pace = pace.steered(speed, turn, over)
        self._go_on(time)

    def _go_on(self, time: float) -> None:
        """The next step towards where the pace leads, where there is one."""
        if self.pace is None or self._ahead or not self.pace.due(time):
            return
        self.pace = self.pace.next(time)
        clip = self.pace.clip
        begun = Reference(clip, start=_phase(self.followed, time) * clip.duration - time)
        self._change(Change(time, begun, self._prepare(begun)[0], self.pace.over), time)

    def _change(self, change: Change, time: float) -> None:
        """Change both references now, or when it is time."""
        if not (np.isfinite(change.over) and change.over > 0.0):
            raise BadValue(f"A change needs some time to be blended in; {change.over} s is too little.")
        if change.at > time + 1e-9:
            self._ahead.append(change)
        else:
            self._hand_over(change)

    def _hand_over(self, change: Change) -> None:
        """Change both references; nothing is kept where one of them refuses."""
        at, own, followed, over, until = change
        same = self.followed is self.own and own is followed
        own = self.own.hand_over(own, at, over)
        followed = own if same else self.followed.hand_over(followed, at, over)
        self.own, self.followed, self.edited = own, followed, True
        self._repaired, self._until = -np.inf, until


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
