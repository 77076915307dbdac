"""Saves and loads a whole Clip as npz: plain arrays and one JSON text, no pickle, bit for bit the same clip."""

from __future__ import annotations

import dataclasses
import json
from os import PathLike
from typing import Any

import mujoco
import numpy as np

from poise import budgets, files
from poise.character import Character
from poise.character.character import ContactPoints
from poise.character.model_files import scan
from poise.character.model_files.read import cannot_move, too_large
from poise.character.skeleton import Binding, EndSite, Placement, Skeleton
from poise.errors import BadFile, BadValue, PoiseError
from poise.ground.saving import described, finite, made
from poise.motion.clip import Clip, Cycle
from poise.motion.formats import npz_arrays
from poise.motion.hold import Hold
from poise.motion.recording import Recording, Source
from poise.printable import printable

VERSION = 1

Arrays = dict[str, np.ndarray]
Facts = dict[str, Any]


def save(clip: Clip, path: str | PathLike[str]) -> None:
    """Writes the clip with its character, binding, recording, ground, cycle, labels, holds and source."""
    facts, arrays = pack(clip)
    with files.writing(path) as temporary:
        npz_arrays.write(temporary, json.dumps(facts, allow_nan=False), arrays)


def pack(clip: Clip) -> tuple[Facts, Arrays]:
    """The whole clip as facts (plain values for JSON) and arrays by name; `unpack` makes the same clip of them."""
    arrays: Arrays = {"q": clip.q}
    facts: Facts = {
        "format": "poise clip",
        "version": VERSION,
        "dt": float(clip.dt),
        "source": _source_out(clip.source),
        "ground": described(clip.ground),
        "character": _character_out(clip.character, arrays),
    }
    for name in ("labels", "source_times"):
        value = getattr(clip, name)
        if value is not None:
            arrays[name] = np.asarray(value)
    if clip.cycle is not None:
        facts["cycle"] = {"turn": float(clip.cycle.turn)}
        arrays["cycle.shift"] = clip.cycle.shift
    if clip.holds is not None:
        facts["holds"] = [dataclasses.asdict(hold) for hold in clip.holds]
    if clip.placement is not None:
        facts["placement"] = _placement_out(clip.placement, arrays, "placement")
    if clip.recording is not None:
        shared = clip.character.binding is not None and clip.recording.skeleton is clip.character.binding.skeleton
        facts["recording"] = _recording_out(clip.recording, arrays, shared)
    return facts, arrays


def looks_like(start: bytes) -> bool:
    """Do these first bytes of a file begin an npz?"""
    return start.startswith(b"PK\x03\x04")


def read(path: str | PathLike[str]) -> Recording:
    """The recording of a saved clip."""
    clip = load(path)
    if clip.recording is None:
        raise BadFile(path, "it holds a clip that came from no motion file; load it as a clip.")
    return clip.recording


def load(path: str | PathLike[str]) -> Clip:
    """The clip in an npz file that `save` wrote; anything else is refused with one sentence."""
    file = files.must_exist(path)
    facts, arrays = npz_arrays.read(file)
    try:
        if facts.get("format") != "poise clip":
            raise BadFile(path, "it is an npz file, but not a clip saved by poise.")
        if facts.get("version") != VERSION:
            raise BadFile(
                path, f"it has version {facts.get('version')!r} of the clip format; this poise reads {VERSION}."
            )
        return unpack(facts, arrays)
    except BadFile:
        raise
    except KeyError as error:
        raise BadFile(path, f"it is not a whole clip: {error.args[0]!r} is missing.") from None
    except UNSOUND as error:
        raise BadFile(path, f"it is not a sound clip: {told(error)}") from None


UNSOUND = (PoiseError, ValueError, TypeError, AttributeError, IndexError, OverflowError, RecursionError, RuntimeError,
           MemoryError, ArithmeticError, mujoco.FatalError, mujoco.UnexpectedError)  # fmt: skip
"""What facts and arrays that do not fit together, or a model that MuJoCo cannot build, may end in."""


def told(error: BaseException) -> str:
    """What an error says, as the end of a sentence."""
    return (" ".join(str(error).split())[:200] or type(error).__name__).rstrip(".") + "."


def unpack(facts: Facts, arrays: Arrays) -> Clip:
    """The clip that `pack` took apart."""
    character = _character_in(facts["character"], arrays)
    q, labels, times = arrays["q"], arrays.get("labels"), arrays.get("source_times")
    if labels is not None and (labels.shape != (len(q), len(character.contact_points)) or labels.dtype != bool):
        raise BadValue(f"its contact labels have shape {labels.shape}.")
    if times is not None:
        npz_arrays.expect("source_times", times, (len(q),))
    cycle = Cycle(finite(facts["cycle"]["turn"]), _get(arrays, "cycle.shift", (3,))) if "cycle" in facts else None
    binding = character.binding
    recording = None
    if "recording" in facts:
        recording = _recording_in(facts["recording"], arrays, None if binding is None else binding.skeleton)
    placement = _placement_in(facts["placement"], arrays, "placement") if "placement" in facts else None
    return Clip(character, npz_arrays.expect("q", q, (len(q), character.model.nq)), finite(facts["dt"]),
                _source_in(facts["source"]), made(facts["ground"]), cycle, labels, recording, placement,
                times, _holds_in(facts["holds"]) if "holds" in facts else None)  # fmt: skip


def _holds_in(facts: list[Facts]) -> tuple[Hold, ...]:
    names = {f.name for f in dataclasses.fields(Hold)}
    return tuple(Hold(**{str(k): v for k, v in row.items() if k in names}) for row in facts)


def _character_out(character: Character, arrays: Arrays) -> Facts:
    points = character.contact_points
    arrays["character.stiffness"], arrays["character.torque_limit"] = character.stiffness, character.torque_limit
    arrays["points.bodies"], arrays["points.positions"] = np.asarray(points.bodies, np.int64), points.positions
    facts: Facts = {
        "name": character.name,
        "xml": character.xml,
        "roles": dict(character.roles),
        "points": list(points.names),
        "notes": list(character.notes),
        "stature": character.stature,
    }
    binding = character.binding
    if binding is not None:
        arrays["binding.joints"], arrays["binding.rest"] = np.asarray(binding.joints, np.int64), binding.rest
        facts["binding"] = {
            "skeleton": _skeleton_out(binding.skeleton, arrays, "binding"),
            "placement": _placement_out(binding.placement, arrays, "binding"),
        }
    return facts


def _character_in(facts: Facts, arrays: Arrays) -> Character:
    names = _texts(facts["points"])
    points = ContactPoints(names, _get(arrays, "points.bodies", (len(names),), np.int64),
                           _get(arrays, "points.positions", (len(names), 3)))  # fmt: skip
    binding = None
    if "binding" in facts:
        skeleton = _skeleton_in(facts["binding"]["skeleton"], arrays, "binding")
        joints = _get(arrays, "binding.joints", (len(arrays["binding.joints"]),), np.int64)
        if np.any(joints < -1) or np.any(joints >= len(skeleton)):
            raise BadValue("its binding names joints that do not exist.")
        rest = _get(arrays, "binding.rest", (len(skeleton), 4))
        binding = Binding(skeleton, joints, rest, _placement_in(facts["binding"]["placement"], arrays, "binding"))
        budgets.check_quaternions("its binding", rest)
    roles = {str(k): str(v) for k, v in facts["roles"].items()}
    stiffness, limit = (npz_arrays.expect(n, arrays[n], arrays[n].shape)
                        for n in ("character.stiffness", "character.torque_limit"))  # fmt: skip
    wrong = scan.problem(str(facts["xml"]))
    if wrong:
        raise BadValue(f"its character cannot be built: {wrong}.")
    stature = None if facts.get("stature") is None else finite(facts["stature"])
    if stature is not None and not 0.0 < stature <= budgets.FARTHEST:
        raise BadValue(f"its character is {stature:g} m tall; it must be above 0 and at most {budgets.FARTHEST:g} m.")
    character = Character(printable(facts["name"]), str(facts["xml"]), roles, points, stiffness, limit, binding,
                          _texts(facts["notes"]), stature)  # fmt: skip
    bodies = character.model.nbody
    _simple(character.model)
    if np.any(points.bodies < 0) or np.any(points.bodies >= bodies) or (binding and len(binding.joints) != bodies):
        raise BadValue("its contact points or its binding do not fit its bodies.")
    return character


def _simple(model: mujoco.MjModel) -> None:
    """Refuse a model that is no character: without a free root, or larger than any body."""
    if model.njnt < 1 or model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE or not model.body_mass.sum() > 0:
        raise BadValue("its character has no root that is free to move, or no mass.")
    wrong = too_large(model) or cannot_move(model)
    if wrong:
        raise BadValue(f"its character {wrong}.")


def _skeleton_out(skeleton: Skeleton, arrays: Arrays, key: str) -> Facts:
    arrays[f"{key}.parents"], arrays[f"{key}.offsets"] = np.asarray(skeleton.parents, np.int64), skeleton.offsets
    arrays[f"{key}.turns"] = skeleton.rest
    arrays[f"{key}.ends"] = np.array([e.offset for e in skeleton.ends], float).reshape(-1, 3)
    return {
        "names": list(skeleton.names),
        "channels": [list(c) for c in skeleton.channels],
        "ends": [[e.joint, e.name] for e in skeleton.ends],
    }


def _skeleton_in(facts: Facts, arrays: Arrays, key: str) -> Skeleton:
    names = _texts(facts["names"])
    count, ends = len(names), facts["ends"]
    places = _get(arrays, f"{key}.ends", (len(ends), 3))
    sites = tuple(EndSite(int(j), place, str(name)) for (j, name), place in zip(ends, places, strict=True))
    channels = tuple(_texts(c) for c in facts["channels"])
    if any(not 0 <= e.joint < count for e in sites) or len(channels) not in (0, count):
        raise BadValue("its end sites or channels do not fit its joints.")
    parents, offsets = _get(arrays, f"{key}.parents", (count,), np.int64), _get(arrays, f"{key}.offsets", (count, 3))
    return Skeleton(names, parents, offsets, sites, _get(arrays, f"{key}.turns", (count, 4)), channels)


def _recording_out(recording: Recording, arrays: Arrays, shared: bool) -> Facts:
    arrays["recording.rotations"], arrays["recording.positions"] = recording.rotations, recording.positions
    return {
        "skeleton": None if shared else _skeleton_out(recording.skeleton, arrays, "recording"),
        "dt": float(recording.dt),
        "source": _source_out(recording.source),
        "unit": None if recording.unit is None else float(recording.unit),
        "up": recording.up,
        "wraps": bool(recording.wraps),
    }


def _recording_in(facts: Facts, arrays: Arrays, shared: Skeleton | None) -> Recording:
    own = facts["skeleton"]
    skeleton = shared if own is None else _skeleton_in(own, arrays, "recording")
    if skeleton is None:
        raise BadValue("its recording has no skeleton.")
    shape = (len(arrays["recording.rotations"]), len(skeleton))
    unit = None if facts["unit"] is None else finite(facts["unit"])
    if facts["up"] not in (None, "x", "y", "z"):
        raise BadValue("its up axis is not x, y or z.")
    budgets.check_quaternions("its recording", arrays["recording.rotations"])
    return Recording(skeleton, _get(arrays, "recording.rotations", (*shape, 4)),
                     _get(arrays, "recording.positions", (*shape, 3)), finite(facts["dt"]),
                     _source_in(facts["source"]), unit, facts["up"], bool(facts["wraps"]))  # fmt: skip


def _placement_out(placement: Placement, arrays: Arrays, key: str) -> Facts:
    arrays[f"{key}.turn"], arrays[f"{key}.shift"] = placement.turn, placement.shift
    return {"unit": float(placement.unit)}


def _placement_in(facts: Facts, arrays: Arrays, key: str) -> Placement:
    turn, unit = _get(arrays, f"{key}.turn", (4,)), finite(facts["unit"])
    budgets.check_quaternions("its placement", turn)
    if not 1e-9 < unit < 1e9:
        raise BadValue(f"a file unit of {unit:g} m cannot be meant.")
    return Placement(unit, turn, _get(arrays, f"{key}.shift", (3,)))


def _source_out(source: Source) -> Facts:
    """All but the file that was opened, which says nothing elsewhere."""
    return {k: v for k, v in dataclasses.asdict(source).items() if k != "file"}


def _source_in(facts: Facts) -> Source:
    texts = {k: str(facts[k]) for k in ("name", "path", "format", "licence")}
    return Source(**texts, notes=_texts(facts["notes"]), licence_text=str(facts.get("licence_text", "")))


def _get(arrays: Arrays, key: str, shape: tuple[int, ...], kind: type = np.float64) -> np.ndarray:
    return npz_arrays.expect(key, arrays[key], shape, kind)


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise BadValue("a list of names was expected.")
    return tuple(printable(v) for v in values)
