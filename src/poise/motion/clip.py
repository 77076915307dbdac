"""Clip: an immutable motion of one character."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Protocol

import numpy as np

from poise import budgets
from poise.character import Character
from poise.character.skeleton import Placement
from poise.errors import BadValue, ClipMismatch
from poise.ground.flat import Flat
from poise.ground.ground import Ground
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion import hold as holding
from poise.motion.hold import Hold
from poise.motion.recording import Recording, Source
from poise.threads import on_one_thread

if TYPE_CHECKING:
    from poise.motion.contact.contacts import Contacts
    from poise.motion.contact.evidence import Evidence
    from poise.stage import Stage


MOST_FRAMES = 10_000_000  # of a repeated clip: a day at 120 frames a second


class Edit(Protocol):
    """A frozen value that turns a clip into another one."""

    def apply(self, clip: Clip) -> Clip:
        """The edited clip."""
        ...


@dataclass(frozen=True, eq=False)
class Cycle:
    """How one period of a looping clip leads to the next: a turn about Z and a shift [m], in the frame of the first."""

    turn: float = 0.0  # [rad]
    shift: Array = field(default_factory=lambda: np.zeros(3))

    def carry(self, q: Array, count: int) -> Array:
        """Configurations (..., nq) of a free-rooted body moved on by `count` periods (negative: back)."""
        q, far = np.array(q, float), self.times(count)
        turn = rot.about_z(far.turn)
        q[..., :3] = rot.rotate(turn, q[..., :3]) + far.shift
        q[..., 3:7] = rot.multiply(turn, q[..., 3:7])
        return q

    def times(self, count: int) -> Cycle:
        """`count` periods in one: shifts turned by 0, 1, ... count-1 turns add up to (R^count - 1) (R - 1)^-1 shift."""
        x, y, z = (float(s) for s in self.shift)
        if abs(self.turn) < 1e-12:
            return Cycle(0.0, np.array([count * x, count * y, count * z]))
        c, s = math.cos(self.turn) - 1.0, math.sin(self.turn)
        cn, sn = math.cos(count * self.turn) - 1.0, math.sin(count * self.turn)
        size = c * c + s * s
        re, im = (cn * c + sn * s) / size, (sn * c - cn * s) / size
        return Cycle(count * self.turn, np.array([re * x - im * y, im * x + re * y, count * z]))


@dataclass(frozen=True, eq=False)
class Clip:
    """Times, configurations and where they came from.

    Frames are evenly spaced. `cycle` makes it a loop: its last frame is the first of the next period. `labels` fixes
    the contacts and `holds` what the hands hold; without them they are detected. `recording`, `placement` and
    `source_times` lead back to the file, so that an export goes onto the user's own skeleton, with the joints that the
    character does not have as recorded.
    """

    character: Character
    q: Array  # (N, nq)
    dt: float  # [s]
    source: Source = Source()
    ground: Ground = Flat()
    cycle: Cycle | None = None
    labels: np.ndarray | None = None  # (N, P) bool
    recording: Recording | None = None
    placement: Placement | None = None
    source_times: Array | None = None  # (N,) time in the recording of each frame [s]
    holds: tuple[Hold, ...] | None = None

    def __post_init__(self) -> None:
        if self.q.ndim != 2 or self.q.shape[1] != self.character.model.nq or len(self.q) < 1:
            raise ClipMismatch(f"A clip of {self.character.name} needs q of shape (N, {self.character.model.nq}), "
                               f"not {self.q.shape}.")  # fmt: skip
        if not np.all(np.isfinite(self.q)):
            raise BadValue("A clip may not hold numbers that are not finite.")
        budgets.check_quaternions("A clip", self.q[:, self.character.quaternions])
        budgets.check_step(self.dt, len(self.q))
        for hold in self.holds or ():
            self.character.body(hold.hand)
        self.q.flags.writeable = False

    def __repr__(self) -> str:
        loops = ", looping" if self.cycle is not None else ""
        return (f"<Clip {self.name!r} on {self.character.name}: {len(self)} frames at {self.fps:.4g} fps, "
                f"{self.duration:.2f} s{loops}>")  # fmt: skip

    def _repr_html_(self) -> str:
        from poise.export.notebook import clip_html

        return clip_html(self)

    def __len__(self) -> int:
        return len(self.q)

    @property
    def name(self) -> str:
        """Name of the motion."""
        return self.source.name

    @property
    def fps(self) -> float:
        """Frames per second."""
        return 1.0 / self.dt

    @property
    def duration(self) -> float:
        """Time from the first to the last frame [s]."""
        return (len(self) - 1) * self.dt

    @cached_property
    def times(self) -> Array:
        """Time of each frame (N,) [s]."""
        return np.arange(len(self)) * self.dt

    @cached_property
    def contacts(self) -> Contacts:
        """Which contact points touch the ground, and when."""
        from poise.motion.contact.contacts import Contacts, detect

        points = self.character.contact_points
        return detect(self) if self.labels is None else Contacts(points, self.labels, self.dt)

    @cached_property
    def contact_evidence(self) -> Evidence:
        """Contacts by height, speed and the force that the motion needs, and how sure each is, frame by frame."""
        from poise.motion.contact.evidence import evidence

        return evidence(self)

    @cached_property
    def grips(self) -> tuple[Hold, ...]:
        """What the hands hold, and when: as given, or detected."""
        from poise.motion.contact.detect_holds import detect_holds

        return detect_holds(self) if self.holds is None else tuple(h.placed(self) for h in self.holds)

    @cached_property
    def velocity(self) -> Array:
        """Velocities (N, nv), three-frame stencil."""
        return self._rates[0]

    @cached_property
    def acceleration(self) -> Array:
        """Accelerations (N, nv), three-frame stencil."""
        return self._rates[1]

    @cached_property
    def _rates(self) -> tuple[Array, Array]:
        if self.cycle is None or len(self) < 3:
            return conf.rates(self.character.layout, self.q, self.dt)
        q = np.concatenate([self.cycle.carry(self.q[-2:-1], -1), self.q, self.cycle.carry(self.q[1:2], 1)])
        v, a = conf.rates(self.character.layout, q, self.dt)
        return v[1:-1], a[1:-1]

    def with_q(self, q: Array, **changes: object) -> Clip:
        """This clip with other configurations (and other fields, where given)."""
        return replace(self, q=np.array(q, float), **changes)  # type: ignore[arg-type]

    def with_contact(self, name: str, first: int, last: int, touching: bool = True) -> Clip:
        """This clip, told that a point, pair, foot or hand touches (or does not) from one frame to another, included.

        Names are those of `clip.contacts`. The labels stay with the clip, and with an .npz of it; a repair believes
        them. Where nothing was told before, all other contacts are those of `contact_evidence`.
        """
        if not 0 <= first <= last < len(self):
            raise BadValue(f"Frames {first} to {last} are not within those of this clip, 0 to {len(self) - 1}.")
        from poise.motion.contact.evidence import tells_force

        guessed = self.labels is None and tells_force(self)
        known = replace(self, labels=np.array(self.contact_evidence.labels)) if guessed else self
        contacts = known.contacts.override(name, first * self.dt, last * self.dt, touching)
        return replace(self, labels=np.array(contacts.labels))

    def cut(self, start: float = 0.0, end: float | None = None) -> Clip:
        """The part from start to end [s], as an open clip."""
        if not (np.isfinite(start) and (end is None or np.isfinite(end))):
            raise BadValue(f"A clip cannot be cut from {start} s to {end} s.")
        first = max(0, round(start / self.dt))
        last = len(self) if end is None else min(len(self), round(end / self.dt) + 1)
        if last - first < 1:
            raise BadValue(f"Nothing is left between {start} s and {end} s of a clip of {self.duration:.2f} s.")

        def rows(a: np.ndarray | None) -> np.ndarray | None:
            return None if a is None else a[first:last]

        holds = None if self.holds is None else holding.cut(self.grips, first * self.dt, (last - 1) * self.dt)
        return replace(self, q=self.q[first:last].copy(), cycle=None, labels=rows(self.labels),
                       source_times=rows(self.source_times), holds=holds)  # fmt: skip

    def repeat(self, count: int) -> Clip:
        """A looping clip played `count` times in a row, as an open clip."""
        if self.cycle is None:
            raise BadValue("Only a looping clip can be repeated: take clip.loop() first.")
        if count < 1:
            raise BadValue(f"A clip can be repeated once or more often, not {count} times.")
        if count * len(self) > MOST_FRAMES:
            raise BadValue(f"{len(self)} frames {count} times in a row are more than {MOST_FRAMES} frames.")
        carry = self.cycle.carry

        def rows(a: np.ndarray | None) -> np.ndarray | None:  # the last frame of a period is the first of the next
            return None if a is None else np.concatenate([*[a[:-1]] * count, a[-1:]])

        q = np.concatenate([*(carry(self.q[:-1], k) for k in range(count)), carry(self.q[-1:], count - 1)])
        holds = holding.repeated(self.grips, self.cycle, self.duration, count)
        return replace(self, q=q, cycle=None, labels=rows(self.contacts.labels), source_times=rows(self.source_times),
                       holds=holds)  # fmt: skip

    @on_one_thread
    def edit(self, edit: Edit) -> Clip:
        """The clip that `edit` (a value of `poise.edit`) makes of this one."""
        return edit.apply(self)

    @on_one_thread
    def retarget(self, character: Character, **options: object) -> Clip:
        """The same motion on another character, feet kept on the ground and contacts kept."""
        from poise.motion.retarget.retarget import retarget

        return retarget(self, character, **options)  # type: ignore[arg-type]

    @on_one_thread
    def loop(self) -> Clip:
        """The best whole cycle of this motion, its seam closed, the root's displacement kept."""
        from poise.motion.loop import loop

        return loop(self)

    @on_one_thread
    def make_physical(self, **options: object) -> Clip:
        """The nearest motion that leaves no force that the ground cannot give; see `poise.physical.repair.repair`.

        Options: change, friction, margin, force, keep, belt.
        """
        from poise.physical.repair.repair import make_physical

        return make_physical(self, **options)  # type: ignore[arg-type]

    def stage(self, start: float = 0.0, seconds: float | None = None) -> Stage:
        """The stage that this motion needs: its ground, the bars that its hands hold, the loads that they carry.

        `start` [s] is where in the clip a performance begins; `seconds` how long one of a loop lasts.
        """
        from poise.stage.from_clip import stage_of

        return stage_of(self, start, seconds)

    @on_one_thread
    def mirror(self) -> Clip:
        """Left and right exchanged, across the plane y = 0."""
        from poise.motion.mirror import mirror

        return mirror(self)

    def posture_change(self, other: Clip) -> float:
        """Rms angle [degrees] over all joints but the root by which this clip's posture differs from another's."""
        from poise.motion.posture import posture_change

        return posture_change(self, other)

    def save(self, path: str | PathLike[str], *, overwrite: bool | None = None, **options: object) -> None:
        """Write the clip: .bvh .glb .usda .npz .html .mp4 or .png (a filmstrip), told by the ending.

        A file of this name is replaced, but not the very one from which the clip was read, unless `overwrite` is true;
        where it is false none is replaced.
        """
        from poise.export import save

        save(self, path, overwrite=overwrite, **options)
