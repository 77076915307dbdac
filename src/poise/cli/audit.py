"""`poise audit`: is the physics of a take, or of a bare clip, true?"""

from __future__ import annotations

import argparse
import json

from poise.cli.process import say
from poise.cli.source import add_source, load, saved_take


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", metavar="FILE", help="a take saved as .npz, a motion file, or a built-in name")
    p.add_argument("--friction", type=float, default=1.0, help="of the ground, for a bare clip (default 1)")
    p.add_argument("--cutoff", type=float, metavar="HZ",
                   help="smooth a bare clip above this frequency first; recordings are noisy, 10 is usual")  # fmt: skip
    add_source(p)


def run(args: argparse.Namespace) -> int:
    from poise.judge.audit import audit

    take = saved_take(args.source)
    if take is not None:
        report = audit(take)
    else:
        report = audit(load(args, args.source), friction=args.friction, cutoff=args.cutoff)
    say(json.dumps(report.to_dict(), indent=2) if args.json else report.text())
    return 0 if report.passed else 1
