"""The folder of a recording under way, and how a take is made of it, also after a crash."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from poise.errors import BadFile, BadValue, PoiseError
from poise.files import check_overwrite, check_writable, reason
from poise.maths.rotations import Array
from poise.motion.formats import npz
from poise.motion.reference import Reference
from poise.take.columns import read
from poise.take.ended import Ended
from poise.take.own import sampled
from poise.take.record import CONTACT_WIDTH, WRENCH_WIDTH, ContactRecord, LogEntry, WrenchRecord
from poise.take.segments import calls_of, segments_of
from poise.take.take import Take

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

if TYPE_CHECKING:
    from poise.take.recorder import Recorder

FORMAT = "poise recording"
_INDEX, _CLIP, _OWN, _LOCK, _RESERVE = "index.json", "clip.npz", "own.npz", "under-way", "reserve"
_ENDING = ".frames"


def check_target(path: Path, own: Iterable[str] = (), overwrite: bool | None = None) -> None:
    """Refuse, before anything is performed, a file that a take cannot be streamed to, or that is to be kept."""
    if path.suffix.lower() != ".npz":
        raise BadValue(
            f"{path}: a performance is streamed to a file ending in .npz; save it as another one afterwards."
        )
    check_writable(path)
    check_overwrite(path, own, overwrite)


def open_folder(path: Path) -> Path:
    """A new folder beside the file that a take will be written to; older ones are never touched."""
    for number in range(1, 10000):
        folder = path.with_name(f"{path.name}{_ENDING}{'' if number == 1 else f'-{number}'}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue
        except OSError as error:
            raise BadFile(path, f"it cannot be written: {reason(error)}.") from None
    raise BadFile(path, "there are too many unfinished recordings beside it.")


def remove_folder(folder: Path) -> None:
    """Remove a recording's folder after its take was written."""
    shutil.rmtree(folder, ignore_errors=True)


def hold(folder: Path) -> IO[bytes] | None:
    """Mark a folder as being recorded to until the file that is given is closed or this process ends, however it ends.

    None where the system has no such locks.
    """
    if fcntl is None:
        return None
    try:
        stream = open(folder / _LOCK, "wb")  # noqa: SIM115  (held as long as the recording lasts)
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return stream


def under_way(folder: Path) -> bool:
    """Is somebody recording to this folder right now? False where that cannot be told."""
    if fcntl is None:
        return False
    try:
        with open(folder / _LOCK, "rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def reserve(folder: Path, size: int) -> None:
    """Keep so many bytes of the disk free for the frames to come; a disk that has them no more is an OSError."""
    file = folder / _RESERVE
    if file.exists() and file.stat().st_size >= size:
        return
    with open(file, "wb", buffering=0) as stream:
        try:
            os.posix_fallocate(stream.fileno(), 0, size)
            return
        except AttributeError:
            pass  # not on this system: write something
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
        stream.write(bytes(size))


def release(folder: Path) -> None:
    """Give back what `reserve` kept."""
    with contextlib.suppress(OSError):
        (folder / _RESERVE).unlink(missing_ok=True)


def write_index(folder: Path, recorder: Recorder) -> None:
    """What the raw files mean, and the clip that is followed; replaced as a whole with every flush."""
    for name, reference in ((_CLIP, recorder.reference), (_OWN, recorder.own)):
        if reference is None or (folder / name).exists():
            continue
        try:
            npz.save(reference.baked, folder / name)
        except BadFile as error:
            raise error.__cause__ if isinstance(error.__cause__, OSError) else error from None
    fresh = folder / f"{_INDEX}.new"
    try:
        fresh.write_text(json.dumps({"format": FORMAT, **recorder.index()}, allow_nan=False), encoding="utf-8")
        os.replace(fresh, folder / _INDEX)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def recover(path: str | PathLike[str]) -> Take:
    """The take in the folder of a recording that was never finished; `path` is the folder or the file it was for."""
    folder = find(Path(path))
    try:
        index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
        if index.get("format") != FORMAT:
            raise BadFile(folder, "it is not the folder of a recording.")
        reference = Reference(npz.load(folder / _CLIP), start=float(index["start"]))
        own = Reference(npz.load(folder / _OWN), start=reference.start) if (folder / _OWN).exists() else None
        return _from_folder(folder, index, reference, own)
    except BadFile:
        raise
    except OSError as error:
        raise BadFile(folder, f"nothing was flushed there: {reason(error)}.") from None
    except (PoiseError, KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise BadFile(folder, f"it is not a sound recording: {' '.join(str(error).split())[:200]}.") from None


def _from_folder(folder: Path, index: dict[str, Any], reference: Reference, own: Reference | None) -> Take:
    model = reference.character.model
    widths = {"time": 1, "q": model.nq, "v": model.nv, "torque": model.nv}
    arrays = {name: read(folder, name, width) for name, width in widths.items()}
    frames = min(len(a) for a in arrays.values())
    if not frames:
        raise BadFile(folder, "no frame was flushed there.")
    arrays = {name: a[:frames] for name, a in arrays.items()}
    arrays["time"] = arrays["time"][:, 0]
    tables = {}
    for name, width in (("contacts", CONTACT_WIDTH), ("external", WRENCH_WIDTH), ("assist", WRENCH_WIDTH),
                        ("prop_contacts", CONTACT_WIDTH)):  # fmt: skip
        rows = read(folder, name, 1 + width)
        tables[name] = rows[rows[:, 0] < frames]
    groups: dict[str, dict[str, Array]] = {"props": {}, "traces": {}}
    for column in index["columns"]:
        shape = tuple(int(n) for n in column["shape"])
        rows = read(folder, Path(str(column["file"])).name, int(np.prod(shape, dtype=int)))[:frames]
        whole = np.full((frames, rows.shape[1]), np.nan)
        whole[: len(rows)] = rows
        groups[column["kind"]][str(column["name"])] = whole.reshape(frames, *shape)
    ended = Ended("stopped", float(arrays["time"][-1]), "the recording never came to its end")
    return assemble(reference, index, arrays, tables, groups["props"], groups["traces"], {}, ended, own)


def assemble(reference: Reference, facts: dict[str, Any], arrays: dict[str, Array], tables: dict[str, Array],
             props: dict[str, Array], traces: dict[str, Array], timings: dict[str, float],
             ended: Ended | None = None, own: Reference | None = None) -> Take:  # fmt: skip
    """The take made of the recorded columns, with the reference, and the user's `own` clip, sampled at its frames.

    A method that lets the reference run ahead or wait says by how much in the trace "reference_lag" [s].
    """
    time = arrays["time"]
    lag = np.nan_to_num(filled(traces["reference_lag"])) if "reference_lag" in traces else np.zeros(len(time))
    samples = [reference.sample(float(t)) for t in time + lag]
    points = len(reference.character.contact_points)
    contacts, external, assist = (tables[n] for n in ("contacts", "external", "assist"))
    things = tables["prop_contacts"] if facts.get("prop_contacts") else None
    clip = reference.baked
    clip = clip if reference.ground is clip.ground else replace(clip, ground=reference.ground)
    return Take(
        clip=clip, method=str(facts["method"]), start=reference.start, time=time, q=arrays["q"],
        v=arrays["v"], torque=arrays["torque"],
        contacts=ContactRecord.from_rows(contacts[:, 0], contacts[:, 1:], facts["others"]),
        external=WrenchRecord.from_rows(external[:, 0], external[:, 1:], facts["labels"]),
        assist=WrenchRecord.from_rows(assist[:, 0], assist[:, 1:], facts["labels"]),
        q_ref=np.array([s.q for s in samples]), v_ref=np.array([s.v for s in samples]),
        scheduled=np.array([s.contacts for s in samples], bool).reshape(len(time), points),
        step=float(facts["step"]), props=props, traces=traces, stage=facts["stage"], settings=facts["settings"],
        events=tuple(LogEntry(float(t), str(k), str(x)) for t, k, x in facts["events"]), timings=timings,
        seed=int(facts["seed"]), versions={str(k): str(v) for k, v in facts["versions"].items()}, run_ended=ended,
        asked=float(facts.get("asked", 0.0)), segments=segments_of(facts), calls=calls_of(facts),
        own=None if own is None and not lag.any() else sampled(own or reference, time),
        prop_contacts=None if things is None else ContactRecord.from_rows(things[:, 0], things[:, 1:], facts["others"]),
    )  # fmt: skip


def filled(column: Array) -> Array:
    """A column (F,) with every NaN replaced by the number before it."""
    known = np.maximum.accumulate(np.where(np.isnan(column), 0, np.arange(len(column))))
    return column[known]


def unfinished(path: Path) -> list[Path]:
    """The folders of recordings that were meant for a file and never came to their end, the newest first."""
    name = re.compile(re.escape(path.name + _ENDING) + r"(-\d+)?")
    try:
        found = [p for p in path.parent.iterdir() if name.fullmatch(p.name) and p.is_dir()]
        return sorted(found, key=lambda p: p.stat().st_mtime, reverse=True)
    except OSError:
        return []


def meant_for(folder: Path) -> Path | None:
    """The file that the take in a recording's folder was meant for; None for any other folder."""
    name = re.fullmatch(rf"(.+){re.escape(_ENDING)}(-\d+)?", folder.name)
    return folder.with_name(name[1]) if name else None


def find(path: Path) -> Path:
    """The folder itself, or the newest one that belongs to a file."""
    if path.is_dir():
        return path
    beside = unfinished(path)
    if not beside:
        raise BadFile(path, f"there is no unfinished recording for it; its folder would end in {_ENDING}.")
    return beside[0]
