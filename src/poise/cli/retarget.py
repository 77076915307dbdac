"""`poise retarget`: the same motion on another character."""

from __future__ import annotations

import argparse
import json

from poise.cli import saving
from poise.cli.process import say
from poise.cli.source import add_source, load, roles_of


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", metavar="IN", help="a motion file or a built-in name")
    p.add_argument(
        "character",
        metavar="CHARACTER",
        help="a built-in character, an MJCF or URDF file, or a motion file whose skeleton is meant",
    )
    p.add_argument("target", metavar="OUT", help="where to write it, told by the ending as in poise convert")
    p.add_argument("--body-role", action="append", default=[], metavar="ROLE=BODY",
                   help="which body of CHARACTER plays a role, where it is not found; may be repeated")  # fmt: skip
    saving.add_force(p)
    add_source(p)


def run(args: argparse.Namespace) -> int:
    from poise.motion.check.check import penetration, skating
    from poise.motion.load import load_any_character
    from poise.progress import tell_first_compilation, working

    saving.check(args.target, force=args.force)
    tell_first_compilation()
    character = load_any_character(args.character, roles_of(args.body_role, "--body-role"))
    clip = load(args, args.source)
    with working(f"retargeting {len(clip)} frames"):
        clip = clip.retarget(character)
    written = saving.save(clip, args.target, force=args.force)
    slide, sink = skating(clip), penetration(clip)
    if args.json:
        what = {"written": written, "character": character.name, "frames": len(clip), "skating": round(slide, 5),
                "seconds": round(clip.duration, 4), "penetration": round(sink, 5)}  # fmt: skip
        say(json.dumps(what, indent=2))
    else:
        say(f"{written}: {len(clip)} frames on {character.name}")
        say(f"feet skate {100 * slide:.2f} cm/s in contact and sink {1000 * sink:.1f} mm at most")
    return 0
