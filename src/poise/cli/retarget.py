"""`poise retarget`: the same motion on another character."""

from __future__ import annotations

import argparse
import json

from poise.cli.source import add_source, load


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", metavar="IN", help="a motion file or a built-in name")
    p.add_argument("character", metavar="CHARACTER", help="a built-in character, an MJCF or URDF file, or a motion file whose skeleton is meant")
    p.add_argument("target", metavar="OUT", help="where to write it, told by the ending as in poise convert")
    add_source(p)


def run(args: argparse.Namespace) -> int:
    from poise.export import check_target
    from poise.motion.check import penetration, skating
    from poise.motion.load import load_any_character

    check_target(args.target)
    character = load_any_character(args.character)
    clip = load(args, args.source).retarget(character)
    clip.save(args.target)
    what = {"written": args.target, "character": character.name, "frames": len(clip), "seconds": round(clip.duration, 4),
            "skating": round(skating(clip), 5), "penetration": round(penetration(clip), 5)}  # fmt: skip
    if args.json:
        print(json.dumps(what, indent=2))
    else:
        print(f"{args.target}: {len(clip)} frames on {character.name}; feet skate {100 * skating(clip):.2f} cm/s in contact, "
              f"sink {1000 * penetration(clip):.1f} mm at most")  # fmt: skip
    return 0
