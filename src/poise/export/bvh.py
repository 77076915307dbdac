"""BVH: the motion on its own skeleton, as text that every animation program reads.

BVH has no comments, so the licence of the source travels in a text file beside it, `<name>.licence.txt`.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from poise import files
from poise.export.rig import rig_of
from poise.motion.clip import Clip
from poise.motion.formats import bvh_write


def save(clip: Clip, path: str | PathLike[str], *, level: bool = False, unit: float | None = None,
         up: str | None = None) -> None:  # fmt: skip
    """Write a clip as BVH: in the units and axes of its file, or those given (`unit` [m], `up` "x", "y" or "z").

    Clips of built-in characters are written in centimetres, Y up, facing Z.
    """
    rig = rig_of(clip, level).converted(unit, up)
    bvh_write.write(path, rig.skeleton, rig.rotations, rig.positions, rig.dt)
    note = licence_note(clip)
    if note:
        with files.writing(Path(path).with_suffix(".licence.txt")) as temporary:
            temporary.write_text(note, encoding="utf-8")


def licence_note(clip: Clip) -> str:
    """What is known about the terms of a motion's source; empty where nothing is."""
    source = clip.source
    if not source.licence:
        return ""
    origin = f"Source of the motion: {source.name} ({source.format}).\n" if source.name else ""
    return f"{origin}Licence of the source: {source.licence}\n"
