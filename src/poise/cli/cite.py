"""`poise cite`: the papers behind what was used."""

from __future__ import annotations

import argparse
import json

from poise.citations import CITATIONS
from poise.cli.process import say
from poise.errors import UnknownName


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("names", nargs="*", metavar="NAME", help="methods or data, such as modal; all when none is named")
    p.add_argument("--bibtex", action="store_true", help="as BibTeX entries")


def run(args: argparse.Namespace) -> int:
    unknown = [n for n in args.names if n not in CITATIONS]
    if unknown:
        raise UnknownName("citation", unknown[0], CITATIONS)
    chosen = {n: CITATIONS[n] for n in (args.names or CITATIONS)}
    if args.json:
        say(json.dumps({n: c.to_dict() for n, c in chosen.items()}, indent=2))
    elif args.bibtex:
        say("\n\n".join(c.bibtex(n) for n, c in chosen.items()))
    else:
        width = max(map(len, chosen))
        say("\n".join(f"{n:<{width}}  {c.text()}" for n, c in chosen.items()))
    return 0
