"""Recorder: takes down a performance frame by frame, in memory or streamed to disk."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from poise.errors import BadFile, BadValue
from poise.files import reason
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.take import stream
from poise.take.columns import Column
from poise.take.description import describe, versions
from poise.take.ended import Ended
from poise.take.record import CONTACT_WIDTH, WRENCH_WIDTH, LogEntry
from poise.take.take import Take

_TABLES = {"contacts": CONTACT_WIDTH, "external": WRENCH_WIDTH, "assist": WRENCH_WIDTH, "prop_contacts": CONTACT_WIDTH}
CHUNK = 600  # frames between two flushes: 5 s at 120 frames per second
_RESERVE = 1.5  # room kept on the disk for the next flush, as a multiple of the largest one so far


class TakeInterrupted(BadFile):
    """The recording could not be written on; `take` holds all of it so far, from disk and memory."""

    take: Take


class Recorder:
    """Append `frame`s, then `finish`.

    With `path` (an .npz to be written) the frames go to a folder beside it every `chunk` frames, and little stays in
    memory; `finish` makes the file out of the folder and removes it. If the disk is full or the process dies, what the
    folder holds is not lost: `Take.recover(path)`. Room for the next flush is kept free on the disk, so that one
    that fills up loses no frame. `overwrite` as in `clip.save`: None replaces any file but the one the clip was read
    from.

    `start` [s] is the time in a clip at which the performance begins; a reference knows its own. `settings` and `stage`
    are frozen values that are described in the take, `others` and `labels` names for numbers in the tables. `own` is
    the user's own clip where something else is followed (its repair); `asked` [s] how long it is meant to go on.

    Row k of `torque`, of contacts and of wrenches is the mean over the interval from frame k to frame k + 1.
    """

    def __init__(self, reference: Reference | Clip, *, start: float = 0.0, method: str = "", settings: object = None,
                 stage: object = None, seed: int = 0, path: str | PathLike[str] | None = None,
                 others: Iterable[str] = ("ground",), labels: Iterable[str] = (), step: float = 0.0,
                 chunk: int = CHUNK, own: Reference | None = None, asked: float = 0.0,
                 overwrite: bool | None = None):  # fmt: skip
        self.reference = reference if isinstance(reference, Reference) else Reference(reference, start=start)
        self.own = None if own is self.reference else own
        self.character = self.reference.character
        self.facts: dict[str, Any] = {"start": self.reference.start, "method": method, "settings": describe(settings),
                                      "stage": describe(stage), "seed": int(seed), "step": float(step),
                                      "asked": float(asked), "segments": [], "calls": [],
                                      "versions": versions()}  # fmt: skip
        self.others, self.labels = tuple(others), tuple(labels)
        self._other: np.ndarray | None = None  # numbers in this recording of what the simulator numbers
        self._label: np.ndarray | None = None
        self.events: list[LogEntry] = []
        model = self.character.model
        self._time, self._q = Column("time", ()), Column("q", (model.nq,))
        self._v, self._torque = Column("v", (model.nv,)), Column("torque", (model.nv,))
        self._tables = {name: Column(name, (1 + width,), 2048) for name, width in _TABLES.items()}
        self._props: dict[str, Column] = {}
        self._traces: dict[str, Column] = {}
        self._frames, self._chunk, self._writing, self._last = 0, max(2, int(chunk)), 0.0, 0.0
        self._due = 1 if path is not None else -1  # the first frame shows whether there is room at all
        self.path = None if path is None else Path(path)
        self.folder: Path | None = None  # made with the first flush, so that a run that never begins leaves nothing
        self._lock: IO[bytes] | None = None
        self._ended: Ended | None = None
        self._overwrite = overwrite
        if self.path is not None:
            source = self.reference.clip.source
            stream.check_target(self.path, (source.file, source.path), overwrite)

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
        if self._frames:  # names that were given keep their numbers
            self.others, self._other = merged(self.others, self.others if others is None else tuple(others))
            self.labels, self._label = merged(self.labels, self.labels if labels is None else tuple(labels))
            return
        self.others = self.others if others is None else tuple(others)
        self.labels = self.labels if labels is None else tuple(labels)
        self.facts["step"] = self.facts["step"] if step is None else float(step)

    def segment(self, method: str, settings: object, step: float, stage: object) -> None:
        """Another method, or the same on another stage, goes on from the next frame; its time step as in `begin`."""
        parts = self.facts["segments"]
        if not parts:
            parts.append([0, *(self.facts[n] for n in ("method", "settings", "step", "stage"))])
        if parts[-1][0] == self._frames:
            parts.pop()
        parts.append([self._frames, method, describe(settings), float(step), describe(stage)])

    def call(self, frame: int, time: float, name: str, values: Any) -> None:
        """Note what somebody asked for before a frame; `values` are plain."""
        self.facts["calls"].append([int(frame), float(time), name, values])

    def follow(self, reference: Reference, own: Reference | None = None) -> None:
        """The reference that is followed from now on; `reference.edit(e, at=...)` makes one that knows its past.

        `own` is what the user wants to see, where that is something else.
        """
        self.reference, self.own = reference, None if own is reference else own

    def log(self, time: float, kind: str, text: str) -> None:
        """Note something that happened."""
        self.events.append(LogEntry(float(time), str(kind), str(text)))

    def frame(self, time: float, q: Array, v: Array, torque: Array, contacts: Array | None = None,
              external: Array | None = None, assist: Array | None = None,
              props: Mapping[str, Array] | None = None,
              traces: Mapping[str, Array | float] | None = None,
              prop_contacts: Array | None = None) -> None:  # fmt: skip
        """Append one frame; everything is copied.

        time [s]; q (nq,), v (nv,) of the character at that time; torque (nv,) [N m]; contacts (K, 18) with the columns
        `CONTACT_COLUMNS`; external and assist (K, 11) with the columns `WRENCH_COLUMNS`; props: pose (7,) of each;
        traces: numbers or arrays by name, NaN in the frames in which a name is missing; prop_contacts (K, 18): what
        props touch beside the character, with numbers of `others` for their bodies, None where nobody knows.
        """
        frame = self._frames
        self._time.row(time)
        self._q.row(q)
        self._v.row(v)
        self._torque.row(torque)
        tables = self._tables
        if self._other is not None and contacts is not None:
            contacts = renumbered(contacts, self._other)
        if self._other is not None and prop_contacts is not None:
            prop_contacts = renumbered(renumbered(prop_contacts, self._other, 0), self._other)
        if self._label is not None:
            external = None if external is None else renumbered(external, self._label)
            assist = None if assist is None else renumbered(assist, self._label)
        if contacts is not None and len(contacts):
            tables["contacts"].rows(frame, contacts)
        if external is not None and len(external):
            tables["external"].rows(frame, external)
        if assist is not None and len(assist):
            tables["assist"].rows(frame, assist)
        if prop_contacts is not None:
            self.facts["prop_contacts"] = True
            if len(prop_contacts):
                tables["prop_contacts"].rows(frame, prop_contacts)
        if props:
            _append("prop", self._props, props, frame)
        if traces:
            _append("trace", self._traces, traces, frame)
        self._frames, self._last = frame + 1, float(time)
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
            self._lock = stream.hold(self.folder)
        try:
            self._write_out(self.folder)
        except OSError as error:
            failure = self._interrupted(self.path, self.folder, error)
            failure.take = self.take(ended=self.stopped("it could not be written on"))
            self._let_go()
            if not any(column.written for column in self._columns()):
                stream.remove_folder(self.folder)
                self.folder = None
            raise failure from error
        self._writing += clock.process_time() - begun
        self._due = (self._frames // self._chunk + 1) * self._chunk

    def _interrupted(self, path: Path, folder: Path, error: OSError) -> TakeInterrupted:
        """What to tell when the folder takes no more: how much of the take it holds."""
        safe = self._time.written
        if not safe:
            return TakeInterrupted(path, f"the take cannot be written: {reason(error)}; nothing was recorded.")
        frames = (
            f"{safe} frames before are safe there and load" if safe > 1 else "1 frame before is safe there and loads"
        )
        return TakeInterrupted(folder, f"the take could not be written on: {reason(error)}; the {frames} with "
                               f"Take.recover, or with  poise recover {path.name}.")  # fmt: skip

    def _let_go(self) -> None:
        """The folder is no longer being recorded to."""
        if self._lock is not None:
            self._lock.close()
        self._lock = None

    def _write_out(self, folder: Path) -> None:
        """All rows in memory to their files, into the room kept for them where there is no other; then new room."""
        size = sum(column.unwritten for column in self._columns())
        size = size * self._chunk if self._frames == 1 else size
        try:
            self._write_columns(folder)
        except OSError:
            stream.release(folder)
            self._write_columns(folder)
        try:
            stream.reserve(folder, int(_RESERVE * size))
        except OSError:
            stream.release(folder)
            raise

    def _write_columns(self, folder: Path) -> None:
        stream.write_index(folder, self)
        # time last: a frame counts as recorded once its time is there
        for column in reversed(tuple(self._columns())):
            column.flush(folder)

    def index(self) -> dict[str, Any]:
        """The plain facts of the recording so far, for its folder."""
        columns = [{"kind": kind, "name": name, "file": c.name, "shape": list(c.shape)}
                   for kind, group in (("props", self._props), ("traces", self._traces))
                   for name, c in group.items()]  # fmt: skip
        return {**self.facts, "others": list(self.others), "labels": list(self.labels), "columns": columns,
                "events": [list(e) for e in self.events]}  # fmt: skip

    def stopped(self, reason: str) -> Ended:
        """The end of a run that someone or something ended early: after the last recorded frame."""
        return Ended("stopped", self.last_time, reason)

    @property
    def last_time(self) -> float:
        """Time [s] of the last recorded frame; 0 before the first."""
        return self._last

    def take(self, timings: Mapping[str, float] | None = None, ended: Ended | None = None) -> Take:
        """Everything recorded so far, from disk and memory; recording may go on afterwards. `ended`: under way."""
        if not self._frames:
            raise BadValue("A take needs at least one frame.")
        folder, frames = self.folder, self._frames
        for column in (*self._props.values(), *self._traces.values()):
            column.fill(frames)
        # an interrupt may have come in the midst of a frame: only whole ones count
        tables = {name: c.array(folder) for name, c in self._tables.items()}
        tables = {name: rows[rows[:, 0] < frames] for name, rows in tables.items()}
        arrays = {c.name: c.array(folder)[:frames] for c in (self._time, self._q, self._v, self._torque)}
        props = {name: c.array(folder)[:frames] for name, c in self._props.items()}
        traces = {name: c.array(folder)[:frames] for name, c in self._traces.items()}
        ended = Ended("under way", self.last_time) if ended is None else ended
        return stream.assemble(self.reference, self.index(), arrays, tables, props, traces, dict(timings or {}), ended,
                               self.own)  # fmt: skip

    def looked_at(self, last: Callable[[Recorder], None], timings: Mapping[str, float] | None = None,
                  ended: Ended | None = None) -> Take:  # fmt: skip
        """Everything so far with one more frame that `last` adds, which is taken back: the recording goes on."""
        due, time, frames = self._due, self._last, self._frames
        self._due = -1
        try:
            last(self)
            return self.take(timings, ended)
        finally:
            for column in (self._time, self._q, self._v, self._torque, *self._props.values(), *self._traces.values()):
                column.count -= max(0, len(column) - frames)
            self._due, self._last, self._frames = due, time, frames

    def finish(self, timings: Mapping[str, float] | None = None, ended: Ended | None = None) -> Take:
        """The take; with a `path` it is written there and the folder of frames is removed.

        `ended` says how the run ended, if not whole. Who has only `stopped` a run finishes it so.

        `timings` [s]: "loop" is the CPU time of the performance without compilation; what writing took is taken off.
        """
        spent = dict(timings or {})
        if "loop" in spent and self._writing:
            spent = {**spent, "loop": spent["loop"] - self._writing, "writing": self._writing}
        if self._ended is None:  # who is interrupted while the file is written, and finishes again, ended before
            self._ended = Ended("whole", self.last_time) if ended is None else ended
        take = self.take(spent, self._ended)
        if self.path is not None:
            self._save(take, self.path)
        return take

    def _save(self, take: Take, path: Path) -> None:
        """The file, out of what is safe in the folder, which goes only when the file is there."""
        self.flush()
        folder = self.folder
        if folder is not None:
            stream.release(folder)
        try:
            take.save(path, overwrite=True if self._overwrite is None else self._overwrite)
        except BadFile as error:
            where = "" if folder is None else (f"; all {len(take)} frames are safe in {folder.name} and load with "
                                               f"Take.recover, or with  poise recover {path.name}")  # fmt: skip
            failure = TakeInterrupted(path, f"{error.reason.rstrip('.')}{where}.")
            failure.take = take
            raise failure from error
        finally:
            self._let_go()
        if folder is not None:
            stream.remove_folder(folder)
        self.path, self.folder, self._due = None, None, -1


def merged(known: tuple[str, ...], names: tuple[str, ...]) -> tuple[tuple[str, ...], np.ndarray | None]:
    """Names that are known and new ones after them, and which of them each of `names` is; None: the same number."""
    together = tuple(dict.fromkeys((*known, *names)))
    numbers = np.array([together.index(n) for n in names], float)
    return together, None if np.array_equal(numbers, np.arange(len(names))) else numbers


def renumbered(rows: Array, numbers: np.ndarray, column: int = 1) -> Array:
    """Rows with the number in one column replaced."""
    out = rows.copy()
    out[:, column] = numbers[rows[:, column].astype(int)]
    return out


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
