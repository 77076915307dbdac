"""`poise perform`: a character performs a clip in physics."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from poise import files
from poise.cli import saving
from poise.cli.events import ball, forms, ground, push
from poise.cli.process import say
from poise.cli.source import add_source, load
from poise.errors import BadValue

NOT_WHOLE = 1  # exit code of a performance that did not come to its end on its feet


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", metavar="CLIP", help="a motion file or a built-in name")
    p.add_argument(
        "--method",
        help="how it is performed (default: pd, joint servos alone; vibration for a gait); one of your own is "
        "package.module:Class",
    )
    p.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                   help="a setting of the method, as `poise methods NAME` lists them; may be repeated")  # fmt: skip
    p.add_argument("--honest", action="store_true", help="with --method balance: exact physics, no artificial torque")
    p.add_argument("--character", help="perform it on another body: a built-in name, MJCF or URDF file")
    p.add_argument("--loop", action="store_true", help="cut the best cycle of the clip and go on for ever")
    p.add_argument("--seconds", type=float, help="how long (default: the clip, or 10 s of a loop)")
    p.add_argument("--start", type=float, default=0.0, help="time in the clip at which it begins")
    p.add_argument("--noise", type=float, default=0.0, help="standard deviation of noise on all starting velocities")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--ground", metavar="KIND", help=f"{forms()}, such as slope:-5 (degrees, m, Hz)")
    p.add_argument("--push", action="append", default=[], metavar="BODY:FX,FY,FZ@AT+DURATION",
                   help="a push, such as chest:0,150,0@1.0+0.1; may be repeated")  # fmt: skip
    p.add_argument("--ball", action="append", default=[], metavar="BODY:MASSkg,SPEEDm/s@AT",
                   help="a thrown ball, such as head:2kg,10m/s@2.0; may be repeated")  # fmt: skip
    p.add_argument("--contact", choices=["soft", "springs"], default="soft", help="the simulator's contact model")
    p.add_argument("--save", action="append", default=[], metavar="OUT",
                   help="write the take: .npz, or .bvh .glb .usda .html .mp4 .png; may be repeated")  # fmt: skip
    saving.add_force(p)
    add_source(p)


def run(args: argparse.Namespace) -> int:
    from poise.judge.verdict import verdict
    from poise.methods.find import find
    from poise.methods.schema import changed
    from poise.motion.load import load_any_character
    from poise.performance import perform
    from poise.take import TakeInterrupted

    saving.check(*args.save, force=args.force)
    stream = saving.streamed(args.save, args.force)
    if args.seconds is not None and not args.seconds > 0:
        raise BadValue(f"--seconds wants a positive number, not {args.seconds}.")
    name = args.method or ("vibration" if _is_gait(args.source) else "pd")
    made = changed(_honest(name) if args.honest else find(name), args.set)
    floor = ground(args.ground) if args.ground else None
    events = [*map(push, args.push), *map(ball, args.ball)]
    clip = load(args, args.source)
    clip = clip.loop() if args.loop and clip.cycle is None else clip
    clip = clip.retarget(load_any_character(args.character)) if args.character else clip
    stage = replace(clip.stage(args.start, args.seconds), events=tuple(events))  # with the bars and loads of its hands
    stage = stage if floor is None else replace(stage, ground=floor)
    try:
        take = perform(clip, made, stage=stage, seconds=args.seconds, start=args.start, noise=args.noise,
                       seed=args.seed, contact=args.contact, save=stream, overwrite=args.force,
                       progress=True)  # fmt: skip
    except TakeInterrupted as full:  # what goes elsewhere may still fit there
        saving.save_rest(full.take, args.save, stream, args.force)
        raise
    except KeyboardInterrupt as stop:
        kept = saving.save_stopped(getattr(stop, "take", None), args.save, stream, args.force)
        raise KeyboardInterrupt(kept) from None
    told = verdict(take)
    written = [t if t == stream else saving.save(take, t, force=args.force) for t in args.save]
    factor = take.realtime_factor
    what = {"clip": clip.name, "method": take.method, "seconds": round(float(take.time[-1]), 4), "asked": take.asked,
            "fell": take.fell, **told.to_dict(), "realtime_factor": round(factor, 2) if isfinite(factor) else None,
            "written": written}  # fmt: skip
    if args.json:
        say(json.dumps(what, indent=2, allow_nan=False))
    else:
        speed = [f"speed: {factor:.1f} x real time"] if isfinite(factor) else []
        saved = [f"the state before it blew up: {e.text}" for e in take.events if e.kind == "saved state"]
        say("\n".join([told.text(), *speed, *saved, *(f"written: {target}" for target in written)]))
    return 0 if told.good else NOT_WHOLE


def _is_gait(path: str) -> bool:
    """Is this a gait file?"""
    from poise.motion.formats.gait import looks_like

    return os.path.isfile(path) and looks_like(files.head(Path(path)))


def _honest(name: str) -> Any:
    """The honest controller of balance."""
    from poise.methods.balance import HONEST

    if name != "balance":
        raise BadValue(f"--honest belongs to --method balance, not to {name}: only balance has artificial torques.")
    return HONEST
