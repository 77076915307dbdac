"""`poise check`: what a motion file holds, and what is wrong with it."""

from __future__ import annotations

import argparse
import json

from poise.cli.process import complain, say
from poise.cli.source import add_source, load
from poise.errors import PoiseError


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("files", nargs="+", metavar="FILE",
                   help="motion files (.bvh .amc .fbx .txt .npz, gaits .toml) or built-in names")  # fmt: skip
    add_source(p)


def run(args: argparse.Namespace) -> int:
    from poise.motion.check.check import check

    if len(args.files) == 1:
        report = check(load(args, args.files[0]))
        say(json.dumps(report.to_dict(), indent=2) if args.json else report.text())
        return 0
    return _table(args)


def _table(args: argparse.Namespace) -> int:
    """One line a file; files that cannot be read are named, and make the exit code 2."""
    from poise.motion.check.check import check
    from poise.progress import track

    rows: list[dict[str, object]] = []
    for path in track(args.files, "checking"):
        try:
            rows.append({"file": path, **check(load(args, path)).to_dict()})
        except PoiseError as error:
            rows.append({"file": path, "error": str(error)})
    if args.json:
        say(json.dumps(rows, indent=2))
    else:
        from poise.motion.check.check import table

        say(table(rows))
    bad = [r for r in rows if "error" in r]
    for row in bad:
        complain(str(row["error"]))
    return 2 if bad else 0
