"""Arrays and one JSON text in a zip, read without trusting any number that the file states about itself."""

from __future__ import annotations

import io
import json
import math
import tokenize
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from poise import budgets
from poise.errors import BadFile, BadValue

_FACTS = "facts.json"
_LARGEST = 4_000_000_000  # bytes of all arrays together
_LARGEST_NUMBER = 1e12  # of metres, radians, seconds or newtons: what is larger would only overflow later
_RATIO = 200  # of unpacked to packed size; honest motion data stays far below
_TYPES = {np.dtype(t) for t in (np.float64, np.int64, np.bool_)}


def write(path: Path, facts: str, arrays: dict[str, np.ndarray]) -> None:
    """Writes the JSON text `facts` and the arrays (float64, int64 or bool); `numpy.load` opens the arrays too."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr(zipfile.ZipInfo(_FACTS), facts)
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, plain(array), allow_pickle=False)


def plain(array: np.ndarray) -> np.ndarray:
    """The same numbers as float64, int64 or bool, in C order."""
    kind = {"b": np.bool_, "i": np.int64, "u": np.int64}.get(np.asarray(array).dtype.kind, np.float64)
    return np.ascontiguousarray(array, kind)


def read(path: Path, what: str = "clip") -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The facts and the arrays; refuses broken archives, pickles, and sizes that the file does not have."""
    arrays: dict[str, np.ndarray] = {}
    facts: Any = None
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _weigh(path, members)
            if _FACTS not in archive.namelist():
                names = ", ".join(m.filename.removesuffix(".npy")[:30] for m in members[:8])
                raise BadFile(path, f"it is not a {what} saved by poise; it holds {names or 'nothing'}.")
            for member in members:
                data = archive.read(member)
                if member.filename == _FACTS:
                    facts = json.loads(data)
                elif member.filename.endswith(".npy"):
                    arrays[member.filename.removesuffix(".npy")] = _array(path, member.filename, data)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError,
            MemoryError, OverflowError, RecursionError) as error:  # fmt: skip
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise BadFile(path, f"it is not a whole npz file: {reason}.") from None
    if not isinstance(facts, dict):
        raise BadFile(path, f"it is not a {what} saved by poise: its description is not a JSON object.")
    return facts, arrays


def expect(name: str, array: np.ndarray, shape: tuple[int, ...], kind: type = np.float64) -> np.ndarray:
    """The array itself where it has this shape and type and, if of floats, holds finite numbers."""
    if array.shape != shape or array.dtype != np.dtype(kind):
        raise BadValue(
            f"its {name!r} is {array.dtype} of shape {array.shape}; {np.dtype(kind)} of {shape} was expected."
        )
    if array.dtype == np.float64 and not np.all(np.abs(array) < _LARGEST_NUMBER):
        raise BadValue(f"its {name!r} holds numbers that are not finite, or beyond any motion.")
    return array


def _weigh(path: Path, members: list[zipfile.ZipInfo]) -> None:
    """Refuses an archive that would unpack to far more than it is."""
    unpacked, packed = sum(m.file_size for m in members), path.stat().st_size
    facts = sum(m.file_size for m in members if m.filename == _FACTS)
    most = min(_RATIO * packed, max(budgets.SMALL_MEMORY, budgets.UNPACKED * packed))
    if unpacked > min(_LARGEST, most) or facts > budgets.JSON_BYTES:
        raise BadFile(path, f"it would unpack from {packed} to {unpacked} bytes; that is no motion.")


def _array(path: Path, name: str, data: bytes) -> np.ndarray:
    """The array in the bytes of an npy file, if they are all there and hold plain numbers."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        with warnings.catch_warnings(action="error"):  # a header that numpy can only guess at is not one of ours
            shape, fortran, dtype = reader(stream)
    except (Warning, ValueError, TypeError, KeyError, SyntaxError, tokenize.TokenError, RecursionError, MemoryError):
        raise BadFile(path, f"its member {name[:40]!r} is not an array.") from None
    if dtype not in _TYPES or fortran:
        raise BadFile(path, f"its member {name[:40]!r} has the type {str(dtype)[:40]}; plain numbers were expected.")
    size = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or len(shape) > 8 or len(data) - stream.tell() != size:
        raise BadFile(path, f"its member {name[:40]!r} states the shape {str(shape)[:60]} but has other data.")
    return np.frombuffer(data, dtype, offset=stream.tell()).reshape(shape).copy()
