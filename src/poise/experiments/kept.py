"""Kept rows: a long table whose rows are written down as they come, so that one that was stopped goes on where it was.

They are in `rows.jsonl` of the folder for figures: a first line that says of which experiment and by what they were
made, then a line for each row. Without a folder nothing is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from poise.errors import AlreadyThere
from poise.experiments.reproduce import Options, told
from poise.take.description import versions

FILE = "rows.jsonl"


class KeptRows:
    """The rows of one experiment."""

    def __init__(self, options: Options, experiment: str):
        self.head = {"experiment": experiment, "made by": versions()}
        self.file = None if options.out is None else options.out / FILE
        self.known: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        if self.file is not None:
            self._read(self.file)

    def row(self, key: tuple[Any, ...], make: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        """The row of a key: known, or made now and written down; shown either way."""
        if key in self.known:
            return told(self.known[key])
        row = tuple(_plain(cell) for cell in make())
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"key": key, "row": row}) + "\n")
        return told(row)

    def _read(self, file: Path) -> None:
        if not file.is_file():
            file.write_text(json.dumps(self.head) + "\n", encoding="utf-8")
            return
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        if not lines or lines[0] != self.head:
            raise AlreadyThere(file, "its rows are of another experiment or of other versions; give a new folder.")
        self.known = {tuple(entry["key"]): tuple(entry["row"]) for entry in lines[1:]}


def _plain(cell: Any) -> Any:
    """A value of numpy as Python's own."""
    return cell.item() if hasattr(cell, "item") else cell


def goes_on(folder: Path, experiment: str) -> bool:
    """Does a folder hold rows of this experiment that can be gone on with?"""
    try:
        with (folder / FILE).open(encoding="utf-8") as stream:
            return json.loads(stream.readline()).get("experiment") == experiment
    except (OSError, ValueError, AttributeError):
        return False
