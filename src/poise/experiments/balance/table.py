"""The command line of an experiment by itself, its progress and its pictures."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from poise.experiments.reproduce import Options, Table

__all__ = ["Options", "Table", "main", "picture", "say"]


def main(run: Callable[[Options], Table], words: Sequence[str] | None = None) -> None:
    """Run an experiment from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--recordings", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    table = run(Options(given.seeds, given.out, given.recordings))
    print(json.dumps(table.to_dict()) if given.json else table.text())


def say(row: Sequence[Any]) -> None:
    """Tell that a row is done, beside the table itself."""
    print(*row, file=sys.stderr, flush=True)


def picture(options: Options, take: Any, name: str) -> None:
    """Save a filmstrip where a folder for pictures was given."""
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        take.save(options.out / f"balance-{name}.png")
