"""`poise convert`: from one file format to another, with edits on the way."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from poise.cli.source import add_source, load
from poise.errors import BadValue

if TYPE_CHECKING:
    from poise.motion.clip import Clip


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", metavar="IN", help="a motion file (.bvh .amc .fbx .txt .npz) or a built-in name")
    p.add_argument(
        "target", metavar="OUT", help="where to write it: .bvh .glb .usda .npz .html .mp4 or .png (a filmstrip)"
    )
    edits = p.add_argument_group("edits, done in this order")
    edits.add_argument("--cut", metavar="FROM:TO", help="keep this part, in seconds, such as 0.5:2.0")
    edits.add_argument("--loop", action="store_true", help="cut the best whole cycle and close its seam")
    edits.add_argument("--repeat", type=int, metavar="N", help="play a cycle N times")
    edits.add_argument("--mirror", action="store_true", help="exchange left and right")
    edits.add_argument("--speed", type=float, metavar="X", help="play X times as fast")
    edits.add_argument("--stride", type=float, metavar="X", help="strides X times as long")
    edits.add_argument("--slope", type=float, metavar="DEG", help="walk up (or, negative, down) a slope")
    edits.add_argument("--stairs", metavar="RISExRUN", help="walk on stairs, such as 0.15x0.3 (metres)")
    edits.add_argument("--resample", type=float, metavar="FPS", help="change the frame rate")
    p.add_argument("--level", action="store_true", help="keep the levelled floor at height zero in the written file")
    add_source(p)


def run(args: argparse.Namespace) -> int:
    from poise.export import check_target

    check_target(args.target)  # before any work is done
    clip = edited(load(args, args.source), args)
    options = {"level": True} if args.level and str(args.target).lower().endswith((".bvh", ".glb", ".usda")) else {}
    clip.save(args.target, **options)
    what = {"written": args.target, "frames": len(clip), "fps": round(clip.fps, 6), "seconds": round(clip.duration, 4),
            "character": clip.character.name, "licence": clip.source.licence}  # fmt: skip
    if args.json:
        print(json.dumps(what, indent=2))
    else:
        print(f"{args.target}: {len(clip)} frames at {clip.fps:.4g} fps, {clip.duration:.2f} s")
        if clip.source.licence:
            print(f"licence: {clip.source.licence}")
    return 0


def edited(clip: Clip, args: argparse.Namespace) -> Clip:
    """The clip after the edits that the arguments ask for."""
    from poise.motion import edit
    from poise.motion.resample import resample

    if args.cut:
        clip = clip.cut(*_numbers(args.cut, ":", "--cut", "FROM:TO"))
    if args.loop:
        clip = clip.loop()
    if args.repeat is not None:
        clip = clip.repeat(args.repeat)
    if args.mirror:
        clip = clip.mirror()
    if args.speed is not None:
        clip = clip.edit(edit.Warp(speed=args.speed))
    if args.stride is not None:
        clip = clip.edit(edit.Stride(scale=args.stride))
    if args.slope is not None:
        clip = clip.edit(edit.Slope(degrees=args.slope))
    if args.stairs:
        rise, run_ = _numbers(args.stairs, "x", "--stairs", "RISExRUN")
        clip = clip.edit(edit.Stairs(rise=rise, run=run_))
    return resample(clip, args.resample) if args.resample else clip


def _numbers(text: str, between: str, option: str, form: str) -> tuple[float, float]:
    try:
        a, b = text.split(between)
        return float(a), float(b)
    except ValueError:
        raise BadValue(f"{option} wants {form}, two numbers, not {text!r}.") from None
