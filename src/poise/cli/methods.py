"""`poise methods`: the ways in which a clip can be performed, and the settings of one."""

from __future__ import annotations

import argparse
import json
import textwrap

from poise.cli.process import say


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("name", nargs="?", metavar="METHOD", help="the settings of this method, such as modal")


def run(args: argparse.Namespace) -> int:
    from poise.methods import about

    if args.name is not None:
        return _settings(args)
    words = about()
    width = max(map(len, words))
    plain = "\n".join(f"{name:<{width}}  {text}" for name, text in words.items())
    say(json.dumps(words, indent=2) if args.json else f"{plain}\n\npoise methods NAME lists the settings of one.")
    return 0


def _settings(args: argparse.Namespace) -> int:
    from poise.methods.schema import rows, settings_of

    if args.json:
        say(json.dumps([s.to_dict() for s in settings_of(args.name)], indent=2))
        return 0
    lines = []
    for name, meaning, unit, allowed, default, document in rows(args.name):
        lines.append(f"{name}={default}" + (f"  [{unit}]" if unit else ""))
        lines += textwrap.wrap(meaning, 100, initial_indent="    ", subsequent_indent="    ")
        told = f"{allowed}; the document: {document}" if document else allowed
        lines += textwrap.wrap(told, 100, initial_indent="    ", subsequent_indent="      ")
    say("\n".join(lines) or f"{args.name} has no settings.")
    return 0
