"""A table that an experiment prints, and its command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows under columns; `notes` are printed below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """For a terminal."""
        cells = [[_plain(c) for c in row] for row in self.rows]
        widths = [max(len(x) for x in column) for column in zip(self.columns, *cells, strict=True)]
        lines = ["  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip()
                 for row in (self.columns, *cells)]  # fmt: skip
        return "\n".join([self.title, "", *lines, *(["", *self.notes] if self.notes else [])])

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"title": self.title, "rows": [dict(zip(self.columns, r, strict=True)) for r in self.rows],
                "notes": list(self.notes)}  # fmt: skip


@dataclass(frozen=True)
class Options:
    """What an experiment may be told."""

    seeds: int = 8
    out: Path | None = None  # folder for pictures
    folder: Path | None = None  # of recordings


def main(run: Callable[[Any], Table], words: Sequence[str] | None = None) -> None:
    """Run an experiment from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    table = run(Options(given.seeds, given.out, given.folder))
    print(json.dumps(table.to_dict()) if given.json else table.text())


def _plain(cell: object) -> str:
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def picture(options: Any, take: Any, name: str) -> None:
    """Save a filmstrip where a folder for pictures was given."""
    out = getattr(options, "out", None)
    if out is not None:
        Path(out).mkdir(parents=True, exist_ok=True)
        take.save(Path(out) / f"balance-{name}.png")
