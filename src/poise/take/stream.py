"""The folder of a recording under way, and how a take is made of it, also after a crash."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.errors import BadFile, BadValue, PoiseError
from poise.files import check_writable, reason
from poise.maths.rotations import Array
from poise.motion.formats import npz
from poise.motion.reference import Reference
from poise.take.columns import read
from poise.take.record import CONTACT_WIDTH, WRENCH_WIDTH, ContactRecord, LogEntry, WrenchRecord
from poise.take.take import Take

if TYPE_CHECKING:
    from poise.take.recorder import Recorder

FORMAT = "poise recording"
_INDEX, _CLIP = "index.json", "clip.npz"
_ENDING = ".frames"


def check_target(path: Path) -> None:
    """Refuse, before anything is performed, a file that a take cannot be streamed to."""
    if path.suffix.lower() != ".npz":
        raise BadValue(
            f"{path}: a performance is streamed to a file ending in .npz; save it as another one afterwards."
        )
    check_writable(path)


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


def write_index(folder: Path, recorder: Recorder) -> None:
    """What the raw files mean, and the clip that is followed; replaced as a whole with every flush."""
    clip = folder / _CLIP
    if not clip.exists():
        try:
            npz.save(recorder.reference.baked, clip)
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
    folder = _find(Path(path))
    try:
        index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
        if index.get("format") != FORMAT:
            raise BadFile(folder, "it is not the folder of a recording.")
        reference = Reference(npz.load(folder / _CLIP), start=float(index["start"]))
        return _from_folder(folder, index, reference)
    except BadFile:
        raise
    except OSError as error:
        raise BadFile(folder, f"nothing was flushed there: {reason(error)}.") from None
    except (PoiseError, KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise BadFile(folder, f"it is not a sound recording: {' '.join(str(error).split())[:200]}.") from None


def _from_folder(folder: Path, index: dict[str, Any], reference: Reference) -> Take:
    model = reference.character.model
    widths = {"time": 1, "q": model.nq, "v": model.nv, "torque": model.nv}
    arrays = {name: read(folder, name, width) for name, width in widths.items()}
    frames = min(len(a) for a in arrays.values())
    if not frames:
        raise BadFile(folder, "no frame was flushed there.")
    arrays = {name: a[:frames] for name, a in arrays.items()}
    arrays["time"] = arrays["time"][:, 0]
    tables = {}
    for name, width in (("contacts", CONTACT_WIDTH), ("external", WRENCH_WIDTH), ("assist", WRENCH_WIDTH)):
        rows = read(folder, name, 1 + width)
        tables[name] = rows[rows[:, 0] < frames]
    groups: dict[str, dict[str, Array]] = {"props": {}, "traces": {}}
    for column in index["columns"]:
        shape = tuple(int(n) for n in column["shape"])
        rows = read(folder, Path(str(column["file"])).name, int(np.prod(shape, dtype=int)))[:frames]
        whole = np.full((frames, rows.shape[1]), np.nan)
        whole[: len(rows)] = rows
        groups[column["kind"]][str(column["name"])] = whole.reshape(frames, *shape)
    return assemble(reference, index, arrays, tables, groups["props"], groups["traces"], {})


def assemble(reference: Reference, facts: dict[str, Any], arrays: dict[str, Array], tables: dict[str, Array],
             props: dict[str, Array], traces: dict[str, Array], timings: dict[str, float]) -> Take:  # fmt: skip
    """The take made of the recorded columns, with the reference sampled at its frames.

    A method that lets the reference run ahead or wait says by how much in the trace "reference_lag" [s].
    """
    time = arrays["time"]
    lag = np.nan_to_num(filled(traces["reference_lag"])) if "reference_lag" in traces else np.zeros(len(time))
    samples = [reference.sample(float(t)) for t in time + lag]
    points = len(reference.character.contact_points)
    contacts, external, assist = (tables[n] for n in ("contacts", "external", "assist"))
    return Take(
        clip=reference.baked, method=str(facts["method"]), start=reference.start, time=time, q=arrays["q"],
        v=arrays["v"], torque=arrays["torque"],
        contacts=ContactRecord.from_rows(contacts[:, 0], contacts[:, 1:], facts["others"]),
        external=WrenchRecord.from_rows(external[:, 0], external[:, 1:], facts["labels"]),
        assist=WrenchRecord.from_rows(assist[:, 0], assist[:, 1:], facts["labels"]),
        q_ref=np.array([s.q for s in samples]), v_ref=np.array([s.v for s in samples]),
        scheduled=np.array([s.contacts for s in samples], bool).reshape(len(time), points),
        step=float(facts["step"]), props=props, traces=traces, stage=facts["stage"], settings=facts["settings"],
        events=tuple(LogEntry(float(t), str(k), str(x)) for t, k, x in facts["events"]), timings=timings,
        seed=int(facts["seed"]), versions={str(k): str(v) for k, v in facts["versions"].items()},
    )  # fmt: skip


def filled(column: Array) -> Array:
    """A column (F,) with every NaN replaced by the number before it."""
    known = np.maximum.accumulate(np.where(np.isnan(column), 0, np.arange(len(column))))
    return column[known]


def _find(path: Path) -> Path:
    """The folder itself, or the newest one that belongs to a file."""
    if path.is_dir():
        return path
    beside = [p for p in path.parent.glob(f"{path.name}{_ENDING}*") if p.is_dir()] if path.parent.is_dir() else []
    if not beside:
        raise BadFile(path, f"there is no unfinished recording for it; its folder would end in {_ENDING}.")
    return max(beside, key=lambda p: p.stat().st_mtime)
