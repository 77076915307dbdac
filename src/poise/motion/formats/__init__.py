"""Motion files: one `read` for all of them, told apart by their ending and, where the ending lies, by their content."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from poise import files
from poise.errors import BadFile, BadValue
from poise.motion.recording import Recording


class Format(NamedTuple):
    """A kind of motion file, and the module that reads it.

    The module has `looks_like(start: bytes) -> bool`, which tells it by its first bytes, and `read(path) -> Recording`.
    """

    module: str
    endings: tuple[str, ...]

    def load(self) -> Any:
        """The module."""
        return import_module(self.module)


FORMATS: dict[str, Format] = {
    "bvh": Format("poise.motion.formats.bvh", (".bvh",)),
    "amc": Format("poise.motion.formats.asf", (".amc",)),
    "asf": Format("poise.motion.formats.asf_skeleton", (".asf",)),
    "fbx": Format("poise.motion.formats.fbx", (".fbx",)),
    "deepmimic": Format("poise.motion.formats.deepmimic", (".txt", ".json")),
    "npz": Format("poise.motion.formats.npz", (".npz",)),
    "gait": Format("poise.motion.formats.gait", (".toml",)),
}


def endings() -> tuple[str, ...]:
    """Endings of all motion files that can be read."""
    return tuple(ending for kind in FORMATS.values() for ending in kind.endings)


def read(path: str | PathLike[str], *, skeleton: str | PathLike[str] | None = None) -> Recording:
    """The recording in a motion file; `skeleton`: the .asf of an .amc that lies elsewhere.

    A clip made of it gets its likely licence (`poise.motion.formats.licence`).
    """
    file = files.must_exist(path)
    try:
        kind, beside = kind_of(file), None if skeleton is None else files.must_exist(skeleton)
        reader = FORMATS[kind].load()
        return reader.read(file, beside) if kind == "amc" else reader.read(file)
    except MemoryError:
        raise BadFile(path, "it is too large for this computer's memory.") from None
    except BadValue as error:  # what a Skeleton or Recording refuses
        raise BadFile(path, str(error)) from None


def kind_of(path: Path) -> str:
    """The format of an existing file, one of `FORMATS`: by its first bytes, else by its ending."""
    start = files.head(path)
    if not start.strip():
        raise BadFile(path, "it is empty.")
    for kind, known in FORMATS.items():
        if known.load().looks_like(start):
            return kind
    for kind, known in FORMATS.items():
        if path.suffix.lower() in known.endings:
            return kind
    raise BadFile(
        path,
        f"it is not a motion file that poise knows, neither by its ending ({' '.join(endings())}) nor by its content.",
    )
