"""Reference: what a method follows, sampled at any time and editable while it is followed."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.ground.ground import Ground, moved, plane_of
from poise.kernels import njit
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.maths.splines import Spline
from poise.motion.clip import Clip, Edit
from poise.motion.hold import Hold, retimed


class Sample(NamedTuple):
    """A reference at one instant."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    a: Array  # (nv,)
    contacts: np.ndarray  # (P,) bool: which contact points should touch


@dataclass(frozen=True, eq=False)
class Shift:
    """A turn about Z followed by a shift of the world; keeps heights unless the shift has one."""

    turn: float = 0.0  # [rad]
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m]

    def move(self, sample: Sample) -> Sample:
        """The sample carried along; free joint's position, quaternion, linear velocity and acceleration change."""
        q, v, a = sample.q.copy(), sample.v.copy(), sample.a.copy()
        if self.turn == 0.0:
            q[0] += self.shift[0]
            q[1] += self.shift[1]
            q[2] += self.shift[2]
        else:
            _carry(self.turn, *self.shift, q, v, a)
        return Sample(q, v, a, sample.contacts)


@njit(cache=True)
def _carry(turn, x, y, z, q, v, a):
    """Turn q, v and a of a free-rooted body about Z and shift it, in place."""
    c, s = math.cos(turn), math.sin(turn)
    for row in (q, v, a):
        row[0], row[1] = c * row[0] - s * row[1], s * row[0] + c * row[1]
    q[0] += x
    q[1] += y
    q[2] += z
    c, s = math.cos(0.5 * turn), math.sin(0.5 * turn)
    q[3], q[4], q[5], q[6] = c * q[3] - s * q[6], c * q[4] - s * q[5], c * q[5] + s * q[4], c * q[6] + s * q[3]


@dataclass(frozen=True, eq=False)
class _Handover:
    """How a reference that was edited while it was followed comes out of the one before."""

    before: Reference
    at: float  # [s] when the change begins
    over: float  # [s] how long it takes
    path: Spline
    align: Shift
    ground: Ground | None = None  # that it is on, where it goes on on the slope of the one before


@dataclass(frozen=True, eq=False)
class Splice:
    """A curve that is followed instead of the reference's own for a while."""

    at: float  # [s] when it begins
    path: Spline
    labels: np.ndarray  # (M, P) bool: contacts at the knots of the path
    met: bool = False  # does it begin where the body is?

    @property
    def end(self) -> float:
        """When the reference's own motion goes on [s]."""
        return self.at + (len(self.path.q) - 1) * self.path.dt

    def sample(self, t: float) -> Sample:
        """The curve at time t [s], which must be from `at` to `end`."""
        local = t - self.at
        k = min(max(int(local / self.path.dt + 1e-9), 0), len(self.labels) - 1)
        return Sample(*self.path.at(local), self.labels[k])

    def until(self, t: float) -> Splice:
        """The part that is needed up to time t [s]."""
        count = max(2, math.ceil((t - self.at) / self.path.dt) + 1)
        path = replace(self.path, q=self.path.q[:count].copy(), coef=self.path.coef[: count - 1].copy())
        return self if count >= len(self.labels) else Splice(self.at, path, self.labels[:count].copy(), self.met)


@dataclass(frozen=True, eq=False)
class Reference:
    """A clip with its edits baked in, as a twice differentiable curve.

    Past the end of an open clip its last pose is held, at rest; a clip with a cycle goes on for ever. `edit` gives a
    new reference. With `at`, the old motion is kept up to that time and the edited one is blended in over `over`
    seconds, moved in place and heading so that the two agree at `at`: the character under way never sees a jump.
    `spliced` puts a curve computed by someone else in its place for a while.
    """

    clip: Clip
    edits: tuple[Edit, ...] = ()
    start: float = 0.0  # [s] time in the clip at the reference's time zero
    _from: _Handover | None = None
    _splices: tuple[Splice, ...] = ()  # by time; each holds until the next begins

    def __repr__(self) -> str:
        return f"<Reference to {self.clip.name!r} on {self.character.name} with {len(self.edits)} edits>"

    @cached_property
    def baked(self) -> Clip:
        """The clip after all edits."""
        clip = self.clip
        for e in self.edits:
            clip = e.apply(clip)
        return clip

    @property
    def moved(self) -> Shift:
        """How the clip is turned and shifted where this reference took over from another one under way."""
        return Shift() if self._from is None else self._from.align

    @cached_property
    def ground(self) -> Ground:
        """The ground of the clip where the clip is now."""
        if self._from is not None and self._from.ground is not None:
            return self._from.ground
        return moved(self.baked.ground, self.moved.turn, self.moved.shift[:2])

    @property
    def character(self) -> Character:
        """Whose motion it is."""
        return self.clip.character

    @property
    def duration(self) -> float:
        """Length of the clip, or of one period [s]."""
        return self.baked.duration

    @cached_property
    def _curve(self) -> tuple[Spline, np.ndarray, float, int]:
        """The baked curve, contact labels, period (0: none) and last frame."""
        clip = self.baked
        spline = Spline.through(self.character.layout, clip.q, clip.dt, clip.velocity, clip.acceleration)
        period = clip.duration if clip.cycle is not None and len(clip) > 1 else 0.0
        return spline, clip.contacts.labels, period, len(clip) - 1

    def sample(self, t: float) -> Sample:
        """Configuration, velocity, acceleration and scheduled contacts at time t [s]."""
        if self._splices:
            spliced = self._splice_at(t)
            if spliced is not None:
                return spliced.sample(t)
        return self._unspliced(t)

    def contacts(self, t: float) -> np.ndarray:
        """The scheduled contacts (P,) of `sample` alone."""
        if self._splices or self._from is not None:
            return self.sample(t).contacts
        return self._curve[1][self._within(t)[2]]

    def _splice_at(self, t: float) -> Splice | None:
        """The spliced curve that holds at time t."""
        last = self._splices[-1]
        if t < last.at:
            k = bisect_right(self._splices, t, key=lambda s: s.at)
            if k == 0:
                return None
            last = self._splices[k - 1]
        return last if t < last.end else None

    def _unspliced(self, t: float) -> Sample:
        hand = self._from
        if hand is None:
            return self._plain(t)
        if t < hand.at:
            return hand.before.sample(t)
        after = hand.align.move(self._plain(t))
        if t >= hand.at + hand.over:
            return after
        q, v, a = hand.path.at(t - hand.at)
        old = hand.before.sample(t) if t < hand.at + 0.5 * hand.over else after
        return Sample(q, v, a, old.contacts)

    def _plain(self, t: float) -> Sample:
        """The baked curve alone, unrolled if it is a cycle."""
        spline, labels, _, _ = self._curve
        count, local, k = self._within(t)
        sample = Sample(*spline.at(local), labels[k])
        return sample if count == 0 else self._repeated(count).move(sample)

    def _within(self, t: float) -> tuple[int, float, int]:
        """Which repetition of the baked curve time t falls into, the time in it [s] and the frame of its labels."""
        spline, _, period, last = self._curve
        t += self.start
        count = math.floor(t / period) if period > 0.0 else 0
        local = t - count * period
        return count, local, min(max(int(local / spline.dt + 1e-9), 0), last)

    def _repeated(self, count: int) -> Shift:
        """The cycle's displacement applied `count` times; remembered, for it is asked for at every sample."""
        known = self._turns.get(count)
        if known is None:
            cycle = self.baked.cycle
            assert cycle is not None
            far = cycle.times(count)
            known = Shift(far.turn, (float(far.shift[0]), float(far.shift[1]), float(far.shift[2])))
            self._turns[count] = known
        return known

    @cached_property
    def _turns(self) -> dict[int, Shift]:
        """Displacements of repetitions asked for so far."""
        return {}

    @property
    def blending(self) -> tuple[float, float] | None:
        """From when to when [s] this reference is a mixture of the one before and its own; None if it never is."""
        return None if self._from is None else (self._from.at, self._from.at + self._from.over)

    @property
    def unspliced(self) -> Reference:
        """This reference without the curves that were spliced in."""
        return self._with(()) if self._splices else self

    def parts(self) -> dict[str, Any]:
        """All that it is made of, as clips, edits, numbers and arrays; `of_parts` makes the same of them."""
        out: dict[str, Any] = {"clip": self.clip, "edits": self.edits, "start": self.start}
        out["splices"] = [(s.at, s.path.dt, s.path.q, s.path.coef, s.labels, s.met) for s in self._splices]
        hand = self._from
        if hand is not None:
            out["from"] = (hand.before, hand.at, hand.over, hand.path.dt, hand.path.q, hand.path.coef, hand.align.turn,
                           hand.align.shift, hand.ground)  # fmt: skip
        return out

    @classmethod
    def of_parts(cls, parts: dict[str, Any]) -> Reference:
        """The reference that `parts` took apart."""
        clip, hand = parts["clip"], None
        layout = clip.character.layout
        if "from" in parts:
            before, at, over, dt, q, coef, turn, shift, ground = parts["from"]
            if before.character.xml == clip.character.xml and before.character is not clip.character:
                clip = replace(clip, character=before.character)
                layout = clip.character.layout
            hand = _Handover(before, at, over, Spline(layout, q, coef, dt), Shift(turn, tuple(shift)), ground)
        splices = tuple(Splice(at, Spline(layout, q, coef, dt), labels, met)
                        for at, dt, q, coef, labels, met in parts["splices"])  # fmt: skip
        return cls(clip, tuple(parts["edits"]), parts["start"], hand, splices)

    def _with(self, splices: tuple[Splice, ...], hand: _Handover | None = None) -> Reference:
        """This reference with other curves spliced in, or after another one; what is baked is not baked again."""
        other = replace(self, _splices=splices, _from=hand or self._from)
        vars(other).update(baked=self.baked, _curve=self._curve)
        return other

    def begun(self, start: float) -> Reference:
        """This clip with its edits, followed from its time `start` [s] on; what is baked is not baked again."""
        other = Reference(self.clip, self.edits, start)
        vars(other).update(baked=self.baked, _curve=self._curve)
        return other

    def taken_up(self, at: float, ahead: float = 0.0, place: Array | None = None, spliced: bool = False) -> Reference:
        """This reference up to `at` [s], then the same motion `ahead` [s] of itself, its root over `place` (2,) [m].

        Without a place it stays where it is; on a slope it is moved along the slope. What it was blended with is over.
        `spliced`: a curve will be spliced in at `at`; then references that are taken up again and again do not nest.
        """
        other, old = self.begun(self.start + ahead), self.moved
        x, y, rise = 0.0, 0.0, 0.0
        if place is not None:
            there = old.move(other._plain(at)).q
            x, y = float(place[0] - there[0]), float(place[1] - there[1])
            heights = self.ground.height(np.array([place[0], there[0]]), np.array([place[1], there[1]]))
            rise = float(heights[0] - heights[1])
        align = Shift(old.turn, (old.shift[0] + x, old.shift[1] + y, old.shift[2] + rise))
        hand, splices = self._from, self._splices
        past = hand is not None and hand.over == 0.0 and bool(splices) and splices[0].at <= hand.at
        if spliced and past and hand is not None and at <= splices[-1].end:
            return other._with(splices, replace(hand, align=align, ground=self.ground))
        return other._with((), _Handover(self, at, 0.0, self._curve[0], align, self.ground))

    @property
    def met(self) -> float | None:
        """When [s] a curve that begins where the body is was last spliced in; None: never."""
        return next((s.at for s in reversed(self._splices) if s.met), None)

    def spliced(self, at: float, dt: float, q: Array, v: Array, a: Array, labels: np.ndarray, met: bool = False
                ) -> Reference:  # fmt: skip
        """This reference up to `at` [s], then the curve through q (M, nq) a time dt apart, then its own motion again.

        v and a (M, nv) are the rates at the knots and labels (M, P) the contacts. What is spliced in should meet this
        reference at `at`, and at its end the reference without splices, in place and in rates. Curves that were spliced
        in before end at `at`; frames before it are not touched. `met`: it begins where the body is, not this reference.
        """
        layout, points = self.character.layout, len(self.character.contact_points)
        count = len(q)
        if count < 2 or q.shape != (count, layout.nq) or v.shape != (count, layout.nv) or v.shape != a.shape:
            raise BadValue(f"A curve of {self.character.name} has q of shape (M, {layout.nq}) and rates of shape "
                           f"(M, {layout.nv}), not {q.shape}, {v.shape} and {a.shape}.")  # fmt: skip
        if labels.shape != (count, points) or not dt > 0.0 or not math.isfinite(at):
            raise BadValue(f"A curve needs contacts of shape ({count}, {points}), a finite beginning and a positive "
                           f"time between its knots, not {labels.shape}, {at} and {dt} s.")  # fmt: skip
        curve = Splice(at, Spline.through(layout, q, dt, v, a), np.ascontiguousarray(labels, bool), met)
        past = [s for s in self._splices if s.at < at]
        if past:
            past[-1] = past[-1].until(at)
        return self._with((*past, curve))

    def between(self, start: float, end: float, fps: float | None = None) -> Clip:
        """What is followed from `start` to `end` [s] as an open clip with its contacts; at the clip's frame rate."""
        dt = self.baked.dt if fps is None else 1.0 / fps
        if not (math.isfinite(start) and math.isfinite(end) and end - start >= 2 * dt):
            raise BadValue(f"There is no motion from {start} to {end} s.")
        samples = [self.sample(start + k * dt) for k in range(math.floor((end - start) / dt + 1e-6) + 1)]
        return self.baked.with_q(np.stack([s.q for s in samples]), dt=dt, cycle=None, source_times=None,
                                 holds=self.grips(start, dt, len(samples)),
                                 labels=np.stack([s.contacts for s in samples]))  # fmt: skip

    def grips(self, start: float, dt: float, count: int) -> tuple[Hold, ...]:
        """What the hands hold in `count` frames a time dt apart from `start` [s] on, told from there."""
        period, moments = self._curve[2], self.start + start + dt * np.arange(count)
        turns = np.floor(moments / period + 1e-9).astype(int) if period > 0.0 else np.zeros(count, int)
        return retimed(self.baked.grips, self.baked.cycle, moments - turns * period, turns, dt)

    @property
    def ends(self) -> float:
        """When the last pose is reached [s]: never, for a clip with a cycle."""
        return math.inf if self._curve[2] > 0.0 else self.duration - self.start

    def edit(self, edit: Edit, at: float | None = None, over: float = 0.3) -> Reference:
        """This reference with one more edit: over its whole length, or from time `at` on, blended in over `over` s."""
        changed = Reference(self.clip, (*self.edits, edit), self.start)
        return changed if at is None else self.hand_over(changed, at, over)

    def hand_over(self, after: Reference, at: float, over: float = 0.3) -> Reference:
        """This reference up to `at`, then `after`, blended over `over` s and moved to where this one is at `at`."""
        if after.character is not self.character:
            raise BadValue("A reference can only be continued by one of the same character.")
        if not over > 0.0:
            raise BadValue(f"A change needs some time to be blended in; {over} s is too little.")
        here, there = self.sample(at), after._plain(at)
        turn = float(rot.heading(here.q[3:7]) - rot.heading(there.q[3:7]))
        placed = Shift(turn).move(there)
        x, y = float(here.q[0] - placed.q[0]), float(here.q[1] - placed.q[1])
        rise, ground = self._same_slope(after, turn, (x, y))
        align = Shift(turn, (x, y, rise))
        path = self._blend(after, align, at, over)
        return Reference(after.clip, after.edits, after.start, _Handover(self, at, over, path, align, ground))

    def _same_slope(self, after: Reference, turn: float, shift: tuple[float, float]) -> tuple[float, Ground | None]:
        """How much higher [m] a reference that goes on on the same slope must be, and that slope; else nothing."""
        old, new = plane_of(self.ground), plane_of(moved(after.baked.ground, turn, shift))
        if old is None or new is None or old.incline is None or new.incline is None:
            return 0.0, None
        if not np.allclose(old.normal, new.normal, atol=0.02):
            return 0.0, None
        return float(old.height - new.height), self.ground

    def _blend(self, after: Reference, align: Shift, at: float, over: float) -> Spline:
        """A curve from this reference at `at` to the other one at `at + over`, meeting both with their rates."""
        count = max(2, round(over / min(self.baked.dt, after.baked.dt)))
        dt = over / count
        old = [self.sample(at + k * dt) for k in range(count + 1)]
        new = [align.move(after._plain(at + k * dt)) for k in range(count + 1)]
        x = np.arange(count + 1) / count
        w = x**3 * (10 - 15 * x + 6 * x * x)  # no rate and no curvature at both ends
        layout = self.character.layout
        q = conf.interpolate(layout, np.stack([s.q for s in old]), np.stack([s.q for s in new]), w)
        v, a = conf.rates(layout, q, dt)
        for k, s in ((0, old[0]), (-1, new[-1])):
            v[k], a[k] = s.v, s.a
        return Spline.through(layout, q, dt, v, a)
