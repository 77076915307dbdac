"""Gait files: a gait of `poise design` as text (TOML), whose cycle is read here as a looping clip.

The file begins with `kind = "gait"`. What moves the body (bursts, feedback) is the method's (`methods/vibration`); here
are its character, the inertia on its joints, their strength where it is not the character's, and `[track]`: one cycle
of configurations and how far it leads.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.character.joint_inertia import with_joint_inertia
from poise.errors import BadFile, BadValue
from poise.files import read_bytes
from poise.motion.clip import Clip, Cycle
from poise.motion.recording import Recording, Source

HEAD = b'kind = "gait"'
LARGEST = 50_000_000  # bytes of a gait
_NEEDED = ("character", "sketch", "controls", "track", "inertia")


def looks_like(start: bytes) -> bool:
    """Does a file begin like a gait?"""
    return start.lstrip().startswith(HEAD)


def read(path: Path) -> Recording:
    """A gait is read as a clip by `load`: it has its character."""
    raise BadFile(path, "a gait file has its own character; load it as a clip.")


def data_of(path: Path) -> dict[str, Any]:
    """The tables of the file, with those that a gait must have."""
    raw = read_bytes(path, LARGEST)
    if not looks_like(raw[:64]):
        raise BadFile(path, 'it is no gait: such a file begins with kind = "gait"; poise design makes one of a sketch.')
    try:
        data = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadFile(path, f"it is a damaged gait: {str(error).rstrip('.')}.") from None
    missing = [name for name in _NEEDED if name not in data]
    if missing:
        raise BadFile(path, f"it is a damaged gait: it has no {' and no '.join(missing)}.")
    return data


def numbers(path: Path, data: Any, what: str, shape: tuple[int, ...]) -> np.ndarray:
    """An array of the file; -1 in the shape stands for any length."""
    try:
        out = np.array(data, float)
    except (TypeError, ValueError, OverflowError):
        out = np.empty(0)
    fits = out.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, out.shape, strict=False))
    if not fits or not np.all(np.isfinite(out)):
        raise BadFile(path, f"it is a damaged gait: {what} must be numbers of shape {shape}.")
    return out


def load(path: Path) -> Clip:
    """The cycle as a looping clip on the character of the file."""
    from poise.character.load import names
    from poise.motion.load import load_any_character

    data = data_of(path)
    name = str(data["character"])
    beside = path.parent / name
    own = beside if name not in names() and beside.is_file() else name
    body = load_any_character(own, even=data.get("even") is True)
    character = with_joint_inertia(body, numbers(path, data["inertia"], "inertia", (body.model.nv,)))
    if "strength" in data:
        limit = numbers(path, data["strength"], "strength", (body.model.nv,))
        character = replace(character, torque_limit=np.abs(limit))
    track = data["track"] if isinstance(data["track"], dict) else {}
    q = numbers(path, track.get("q"), "track.q", (-1, body.model.nq))
    shift = numbers(path, track.get("shift"), "track.shift", (3,))
    try:
        source = Source(name=str(data.get("name", path.stem)), path=str(path), format="gait")
        return Clip(character, q, float(track.get("dt", 0.0)), source, cycle=Cycle(0.0, shift), holds=())
    except (BadValue, TypeError, ValueError) as error:
        raise BadFile(path, f"it is a damaged gait: {error}") from None
