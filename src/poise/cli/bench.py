"""`poise bench`: speed beside yardsticks in the same run."""

from __future__ import annotations

import argparse
import json

from poise.cli.process import say
from poise.extras import need


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("--clip", default="walk", metavar="FILE",
                   help="the motion to measure with (default: four cycles of the built-in walk)")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    from poise.experiments.speed import measures
    from poise.motion.load import load_clip
    from poise.progress import tell_first_compilation

    need("clarabel", "The yardstick for friction cones")
    tell_first_compilation()
    rows = []
    clip = load_clip(args.clip)
    clip = clip if clip.cycle is None else clip.repeat(4)
    for m in measures(clip):
        rows.append(m)
        if not args.json:
            say(f"{'ok' if m.good else '--'}  {m.name:<34}{m.value:10.3g} {m.unit:<12} bar {m.bar:<7} ({m.yardstick})")
    if args.json:
        say(json.dumps([m.to_dict() for m in rows], indent=2))
    return 0 if all(m.good for m in rows) else 1
