"""`poise perform`: a character performs a clip in physics."""

from __future__ import annotations

import argparse
import json
from typing import Any

from poise.cli import saving
from poise.cli.process import say
from poise.cli.source import add_source, load
from poise.errors import BadValue


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", metavar="CLIP", help="a motion file or a built-in name")
    p.add_argument("--method", default="pd", help="how it is performed (default: pd, joint servos alone)")
    p.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the method; may be repeated"
    )
    p.add_argument("--honest", action="store_true", help="with --method balance: exact physics, no artificial torque")
    p.add_argument("--character", help="perform it on another body: a built-in name, MJCF or URDF file")
    p.add_argument("--loop", action="store_true", help="cut the best cycle of the clip and go on for ever")
    p.add_argument("--seconds", type=float, help="how long (default: the clip, or 10 s of a loop)")
    p.add_argument("--start", type=float, default=0.0, help="time in the clip at which it begins")
    p.add_argument("--noise", type=float, default=0.0, help="standard deviation of noise on all starting velocities")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--ground", metavar="KIND", help="slope:-5, stairs:0.15x0.3, platform:0.1@1 (m, Hz), seesaw, flat")
    p.add_argument("--push", action="append", default=[], metavar="BODY:FX,FY,FZ@AT+DURATION",
                   help="a push, such as chest:0,150,0@1.0+0.1; may be repeated")  # fmt: skip
    p.add_argument("--ball", action="append", default=[], metavar="BODY:MASSkg,SPEEDm/s@AT",
                   help="a thrown ball, such as head:2kg,10m/s@2.0; may be repeated")  # fmt: skip
    p.add_argument("--contact", choices=["soft", "springs"], default="soft", help="the simulator's contact model")
    p.add_argument("--save", action="append", default=[], metavar="OUT",
                   help="write the take: .npz, or .bvh .glb .usda .html .mp4 .png; may be repeated")  # fmt: skip
    add_source(p)


def run(args: argparse.Namespace) -> int:
    from poise.cli.events import ball, ground, push, setting
    from poise.methods import method
    from poise.motion.load import load_any_character
    from poise.performance import perform
    from poise.stage import Stage

    saving.check(*args.save)
    if args.seconds is not None and not args.seconds > 0:
        raise BadValue(f"--seconds wants a positive number, not {args.seconds}.")
    given = dict(setting(text) for text in args.set)
    made = _honest(args.method, given) if args.honest else method(args.method, **given)
    floor = ground(args.ground) if args.ground else None
    events = [*map(push, args.push), *map(ball, args.ball)]
    clip = load(args, args.source)
    clip = clip.loop() if args.loop and clip.cycle is None else clip
    clip = clip.retarget(load_any_character(args.character)) if args.character else clip
    stage = Stage(clip.ground if floor is None else floor, events=events)
    take = perform(clip, made, stage=stage, seconds=args.seconds,
                   start=args.start, noise=args.noise, seed=args.seed, contact=args.contact, progress=True)  # fmt: skip
    for target in args.save:
        saving.save(take, target)
    error = take.tracking_error()
    what = {"clip": clip.name, "method": take.method, "seconds": round(float(take.time[-1]), 4), "fell": take.fell,
            "tracking_error": error.to_dict(), "realtime_factor": round(take.realtime_factor, 2),
            "written": args.save}  # fmt: skip
    say(json.dumps(what, indent=2) if args.json else text(what))
    return 0


def _honest(name: str, given: dict[str, object]) -> Any:
    """The honest controller of balance, with settings of one's own on top."""
    from dataclasses import replace

    from poise.methods import method
    from poise.methods.balance import HONEST

    if name != "balance":
        raise BadValue(f"--honest belongs to --method balance, not to {name}: only balance has artificial torques.")
    method(name, **given)  # refuses names that do not exist
    return replace(HONEST, **given)  # pyright: ignore[reportArgumentType]


def text(what: dict) -> str:
    """A few lines for the terminal."""
    fell = "stayed up" if what["fell"] is None else f"fell at {what['fell']:.2f} s"
    speed = f"{what['realtime_factor']:.1f} x real time"
    lines = [
        f"{what['clip']} by {what['method']}: {what['seconds']:.2f} s, {fell}, {speed}",
        "tracking error (rms): " + ", ".join(f"{k} {v:.3g}" for k, v in what["tracking_error"].items()),
        *(f"written: {w}" for w in what["written"]),
    ]
    return "\n".join(lines)
