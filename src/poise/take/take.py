"""Take: everything that happened in one performance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.character import Character
from poise.errors import BadValue, ClipMismatch
from poise.ground.ground import Ground
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.take.description import ground_of
from poise.take.ended import Ended
from poise.take.own import Own
from poise.take.record import ContactRecord, LogEntry, WrenchRecord
from poise.take.segments import Call, Segment

if TYPE_CHECKING:
    from poise.judge.followed import Followed
    from poise.judge.metrics import Effort, TrackingError
    from poise.judge.recovery import Recovery


@dataclass(frozen=True, eq=False)
class Take:
    """States, torques, contacts, wrenches, events and traces of one performance, F frames.

    Row k of `torque`, `contacts`, `external` and `assist` is the mean over the interval from frame k to frame k + 1;
    the last row is zero or missing. `q_ref`, `v_ref` and `scheduled` are the reference as it was followed, so that
    every measure needs the take alone.
    """

    clip: Clip  # what was followed, with all its edits; its character performs
    method: str
    time: Array  # (F,) [s] from the start of the performance
    q: Array  # (F, nq)
    v: Array  # (F, nv)
    torque: Array  # (F, nv) [N m], zero on the root
    contacts: ContactRecord
    external: WrenchRecord  # pushes and other declared events
    assist: WrenchRecord  # forces that nothing in the world exerts; they never count as explained
    q_ref: Array  # (F, nq)
    v_ref: Array  # (F, nv)
    scheduled: np.ndarray  # (F, P) bool: which contact points should touch
    start: float = 0.0  # [s] time in the clip at which the performance began
    step: float = 0.0  # [s] by which the states were computed: v' = v + h a, q' = q + h v'; 0: in another way
    props: Mapping[str, Array] = field(default_factory=dict)  # pose (F, 7) of each: place [m], quaternion
    traces: Mapping[str, Array] = field(default_factory=dict)  # (F, ...) each
    stage: Any = None  # description of the stage: plain values
    settings: Any = None  # description of the method's settings
    events: tuple[LogEntry, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)  # [s] of CPU time; "loop" is the performance itself
    seed: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    run_ended: Ended | None = None  # how the run itself ended; a fall is found later. None: an older file
    asked: float = 0.0  # [s] that were asked for; 0: not known
    own: Own | None = None  # the user's own clip, where something else was followed, or on another clock
    segments: tuple[Segment, ...] = ()  # where methods were switched: which performed from which frame on
    calls: tuple[Call, ...] = ()  # what was asked for while it went on, from its beginning; `poise.replay`
    # of props with all but the character; `body` is a number of its `others`, forces are on the prop. None: not known
    prop_contacts: ContactRecord | None = None

    def __post_init__(self) -> None:
        frames, model = len(self.time), self.character.model
        wanted = {"time": (), "q": (model.nq,), "v": (model.nv,), "torque": (model.nv,), "q_ref": (model.nq,),
                  "v_ref": (model.nv,), "scheduled": (len(self.character.contact_points),)}  # fmt: skip
        if not frames:
            raise BadValue("A take needs at least one frame.")
        for name, shape in wanted.items():
            array = getattr(self, name)
            if array.shape != (frames, *shape):
                raise ClipMismatch(f"A take of {frames} frames of {self.character.name} needs {name} of shape "
                                   f"{(frames, *shape)}, not {array.shape}.")  # fmt: skip
        if self.own is not None and (self.own.q.shape != self.q_ref.shape
                                     or self.own.scheduled.shape != self.scheduled.shape):  # fmt: skip
            raise ClipMismatch(f"The user's own clip has {self.own.q.shape} in a take of {self.q_ref.shape}.")
        if not np.all(np.diff(self.time) > 0.0):
            raise BadValue("The frames of a take must go forward in time.")
        for array in (*(getattr(self, name) for name in wanted), *self.props.values(), *self.traces.values()):
            array.flags.writeable = False

    def __repr__(self) -> str:
        ended = self.ended
        return (f"<Take of {self.clip.name!r} on {self.character.name} by {self.method}: {len(self)} frames, "
                f"{self.duration:.2f} s, {ended}{'' if ended.whole else f' at {ended.time:.2f} s'}>")  # fmt: skip

    def _repr_html_(self) -> str:
        from poise.export.notebook import take_html

        return take_html(self)

    def __len__(self) -> int:
        return len(self.time)

    @property
    def character(self) -> Character:
        """Who performed."""
        return self.clip.character

    @property
    def duration(self) -> float:
        """Time from the first to the last frame [s]."""
        return float(self.time[-1] - self.time[0])

    @cached_property
    def steps(self) -> Array:
        """The time step [s] by which the state after each frame (F,) was computed, as `step`."""
        out = np.full(len(self), self.step)
        for part in self.segments:
            out[part.frame :] = part.step
        return out

    def part(self, k: int) -> Take:
        """The k-th segment as a take of its own, on the stage as it was then."""
        from poise.take.touching import part

        return part(self, k)

    @property
    def dt(self) -> float:
        """Mean time between frames [s]."""
        return self.duration / (len(self) - 1) if len(self) > 1 else 1.0 / 120.0

    @cached_property
    def ground(self) -> Ground:
        """The ground of the stage, at rest; that of the clip where the stage does not say."""
        return ground_of(self.stage, self.clip.ground)

    @cached_property
    def touching(self) -> np.ndarray:
        """Boolean (F, P): which contact points stood on something, from the recorded contacts."""
        from poise.take.touching import touching

        return touching(self)

    @property
    def realtime_factor(self) -> float:
        """Simulated seconds per second of CPU time of the loop; NaN where the time was not taken."""
        spent = float(self.timings.get("loop", float("nan")))
        return self.duration / spent if spent > 0.0 else float("nan")

    @property
    def fell(self) -> float | None:
        """The time [s] at which the character went down, or None; see `poise.judge.fall`. None alone is not good:
        `take.ended.whole` says whether it came to its end on its feet.
        """
        return self.ended.time if self.ended == "fell" else None

    @cached_property
    def ended(self) -> Ended:
        """How it ended, with time and reason: "whole", "fell", "lost", "blew up", "stopped" or "under way"."""
        from poise.judge.ending import ended

        return ended(self)

    def followed(self, **limits: float) -> Followed:
        """Did it do what the user's own clip does? True or false, with reasons; see `poise.judge.followed.Limits`."""
        from poise.judge.followed import Limits, followed

        return followed(self, Limits.of(limits))

    def tracking_error(self, clock: str = "reference") -> TrackingError:
        """How far the performance was from the reference: joints, root and points.

        With clock="own" against the user's own clip at its own time: before it was repaired or fitted, and without the
        waiting and running ahead of a method that moves the reference in time.
        """
        from poise.judge.metrics import tracking_error

        return tracking_error(self, clock)

    def recovered(self, after: float, undisturbed: Take | None = None, within: float = 5.0) -> Recovery:
        """Is it back with its reference `within` seconds after the time `after` [s]? True or false, with reasons."""
        from poise.judge.recovery import recovered

        return recovered(self, after, undisturbed, within)

    def skating(self) -> float:
        """Mean sliding speed [m/s] of the feet while they touch."""
        from poise.judge.metrics import skating

        return skating(self)

    def penetration(self) -> float:
        """Greatest depth [m] of the body in the ground."""
        from poise.judge.metrics import penetration

        return penetration(self)

    def effort(self) -> Effort:
        """Work and torque of the joints."""
        from poise.judge.metrics import effort

        return effort(self)

    def cut(self, start: float = 0.0, end: float | None = None) -> Take:
        """The part from start to end [s] of the take's own time, which it keeps."""
        from poise.take.touching import cut

        return cut(self, start, end)

    def as_clip(self) -> Clip:
        """The motion as a clip, with the contacts that were recorded, leading back to the file of the reference."""
        from poise.take.touching import as_clip

        return as_clip(self)

    def save(self, path: str | PathLike[str], *, overwrite: bool | None = None, **options: object) -> None:
        """Write the take: .npz holds all of it; .bvh .glb .usda .html .mp4 .png its motion, told by the ending.

        A file of this name is replaced, but not the very one that was read, unless `overwrite` is True; with
        `overwrite=False` none is replaced.
        """
        if Path(path).suffix.lower() == ".npz" and not options:
            from poise.take.store import save

            save(self, path, overwrite=overwrite)
        else:
            from poise.export import save as export

            export(self, path, overwrite=overwrite, **options)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Take:
        """The take in an .npz file that `save` wrote."""
        from poise.take.store import load

        return load(path)

    @classmethod
    def recover(cls, path: str | PathLike[str]) -> Take:
        """What was flushed of a recording that never came to its end; its folder, or the file it was meant for."""
        from poise.take.stream import recover

        return recover(path)

    def with_(self, **changes: object) -> Take:
        """This take with other fields."""
        unknown = set(changes) - {f.name for f in fields(self)}
        if unknown:
            raise BadValue(f"A take has no {sorted(unknown)[0]!r}.")
        return replace(self, **changes)  # type: ignore[arg-type]
