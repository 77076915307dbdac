"""`poise bench`: speed beside yardsticks in the same run."""

from __future__ import annotations

import argparse
import json


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "--clip", default="walk", metavar="FILE", help="the motion to measure with (default: the built-in walk)"
    )


def run(args: argparse.Namespace) -> int:
    from poise.experiments.speed import measures
    from poise.motion.load import load_clip
    from poise.progress import tell_first_compilation

    tell_first_compilation()
    rows = []
    for m in measures(load_clip(args.clip)):
        rows.append(m)
        if not args.json:
            print(
                f"{'ok' if m.good else '--'}  {m.name:<34}{m.value:10.3g} {m.unit:<12} bar {m.bar:<7} ({m.yardstick})"
            )
    if args.json:
        print(json.dumps([m.to_dict() for m in rows], indent=2))
    return 0 if all(m.good for m in rows) else 1
