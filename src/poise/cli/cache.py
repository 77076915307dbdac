"""`poise cache`: what is remembered on disk, and forgetting it."""

from __future__ import annotations

import argparse
import json

from poise.cli.process import say


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("--clear", action="store_true", help="forget everything")


def run(args: argparse.Namespace) -> int:
    from poise import remembered

    where = remembered.folder()
    if args.clear:
        count, size = remembered.clear()
    else:
        known = [] if where is None else remembered.kept(where)
        count, size = len(known), sum(s for _, s, _ in known)
    what = {"folder": None if where is None else str(where), "things": count, "bytes": size, "cleared": args.clear}
    if args.json:
        say(json.dumps(what, indent=2))
    elif where is None:
        say("Nothing is remembered: there is no folder for caches that can be trusted, or POISE_REMEMBER is off.")
    else:
        did = "forgotten" if args.clear else "remembered"
        say(f"{count} repairs and fits {did}, {size / 1e6:.1f} MB, in {where} (at most {remembered.MOST / 1e6:.0f} MB)")
    return 0
