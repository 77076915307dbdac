"""Saves and loads a whole take as npz: named plain arrays and one JSON text, no pickle, bit for bit the same take."""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from os import PathLike
from typing import Any

import numpy as np

from poise import budgets, files
from poise.errors import BadFile, BadValue
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.formats import npz, npz_arrays
from poise.motion.load import opened
from poise.printable import printable
from poise.take.description import describe, ground_of
from poise.take.ended import Ended
from poise.take.own import Own
from poise.take.record import CONTACT_COLUMNS, WRENCH_COLUMNS, ContactRecord, LogEntry, WrenchRecord
from poise.take.segments import calls_of, segments_of
from poise.take.take import Take

FORMAT, VERSION = "poise take", 1
_ARRAYS = ("time", "q", "v", "torque", "q_ref", "v_ref", "scheduled")
_RECORDS = {"contacts": CONTACT_COLUMNS, "external": WRENCH_COLUMNS, "assist": WRENCH_COLUMNS}


def save(take: Take, path: str | PathLike[str], *, overwrite: bool | None = None) -> None:
    """Writes the take with its clip, its character and everything recorded; the file is whole or not there.

    `overwrite`: None replaces any file but the one that was read, True this one too, False none.
    """
    files.check_overwrite(path, (take.clip.source.file, take.clip.source.path), overwrite)
    clip, arrays = npz.pack(take.clip)
    arrays = {f"clip.{name}": array for name, array in arrays.items()}
    arrays |= {name: getattr(take, name) for name in _ARRAYS}
    for kind, columns in _RECORDS.items():
        record = getattr(take, kind)
        arrays |= {f"{kind}.{name}": getattr(record, name) for name in ("frame", *columns)}
    if take.prop_contacts is not None:
        arrays |= {f"prop_contacts.{n}": getattr(take.prop_contacts, n) for n in ("frame", *CONTACT_COLUMNS)}
    if take.own is not None:
        arrays |= {"own.q": take.own.q, "own.scheduled": take.own.scheduled}
    names = {}
    for kind, group in (("props", take.props), ("traces", take.traces)):
        names[kind] = list(group)
        arrays |= {f"{kind}.{k}": array for k, array in enumerate(group.values())}
    facts = {
        "format": FORMAT, "version": VERSION, "clip": clip, "method": take.method, "start": take.start,
        "step": take.step, "others": list(take.contacts.others), "external": list(take.external.labels),
        "assist": list(take.assist.labels), **names, "stage": take.stage, "settings": take.settings,
        "events": [list(e) for e in take.events], "timings": dict(take.timings), "seed": take.seed,
        "versions": dict(take.versions), "asked": take.asked, "segments": [list(p) for p in take.segments],
        "calls": [list(c) for c in take.calls],
        "ended": None if take.run_ended is None else [take.run_ended.kind, take.run_ended.time, take.run_ended.reason],
        "own": None if take.own is None else {"ground": describe(take.own.ground)},
        "prop_contacts": None if take.prop_contacts is None else list(take.prop_contacts.others),
    }  # fmt: skip
    with files.writing(path) as temporary:
        npz_arrays.write(temporary, json.dumps(facts, allow_nan=False), arrays)


def load(path: str | PathLike[str]) -> Take:
    """The take in an npz file that `save` wrote; anything else is refused with one sentence."""
    facts, arrays = npz_arrays.read(files.must_exist(path), "take")
    try:
        if facts.get("format") != FORMAT:
            hint = " It is a clip: open it with poise.load_clip." if facts.get("format") == "poise clip" else ""
            raise BadFile(path, f"it is an npz file, but not a take saved by poise.{hint}")
        if facts.get("version") != VERSION:
            raise BadFile(
                path, f"it has version {facts.get('version')!r} of the take format; this poise reads {VERSION}."
            )
        take = _take(facts, arrays)
        return take.with_(clip=opened(take.clip, path))
    except BadFile:
        raise
    except KeyError as error:
        raise BadFile(path, f"it is not a whole take: {error.args[0]!r} is missing.") from None
    except npz.UNSOUND as error:
        raise BadFile(path, f"it is not a sound take: {npz.told(error)}") from None


def is_take(path: str | PathLike[str]) -> bool:
    """Does this file hold a take? False for anything else, also for what is not there."""
    try:
        with zipfile.ZipFile(path) as archive:
            return f'"format": "{FORMAT}"'.encode() in archive.open("facts.json").read(64)
    except (OSError, KeyError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error):
        return False


def _take(facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Take:
    clip = npz.unpack(facts["clip"], {k.removeprefix("clip."): a for k, a in arrays.items() if k.startswith("clip.")})
    for name in _ARRAYS[:-1]:
        npz_arrays.expect(name, arrays[name], arrays[name].shape)
    _check_frames(clip, arrays)
    frames, bodies = len(arrays["time"]), clip.character.model.nbody
    records = {kind: _record(kind, columns, arrays, frames, bodies) for kind, columns in _RECORDS.items()}
    if np.any(records["contacts"]["other"] >= len(facts["others"])):
        raise BadValue("its contacts touch something that has no name.")
    groups = {
        kind: {printable(n): arrays[f"{kind}.{k}"] for k, n in enumerate(facts[kind])} for kind in ("props", "traces")
    }
    for name, array in (*groups["props"].items(), *groups["traces"].items()):
        if len(array) != frames:
            raise BadValue(f"its {name!r} has {len(array)} rows for {frames} frames.")
    return Take(
        clip=clip, method=printable(facts["method"]), time=arrays["time"], q=arrays["q"], v=arrays["v"],
        torque=arrays["torque"], q_ref=arrays["q_ref"], v_ref=arrays["v_ref"], scheduled=arrays["scheduled"],
        contacts=ContactRecord(**records["contacts"], others=_texts(facts["others"])),
        external=WrenchRecord(**records["external"], labels=_texts(facts["external"])),
        assist=WrenchRecord(**records["assist"], labels=_texts(facts["assist"])),
        start=_seconds(facts, "start"), step=_seconds(facts, "step", 0.0, budgets.MOST_STEP), props=groups["props"],
        traces=groups["traces"], stage=facts["stage"], settings=facts["settings"],
        events=tuple(LogEntry(float(t), printable(k), printable(x)) for t, k, x in facts["events"]),
        timings={str(k): float(v) for k, v in facts["timings"].items()}, seed=int(facts["seed"]),
        versions={str(k): str(v) for k, v in facts["versions"].items()}, run_ended=_ended(facts.get("ended")),
        asked=_seconds({"asked": 0.0, **facts}, "asked", 0.0), own=_own(facts.get("own"), arrays, clip),
        segments=segments_of(facts), calls=calls_of(facts),
        prop_contacts=_prop_contacts(facts.get("prop_contacts"), arrays, frames),
    )  # fmt: skip


def _seconds(facts: dict[str, Any], name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A time [s] among the facts, where it is one that a performance can have."""
    value = float(facts[name])
    if not low <= value <= high or math.isinf(value):
        raise BadValue(f"its {name!r} is {value:g} s, which no performance has.")
    return value


def _ended(facts: Any) -> Ended | None:
    """How the run ended; None in files of older versions."""
    return None if facts is None else Ended(str(facts[0]), float(facts[1]), str(facts[2]))


def _own(facts: Any, arrays: dict[str, np.ndarray], clip: Clip) -> Own | None:
    """The user's own clip, where the take has one besides what was followed."""
    if facts is None:
        return None
    for name, dtype in (("own.q", np.float64), ("own.scheduled", np.bool_)):
        npz_arrays.expect(name, arrays[name], arrays[name].shape, dtype)
    return Own(arrays["own.q"], arrays["own.scheduled"], ground_of(facts, clip.ground))


def _prop_contacts(names: Any, arrays: dict[str, np.ndarray], frames: int) -> ContactRecord | None:
    """What props touch beside the character, where the take knows it."""
    if names is None:
        return None
    others = _texts(names)
    columns = _record("prop_contacts", CONTACT_COLUMNS, arrays, frames, len(others))
    if np.any(columns["other"] >= len(others)):
        raise BadValue("its props touch something that has no name.")
    return ContactRecord(**columns, others=others)


def _check_frames(clip: Clip, arrays: dict[str, np.ndarray]) -> None:
    """Refuse times that go backward or leap, and rotations that are none."""
    time = arrays["time"]
    if time.ndim != 1 or not len(time):
        raise BadValue("its times are no list.")
    steps = np.diff(time)
    if np.any(steps <= 0.0) or np.any(steps > budgets.MOST_STEP) or abs(time[-1]) > budgets.LONGEST:
        raise BadValue(f"its frames must follow each other by at most {budgets.MOST_STEP:g} s, and last no day.")
    for name in ("q", "q_ref"):
        if arrays[name].shape != (len(time), clip.character.model.nq):
            raise BadValue(f"its {name!r} has shape {arrays[name].shape} for {len(time)} frames.")
        budgets.check_quaternions(f"its {name!r}", arrays[name][:, clip.character.quaternions])


def _record(kind: str, columns: dict[str, int], arrays: dict[str, np.ndarray], frames: int,
            bodies: int) -> dict[str, Any]:  # fmt: skip
    """The columns of a record, checked: shapes, types, frames in order, bodies that exist."""
    frame: Array = arrays[f"{kind}.frame"]
    count, out = len(frame), {}
    for name, width in {"frame": 1, **columns}.items():
        shape = (count,) if width == 1 else (count, width)
        whole = name in ("frame", "body", "other", "label")
        dtype = np.int64 if whole else np.bool_ if name == "bilateral" else np.float64
        out[name] = npz_arrays.expect(f"{kind}.{name}", arrays[f"{kind}.{name}"], shape, dtype)
        out[name].flags.writeable = False
        if whole and np.any(out[name] < 0):
            raise BadValue(f"its {kind} have a negative {name}.")
    if np.any(np.diff(frame) < 0) or np.any(frame >= frames) or np.any(out["body"] >= bodies):
        raise BadValue(f"its {kind} belong to frames or bodies that do not exist.")
    return out


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise BadValue("a list of names was expected.")
    return tuple(printable(v) for v in values)
