"""Saving: one verb, told by the ending of the file; each writer is imported when it is needed."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Protocol, runtime_checkable

from poise import files
from poise.errors import BadFile, BadValue
from poise.extras import need
from poise.motion.clip import Clip

WRITERS: dict[str, str] = {
    ".bvh": "poise.export.bvh",
    ".glb": "poise.export.glb",
    ".usda": "poise.export.usd",
    ".usdc": "poise.export.usd",
    ".usd": "poise.export.usd",
    ".npz": "poise.motion.formats.npz",
    ".html": "poise.export.html",
    ".mp4": "poise.export.video",
    ".gif": "poise.export.gif",
    ".png": "poise.export.filmstrip",
}
"""Module of each ending; its `save(clip, path, **options)` writes the file."""
NEEDS: dict[str, tuple[str, str]] = {
    ".usda": ("pxr", "Writing USD"),
    ".usdc": ("pxr", "Writing USD"),
    ".usd": ("pxr", "Writing USD"),
    ".mp4": ("av", "Writing MP4"),
}
"""Module of an optional package that an ending needs, and for what."""
STAGED = (".html", ".png", ".mp4", ".gif", ".glb", ".usda", ".usdc", ".usd")
"""Endings of files that show the props of a take."""
TOLD = (".html", ".png", ".mp4", ".gif")
"""Endings whose pictures show the forces, pushes and moments of a take."""
JUDGED = {".html": "verdict", ".png": "title"}
"""Endings whose pictures tell how a take ended, and the option that takes the words."""


@runtime_checkable
class Exportable(Protocol):
    """Anything with a motion of one character in it."""

    def as_clip(self) -> Clip:
        """The motion, with the contacts and the ground that belong to it."""
        ...


def save(
    obj: Clip | Exportable, path: str | PathLike[str], *, overwrite: bool | None = None, **options: object
) -> None:
    """Write a motion to a file whose ending says how. The file is complete or not there at all.

    A file of this name is replaced, but not the very one from which the motion was read, unless `overwrite` is True;
    with `overwrite=False` none is replaced.

    Options go to the writer: `level` (.bvh .glb .usda), `unit` and `up` (.bvh), `fps` and `beside` (.html), ... .
    """
    ending = _ending(path)
    clip = obj if isinstance(obj, Clip) else obj.as_clip() if isinstance(obj, Exportable) else None
    if clip is None:
        raise BadValue(f"Only a motion can be saved, not a {type(obj).__name__}.")
    files.check_overwrite(path, read_from(clip), overwrite)
    writer = import_module(WRITERS[ending]).save
    _check_options(writer, ending, options)
    if ending == ".bvh":
        options = {**options, "overwrite": overwrite}  # it writes a second file: the licence
    if ending in STAGED and getattr(obj, "props", None):
        from poise.export.props import Props

        options = {"props": Props.of(obj), **options}  # type: ignore[arg-type]
    if ending in JUDGED and hasattr(obj, "ended"):
        options = {JUDGED[ending]: _verdict(obj, ending == ".png"), **options}
    if ending in TOLD and hasattr(obj, "ended"):
        from poise.export.happened import Happened

        options = {"happened": Happened.of(obj, audited=ending == ".html"), **options}  # type: ignore[arg-type]
    writer(clip, path, **options)


def read_from(clip: Clip) -> tuple[str, ...]:
    """The files from which a clip was read, as far as it knows."""
    sources = (clip.source,) if clip.recording is None else (clip.source, clip.recording.source)
    return tuple(name for source in sources for name in (source.file, source.path) if name)


def _verdict(take: object, short: bool) -> str:
    """How a take ended and whether it followed its clip, in one line; why it did not where that need not be short."""
    from poise.judge.verdict import verdict
    from poise.judge.wording.verdict import headline

    told = verdict(take)  # type: ignore[arg-type]
    return f"{told.clip} by {told.method}: {headline(told, short)}"


def check_target(path: str | PathLike[str]) -> None:
    """Refuse, before any work is done, a path that `save` could not write: ending, package, folder, permissions."""
    ending = _ending(path)
    if ending in NEEDS:
        need(*NEEDS[ending])
    files.check_writable(path)


def _ending(path: str | PathLike[str]) -> str:
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        if not str(path):
            raise BadFile("''", "the name of a file is empty.")
        if Path(path).is_dir():
            raise BadFile(path, "it is a folder; give the name of a file to write.")
        kind = f"files ending in {ending!r}" if ending else "files without an ending"
        raise BadValue(f"{path}: poise cannot write {kind}; it writes {' '.join(WRITERS)}.")
    return ending


def options_of(path: str | PathLike[str]) -> tuple[str, ...]:
    """Names of the options that `save` takes for a path with this ending, those passed on to others not included."""
    from inspect import Parameter, signature

    known = signature(import_module(WRITERS[_ending(path)]).save).parameters
    return tuple(name for name, p in list(known.items())[2:] if p.kind is not Parameter.VAR_KEYWORD)


def _check_options(writer: object, ending: str, options: dict[str, object]) -> None:
    """Refuse options that the writer does not know, naming those that it does."""
    from inspect import Parameter, signature

    known = signature(writer).parameters  # type: ignore[arg-type]
    if any(p.kind is Parameter.VAR_KEYWORD for p in known.values()):
        return
    taken = [name for name in list(known)[2:]]
    for name in options:
        if name not in taken:
            listed = ", ".join(taken) if taken else "no options"
            raise BadValue(f"Writing {ending} has no option {name!r}; it takes {listed}.")
