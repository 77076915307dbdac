"""Packing: the memory of a method as plain values and arrays, and back into a fresh one. No pickle.

A memory is a tree of objects, lists, tuples and dictionaries with numbers and arrays at its ends. Numbers are kept by
the path that leads to them. Working memory of MuJoCo, models, characters, stages, settings and addresses are made anew
by `start` and are not kept; of references only whether they are the one that is followed.
"""

from __future__ import annotations

import dataclasses
from importlib import import_module
from typing import Any

import mujoco
import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.stage import Stage

Packed = dict[str, Any]  # path -> array or plain value
_ANEW = (Character, Clip, Stage, mujoco.MjModel, mujoco.MjData, mujoco.MjSpec, type)
_ADDRESSES = "calls"  # fields of this name hold addresses of functions and memory
_PLAIN = (bool, int, float, str, type(None))


def pack(memory: Any, reference: Reference) -> Packed:
    """All numbers of a memory by their path; `reference` is the one that is followed."""
    out: Packed = {}
    _pack(memory, "", reference, out, set())
    return out


def unpack(memory: Any, packed: Packed, reference: Reference) -> Any:
    """The memory, made by `start` for the same method, character, reference and stage, with what was packed in it."""
    return _unpack(memory, "", packed, reference, set())


def _fields(value: Any) -> dict[str, Any] | None:
    """What is inside a value, by name; None where nothing of it is kept."""
    if isinstance(value, _ANEW) or callable(value) or (dataclasses.is_dataclass(value) and _settings(value)):
        return None
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {n: getattr(value, n) for n in value._fields if n != _ADDRESSES}  # type: ignore[attr-defined]
    if isinstance(value, (list, tuple)):
        return {str(k): v for k, v in enumerate(value)}
    if isinstance(value, dict):
        return {str(k): v for k, v in value.items()}
    inside = dict(getattr(value, "__dict__", {}))
    inside |= {n: getattr(value, n) for n in getattr(type(value), "__slots__", ()) if hasattr(value, n)}
    if any(isinstance(v, mujoco.MjData) for v in inside.values()):
        return None  # working memory
    return {n: v for n, v in inside.items() if n != _ADDRESSES}


def _settings(value: Any) -> bool:
    """Is this a frozen value without arrays: settings, which never change?"""
    frozen = value.__dataclass_params__.frozen
    return frozen and not any(isinstance(v, np.ndarray) for v in vars(value).values())


def _pack(value: Any, path: str, reference: Reference, out: Packed, seen: set[int]) -> None:
    if isinstance(value, Reference):
        out[path] = "followed" if value is reference else "other"
    elif isinstance(value, np.generic):
        out[path] = value.item()
    elif isinstance(value, _PLAIN):
        out[path] = value
    elif isinstance(value, np.ndarray):
        out[path] = value.copy()
    elif id(value) not in seen:
        seen.add(id(value))
        inside = _fields(value)
        if inside is None:
            return
        if isinstance(value, list):
            out[path + "#"] = len(value)
            plain = _plain_list(value)
            if plain is not None:
                out[path + "@"] = plain
                return
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            out[path + "!"] = f"{type(value).__module__}:{type(value).__qualname__}"
        for name, part in inside.items():
            _pack(part, f"{path}/{name}", reference, out, seen)


def _plain_list(value: list[Any]) -> np.ndarray | None:
    """A list of numbers, or of lists of as many, as an array; None for any other."""
    first = value[0] if value else None
    if isinstance(first, list) or type(first) in (bool, int, float):
        try:
            made = np.array(value)
        except ValueError:
            return None
        return made if made.dtype.kind in "bif" and made.tolist() == value else None
    return None


def _unpack(value: Any, path: str, packed: Packed, reference: Reference, seen: set[int]) -> Any:
    if path in packed:
        return _end(value, packed[path], reference)
    if isinstance(value, (*_PLAIN, np.ndarray, np.generic)) and path:
        return _grown(path, packed, reference, value)
    if id(value) in seen:
        return value
    seen.add(id(value))
    if isinstance(value, list):
        if path + "@" in packed:
            value[:] = packed[path + "@"].tolist()
            return value
        count = packed.get(path + "#", len(value))
        del value[count:]
        value += [None] * (count - len(value))
    inside = _fields(value)
    if inside is None:
        return value
    made = {n: _unpack(part, f"{path}/{n}", packed, reference, seen) for n, part in inside.items()}
    if isinstance(value, tuple):
        changed = any(made[n] is not inside[n] for n in made)
        if hasattr(value, "_fields"):
            return value._replace(**made) if changed else value  # type: ignore[attr-defined]
        return tuple(made.values()) if changed else value
    if isinstance(value, list):
        value[:] = made.values()
    elif isinstance(value, dict):
        names = {str(k): k for k in value}
        for path_name in _names_below(path, packed):
            if path_name not in made:
                made[path_name] = _unpack(None, f"{path}/{path_name}", packed, reference, seen)
        value.update({names.get(n, n): part for n, part in made.items()})
    else:
        for n, part in made.items():
            if part is not inside[n]:
                object.__setattr__(value, n, part)
    return value


def _names_below(path: str, packed: Packed) -> list[str]:
    """Names of what was packed directly below a path."""
    found = {k[len(path) + 1 :].split("/")[0].rstrip("#@!") for k in packed if k.startswith(path + "/")}
    return sorted(found)


def _end(value: Any, packed: Any, reference: Reference) -> Any:
    """A number, an array or a reference as it was packed; an array of the same shape is written into."""
    if isinstance(value, Reference) or (isinstance(packed, str) and packed in ("followed", "other")):
        own = value if isinstance(value, Reference) and value is not reference else None  # one that `start` made
        return reference if packed == "followed" else own
    if isinstance(packed, np.ndarray):
        if isinstance(value, np.ndarray) and value.shape == packed.shape:
            if value.flags.writeable:
                value[...] = packed
                return value
            return value if np.array_equal(value, packed, equal_nan=value.dtype.kind == "f") else packed.copy()
        return packed.copy()
    return packed


def _grown(path: str, packed: Packed, reference: Reference, value: Any) -> Any:
    """What was a tuple, a servo or a list when it was packed, and is a plain value in a fresh memory."""
    if path + "@" in packed:
        return packed[path + "@"].tolist()
    names = _names_below(path, packed)
    if path + "#" in packed:
        parts = [_grown_part(f"{path}/{k}", packed, reference) for k in range(packed[path + "#"])]
        return parts
    if not names:
        return value
    made = {n: _grown_part(f"{path}/{n}", packed, reference) for n in names}
    if all(n.isdigit() for n in names):
        return tuple(made[str(k)] for k in range(len(names)))
    return _kind(path, packed)(**made)


def _kind(path: str, packed: Packed) -> Any:
    """The kind of tuple that was packed at a path; only those of poise are made."""
    module, _, name = str(packed.get(path + "!", "")).partition(":")
    found = getattr(import_module(module), name, None) if module.startswith("poise.") else None
    if not (isinstance(found, type) and issubclass(found, tuple)):
        raise BadValue(f"The memory cannot be made again: nothing is known of {path or 'it'}.")
    return found


def _grown_part(path: str, packed: Packed, reference: Reference) -> Any:
    return _end(None, packed[path], reference) if path in packed else _grown(path, packed, reference, None)
