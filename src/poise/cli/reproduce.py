"""`poise reproduce`: the tables and figures of the papers and of this project, run anew."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from poise.cli import saving
from poise.cli.process import say


def arguments(p: argparse.ArgumentParser) -> None:
    from poise.experiments.reproduce import EXPERIMENTS

    p.add_argument("name", nargs="?", metavar="NAME", choices=sorted(EXPERIMENTS),
                   help=f"one of {', '.join(sorted(EXPERIMENTS))}; without it they are listed")  # fmt: skip
    p.add_argument(
        "--seeds", type=int, default=8, help="how many starts, phases, repetitions or generations (default: 8)"
    )
    p.add_argument("--out", type=Path, metavar="FOLDER", help="draw the figures into this folder; long tables keep "
                   "their rows there too, and the same command goes on with them")  # fmt: skip
    saving.add_force(p)
    p.add_argument("--recordings", type=Path, metavar="FOLDER", help="where recordings are, for the tables about them")
    p.add_argument("--only", nargs="+", default=[], metavar="NAME",
                   help="only clips, recordings, takes or sights whose names begin so")  # fmt: skip
    p.add_argument("--characters", nargs="+", default=[], metavar="NAME",
                   help="built-in characters, or files of a body or of a motion")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    from poise.experiments.kept import goes_on
    from poise.experiments.reproduce import EXPERIMENTS, Options, reproduce
    from poise.progress import tell_first_compilation

    if args.name is None:
        say(json.dumps(sorted(EXPERIMENTS)) if args.json else "\n".join(sorted(EXPERIMENTS)))
        return 0
    if args.out is not None and not goes_on(args.out, args.name):
        saving.check_folder(args.out, args.force)
    options = Options(args.seeds, args.out, args.recordings, tuple(args.only), tuple(args.characters))
    tell_first_compilation()
    table = reproduce(args.name, options)
    say(json.dumps(table.to_dict(), indent=2) if args.json else table.text())
    return 0
