"""`poise recover`: the take out of the frames of a performance that was broken off."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from poise.cli import saving
from poise.cli.process import say
from poise.errors import BadFile


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", metavar="OUT.npz", help="the file that was to be written, or the folder OUT.npz.frames")
    p.add_argument("--save", metavar="FILE.npz", help="write the take elsewhere (default: where it was meant to be)")
    saving.add_force(p)


def run(args: argparse.Namespace) -> int:
    from poise.take import Take, stream

    folder = stream.find(Path(args.source))
    if stream.under_way(folder):
        raise BadFile(folder, "this performance is still being recorded; stop it first.")
    target = args.save or str(stream.meant_for(folder) or args.source)
    if not target.lower().endswith(".npz"):
        raise BadFile(target, "a recovered take is written as .npz; poise convert makes other files of it.")
    saving.check(target, force=args.force)
    take = Take.recover(folder)
    take.save(target, overwrite=args.force)
    if len(Take.load(target)) == len(take):  # only then are the frames safe in the file
        stream.remove_folder(folder)
    what = {"written": target, "frames": len(take), "seconds": round(float(take.time[-1]), 4), "method": take.method}
    told = f"{target}: {len(take)} frames, {take.time[-1]:.2f} s, of a performance that was broken off"
    say(json.dumps(what, indent=2) if args.json else told)
    return 0
