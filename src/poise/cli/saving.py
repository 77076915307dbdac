"""What every verb that writes a file has in common: the target is checked first, and nothing is replaced unasked."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from poise.cli.process import complain
from poise.errors import AlreadyThere, BadFile, BadValue

if TYPE_CHECKING:
    from poise.motion.clip import Clip
    from poise.take import Take

_LEVEL = (".bvh", ".glb", ".usd", ".usda", ".usdc")  # the others show the levelled floor anyway


def add_force(p: argparse.ArgumentParser) -> None:
    """The option without which no file is replaced."""
    p.add_argument("--force", action="store_true", help="replace files that exist already")


def check(*targets: str, force: bool = False) -> None:
    """Refuse paths that could not be written, or whose files would be replaced unasked, before any work is done."""
    from poise.export import check_target

    seen: dict[str, str] = {}
    for target in targets:
        check_target(target)
        if not force and os.path.isfile(target):
            raise AlreadyThere(target, "it exists already; give another name, or --force to replace it.")
        place = os.path.realpath(target)
        if place in seen and not _device(target):
            raise BadValue(f"{target}: two results cannot be written to one file.")
        seen[place] = target


def check_folder(folder: Path, force: bool = False) -> None:
    """Refuse a folder for figures that holds files already, some of which might be replaced."""
    if force or not folder.is_dir():
        return
    there = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    if there:
        some = ", ".join(there[:3]) + (", ..." if len(there) > 3 else "")
        raise AlreadyThere(folder, f"it holds files already ({some}), which figures might replace; give a new folder, "
                           "or --force.")  # fmt: skip


def save(motion: Clip | Take, target: str, *, level: bool = False, force: bool = False,
         notes: Sequence[str] = ()) -> str:  # fmt: skip
    """Write a motion, with a bar where the writer tells how far it is; gives the name of the file.

    A file that has come into being since `check` stays: then name-2 is written, so that no work is lost either. A page
    tells `notes` in its list.
    """
    from poise.export import options_of
    from poise.files import free_name
    from poise.progress import Bar

    options: dict[str, object] = {"level": True} if level and target.lower().endswith(_LEVEL) else {}
    bar = Bar(f"writing {target}", 1) if "progress" in options_of(target) else None
    options |= {} if bar is None else {"progress": bar.reach}
    options |= {"notes": list(notes)} if notes and "notes" in options_of(target) else {}
    try:
        try:
            motion.save(target, overwrite=force, **options)
        except AlreadyThere:
            other = str(free_name(target))
            motion.save(other, overwrite=False, **options)
            complain(f"{target} has come into being meanwhile and was left alone; {other} was written.")
            return other
    finally:
        if bar is not None:
            bar.close()
    return target


def _device(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def streamed(targets: list[str], force: bool = False) -> str | None:
    """The first .npz, to which a performance is streamed; refused where frames of another one wait beside it."""
    from poise.take import stream

    target = next((t for t in targets if t.lower().endswith(".npz") and not _device(t)), None)
    waiting = [] if target is None else stream.unfinished(Path(target))
    for folder in waiting:
        if stream.under_way(folder):
            raise BadFile(target, f"another performance is being recorded to it just now ({folder.name}); wait for it, "
                          "or give another name.")  # fmt: skip
    if waiting and not force:
        raise AlreadyThere(target, f"beside it lie frames of a performance that was broken off ({waiting[0].name}); "
                           f"write them with  poise recover {target} , give another name, or --force to leave them "
                           "there.")  # fmt: skip
    return target


def save_stopped(take: Take | None, targets: list[str], stream_to: str | None, force: bool) -> str:
    """Write what there is of a performance that was stopped, and tell which file holds how much of it."""
    if take is None:
        return "Stopped." + _left(stream_to)
    written, left = save_rest(take, targets, stream_to, force)
    written = [t for t in targets if t == stream_to] + written
    span = f"{float(take.time[-1]):.2f} s ({len(take)} frames)"
    held = f"Stopped after {span}" + (f", which {_and(written)} hold{'s' * (len(written) == 1)}" if written else "")
    return f"{held}{f'; not written: {_and(left)}' if left else ''}."


def save_rest(take: Take, targets: list[str], stream_to: str | None, force: bool) -> tuple[list[str], list[str]]:
    """The files that were and were not written of a performance that ended before its time, but the streamed one.

    A film is not drawn any more: that can take longer than the performance. An interrupt ends this, too.
    """
    rest = [t for t in targets if t != stream_to]
    written: dict[str, str] = {}
    with contextlib.suppress(KeyboardInterrupt):
        for target in rest:
            if not target.lower().endswith(".mp4"):
                with contextlib.suppress(BadFile):
                    written[target] = save(take, target, force=force)
    return list(written.values()), [t for t in rest if t not in written]


def _left(target: str | None) -> str:
    """Where the frames of a performance are that was stopped before its file could be written."""
    from poise.take import stream

    waiting = [] if target is None else stream.unfinished(Path(target))
    if not waiting:
        return ""
    return f" The frames are in {waiting[0].name}: write them with  poise recover {target} ."


def _and(names: list[str]) -> str:
    return " and ".join(names)
