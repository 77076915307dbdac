"""Recorder: takes down a performance frame by frame, in memory or streamed to disk."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import BadFile, BadValue
from poise.files import reason
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.take import stream
from poise.take.columns import Column
from poise.take.description import describe, versions
from poise.take.record import CONTACT_WIDTH, WRENCH_WIDTH, LogEntry
from poise.take.take import Take

_TABLES = {"contacts": CONTACT_WIDTH, "external": WRENCH_WIDTH, "assist": WRENCH_WIDTH}
CHUNK = 600  # frames between two flushes: 5 s at 120 frames per second


class TakeInterrupted(BadFile):
    """The recording could not be written on; `take` holds all of it so far, from disk and memory."""

    take: Take


class Recorder:
    """Append `frame`s, then `finish`.

    With `path` (an .npz to be written) the frames go to a folder beside it every `chunk` frames, and little stays in
    memory; `finish` makes the file out of the folder and removes it. If the disk is full or the process dies, what the
    folder holds is not lost: `Take.recover(path)`.

    `start` [s] is the time in a clip at which the performance begins; a reference knows its own. `settings` and `stage`
    are frozen values that are described in the take, `others` and `labels` names for numbers in the tables.

    Row k of `torque`, of contacts and of wrenches is the mean over the interval from frame k to frame k + 1.
    """

    def __init__(self, reference: Reference | Clip, *, start: float = 0.0, method: str = "", settings: object = None,
                 stage: object = None, seed: int = 0, path: str | PathLike[str] | None = None,
                 others: Iterable[str] = ("ground",), labels: Iterable[str] = (), step: float = 0.0,
                 chunk: int = CHUNK):  # fmt: skip
        self.reference = reference if isinstance(reference, Reference) else Reference(reference, start=start)
        self.character = self.reference.character
        self.facts: dict[str, Any] = {"start": self.reference.start, "method": method, "settings": describe(settings),
                                      "stage": describe(stage), "seed": int(seed), "step": float(step),
                                      "versions": versions()}  # fmt: skip
        self.others, self.labels = tuple(others), tuple(labels)
        self.events: list[LogEntry] = []
        model = self.character.model
        self._time, self._q = Column("time", ()), Column("q", (model.nq,))
        self._v, self._torque = Column("v", (model.nv,)), Column("torque", (model.nv,))
        self._tables = {name: Column(name, (1 + width,), 2048) for name, width in _TABLES.items()}
        self._props: dict[str, Column] = {}
        self._traces: dict[str, Column] = {}
        self._frames, self._chunk, self._writing = 0, max(2, int(chunk)), 0.0
        self._due = self._chunk if path is not None else -1
        self.path = None if path is None else Path(path)
        self.folder: Path | None = None  # made with the first flush, so that a run that never begins leaves nothing
        if self.path is not None:
            stream.check_target(self.path)

    @property
    def frames(self) -> int:
        """How many were recorded. (There is no `__len__`: an empty recorder must not be false.)"""
        return self._frames

    def begin(self, *, others: Iterable[str] | None = None, labels: Iterable[str] | None = None,
              step: float | None = None) -> None:  # fmt: skip
        """Said by a simulation before its first frame.

        What the numbers in the columns `other` of contacts and `label` of wrenches stand for, and the time step [s] of
        v' = v + h a, q' = q + h v' (MuJoCo's integrators but Runge-Kutta), 0 where states come about in another way.
        """
        self.others = self.others if others is None else tuple(others)
        self.labels = self.labels if labels is None else tuple(labels)
        self.facts["step"] = self.facts["step"] if step is None else float(step)

    def follow(self, reference: Reference) -> None:
        """The reference that is followed from now on; `reference.edit(e, at=...)` makes one that knows its past."""
        self.reference = reference

    def log(self, time: float, kind: str, text: str) -> None:
        """Note something that happened."""
        self.events.append(LogEntry(float(time), str(kind), str(text)))

    def frame(self, time: float, q: Array, v: Array, torque: Array, contacts: Array | None = None,
              external: Array | None = None, assist: Array | None = None,
              props: Mapping[str, Array] | None = None,
              traces: Mapping[str, Array | float] | None = None) -> None:  # fmt: skip
        """Append one frame; everything is copied.

        time [s]; q (nq,), v (nv,) of the character at that time; torque (nv,) [N m]; contacts (K, 18) with the columns
        `CONTACT_COLUMNS`; external and assist (K, 11) with the columns `WRENCH_COLUMNS`; props: pose (7,) of each;
        traces: numbers or arrays by name, NaN in the frames in which a name is missing.
        """
        frame = self._frames
        self._time.row(time)
        self._q.row(q)
        self._v.row(v)
        self._torque.row(torque)
        tables = self._tables
        if contacts is not None and len(contacts):
            tables["contacts"].rows(frame, contacts)
        if external is not None and len(external):
            tables["external"].rows(frame, external)
        if assist is not None and len(assist):
            tables["assist"].rows(frame, assist)
        if props:
            _append("prop", self._props, props, frame)
        if traces:
            _append("trace", self._traces, traces, frame)
        self._frames = frame + 1
        if self._frames == self._due:
            self.flush()

    def _columns(self) -> Iterable[Column]:
        return (self._time, self._q, self._v, self._torque, *self._tables.values(), *self._props.values(),
                *self._traces.values())  # fmt: skip

    def flush(self) -> None:
        """Move what is in memory to the folder. A full disk gives one clear sentence and loses nothing."""
        if self.path is None:
            return
        self._due = -1  # whatever happens now, do not try again with every frame
        begun = clock.process_time()
        if self.folder is None:
            self.folder = stream.open_folder(self.path)
        try:
            stream.write_index(self.folder, self)
            # time last: a frame counts as recorded once its time is there
            for column in reversed(tuple(self._columns())):
                column.flush(self.folder)
        except OSError as error:
            failure = TakeInterrupted(self.folder, f"the take could not be written on: {reason(error)}; the "
                                      f"{self._time.written} frames before are safe there and load with "
                                      "Take.recover.")  # fmt: skip
            failure.take = self.take()
            raise failure from error
        self._writing += clock.process_time() - begun
        self._due = self._frames + self._chunk

    def index(self) -> dict[str, Any]:
        """The plain facts of the recording so far, for its folder."""
        columns = [{"kind": kind, "name": name, "file": c.name, "shape": list(c.shape)}
                   for kind, group in (("props", self._props), ("traces", self._traces))
                   for name, c in group.items()]  # fmt: skip
        return {**self.facts, "others": list(self.others), "labels": list(self.labels), "columns": columns,
                "events": [list(e) for e in self.events]}  # fmt: skip

    def take(self, timings: Mapping[str, float] | None = None) -> Take:
        """Everything recorded so far, from disk and memory; recording may go on afterwards."""
        if not self._frames:
            raise BadValue("A take needs at least one frame.")
        folder = self.folder
        for column in (*self._props.values(), *self._traces.values()):
            column.fill(self._frames)
        tables = {name: c.array(folder) for name, c in self._tables.items()}
        arrays = {c.name: c.array(folder) for c in (self._time, self._q, self._v, self._torque)}
        props = {name: c.array(folder) for name, c in self._props.items()}
        traces = {name: c.array(folder) for name, c in self._traces.items()}
        return stream.assemble(self.reference, self.index(), arrays, tables, props, traces, dict(timings or {}))

    def finish(self, timings: Mapping[str, float] | None = None) -> Take:
        """The take; with a `path` it is written there and the folder of frames is removed.

        `timings` [s]: "loop" is the CPU time of the performance without compilation; what writing took is taken off.
        """
        spent = dict(timings or {})
        if "loop" in spent and self._writing:
            spent = {**spent, "loop": spent["loop"] - self._writing, "writing": self._writing}
        take = self.take(spent)
        if self.path is not None:
            take.save(self.path)
            if self.folder is not None:
                stream.remove_folder(self.folder)
            self.path, self.folder, self._due = None, None, -1
        return take


def _append(kind: str, group: dict[str, Column], values: Mapping[str, Array | float], frame: int) -> None:
    """One row to each column of a group, which are made when they first appear."""
    for name, value in values.items():
        column = group.get(name)
        if column is None:  # files are numbered: a name may hold what a file name may not
            column = group[name] = Column(f"{kind}-{len(group)}", np.shape(value))
        if len(column) < frame:
            column.fill(frame)
        try:
            column.row(value)
        except ValueError:
            raise BadValue(f"The {kind} {name!r} has the shape {np.shape(value)} at frame {frame}; it began with "
                           f"{column.shape}.") from None  # fmt: skip
