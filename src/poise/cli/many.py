"""Several clips at once: folders of motion files, a file for each result, and a table at the end."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from poise.cli.process import say
from poise.errors import BadValue, PoiseError


def add_endings(p: argparse.ArgumentParser, such_as: str) -> None:
    """The option of `endings_of`."""
    p.add_argument("--as", dest="endings", action="append", default=[], metavar="ENDING",
                   help=f"what to write into a folder, {such_as}; may be repeated")  # fmt: skip


def expanded(sources: Sequence[str]) -> list[str]:
    """The clips that are meant: names as they are, folders as the motion files in them, in the order of their names."""
    out: list[str] = []
    for source in sources:
        if source.endswith(("/", os.sep)) and not os.path.isdir(source):
            raise BadValue(f"There is no folder {source}.")
        if not os.path.isdir(source):
            out.append(source)
            continue
        found = [str(p) for p in sorted(Path(source).iterdir()) if p.is_file() and _is_motion(p)]
        if not found:
            raise BadValue(f"{source} holds no motion files ({' '.join(_endings())}).")
        out += found
    return out


def _endings() -> list[str]:
    from poise.motion import formats

    return [e for e in formats.endings() if e not in (".asf", ".txt")]  # a text need not be a motion


def _is_motion(path: Path) -> bool:
    return path.suffix.lower() in _endings()


def is_folder(target: str) -> bool:
    """Is a folder meant as the place for results: one that exists, or a name without an ending?"""
    return os.path.isdir(target) or (not os.path.exists(target) and not Path(target).suffix)


def target_of(source: str, folder: str, ending: str) -> str:
    """The file in a folder for the result of a source, by its name."""
    return os.path.join(folder, Path(source).stem + ending)


def endings_of(given: Sequence[str], default: str) -> list[str]:
    """Endings as they were asked for with --as, with their dots."""
    from poise.export import WRITERS

    out = [e if e.startswith(".") else f".{e}" for e in given] or [default]
    for e in out:
        if e.lower() not in WRITERS:
            raise BadValue(f"--as wants an ending that poise writes ({' '.join(WRITERS)}), not {e!r}.")
    return out


def made(folder: str) -> None:
    """Make the folder for results, where it is missing."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise BadValue(f"{folder} cannot be made ({(error.strerror or str(error)).lower()}).") from None


def each(sources: Sequence[str], work: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each source; one that is refused has the sentence in its row, and the others go on."""
    rows = []
    for source in sources:
        try:
            rows.append({"file": source, **work(source)})
        except PoiseError as error:
            rows.append({"file": source, "error": str(error)})
    return rows


def table(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> None:
    """Print rows under a headline; of one that was refused the sentence."""
    names = [_short(r["file"]) for r in rows]
    cells = [[str(r.get(c, "")) for c in columns] for r in rows]
    wide = [max(len(c), *(len(row[k]) for row in cells)) for k, c in enumerate(columns)]
    first = max(4, *map(len, names))
    say(f"{'clip':<{first}}  " + "  ".join(f"{c:<{w}}" for c, w in zip(columns, wide, strict=True)).rstrip())
    for name, row, r in zip(names, cells, rows, strict=True):
        told = "  ".join(f"{x:<{w}}" for x, w in zip(row, wide, strict=True)).rstrip()
        say(f"{name:<{first}}  {_refused(r) or told}")


def _refused(row: dict[str, Any]) -> str:
    return f"refused: {row['error']}" if "error" in row else ""


def _short(path: str) -> str:
    return os.path.basename(path) or path
